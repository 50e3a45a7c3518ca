/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table is data in code, not a file: it defines what the figures in docs/results mean, so it
 * must not be possible to run them against another one. The first block is STATISTICS.md section 4
 * word for word; the second is ours, for what the issues ask beyond it.
 */
#include "target/scenario.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

static const char *const noise_names[SIM_NOISES] = { "gauss", "skew", "out",   "bimod",
						     "t3",    "det",  "out15", "ar" };

#define DAG .dag = true, .dag_merge = .12, .dag_extend = .35, .dag_open = .06

static const struct sim_scenario table[] = {
	{ "huge50s", "a step of 50 standard deviations", .n = 1024, .d = .50, .s = .01 },
	{ "big10s", "10 standard deviations", .n = 1024, .d = .10, .s = .01 },
	{ "g3s", "3 standard deviations, Gaussian noise", .n = 1024, .d = .03, .s = .01 },
	{ "g2s", "2 standard deviations", .n = 1024, .d = .02, .s = .01 },
	{ "g1s", "1 standard deviation", .n = 1024, .d = .01, .s = .01 },
	{ "g05s", "half a standard deviation", .n = 1024, .d = .005, .s = .01 },
	{ "g3s_N16", "g3s over 16 commits", .n = 16, .d = .03, .s = .01 },
	{ "g3s_N128", "g3s over 128 commits", .n = 128, .d = .03, .s = .01 },
	{ "g3s_N16k", "g3s over 16384 commits", .n = 16384, .d = .03, .s = .01 },
	{ "g3s_N100k", "g3s over 100000 commits", .n = 100000, .d = .03, .s = .01 },
	{ "skew3s", "skewed noise", .n = 1024, .d = .03, .s = .01, .noise = SIM_SKEW },
	{ "out3s", "5 % outliers", .n = 1024, .d = .03, .s = .01, .noise = SIM_OUT },
	{ "out10s", "5 % outliers, 10 sd", .n = 1024, .d = .10, .s = .01, .noise = SIM_OUT },
	{ "bimod3s", "bimodal noise", .n = 1024, .d = .03, .s = .01, .noise = SIM_BIMOD },
	{ "t3_3s", "heavy tails (t, 3 df)", .n = 1024, .d = .03, .s = .01, .noise = SIM_T3 },
	{ "drift3s", "the machine drifts by as much as the noise, memory 50 runs", .n = 1024,
	  .d = .03, .s = .01, .drift_sd = .01, .drift_phi = .98 },
	{ "drift2x", "twice that drift, memory 100 runs", .n = 1024, .d = .03, .s = .01,
	  .drift_sd = .02, .drift_phi = .99 },
	{ "off_d6", "builds differ by d/6 for no reason", .n = 1024, .d = .03, .s = .005,
	  .tau = .005 },
	{ "off_d3", "builds differ by d/3", .n = 1024, .d = .03, .s = .01, .tau = .01 },
	{ "off_d2", "builds differ by d/2", .n = 1024, .d = .03, .s = .01, .tau = .015 },
	{ "det", "a counter", .n = 1024, .d = .02, .noise = SIM_DET },
	{ "det_creep", "a counter that every commit moves a little", .n = 1024, .d = .02,
	  .noise = SIM_DET, .creep = .001 },
	{ "quant", "printed coarsely, in steps of 2 %", .n = 1024, .d = .03, .s = .01, .quant = .02,
	  .resolution = .01 },
	{ "warm", "the first run of a build is 5 % slower", .n = 1024, .d = .03, .s = .01,
	  .warm = .05, .warmup = 1 },
	{ "skip20", "about 20 % of the commits do not build", .n = 1024, .d = .03, .s = .01,
	  .skip = .2 },
	{ "messy", "outliers, offsets, drift and broken commits", .n = 1024, .d = .04, .s = .01,
	  .noise = SIM_OUT, .tau = .006, .drift_sd = .005, .drift_phi = .98, .skip = .1 },
	{ "none", "nothing changed", .n = 1024, .s = .01, .margin = .01 },
	{ "none_off", "nothing changed, builds differ", .n = 1024, .s = .005, .tau = .005,
	  .margin = .01 },
	{ "none_drift", "nothing changed, the machine drifts", .n = 1024, .s = .01, .drift_sd = .01,
	  .drift_phi = .98, .margin = .01 },
	{ "two", "two changes of 4 %", .n = 1024, .d = .08, .s = .01, .changes = 2 },
	{ "two_off", "two changes, builds differ", .n = 1024, .d = .08, .s = .005, .tau = .005,
	  .changes = 2 },
	{ "mix", "everything drawn at random, 15 % without a change", .n = 256, .mix = true,
	  .margin = .005 },

	{ "dag3s", "about 100 merges in 1500 commits", .n = 1500, .d = .03, .s = .01, DAG },
	{ "dag_det", "a counter over merges", .n = 1500, .d = .02, .noise = SIM_DET, DAG },
	{ "dag_100k", "100000 commits, a fifth of them merges", .n = 100000, .dag = true,
	  .dag_merge = .22, .dag_extend = .30, .dag_open = .22, .d = .03, .s = .01 },
	{ "boot3s", "boots differ by as much as runs", .n = 1024, .d = .03, .s = .01,
	  .boot_sd = .01 },
	{ "boot_quiet", "boots differ ten times more than runs", .n = 1024, .d = .03, .s = .001,
	  .boot_sd = .01 },
	{ "three", "three changes of 4 %", .n = 1024, .d = .12, .s = .01, .changes = 3 },
	{ "fixed_again", "a regression and its fix: the ends are equal", .n = 1024, .d = .04,
	  .s = .01, .changes = 2, .alternate = true },
	{ "ramp", "a slow creep with no culprit", .n = 1024, .d = .04, .s = .01, .ramp = true },
	{ "spread", "only the spread changes, threefold", .n = 1024, .s = .01, .spread = 3,
	  .margin = .01 },
	{ "same40", "40 % of the commits leave the artefacts as they are", .n = 1024, .d = .03,
	  .s = .01, .same = .4 },
	{ "hint_right", "a tenth of the commits suspected twentyfold, rightly", .n = 1024, .d = .03,
	  .s = .01, .hint = 20 },
	{ "hint_wrong", "the same, and the culprit is not among them", .n = 1024, .d = .03,
	  .s = .01, .hint = 20, .hint_wrong = true },
	{ "ar3s", "noise that remembers", .n = 1024, .d = .03, .s = .01, .noise = SIM_AR },
};

const char *sim_noise_name(enum sim_noise n)
{
	return noise_names[n];
}

bool sim_noise_parse(const char *name, enum sim_noise *ret)
{
	for (unsigned i = 0; i < SIM_NOISES; i++) {
		if (strcmp(name, noise_names[i]) == 0) {
			*ret = (enum sim_noise)i;
			return true;
		}
	}
	return false;
}

const struct sim_scenario *sim_scenario_at(size_t i)
{
	return i < ARRAY_LEN(table) ? &table[i] : NULL;
}

const struct sim_scenario *sim_scenario_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

const char *sim_scenario_near(const char *name)
{
	const char *best = NULL;
	unsigned least = 3;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		unsigned far = str_distance(name, table[i].name);
		if (far < least) {
			least = far;
			best = table[i].name;
		}
	}
	return best;
}

double sim_scenario_margin(const struct sim_scenario *p)
{
	return expm1(p->margin > 0 ? p->margin : fabs(p->d) / 2);
}
