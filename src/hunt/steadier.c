/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A metric's use is the distance of the ends in units of its own run-to-run spread, all on the log scale. The spread is the median
 * distance from the median of the same build, over all builds with enough runs, so that neither a few wild runs nor the change itself
 * is in it. The remark is made only where CPU time is several times better and sees the change too: a program that sleeps or waits for a
 * disk gets none, since there the two do not measure the same thing.
 */
#include "hunt/steadier.h"

#include "hunt/measure.h"
#include "stats/sample.h"

#include <math.h>
#include <string.h>

enum { RUNS_OF_A_BUILD = 3, RUNS_MIN = 10 };
#define SPREAD_MIN 0.05 /* a steadier metric is of no use below */
#define TIMES_BETTER 3
#define GAUSS 1.4826 /* sd of a Gaussian whose median deviation is 1 */
#define TICK 0.0005  /* a spread below this is counted as this much */

struct logs {
	double *v;
	size_t n, cap;
};

static void logs_done(struct logs *l)
{
	free(l->v);
}

/* ln of the metric in all counted runs of a node. */
static void logs_of(const struct session *s, const struct observations *obs, const char *metric,
		    const char *node, struct logs *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < obs->n; i++) {
		const struct observation *o = &obs->v[i];
		const struct reading *x;

		if (o->kind != OBS_RUN || o->withdrawn || o->index < 0 ||
		    o->outcome != OUTCOME_OK || strcmp(measure_node(s, o->build), node))
			continue;
		x = readings_find(&o->readings, metric);
		if (x && x->value > 0)
			ARRAY_PUSH(ret, log(x->value));
	}
}

/* Distance of the ends and spread; false if there is too little of either. */
static bool use_of(const struct session *s, const struct observations *obs, const char *metric,
		   const char *old_node, const char *new_node, double *ret_shift,
		   double *ret_spread)
{
	AUTO(logs) struct logs one = { 0 }, all = { 0 };
	const char *ends[2] = { old_node, new_node };
	double level[2];

	for (int k = 0; k < 2; k++) {
		logs_of(s, obs, metric, ends[k], &one);
		if (one.n < RUNS_OF_A_BUILD)
			return false;
		level[k] = sample_median(one.v, one.n);
	}
	for (size_t i = 0; i < s->builds.n; i++) {
		const char *node = s->builds.v[i]->node;
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen = seen || !strcmp(s->builds.v[k]->node, node);
		if (seen)
			continue;
		logs_of(s, obs, metric, node, &one);
		if (one.n < RUNS_OF_A_BUILD)
			continue;
		double middle = sample_median(one.v, one.n);

		for (size_t k = 0; k < one.n; k++)
			ARRAY_PUSH(&all, fabs(one.v[k] - middle));
	}
	if (all.n < RUNS_MIN)
		return false;
	*ret_shift = fabs(level[1] - level[0]);
	*ret_spread = fmax(TICK, GAUSS * sample_median(all.v, all.n));
	return true;
}

char *steadier_metric(struct session *s, const struct observations *obs, const char *old_node,
		      const char *new_node)
{
	double wall, cpu, wall_sd, cpu_sd;

	if (!s->metric || strcmp(s->metric, "wall") != 0 ||
	    !use_of(s, obs, "wall", old_node, new_node, &wall, &wall_sd) ||
	    !use_of(s, obs, "cpu", old_node, new_node, &cpu, &cpu_sd))
		return NULL;
	if (wall_sd < SPREAD_MIN || cpu < 3 * cpu_sd ||
	    cpu / cpu_sd < TIMES_BETTER * wall / wall_sd)
		return NULL;
	return xasprintf("wall time varies by %.2g %% from run to run here, CPU time by %.2g %%: "
			 "--metric cpu tells the ends apart with far fewer runs",
			 100 * wall_sd, 100 * cpu_sd);
}
