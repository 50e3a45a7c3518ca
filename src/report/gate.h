/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate - the answer of `gate` judged and written: pure, from its JSON.
 */
#pragma once

#include "base/str.h"

struct json;

enum gate_verdict {
	GATE_PASS,
	GATE_FAIL, /* a primary metric got worse; with "fail_on": "undecided" also one that is undecided */
	GATE_UNDECIDED, /* none got worse, not all are shown not to */
	GATE_BROKEN,	/* a benchmark could not be compared, and none failed */
};
const char *gate_verdict_name(enum gate_verdict v); /* "pass", ... */
enum gate_verdict gate_judge(const struct json *answer);
/* The rows of a benchmark that decide, in turn; *at begins as 0. NULL at the end. */
const struct json *gate_next_row(const struct json *benchmark, size_t *at);
/* GitHub's flavour: a heading, a table of what failed or is undecided, the rest folded. */
void gate_markdown(const struct json *answer, struct str *out);
/* A <testsuite> a benchmark, a <testcase> a primary metric. */
void gate_junit(const struct json *answer, struct str *out);
