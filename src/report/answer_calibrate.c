/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/answer.h"

#include "base/num.h"
#include "text/json.h"
#include "text/table.h"

#include <math.h>

void answer_calibrate(const struct json *a, const struct answer_style *style, struct str *out)
{
	AUTO(table) struct table t = TABLE_INIT;
	const struct json *list = json_get(a, "detectable");
	double sd = answer_number(a, "sd");

	str_addf(out, "%s %s against itself, %lld runs: ", answer_str(a, "benchmark"),
		 answer_str(a, "metric"), answer_int(a, "runs"));
	if (answer_flag(a, "passed"))
		str_puts(out, "on par with itself, as it must be\n");
	else
		str_puts(out, "it differs from itself\n");
	if (!answer_flag(a, "passed"))
		str_puts(
			out,
			" One time in twenty that is luck. If it happens again, runs on this machine inherit something from\n"
			" each other (heat, caches, other work): see culprit doctor, and believe no small change here.\n");
	str_addf(out, " run-to-run spread: %.2f %%\n\n", 100 * sd);
	t.indent = 1;
	table_column(&t, "runs of each", TABLE_RIGHT);
	table_column(&t, "time", TABLE_RIGHT);
	table_column(&t, "smallest change told from none", TABLE_RIGHT);
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *row = json_at(list, i);
		AUTO(str) struct str time = STR_INIT;

		answer_duration(row, &time);
		table_cell(&t, TEXT_PLAIN, "%lld", answer_int(row, "runs"));
		table_cell(&t, TEXT_PLAIN, "%s", time.p);
		table_cell(&t, TEXT_PLAIN, "%.2f %%", 100 * answer_number(row, "change"));
	}
	table_put(&t, style->width, style->color, out);
	str_puts(
		out,
		"\n Two builds can differ by more than this for no reason of the source: culprit-statistics(7).\n");
}
