/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison looks at its runs several times, and each look spends a part of alpha. Its last look would still have called the difference one if alpha
 * had been smaller by the factor p / (1 - level of that look): that times alpha is its p over all looks, and what Holm orders.
 *
 * The geometric mean is over the factors by which each primary metric got worse, whatever its direction: a rate that halves and a time that
 * doubles are both a factor of 2.
 */
#include "report/answer_suite.h"

#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

struct entry {
	const char *group;
	const struct json *row;
	double alpha; /* of the whole comparison */
	double p;     /* over all looks */
	double worse; /* log of the factor by which it got worse; NaN: not known */
	bool stands;
};
struct entries {
	struct entry *v;
	size_t n, cap;
};

static bool is_different(const struct json *row)
{
	const char *v = answer_str(row, "verdict");

	return !strcmp(v, "slower") || !strcmp(v, "faster");
}

static void collect(const struct suite_answer *a, struct entries *ret)
{
	const struct json *metrics = json_get(a->answer, "metrics");
	double alpha = 1 - answer_number(a->answer, "level");

	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *row = json_at(metrics, i);
		double look = 1 - answer_number(row, "level"), p = answer_number(row, "p");
		double factor = 1 + answer_number(row, "change");
		bool is_rate = !strcmp(answer_str(row, "better"), "higher");

		if (!answer_flag(row, "primary"))
			continue;
		struct entry x = { a->group, row, alpha, 1, NAN, false };

		if (p >= 0 && look > 0)
			x.p = fmin(1, p / look * alpha);
		if (factor > 0)
			x.worse = is_rate ? -log(factor) : log(factor);
		ARRAY_PUSH(ret, x);
	}
}

static int by_p(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a,
			   *y = *(const struct entry *const *)b;

	return x->p < y->p ? -1 : x->p > y->p;
}

/* The first that fails ends it; what comes behind does not stand either. */
static void holm(struct entries *e)
{
	AUTO_FREE struct entry **order = xcalloc(e->n + 1, sizeof(struct entry *));

	for (size_t i = 0; i < e->n; i++)
		order[i] = &e->v[i];
	qsort(order, e->n, sizeof(*order), by_p);
	for (size_t i = 0; i < e->n && order[i]->p <= order[i]->alpha / (double)(e->n - i); i++)
		order[i]->stands = is_different(order[i]->row);
}

static int by_group(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int d = strcmp(x->group, y->group);

	if (d)
		return d;
	if (isnan(x->worse) || isnan(y->worse))
		return isnan(x->worse) - isnan(y->worse);
	return x->worse > y->worse ? -1 : x->worse < y->worse;
}

static void count(const struct entries *e, struct suite_summary *ret)
{
	*ret = (struct suite_summary){ .tests = e->n };
	for (size_t i = 0; i < e->n; i++) {
		const char *verdict = answer_str(e->v[i].row, "verdict");
		bool slower = !strcmp(verdict, "slower");

		ret->worse += e->v[i].stands && slower;
		ret->better += e->v[i].stands && !slower;
		ret->weak += !e->v[i].stands && is_different(e->v[i].row);
		ret->undecided += !strcmp(verdict, "undecided");
	}
}

static void put_row(struct table *t, const struct entry *x)
{
	AUTO(str) struct str a = STR_INIT, b = STR_INIT, change = STR_INIT, verdict = STR_INIT;
	double median[2] = { answer_number(x->row, "baseline_median"),
			     answer_number(x->row, "median") };
	double scale = answer_scale(median, 2);
	const char *unit = answer_str(x->row, "unit");
	bool weak = is_different(x->row) && !x->stands;
	bool slower = !strcmp(answer_str(x->row, "verdict"), "slower");

	answer_value(median[0], scale, unit, &a);
	answer_value(median[1], scale, unit, &b);
	answer_change(x->row, &change);
	answer_verdict(x->row, &verdict);
	table_cell(t, TEXT_BOLD, "%s", answer_str(x->row, "benchmark"));
	table_cell(t, TEXT_PLAIN, "%s", answer_str(x->row, "metric"));
	table_cell(t, TEXT_PLAIN, "%s", a.p);
	table_cell(t, TEXT_PLAIN, "%s", b.p);
	table_cell(t, TEXT_PLAIN, "%s", change.p);
	table_cell(t,
		   !x->stands ? TEXT_PLAIN
		   : slower   ? TEXT_BAD
			      : TEXT_GOOD,
		   weak ? "(%s)" : "%s", verdict.p);
}

static void put_table(const struct entries *e, const struct answer_style *style, struct str *out)
{
	AUTO(table) struct table t = TABLE_INIT;

	t.indent = 1;
	table_column(&t, "workload", TABLE_LEFT);
	table_column(&t, "metric", TABLE_LEFT);
	table_column(&t, "A", TABLE_RIGHT);
	table_column(&t, "B", TABLE_RIGHT);
	table_column(&t, "change", TABLE_LEFT);
	table_column(&t, "verdict", TABLE_LEFT);
	for (size_t i = 0; i < e->n; i++) {
		if (*e->v[i].group && (!i || strcmp(e->v[i].group, e->v[i - 1].group)))
			table_section(&t, "%s", e->v[i].group);
		put_row(&t, &e->v[i]);
	}
	table_put(&t, style->width, style->color, out);
}

/* Of a logarithm, without its sign. */
static void put_percent(double log_factor, struct str *out)
{
	double percent = 100 * (exp(fabs(log_factor)) - 1);

	str_addf(out, "%.*f %%", percent < 10 ? 1 : 0, percent);
}

/* "network: up to 60 % worse (ping avg); geometric mean 12 % worse" */
static void put_group(const struct entry *v, size_t n, struct str *out)
{
	double sum = 0, most = 0;
	const struct entry *worst = NULL;
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i].worse))
			continue;
		sum += v[i].worse;
		known++;
		if (v[i].stands && v[i].worse > most) {
			most = v[i].worse;
			worst = &v[i];
		}
	}
	if (!known)
		return;
	double mean = sum / (double)known;

	str_addf(out, " %s: ", *v->group ? v->group : "all");
	if (worst) {
		str_puts(out, "up to ");
		put_percent(most, out);
		str_addf(out, " worse (%s, %s)", answer_str(worst->row, "benchmark"),
			 answer_str(worst->row, "metric"));
	} else {
		str_puts(out, "nothing worse");
	}
	str_addf(out, "; geometric mean of %zu: ", known);
	put_percent(mean, out);
	str_puts(out, mean > 0 ? " worse\n" : " better\n");
}

void answer_suite(const struct suite_answer *v, size_t n, const struct answer_style *style,
		  struct suite_summary *ret, struct str *out)
{
	struct entries e = { 0 };

	for (size_t i = 0; i < n; i++)
		collect(&v[i], &e);
	holm(&e);
	count(&e, ret);
	if (e.n)
		qsort(e.v, e.n, sizeof(*e.v), by_group);
	if (out && e.n) {
		put_table(&e, style, out);
		for (size_t i = 0, k; i < e.n; i = k) {
			for (k = i + 1; k < e.n && !strcmp(e.v[k].group, e.v[i].group); k++)
				;
			put_group(&e.v[i], k - i, out);
		}
		if (ret->weak)
			str_addf(
				out,
				" in brackets: different when taken alone, not with all %zu that were tested here\n",
				ret->tests);
	}
	free(e.v);
}
