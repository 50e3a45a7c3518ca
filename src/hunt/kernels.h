/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels - a session in a kernel's source: its way of building, and how the configuration drifts over the range.
 */
#pragma once

#include "hunt/session.h"

/*
 * Opens s->kbuild if the checkout is a kernel's tree (or kernel.config says so) and there is no project.build, which wins. Called when
 * repository, store and configuration are open.
 */
int kernels_open(struct session *s, struct err *e) MUST_USE;
/*
 * The configuration of build `b` against that of the build of the session before it: says and journals the symbols that differ. (Built first are the
 * ends of a range, so that the second says what changed between them.)
 */
int kernels_note_drift(struct session *s, const struct mbuild *b, struct err *e) MUST_USE;
