/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JUnit XML, as CI systems pass it around: <testsuite><testcase classname="c" name="n" time="1.23"><failure/></testcase></testsuite>, in <testsuites> or
 * not. Every test case that passed gives its time; a case that comes again (reruns, results put together) is another sample. How long a test took that failed
 * or was skipped says nothing: a note. Some writers group thousands: "1,234.5".
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/scan.h"
#include "text/xml.h"

#include <string.h>

struct suite {
	struct gather *g;
	struct str name, time;
	bool in_case, is_void;
};

static bool is_junit(const char *head, size_t n)
{
	return memmem(head, n, "<testsuite", 10) && memchr(head, '<', n);
}

static void begin(void *arg, const char *name, const char **attributes)
{
	struct suite *s = arg;

	if (!strcmp(name, "testcase")) {
		const char *class = xml_attribute(attributes, "classname");
		const char *test = xml_attribute(attributes, "name");
		const char *time = xml_attribute(attributes, "time");
		const char *status = xml_attribute(attributes, "status"); /* GoogleTest, CTest */

		str_clear(&s->name);
		str_clear(&s->time);
		str_addf(&s->name, "%s%s%s", class ? class : "", class && *class ? "." : "",
			 test ? test : "?");
		str_puts(&s->time, time ? time : "");
		s->in_case = true;
		s->is_void = status && (!strcmp(status, "notrun") || !strcmp(status, "disabled"));
		if (s->is_void)
			gather_note(s->g, "the test '%s' has no time: it did not run", s->name.p);
	} else if (s->in_case && (!strcmp(name, "failure") || !strcmp(name, "error") ||
				  !strcmp(name, "skipped"))) {
		s->is_void = true;
		gather_note(s->g, "the test '%s' has no time: %s", s->name.p,
			    !strcmp(name, "skipped") ? "skipped" : "it failed");
	}
}

/* Commas between groups of three digits, where there is a point too. */
static void ungroup(struct str *time)
{
	size_t n = 0;

	if (!strchr(time->p, '.'))
		return;
	for (size_t i = 0; i < time->n; i++)
		if (time->p[i] != ',')
			time->p[n++] = time->p[i];
	str_cut(time, n);
}

static void end(void *arg, const char *name, const char *text UNUSED)
{
	static const struct gather_metric m = { "time", "s", BETTER_LOWER, false };
	struct suite *s = arg;
	double value, resolution;
	const char *behind;

	if (strcmp(name, "testcase") != 0 || !s->in_case)
		return;
	s->in_case = false;
	if (s->is_void)
		return;
	if (!s->time.n) {
		gather_note(s->g, "the test '%s' has no time", s->name.p);
		return;
	}
	if (strchr(s->time.p, ','))
		ungroup(&s->time);
	behind = s->time.p;
	if (scan_value(s->time.p, s->time.p + s->time.n, &behind, &value, &resolution) !=
		    SCAN_VALUE ||
	    *behind) {
		gather_problem(s->g, NULL, 0, "the time of the test '%.100s' is no number: '%.40s'",
			       s->name.p, s->time.p);
		return;
	}
	gather_bench(s->g, s->name.p, s->name.n);
	gather_value(s->g, &m, value, resolution);
}

static int read_junit(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	static const struct xml_reader r = { begin, end };
	struct suite s = { .g = g, .name = STR_INIT, .time = STR_INIT };
	struct err why = ERR_INIT;

	if (xml_parse(in->out, in->out_n, "XML", &r, &s, &why) < 0)
		gather_problem(g, NULL, 0, "%s", why.msg);
	if (!gather_any(g))
		gather_problem(g, NULL, 0, "no test case in it passed and has a time");
	str_done(&s.name);
	str_done(&s.time);
	return 0;
}

const struct reader reader_junit = {
	.name = "junit",
	.help = "XML of JUnit: the time of every test case that passed",
	.sniff = is_junit,
	.read = read_junit,
};
