/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regex - a POSIX extended regular expression; group 1 is the value, group 2 (if there is one) the unit.
 *
 * It is matched against each line of stdout, then of stderr: a line at a time because matching megabytes at once makes
 * glibc's matcher slow and hungry. Very long lines are looked at in their first 64 KiB.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/scan.h"

#include <regex.h>
#include <string.h>

enum { LINE_MAX_LEN = 64 * 1024 };

static int compile(const char *text, regex_t *ret, struct err *e)
{
	char why[200];
	int x = regcomp(ret, text, REG_EXTENDED);

	if (x) {
		regerror(x, ret, why, sizeof(why));
		return err_set(e, ERR_USAGE, "regex '%.200s': %s", text, why);
	}
	if (ret->re_nsub == 0) {
		regfree(ret);
		return err_set(e, ERR_USAGE,
			       "regex '%.200s' has no group: put ( ) around the value", text);
	}
	return 0;
}

int reader_check_regex(const char *regex, struct err *e)
{
	regex_t re;
	int x = compile(regex, &re, e);

	if (x == 0)
		regfree(&re);
	return x;
}

static void take_match(struct gather *g, const char *metric, const char *line, const regmatch_t *m)
{
	const char *p = line + m[1].rm_so, *end = line + m[1].rm_eo, *behind = p;
	size_t metric_n = strlen(metric);
	double value, resolution;

	switch (scan_value(p, end, &behind, &value, &resolution)) {
	case SCAN_VALUE:
		if (behind == end) {
			bool has_unit = m[2].rm_so >= 0;

			gather_add(g, metric, metric_n, has_unit ? line + m[2].rm_so : "",
				   has_unit ? (size_t)(m[2].rm_eo - m[2].rm_so) : 0, value,
				   resolution);
			return;
		}
		break;
	case SCAN_NOT_FINITE:
	case SCAN_NONE:
		break;
	}
	gather_problem(g, metric, metric_n,
		       "metric '%s': the regex found '%.*s', which is not a finite number", metric,
		       (int)(end - p < 60 ? end - p : 60), p);
}

static bool match_lines(struct gather *g, const regex_t *re, const char *metric, const char *text,
			size_t n)
{
	const char *at = text, *line;
	bool any = false;
	size_t line_n;

	while (scan_line(&at, text + n, &line, &line_n)) {
		regmatch_t m[3] = { { .rm_so = 0,
				      .rm_eo = (regoff_t)(line_n < LINE_MAX_LEN ? line_n
										: LINE_MAX_LEN) },
				    { -1, -1 },
				    { -1, -1 } };

		if (regexec(re, line, 3, m, REG_STARTEND) || m[1].rm_so < 0)
			continue;
		any = true;
		take_match(g, metric, line, m);
	}
	return any;
}

static int read_regex(const struct reader_input *in, struct gather *g, struct err *e)
{
	const char *metric = in->regex_metric ? in->regex_metric : "value";
	regex_t re;

	if (!in->regex)
		return err_set(e, ERR_USAGE,
			       "the reader 'regex' needs the benchmark's key 'regex'");
	int x = compile(in->regex, &re, e);

	if (x < 0)
		return x;
	bool any = match_lines(g, &re, metric, in->out, in->out_n);

	any = match_lines(g, &re, metric, in->err, in->err_n) || any;
	regfree(&re);
	if (!any)
		gather_problem(g, metric, strlen(metric),
			       in->out_n + in->err_n
				       ? "no line of the output matches the regex '%.150s'"
				       : "the benchmark printed nothing for the regex '%.150s'",
			       in->regex);
	return 0;
}

const struct reader reader_regex = {
	.name = "regex",
	.help = "the benchmark's regex: group 1 is the value, group 2 (optional) its unit",
	.read = read_regex,
};
