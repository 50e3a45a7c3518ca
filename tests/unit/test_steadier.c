/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/steadier.h"
#include "unit.h"

#include <math.h>
#include <string.h>

/* Two builds, "old" and "new", of six runs each: wall and CPU times around their levels, spread by the given factors. */
static char *remark(double wall_change, double wall_spread, double cpu_change, double cpu_spread,
		    const char *metric)
{
	static const double wobble[] = { 0, 1, -1, 0.6, -0.6, 1.4 };
	struct mbuild old = { .id = 1, .node = (char *)"old" },
		      new = { .id = 2, .node = (char *)"new" };
	struct mbuild *builds[] = { &old, &new };
	struct session s = { .metric = metric, .builds = { .v = builds, .n = 2, .cap = 2 } };
	struct reading readings[12][2];
	struct observation v[12];
	struct observations obs = { .v = v, .n = 12 };

	memset(readings, 0, sizeof(readings));
	memset(v, 0, sizeof(v));
	for (size_t i = 0; i < 12; i++) {
		double w = wobble[i / 2];

		readings[i][0] = (struct reading){
			.metric = (char *)"wall",
			.value = exp(wall_spread * w) * (i % 2 ? 1 + wall_change : 1),
		};
		readings[i][1] = (struct reading){
			.metric = (char *)"cpu",
			.value = exp(cpu_spread * w) * (i % 2 ? 1 + cpu_change : 1),
		};
		v[i] = (struct observation){
			.kind = OBS_RUN,
			.build = i % 2 ? 2 : 1,
			.outcome = OUTCOME_OK,
			.readings = { .v = readings[i], .n = 2 },
		};
	}
	return steadier_metric(&s, &obs, "old", "new");
}

static void said_where_it_helps(void **state UNUSED)
{
	AUTO_FREE char *text = remark(0.5, 0.4, 0.5, 0.02, "wall");

	assert_non_null(text);
	assert_non_null(strstr(text, "--metric cpu"));
	assert_non_null(strstr(text, "wall time varies by "));
}

static void not_said_where_it_does_not(void **state UNUSED)
{
	/* the metric is another; wall is steady; CPU is as noisy; CPU does not see the change */
	assert_null(remark(0.5, 0.4, 0.5, 0.02, "cpu"));
	assert_null(remark(0.5, 0.01, 0.5, 0.001, "wall"));
	assert_null(remark(0.5, 0.4, 0.5, 0.3, "wall"));
	assert_null(remark(0.5, 0.4, 0.01, 0.02, "wall"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(said_where_it_helps),
		cmocka_unit_test(not_said_where_it_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
