/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate - A against A: one build measured as if it were two, which must come out on par.
 *
 * What it gives is this machine's noise with this benchmark: the run-to-run spread, whether it fails its own A/A test, and the
 * smallest change that a comparison of so many runs, or of so much time, can be expected to see.
 */
#pragma once

#include "hunt/duel.h"

struct calibrate_options {
	const char *variant;
	double alpha, margin;
	unsigned runs; /* a side */
	uint64_t seed;
};
/* *ret_answer: "command": "doctor", "mode": "calibrate". The caller's; stored. */
int calibrate_hunt(struct session *s, const struct calibrate_options *o, char **ret_answer,
		   bool *ret_stored, struct err *e) MUST_USE;

struct json;
/* The answer again, from the journal alone (session.journal_only; builds adopted). */
int calibrate_recompute(struct session *s, const struct json *question,
			const struct observations *obs, char **ret_answer, struct err *e) MUST_USE;

/* The half-width that a rank interval of n + n Gaussian values of standard deviation `sd` has at 1 - alpha (large-sample form). */
double calibrate_detectable(double sd, unsigned n, double alpha);
