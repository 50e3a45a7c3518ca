/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * making - what every way to make a build shares: the reproducible environment of its commands, and what their end says.
 *
 * Private to src/bench and to the makers that build.h's struct build_maker stands for.
 */
#pragma once

#include "bench/build_request.h"
#include "sys/proc.h"

/* The environment of a build's commands in the tree that they see at `src`; ccache in front where it is. `env` is added to. */
int making_environ(const struct build_request *q, const char *store, const char *src,
		   struct strvec *env, struct err *e) MUST_USE;
/* Its outcome and its reason; control characters of the reason become blanks. `reason` is emptied. */
void making_refuse(struct build_result *ret, enum outcome outcome, struct str *reason);
/* A build or checkout that failed because there was no room says nothing about the commit: ERR_ENV then, else 0. */
int making_disk_full(const char *store, const char *text, struct err *e) MUST_USE;
/* How a command ended, its output being in ret->log: an outcome with a reason unless it went well. Stopped, disk full: negative. */
int making_ended(const struct build_request *q, const char *store, const struct proc_result *p,
		 struct build_result *ret, struct err *e) MUST_USE;
/* The changes that are not in the tree already (env and the like; config.X if `config`), as text: they make another candidate. */
void making_put_changes(const struct variant *v, bool config, struct str *out);
