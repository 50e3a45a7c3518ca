/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The looks of STATISTICS.md 1.9 spend fixed parts of alpha, which add up to alpha: by the union
 * bound that is valid for every noise and every stopping rule that stops at looks only; nothing is
 * assumed about how the looks depend on each other.
 *
 * Three things are added to the table. An exact rank test cannot use all that a look is given (at n =
 * 5 a level of .015 is used as .0079): what is left over is known beforehand, and goes to the next
 * look. With M metrics under Holm a look is asked at alpha_j / h for h = M .. 1; what it can spend is
 * max_h h used(alpha_j / h), again known beforehand; a look whose finest level is above alpha_j / M
 * could decide nothing for the first metric and is put off until it can, or dropped.
 *
 * And with M metrics the last look gets more of alpha, the others less. A comparison ends when its
 * slowest metric is decided, so that an early verdict on one of many saves no run; what counts is what
 * is found in the end. The share of the last look, 1 - .93 / M^.38 (.07 for one as in the table, .29 for
 * 2, .70 for 20), was chosen by simulation: it gives up 1 to 4 runs on the way for nearly the power of
 * a single look. docs/design/013-verdicts.md has that table and what was refused: O'Brien and Fleming's
 * own boundary, whose early looks see nothing, and memory for the p-values of earlier looks.
 */
#include "brain/judge.h"

#include <assert.h>
#include <math.h>

static const struct {
	unsigned n;
	double share;
} table[] = {
	{ 5, .30 },  { 7, .16 },  { 10, .12 }, { 14, .10 },
	{ 20, .09 }, { 28, .08 }, { 40, .08 }, { 56, .07 },
};
enum { LAST = 56 };

/* The error that a look of n a side can make in all when `level` is shared by Holm among up to m
 * metrics. */
static double look_spends(unsigned n, double level, unsigned m)
{
	double most = 0;

	for (unsigned h = 1; h <= m; h++)
		most = fmax(most, h * mann_whitney(n, n, level / h, 0).used);
	return most;
}

/* The looks up to max_n with shares that add up to 1; returns their number. */
static unsigned schedule(unsigned max_n, unsigned *n, double *share)
{
	unsigned k = 0, extra = 0;
	double left = 1, step = fmax(1.4, pow((double)max_n / LAST, 1.0 / 8));
	double tail = max_n > LAST ? 0.2 : 0;

	for (size_t i = 0; i < ARRAY_LEN(table) && table[i].n <= max_n; i++) {
		/* A look just before the last one costs error and saves nothing. */
		if (table[i].n < max_n && max_n < LAST && table[i].n * 1.15 > max_n)
			break;
		n[k] = table[i].n;
		share[k++] = table[i].share * (1 - tail);
	}
	for (double at = LAST * step; max_n > LAST && extra < 8; at *= step) {
		extra++;
		n[k] = at > max_n * 0.95 || extra == 8 ? max_n : (unsigned)ceil(at);
		share[k++] = tail / 8;
		if (n[k - 1] == max_n)
			break;
	}
	if (!k || n[k - 1] < max_n) {
		n[k] = max_n;
		share[k++] = 0;
	}
	for (unsigned i = 0; i + 1 < k; i++)
		left -= share[i];
	share[k - 1] = left;
	return k;
}

/* What is left for the looks before the last, as a share of what the table gives them. */
static double early_part(unsigned m)
{
	return fmax(0.2, pow(m, -0.38));
}

/* The first size from n on, but before `end`, at which M metrics can be told from chance at `level`; `end` if there is none. */
static unsigned able_from(unsigned n, unsigned end, double level, unsigned m)
{
	while (n < end && mann_whitney_finest(n, n) > level / m)
		n++;
	return n;
}

/* A look's own part of alpha for one metric alone: the table's, with what earlier looks could not use. */
static double spend_alone(unsigned n, double level, bool is_last, double *carry)
{
	double spend = is_last ? level : fmin(level, look_spends(n, level, 1) * (1 + 1e-9));

	*carry = level - spend;
	return spend;
}

void judge_plan_shaped(double alpha, unsigned max_n, unsigned primary, double early,
		       struct judge_plan *ret)
{
	unsigned n[JUDGE_MAX_LOOKS], m = primary ? primary : 1;
	double share[JUDGE_MAX_LOOKS], carry = 0, alone = 0;
	unsigned k = schedule(max_n ? max_n : LAST, n, share);

	assert(alpha > 0 && alpha < 1 && k <= JUDGE_MAX_LOOKS);
	*ret = (struct judge_plan){ .total_alpha = alpha, .primary = m };
	for (unsigned i = 0; i < k; i++) {
		bool last = i + 1 == k;
		double level = carry + alpha * share[i] * early;
		unsigned at = last ? n[i] : able_from(n[i], n[i + 1], level, m);

		alone += alpha * share[i];
		if (last)
			level = carry + alpha * (1 - early * (1 - share[i]));
		if (!last && at == n[i + 1]) {
			carry = level;
			continue;
		}
		/* A hair above what is used, so that the level itself is reached; the last look
		 * takes all that is left. */
		double spend = last ? level : fmin(level, look_spends(at, level, m) * (1 + 1e-9));

		carry = level - spend;
		ret->n[ret->looks] = at;
		ret->alone[ret->looks] = spend_alone(at, alone, last, &alone);
		ret->alpha[ret->looks++] = spend;
	}
}

void judge_plan_make(double alpha, unsigned max_n, unsigned primary, struct judge_plan *ret)
{
	judge_plan_shaped(alpha, max_n, primary, early_part(primary ? primary : 1), ret);
}

void judge_plan_fixed(double alpha, struct judge_plan *ret)
{
	*ret = (struct judge_plan){ .looks = 1,
				    .n = { 1 },
				    .alpha = { alpha },
				    .alone = { alpha },
				    .total_alpha = alpha,
				    .primary = 1 };
}
