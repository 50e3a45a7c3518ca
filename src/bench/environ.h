/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * environ - the environment that builds and runs get.
 *
 * The caller's own, without what says how culprit itself was started (make's jobserver, git's hook variables, the shell's level), so
 * that starting it from make, a hook or a terminal measures the same thing.
 */
#pragma once

#include "base/mem.h"

#include <stdint.h>

/* NAME=VALUE of the caller's environment, cleaned. */
void environ_user(struct strvec *ret);
/* A small fixed one, for counting measures: PATH and HOME of the caller, LC_ALL=C, TZ=UTC. */
void environ_fixed(struct strvec *ret);
/* Replaces or adds. */
void environ_set(struct strvec *env, const char *name, const char *value);
/* "NAME=VALUE" likewise. */
void environ_put(struct strvec *env, const char *assignment);
const char *environ_get(const struct strvec *env, const char *name);
/* $JOBS: as asked, or (0) one for each CPU that we may use. */
unsigned environ_jobs(unsigned asked);
/* Bytes that the kernel copies to the stack for it. */
size_t environ_size(const struct strvec *env);
/*
 * Adds CULPRIT_PAD (or replaces it, if it is the last) so that the size becomes the next multiple of 4096 that it fits in, plus `extra` (0..4095). The size of the
 * environment moves the stack and with it the alignment of everything on it (Mytkowicz et al., ASPLOS 2009): so it is drawn, not
 * left to the length of somebody's HOME.
 */
void environ_pad(struct strvec *env, unsigned extra);
