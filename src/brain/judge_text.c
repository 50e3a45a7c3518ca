/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digits follow the interval: the last digit shown is no finer than the half-width's first, between
 * one decimal and four, and never so coarse that an end which leaves 0 out is printed as 0.
 */
#include "brain/judge.h"

#include "base/num.h"

#include <math.h>

enum { MOST_DECIMALS = 4 };

static bool shows_zero(double percent, int decimals)
{
	return percent != 0 && fabs(percent) * pow(10, decimals) < 0.5;
}

static int decimals_for(double change, double low, double high)
{
	double half = 100 * (high - low) / 2;
	int d = 1;

	if (isnan(low))
		half = 100 * fabs(change) / 10;
	if (half > 0)
		d = (int)fmax(1, fmin(MOST_DECIMALS, ceil(-log10(half))));
	if (low > 0 || high < 0)
		while (d < MOST_DECIMALS && (shows_zero(100 * low, d) || shows_zero(100 * high, d)))
			d++;
	return d;
}

/* A signed percentage without its sign of percent; "-0.0" is printed "+0.0". */
static void put_signed(struct str *out, double percent, int decimals)
{
	if (fabs(percent) * pow(10, decimals) < 0.5)
		percent = 0;
	str_addf(out, "%+.*f", decimals, percent);
}

static void put_change(struct str *out, const struct judgement *j)
{
	const struct comparison *c = &j->cmp;

	if (isnan(c->shift)) {
		str_addf(out, "%g -> %g", c->median_a, c->median_b);
		return;
	}
	int d = decimals_for(c->shift, c->low, c->high);

	num_put_change(out, c->shift, d);
	str_puts(out, " %");
	if (isnan(c->low) || j->exact)
		return;
	str_puts(out, " [");
	put_signed(out, 100 * c->low, d);
	str_puts(out, ", ");
	put_signed(out, 100 * c->high, d);
	str_putc(out, ']');
}

static void put_undecided(struct str *out, const struct judgement *j)
{
	const char *unit = j->per_build ? "build" : "run", *plural = j->more_runs == 1 ? "" : "s";

	str_puts(out, " undecided");
	if (j->unresolvable && j->rounding > 0)
		str_puts(out, ", not resolvable at the printed resolution");
	else if (j->unresolvable)
		str_addf(out, ", not resolvable (more than 64 times the %ss)", unit);
	else if (j->need_minimum)
		str_addf(out, ", no interval from so few: at least %u more %s%s of each",
			 j->more_runs, unit, plural);
	else if (j->more_runs)
		str_addf(out, ", about %u more %s%s of each", j->more_runs, unit, plural);
}

void judge_text(struct str *out, const struct judgement *j, const char *metric, const char *unit)
{
	if (j->verdict == VERDICT_IDENTICAL) {
		str_puts(out, verdict_word(j->verdict, metric, unit));
		return;
	}
	put_change(out, j);
	switch (j->verdict) {
	case VERDICT_UNDECIDED:
		put_undecided(out, j);
		break;
	case VERDICT_ON_PAR:
		str_addf(out, " on par within %g %%", 100 * j->params.margin);
		break;
	case VERDICT_SLOWER:
	case VERDICT_FASTER:
	case VERDICT_IDENTICAL:
		str_putc(out, ' ');
		str_puts(out, verdict_word(j->verdict, metric, unit));
		break;
	}
}

void recovery_text(struct str *out, const struct recovery *r)
{
	if (isnan(r->share)) {
		str_puts(out, "the loss itself is not shown, so no share of it can be");
		return;
	}
	str_addf(out, "recovers %.0f %% [%.0f, %.0f] of the loss", 100 * r->share, 100 * r->low,
		 100 * r->high);
}
