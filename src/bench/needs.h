/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * needs - what a benchmark cannot do without, looked for before anything is measured.
 */
#pragma once

#include "bench/benchmark.h"

/*
 * "stress-ng (apt install stress-ng)": the programs of the benchmark that are not on this machine; appends nothing if all are. A name is sought in PATH and where
 * an administrator's programs are, one with a slash may have wildcards. Of a package that is not in Debian's main it says in which component it is, and with
 * `how` what to do for that.
 */
void needs_put_programs(const struct benchmark *b, bool how, struct str *ret);
/* "/dev/nullb0 (as root: modprobe null_blk)": what `needs` names and is not here; a guest has its own. Appends nothing if all is there. */
void needs_put_others(const struct benchmark *b, struct str *ret);

/* ERR_ENV in one line, if a program is missing, or on this machine (`here`) one of its `needs`. */
int needs_check(const struct benchmark *b, bool here, struct err *e) MUST_USE;
