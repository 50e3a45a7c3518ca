/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer's own verdict is not enough: a stored answer may be of another version, and a letter leaves the house. So the interval is looked at again.
 */
#include "report/claim.h"

#include "report/answer.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

enum claim claim_of_interval(const struct json *row, const char **ret_why)
{
	double low = answer_number(row, "low"), high = answer_number(row, "high");

	*ret_why = NULL;
	if (!isfinite(low) || !isfinite(high))
		*ret_why = "no interval";
	else if (low <= 0 && high >= 0)
		*ret_why = "its interval crosses zero";
	return *ret_why ? CLAIM_REFUSED : CLAIM_CHANGE;
}

enum claim claim_of(const struct json *row, const char **ret_why)
{
	double low = answer_number(row, "low"), high = answer_number(row, "high"),
	       margin = answer_number(row, "margin");
	enum verdict v;

	*ret_why = NULL;
	if (!verdict_parse(answer_str(row, "verdict"), &v)) {
		*ret_why = "no verdict";
		return CLAIM_REFUSED;
	}
	switch (v) {
	case VERDICT_UNDECIDED:
		*ret_why =
			answer_flag(row, "need_minimum") ? "undecided, too few runs" : "undecided";
		return CLAIM_REFUSED;
	case VERDICT_IDENTICAL:
		return CLAIM_SAME;
	case VERDICT_ON_PAR:
		if (isfinite(low) && isfinite(high) && low >= -margin && high <= margin)
			return CLAIM_SAME;
		*ret_why = "its interval passes the margin";
		return CLAIM_REFUSED;
	case VERDICT_SLOWER:
	case VERDICT_FASTER:
		break;
	}
	return claim_of_interval(row, ret_why);
}

bool claim_is_worse(const struct json *row)
{
	const char *better = answer_str(row, "better");
	double change = answer_number(row, "change");
	enum verdict v;

	if (verdict_parse(answer_str(row, "verdict"), &v))
		return v == VERDICT_SLOWER;
	return !strcmp(better, "higher") ? change < 0 : !strcmp(better, "lower") && change > 0;
}

bool claim_is_work(const struct json *row)
{
	const char *evidence = answer_str(row, "evidence");

	return !strcmp(evidence, "emulated") || !strcmp(evidence, "model");
}

void refusals_done(struct refusals *r)
{
	strvec_done(&r->list);
}

void refusals_add(struct refusals *r, const struct json *row, const char *about, const char *why)
{
	const char *benchmark = answer_str(row, "benchmark");
	AUTO(str) struct str line = STR_INIT;

	if (*benchmark && strcmp(benchmark, "default") != 0)
		str_addf(&line, "%s ", benchmark);
	str_addf(&line, "%s (%s): %s", answer_str(row, "metric"), about, why);
	for (size_t i = 0; i < r->list.n; i++)
		if (!strcmp(r->list.v[i], line.p))
			return;
	strvec_add(&r->list, line.p);
}
