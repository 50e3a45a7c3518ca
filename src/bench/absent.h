/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * absent - a shell says "./x: not found" of a script that is there, where the interpreter in its first line is not.
 */
#pragma once

#include "base/str.h"

/*
 * If `said`, what a shell wrote, blames a program that is there, adds " (it is there, but ...)" with what is wrong to `reason`. The shell ran in `cwd`, as
 * it saw it, with bind_from and bind_to as in proc_spec, or NULL, and with the environment `env`. Asked at once: what is looked at is the tree
 * that it ran in.
 */
void absent_explain(const char *said, const char *cwd, const char *bind_from, const char *bind_to,
		    const char *const *env, struct str *reason);
