/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise - what makes a machine's measurements noisy, with the fix for each: data for `doctor`.
 */
#pragma once

#include "sys/machine.h"

enum finding_severity {
	FINDING_GOOD,  /* checked and fine */
	FINDING_NOTE,  /* good to know; costs no accuracy by itself */
	FINDING_NOISE, /* makes results scatter: more runs are needed */
	FINDING_BIAS,  /* can make results wrong, not only noisy */
};
const char *finding_severity_name(enum finding_severity s); /* "good", "note", "noise", "bias" */

struct finding {
	enum finding_severity severity;
	char topic[24]; /* one word: "governor", "turbo" */
	char what[200];
	char fix[240]; /* "" if there is nothing to fix, or nothing that can be done */
};
struct findings {
	struct finding *v;
	size_t n, cap;
};
void findings_done(struct findings *f);
/*
 * Worst first. `busy` and `steal` are shares of all CPUs' time while nothing of ours ran (machine_between over half a second), -1 =
 * not known.
 */
void noise_find(const struct machine *m, double busy, double steal, struct findings *ret);
/* Who makes the load (see sys/busy.h), into the finding about it, if there is one. */
void noise_name_load(struct findings *f, const char *names);
