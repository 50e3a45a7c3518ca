/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_suite - many comparisons seen together.
 *
 * Each was judged at its own level. Together they are a family: with twenty of them, one false alarm is what to expect. Holm's step-down over the
 * primary metrics says which differences stand with all of them counted (STATISTICS.md 1.10).
 */
#pragma once

#include "report/answer.h"

struct suite_answer {
	const char *group; /* of the workload; "" = none */
	const struct json *answer;
};

struct suite_summary {
	size_t tests;	      /* primary metrics that were compared */
	size_t worse, better; /* that stand in the family */
	size_t weak;	      /* called different alone, not in the family */
	size_t undecided;
};
/*
 * The table by groups, worst first, and a line for each group: how far it went and its geometric mean. A difference that does not stand in the family is in
 * brackets. `out` may be NULL: only the summary is wanted.
 */
void answer_suite(const struct suite_answer *v, size_t n, const struct answer_style *style,
		  struct suite_summary *ret, struct str *out);
