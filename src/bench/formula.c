/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recursive descent that computes as it reads: formulas are a line long, and are read once a run. */
#include "bench/formula.h"

#include "base/num.h"
#include "bench/benchmark.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 50 };

struct value {
	double v, res;
	bool counter;
};

struct parse {
	const char *text, *p;
	const struct readings *r; /* NULL: only the grammar is checked */
	unsigned depth;
	struct err *e;
	char *problem; /* of the values, not of the grammar */
	size_t problem_size;
};

static int sum(struct parse *p, struct value *ret);

static int wrong(struct parse *p, const char *what)
{
	return err_set(p->e, ERR_USAGE, "%s at '%.20s' in the formula '%.100s'", what,
		       *p->p ? p->p : "its end", p->text);
}

static void blanks(struct parse *p)
{
	while (*p->p == ' ' || *p->p == '\t' || *p->p == '\n')
		p->p++;
}

/* The first reason stays. */
static PRINTF(2, 3) void no_value(struct parse *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->problem || *p->problem)
		return;
	va_start(ap, fmt);
	vsnprintf(p->problem, p->problem_size, fmt, ap);
	va_end(ap);
}

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_inner(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void name(struct parse *p, struct value *ret)
{
	const char *from = p->p;

	while (is_inner(*p->p) || ((*p->p == '-' || *p->p == '.') && is_inner(p->p[1])))
		p->p++;
	*ret = (struct value){ NAN, 0, false };
	if (!p->r)
		return;
	AUTO_FREE char *metric = xstrndup(from, (size_t)(p->p - from));
	const struct reading *x = readings_find(p->r, metric);

	if (!x) {
		no_value(p, "needs '%.60s', which the run did not give", metric);
		return;
	}
	*ret = (struct value){ x->value, x->resolution, x->counter };
}

static int number(struct parse *p, struct value *ret)
{
	char *end;
	double v = strtod(p->p, &end); /* the grammar lets only digits and a point come here */

	if (!isfinite(v))
		return wrong(p, "a number that is too large");
	if (is_letter(*end))
		return wrong(p, "a number and a name without a sign between them");
	p->p = end;
	*ret = (struct value){ v, 0, true };
	return 0;
}

static int factor(struct parse *p, struct value *ret)
{
	int r;

	blanks(p);
	if (++p->depth > DEPTH_MAX)
		return wrong(p, "too many brackets");
	if (*p->p == '-') {
		p->p++;
		r = factor(p, ret);
		ret->v = -ret->v;
	} else if (*p->p == '(') {
		p->p++;
		r = sum(p, ret);
		blanks(p);
		if (r == 0 && *p->p != ')')
			return wrong(p, "a bracket is not closed");
		p->p += r == 0;
	} else if (is_letter(*p->p)) {
		name(p, ret);
		r = 0;
	} else if (isdigit((unsigned char)*p->p) || *p->p == '.') {
		r = isdigit((unsigned char)p->p[*p->p == '.']) ? number(p, ret)
							       : wrong(p, "a point alone");
	} else {
		r = wrong(p, "a name, a number or a bracket is missing");
	}
	p->depth--;
	return r;
}

static int product(struct parse *p, struct value *ret)
{
	int r = factor(p, ret);

	for (blanks(p); r == 0 && (*p->p == '*' || *p->p == '/'); blanks(p)) {
		bool divide = *p->p++ == '/';
		struct value x, a = *ret;

		if ((r = factor(p, &x)) < 0)
			break;
		if (divide && x.v == 0)
			no_value(p, "divides by 0");
		ret->v = divide ? a.v / x.v : a.v * x.v;
		ret->res = divide ? (a.res + fabs(ret->v) * x.res) / fabs(x.v)
				  : fabs(x.v) * a.res + fabs(a.v) * x.res;
		ret->counter = a.counter && x.counter;
	}
	return r;
}

static int sum(struct parse *p, struct value *ret)
{
	int r = product(p, ret);

	for (blanks(p); r == 0 && (*p->p == '+' || *p->p == '-'); blanks(p)) {
		bool minus = *p->p++ == '-';
		struct value x;

		if ((r = product(p, &x)) < 0)
			break;
		ret->v = minus ? ret->v - x.v : ret->v + x.v;
		ret->res += x.res;
		ret->counter = ret->counter && x.counter;
	}
	return r;
}

static int whole(struct parse *p, struct value *ret)
{
	int r = sum(p, ret);

	blanks(p);
	return r == 0 && *p->p ? wrong(p, "nothing more was expected") : r;
}

int formula_check(const char *text, struct err *e)
{
	struct parse p = { .text = text, .p = text, .e = e };
	struct value v;

	return whole(&p, &v);
}

bool formula_value(const char *text, const struct readings *r, struct formula_result *ret)
{
	struct parse p = { .text = text, .p = text, .r = r };
	struct value v = { NAN, 0, false };

	*ret = (struct formula_result){ .value = NAN };
	p.problem = ret->problem;
	p.problem_size = sizeof(ret->problem);
	if (whole(&p, &v) < 0)
		snprintf(ret->problem, sizeof(ret->problem), "is no formula");
	if (!*ret->problem && !isfinite(v.v))
		snprintf(ret->problem, sizeof(ret->problem), "is not a finite number in this run");
	if (*ret->problem)
		return false;
	ret->value = v.v;
	ret->resolution = v.res;
	ret->counter = v.counter;
	return true;
}

static void declare(const struct formula_metric *m, struct reading *x)
{
	if (m->better != BETTER_UNKNOWN)
		x->better = m->better;
	if (m->unit && !*x->unit) {
		free(x->unit);
		x->unit = xstrdup(m->unit);
	}
}

void formula_apply(const struct config *c, struct readings *r)
{
	for (size_t i = 0; c && i < c->n_metrics; i++) {
		const struct formula_metric *m = &c->metrics[i];
		struct formula_result x;

		for (size_t k = 0; !m->formula && k < r->n; k++)
			if (!strcmp(r->v[k].metric, m->name))
				declare(m, &r->v[k]);
		/* What the benchmark itself calls so is not replaced. */
		if (m->formula && !readings_find(r, m->name) && formula_value(m->formula, r, &x))
			readings_add(r, m->name, m->unit ? m->unit : "", x.value, x.resolution,
				     m->better, x.counter);
	}
}
