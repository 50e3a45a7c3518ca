/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan - what the guest program is to do: the file /culprit/plan of the initramfs, then what this boot's kernel command line changes.
 *
 * The file has lines `key value` (empty lines and those that begin with '#' are skipped):
 *	module PATH [ARGS]   load it, in this order
 *	sysctl KEY=VALUE     before setup
 *	net loopback         lo up, and a dummy0 with an address
 *	env NAME=VALUE       cwd PATH
 *	scratch PATH         a folder that is made anew for each run
 *	timeout SECONDS      of one run, guest time
 *	warmup N, runs N     runs 0: as many as the gate lets through
 *	output BYTES         how much of a run's output and of its errors is kept
 *	machine yes          one frame that describes the machine
 *	symbols yes          one frame with the kernel's symbols (/proc/kallsyms, code only)
 * The command line has words culprit.offset=N, culprit.env=N, culprit.seed=N, culprit.pad=..., culprit.sysctl=KEY=VALUE,
 * culprit.env.NAME=VALUE and culprit.describe=yes (both frames of the last two keys); all others belong to the kernel.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct plan {
	struct strvec modules, sysctls, env; /* "PATH ARGS", "KEY=VALUE", "NAME=VALUE" */
	char *cwd, *scratch;		     /* scratch: NULL = none */
	bool net, machine, symbols;
	int64_t timeout_ns, warmup, runs, output;
	int64_t offset;	 /* instructions to burn before the first run */
	int64_t env_pad; /* bytes of padding in the environment */
	char *seed;	 /* into $CULPRIT_SEED; NULL: none */
};

/* A valid plan with the defaults: 60 s, no warm-up, one run, 1 MiB. */
void plan_init(struct plan *p);
void plan_done(struct plan *p);

/* `text` is the file; the error names the line. */
int plan_parse(struct plan *p, const char *text, struct err *e) MUST_USE;
/* `line` is /proc/cmdline. */
int plan_apply_cmdline(struct plan *p, const char *line, struct err *e) MUST_USE;
