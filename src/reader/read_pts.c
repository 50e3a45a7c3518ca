/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phoronix Test Suite, composite.xml: PhoronixTestSuite / Result {Identifier, Title, Arguments, Description, Scale, Proportion HIB or LIB, DisplayFormat} /
 * Data / Entry {Identifier, Value, RawString}.
 *
 * RawString has the samples, "9.1:9.2:9.0"; without it Value is one. Proportion is the direction, Scale the unit. A file can hold the results of several
 * systems: their identifiers then stand behind the benchmark's name. What is no bar of numbers (lines over time, pass or fail) is a note. Names are read first, since what
 * a result is called depends on how many systems there are.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/scan.h"
#include "text/xml.h"

#include <string.h>

enum field { TITLE, ARGUMENTS, SCALE, PROPORTION, FORMAT, DESCRIPTION, SYSTEM, VALUE, RAW, FIELDS };

struct composite {
	struct gather *g; /* NULL: only look at the systems */
	struct str field[FIELDS];
	struct str first; /* the first system */
	bool several;
	bool in_entry, in_result;
};

static bool is_pts(const char *head, size_t n)
{
	return memmem(head, n, "<PhoronixTestSuite", 18);
}

static void begin(void *arg, const char *name, const char **attributes UNUSED)
{
	struct composite *c = arg;

	if (!strcmp(name, "Result")) {
		c->in_result = true;
		for (size_t i = 0; i < FIELDS; i++)
			str_clear(&c->field[i]);
	} else if (!strcmp(name, "Entry")) {
		c->in_entry = true;
		for (size_t i = SYSTEM; i < FIELDS; i++)
			str_clear(&c->field[i]);
	}
}

static const char *unit_of(const char *scale)
{
	static const char *const known[][2] = { { "Seconds", "s" },
						{ "Milliseconds", "ms" },
						{ "Microseconds", "us" },
						{ "Nanoseconds", "ns" } };

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcasecmp(scale, known[i][0]))
			return known[i][1];
	return scale;
}

/* One of "9.1:9.2:9.0". */
static bool take_sample(struct gather *g, const struct gather_metric *m, const char *text, size_t n)
{
	const char *behind = text;
	double value, resolution;

	if (scan_value(text, text + n, &behind, &value, &resolution) != SCAN_VALUE ||
	    behind != text + n) {
		gather_problem(g, m->name, strlen(m->name), "'%.*s' in an entry is no number",
			       (int)(n < 60 ? n : 60), text);
		return false;
	}
	gather_value(g, m, value, resolution);
	return true;
}

static void take_entry(struct composite *c)
{
	const char *proportion = c->field[PROPORTION].p, *format = c->field[FORMAT].p;
	const struct str *title = &c->field[TITLE], *details = &c->field[DESCRIPTION];
	const char *text = c->field[RAW].n ? c->field[RAW].p : c->field[VALUE].p;
	const struct gather_metric m = {
		"result",
		unit_of(c->field[SCALE].p),
		!strcmp(proportion, "HIB")   ? BETTER_HIGHER
		: !strcmp(proportion, "LIB") ? BETTER_LOWER
					     : BETTER_UNKNOWN,
		false,
	};
	AUTO(str) struct str name = STR_INIT;

	if (!details->n)
		details = &c->field[ARGUMENTS];
	str_addf(&name, "%s%s%s", title->p, details->n ? " - " : "", details->p);
	if (c->several)
		str_addf(&name, " @%s", c->field[SYSTEM].p);
	if (*format && strcmp(format, "BAR_GRAPH") != 0) {
		gather_note(c->g, "%s is no list of numbers (%s)", name.p, format);
		return;
	}
	if (!*text) {
		gather_note(c->g, "%s has no value", name.p);
		return;
	}
	gather_bench(c->g, name.p, name.n);
	for (size_t n; *text; text += n + (text[n] == ':')) {
		n = strcspn(text, ":");
		if (!take_sample(c->g, &m, text, n))
			return;
	}
}

/* Is it the first system's? */
static void look_at_entry(struct composite *c)
{
	const char *system = c->field[SYSTEM].p;

	if (!c->first.n)
		str_puts(&c->first, system);
	c->several = c->several || strcmp(c->first.p, system) != 0;
}

static void end(void *arg, const char *name, const char *text)
{
	static const struct {
		const char *element;
		enum field field;
		bool of_entry;
	} fields[] = {
		{ "Title", TITLE, false },	    { "Arguments", ARGUMENTS, false },
		{ "Scale", SCALE, false },	    { "Proportion", PROPORTION, false },
		{ "DisplayFormat", FORMAT, false }, { "Description", DESCRIPTION, false },
		{ "Identifier", SYSTEM, true },	    { "Value", VALUE, true },
		{ "RawString", RAW, true },
	};
	struct composite *c = arg;

	if (!strcmp(name, "Result"))
		c->in_result = false;
	if (!strcmp(name, "Entry") && c->in_entry) {
		c->in_entry = false;
		if (c->g)
			take_entry(c);
		else
			look_at_entry(c);
		return;
	}
	for (size_t i = 0; c->in_result && i < ARRAY_LEN(fields); i++)
		if (fields[i].of_entry == c->in_entry && !strcmp(name, fields[i].element)) {
			str_clear(&c->field[fields[i].field]);
			str_puts(&c->field[fields[i].field], text);
		}
}

static int read_pts(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	static const struct xml_reader r = { begin, end };
	struct composite c = { .first = STR_INIT };
	struct err why = ERR_INIT;

	for (size_t i = 0; i < FIELDS; i++)
		c.field[i] = (struct str)STR_INIT;
	int x = xml_parse(in->out, in->out_n, "XML", &r, &c, &why);

	c.g = g;
	if (x == 0)
		x = xml_parse(in->out, in->out_n, "XML", &r, &c, &why);
	if (x < 0)
		gather_problem(g, NULL, 0, "%s", why.msg);
	else if (!gather_any(g))
		gather_problem(g, NULL, 0, "no result with a value in it");
	for (size_t i = 0; i < FIELDS; i++)
		str_done(&c.field[i]);
	str_done(&c.first);
	return 0;
}

const struct reader reader_pts = {
	.name = "pts",
	.help = "composite.xml of the Phoronix Test Suite: every sample, by test and options",
	.sniff = is_pts,
	.read = read_pts,
};
