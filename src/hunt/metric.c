/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which number decides. In this order: --metric; the benchmark's `primary`; metrics that the configuration calls primary and the benchmark gives; the reader's first metric when a reader or a
 * regular expression was asked for; the instruction count under callgrind; the first metric of known direction when the
 * whole output is `name: value unit` lines (then it was written for us); else wall time. A benchmark that prints a report with a
 * colon in it must not have a stray number of that report taken for its metric, hence "the whole output".
 */
#include "hunt/measure.h"

#include "hunt/booting.h"

#include "stats/sample.h"

#include <math.h>
#include <string.h>

static const char primary_note[] = "primary metric: ";

static const char *default_metric(const struct session *s, const struct run_result *first)
{
	const struct readings *r = &first->readings;

	if ((s->bench->reader || s->bench->regex) && r->n > first->n_standard)
		return r->v[first->n_standard].metric;
	if (s->bench->measure == MEASURE_CALLGRIND)
		return "instructions";
	for (size_t i = first->n_standard; first->whole_output && i < r->n; i++)
		if (r->v[i].better != BETTER_UNKNOWN || s->bench->better != BETTER_UNKNOWN ||
		    better_guess(r->v[i].metric, r->v[i].unit) != BETTER_UNKNOWN)
			return r->v[i].metric;
	return "wall";
}

static int unknown_metric(const struct run_result *first, const char *name, struct err *e)
{
	AUTO(str) struct str list = STR_INIT;

	if (!strcmp(name, "tree-peak"))
		return err_set(
			e, ERR_ENV,
			"'tree-peak' needs a control group in which culprit may make groups (systemd-run --user --scope -p Delegate=yes culprit ...); max-rss is the largest process's");
	for (size_t i = 0; i < first->readings.n; i++)
		str_addf(&list, "%s%s", i ? ", " : "", first->readings.v[i].metric);
	return err_set(e, ERR_USAGE, "the benchmark gives no metric '%s'; it gives: %s", name,
		       list.p);
}

int measure_choose_metric(struct session *s, const struct run_result *first, struct err *e)
{
	if (s->metrics.n)
		return 0;
	if (s->opt.metric)
		strvec_add(&s->metrics, s->opt.metric);
	for (const char **p = s->bench->primary; !s->metrics.n && p && *p; p++)
		for (; *p; p++)
			strvec_add(&s->metrics, *p);
	for (size_t i = 0, given = s->metrics.n; !given && i < s->config.n_metrics; i++)
		if (s->config.metrics[i].primary &&
		    readings_find(&first->readings, s->config.metrics[i].name))
			strvec_add(&s->metrics, s->config.metrics[i].name);
	if (!s->metrics.n)
		strvec_add(&s->metrics, default_metric(s, first));
	for (size_t i = 0; i < s->metrics.n; i++) {
		const struct reading *x = readings_find(&first->readings, s->metrics.v[i]);
		enum better direction;

		if (!x) {
			int r = unknown_metric(first, s->metrics.v[i], e);

			strvec_done(&s->metrics);
			return r;
		}
		int r = measure_direction(s, x, &direction, e);

		if (r < 0) {
			strvec_done(&s->metrics);
			return r;
		}
	}
	s->metric = s->metrics.v[0];

	AUTO(str) struct str note = STR_INIT;

	/* one note for all: half of the list would be another question */
	str_puts(&note, primary_note);
	for (size_t i = 0; i < s->metrics.n; i++)
		str_addf(&note, "%s%s", i ? "\n" : "", s->metrics.v[i]);
	return store_note(s->store, s->hunt, note.p, e);
}

static void add_lines(struct strvec *list, const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		AUTO_FREE char *line = xstrndup(text, n);

		strvec_add(list, line);
	}
}

void measure_replay_metrics(struct session *s, const struct observations *obs)
{
	booting_replay(s, obs);
	if (s->metrics.n)
		return;
	for (size_t i = 0; i < obs->n && !s->metrics.n; i++)
		if (obs->v[i].kind == OBS_NOTE && starts_with(obs->v[i].text, primary_note))
			add_lines(&s->metrics, obs->v[i].text + strlen(primary_note));
	s->metric = s->metrics.n ? s->metrics.v[0] : NULL;
}

const struct reading *measure_reading(struct session *s, const struct readings *readings,
				      char **ret_why)
{
	const struct reading *x = s->metric ? readings_find(readings, s->metric) : NULL;

	if (!x) {
		*ret_why = xasprintf("the run gave no metric '%s'", s->metric ? s->metric : "");
		return NULL;
	}
	if (!s->metric_unit)
		s->metric_unit = xstrdup(x->unit);
	if (!strcmp(s->metric_unit, x->unit))
		return x;
	*ret_why = xasprintf("metric '%s' is in '%s' here and was in '%s' before", s->metric,
			     x->unit, s->metric_unit);
	return NULL;
}

static bool is_primary(const struct session *s, const char *metric)
{
	for (size_t i = 0; i < s->metrics.n; i++)
		if (!strcmp(s->metrics.v[i], metric))
			return true;
	return false;
}

int measure_direction(const struct session *s, const struct reading *r, enum better *ret,
		      struct err *e)
{
	enum better b = r->better;

	if (s->bench->better != BETTER_UNKNOWN && is_primary(s, r->metric))
		b = s->bench->better;
	if (b == BETTER_UNKNOWN)
		b = better_guess(r->metric, r->unit);
	if (b == BETTER_UNKNOWN && is_primary(s, r->metric))
		return err_set(
			e, ERR_USAGE,
			"is a larger '%s' better or worse? say -c benchmarks.%s.better=higher (or lower)",
			r->metric, s->bench->name);
	*ret = b;
	return 0;
}

struct values {
	double *v;
	size_t n, cap;
};

int measure_levels(struct session *s, const char *node0, const char *node1,
		   struct metric_levels *ret, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	const char *node[2] = { node0, node1 };
	struct values values[2] = { { 0 }, { 0 } };
	int r = store_observations(s->store, s->hunt, &obs, e);

	*ret = (struct metric_levels){ .unit = xstrdup("") };
	for (size_t i = 0; i < obs.n && r == 0 && s->metric; i++) {
		const struct observation *o = &obs.v[i];
		const struct reading *x;

		if (o->kind != OBS_RUN || o->withdrawn || o->index < 0 || o->outcome != OUTCOME_OK)
			continue;
		x = readings_find(&o->readings, s->metric);
		for (int k = 0; k < 2 && x; k++)
			if (!strcmp(measure_node(s, o->build), node[k]))
				ARRAY_PUSH(&values[k], x->value);
		if (x && !*ret->unit) {
			free(ret->unit);
			ret->unit = xstrdup(x->unit);
			r = measure_direction(s, x, &ret->better, e);
		}
	}
	for (int k = 0; k < 2; k++) {
		ret->n[k] = values[k].n;
		ret->median[k] = values[k].n ? sample_median(values[k].v, values[k].n) : NAN;
		free(values[k].v);
	}
	if (r < 0)
		metric_levels_done(ret);
	return r;
}

void metric_levels_done(struct metric_levels *m)
{
	free(m->unit);
	*m = (struct metric_levels){ 0 };
}
