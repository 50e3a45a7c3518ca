/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person who waits for a search sees. Its measure is the number of commits that are left at the confidence asked for: it falls from
 * all of them to one, whereas the likeliest commit is a chance pick of many for most of the search. The
 * expected time includes the head-to-head, which comes after the search has its answer.
 */
#include "hunt/bisect.h"

#include "base/num.h"

#include <math.h>
#include <string.h>

#define DUEL_RUNS 10 /* of both sides, to its first look */

static void put_left(const struct bisect *b, const struct search_status *st, struct str *out)
{
	const struct session *s = b->s;
	double left = st->seconds_left;

	if (!isfinite(left))
		return;
	if (!b->o->no_duel && s->ok_runs)
		left += DUEL_RUNS * s->run_seconds / s->ok_runs;
	str_puts(out, "  about ");
	num_put_clock(out, (int64_t)(left * 1e9));
	str_puts(out, " left");
}

/* The ends differ: said once, since hours of searching may rest on it. */
static int say_ends(struct bisect *b, struct err *e)
{
	struct metric_levels m;
	AUTO(str) struct str text = STR_INIT;
	int r;

	if (b->said_ends)
		return 0;
	b->said_ends = true;
	r = measure_levels(b->s, b->range.oid[b->range.g.good], b->range.oid[b->range.g.bad], &m,
			   e);
	if (r < 0)
		return r;
	if (isfinite(m.median[0]) && isfinite(m.median[1])) {
		/* "default" is nobody's name: --bench made it */
		str_addf(&text, "the ends differ: %s%s%s ",
			 strcmp(b->s->bench->name, "default") ? b->s->bench->name : "",
			 strcmp(b->s->bench->name, "default") ? " " : "", b->s->metric);
		num_put_value(&text, m.median[0], m.unit, 4);
		str_puts(&text, " -> ");
		num_put_value(&text, m.median[1], m.unit, 4);
		session_stage(b->s, "%s; searching %u %s", text.p, graph_candidates(&b->range.g),
			      b->o->over ? "releases" : "commits");
	}
	metric_levels_done(&m);
	return 0;
}

int bisect_progress(struct bisect *b, const struct action *a, struct err *e)
{
	struct search_status st;
	AUTO(str) struct str left = STR_INIT;
	double p;
	size_t n;

	search_status(b->search, &st);
	if (a->phase == PHASE_ENDS) {
		session_known(b->s, "do %.20s and %.20s differ?  %u run%s", bisect_old_rev(b->o),
			      bisect_new_rev(b->o), st.runs, st.runs == 1 ? "" : "s");
		return 0;
	}
	if (a->phase == PHASE_SEARCH) {
		int r = say_ends(b, e);

		if (r < 0)
			return r;
	}
	put_left(b, &st, &left);
	n = bisect_set_size(b, &p);
	/* rounded down: what is uncertain is never 100 % */
	if (n == 1)
		session_known(b->s, "%.0f %% on %.8s  %u builds, %u runs%s",
			      floor(100 * fmin(st.probability, 0.99)), b->range.oid[st.culprit],
			      st.builds, st.runs, left.p);
	else
		session_known(b->s, "%.0f %% on %zu commits  %u builds, %u runs%s",
			      floor(100 * fmin(p, 0.99)), n, st.builds, st.runs, left.p);
	return 0;
}
