/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hackbench - "Time: 0.123", of rt-tests; several runs in one output are several readings. */
#include "reader/formats.h"
#include "reader/text.h"

static int read_hackbench(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	static const struct label labels[] = {
		{ "Time:", { "Time", "s", BETTER_LOWER, false }, NULL },
		{ 0 },
	};

	text_read_labels(in, g, "hackbench", labels, NULL);
	return 0;
}

static bool sniff_hackbench(const char *head, size_t n)
{
	static const char *const marks[] = { "Running in process mode with",
					     "Running in threaded mode with", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_hackbench = {
	.name = "hackbench",
	.help = "hackbench's time in seconds",
	.sniff = sniff_hackbench,
	.read = read_hackbench,
};
