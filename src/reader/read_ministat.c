/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ministat - files as ministat reads them: the first word of each line is a value, `#` begins a comment, further columns are left.
 *
 * Only by its name: without it a file of lines with several numbers is one of numbers (numbers.h), all of which are values.
 */
#include "reader/formats.h"
#include "reader/text.h"

static int read_ministat(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	static const struct gather_metric value = { "value", "", BETTER_UNKNOWN, false };
	unsigned line = 0;
	struct text t;

	text_begin(&t, g, "a column", in->out, in->out_n);
	while (!gather_has_problem(g) && text_next(&t)) {
		const char *p = t.line;
		struct value v;

		line++;
		if (!t.n || *p == '#')
			continue;
		if (text_number(&t, &p, value.name, &v) && p == text_word_end(&t, t.line))
			gather_value(g, &value, v.value, v.resolution);
		else
			gather_problem(g, value.name, 5, "line %u: '%.*s' is no number", line,
				       (int)(text_word_end(&t, t.line) - t.line), t.line);
	}
	text_close(&t, in, NULL);
	return 0;
}

const struct reader reader_ministat = {
	.name = "ministat",
	.help = "columns as ministat reads them: the first word of each line is a value",
	.read = read_ministat,
};
