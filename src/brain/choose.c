/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose - greedy in expected information per second, looking ahead over the number of repeats.
 *
 * The information of a measurement is averaged over the offset sd with the side's probability conditional on
 * it: averaging the probability first makes the rule rerun builds whose doubt no rerun can remove.
 * Looking ahead over the number of repeats, paying for all of them, keeps cheap runs from starving costly builds; only the first
 * part of the plan is done before everything is computed anew.
 */
#include "brain/choose.h"

#include "brain/posterior_fast.h"

#include <math.h>
#include <string.h>

static const unsigned repeats[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };

#define FREE_BOOT 0.05 /* of a run */
/* Squared separation beyond which doubt is not for want of runs: a unit still in doubt there is odd, and stays so. */
#define DECISIVE 60
#define WILD_VISITS 4 /* fewer may all have been disturbed */

/*
 * What a second visit in a row is worth beside one after others: a machine that drifts is then where it was, and the
 * two say less than two visits that others part.
 */
#define SAME_AGAIN 0.5

static double entropy(double q)
{
	if (q <= 1e-12 || q >= 1 - 1e-12)
		return 0;
	return -q * log(q) - (1 - q) * log1p(-q);
}

double choose_information(double q, double x, double e)
{
	double sides[FAST_LANES] = { q }, separation[FAST_LANES] = { x }, ret[FAST_LANES];

	fast_information(1, sides, separation, e, entropy(e), ret);
	return ret[0];
}

void chooser_done(struct chooser *c)
{
	sketch_done(&c->sketch);
	free(c->best_of);
	free(c->best_score);
	free(c->hops);
	*c = (struct chooser){ 0 };
}

/* Posterior means of the run and boot variances, the latter from what is believed while boots cannot be told apart. */
static void mean_noise(const struct choose_in *in, double *ret_s2, double *ret_k2)
{
	const struct posterior *p = in->posterior;
	double s2 = 0, k2 = 0;

	for (unsigned t = 0; t < p->n_tau; t++) {
		s2 += in->w_tau[t] * p->s2[t];
		k2 += in->w_tau[t] * p->kappa2[t];
	}
	if (!in->data->noise.boots) {
		k2 = fmin(in->boot_scale * in->boot_scale, 0.5 * s2);
		s2 -= k2;
	}
	*ret_s2 = fmax(s2, 1e-18);
	*ret_k2 = k2;
}

unsigned choose_runs_per_boot(const struct choose_in *in)
{
	double s2, k2;
	unsigned least = in->runs_per_boot ? in->runs_per_boot : 1;

	/*
	 * A boot that costs next to nothing is had for each run. A single boot with four runs would part the two levels by what those four
	 * happen to agree in, and on a machine with two speeds that is a hundredth of what boots differ by.
	 */
	if (in->costs.boot < FREE_BOOT * in->costs.run || in->data->noise.exact)
		return least;
	mean_noise(in, &s2, &k2);
	double k = sqrt(in->costs.boot / in->costs.run * s2 / fmax(k2, 1e-4 * s2));
	/* Before any boot had two runs its share is a guess: a few tell more about it than many in one boot. */
	unsigned most = in->data->noise.boots ? 32 : 4;

	if (k <= least)
		return least;
	return k > most ? (most > least ? most : least) : (unsigned)lround(k);
}

/* --- candidates ------------------------------------------------------------------------------------------------ */

/* Distance in commits to the nearest that failed, up to 20: broken stretches are runs of neighbours. */
static void hops_make(struct chooser *c, const struct choose_in *in)
{
	const struct graph *g = in->classes->g;

	if (!c->hops)
		c->hops = xcalloc(g->n, 1);
	for (uint32_t i = 0; i < g->n; i++) {
		uint8_t h = in->failed[i] ? 0 : 20;

		for (uint32_t k = g->parent_start[i]; k < g->parent_start[i + 1]; k++) {
			uint8_t above = c->hops[g->parents[k]];

			h = above + 1 < h ? (uint8_t)(above + 1) : h;
		}
		c->hops[i] = h;
	}
	for (uint32_t i = g->n; i-- > 0;)
		for (uint32_t k = g->parent_start[i]; k < g->parent_start[i + 1]; k++) {
			uint8_t *above = &c->hops[g->parents[k]];

			if (c->hops[i] + 1 < *above)
				*above = c->hops[i] + 1;
		}
}

static double chance_to_build(const struct chooser *c, bool any_failed, uint32_t node)
{
	return any_failed ? 1 - 0.7 * exp(-(c->hops[node] - 1) / 3.0) : 1;
}

/* In each class the commit whose side is most open, by entropy times the chance that it builds. */
static void find_candidates(struct chooser *c, const struct choose_in *in)
{
	const struct classes *cl = in->classes;
	bool any_failed = false;
	AUTO_FREE double *h = xcalloc(c->sketch.n_rows, sizeof(*h));

	if (cl->n > c->cap) {
		c->cap = cl->n + 32;
		c->best_of = xreallocarray(c->best_of, c->cap, sizeof(*c->best_of));
		c->best_score = xreallocarray(c->best_score, c->cap, sizeof(*c->best_score));
	}
	for (uint32_t i = 0; i < cl->n; i++)
		c->best_score[i] = 0;
	for (uint32_t r = 0; r < c->sketch.n_rows; r++)
		h[r] = entropy(c->sketch.q[r]);
	for (uint32_t i = 0; i < cl->g->n && !any_failed; i++)
		any_failed = in->failed[i];
	if (any_failed)
		hops_make(c, in);
	for (uint32_t i = 0; i < cl->g->n; i++) {
		uint32_t k = cl->of[i];

		if (k == NO_CLASS || in->closed[i])
			continue;
		double score = h[c->sketch.row_of[i]];

		if (any_failed)
			score *= chance_to_build(c, any_failed, i);
		if (score > c->best_score[k]) {
			c->best_score[k] = score;
			c->best_of[k] = i;
		}
	}
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* Offset sds in whole registers. */
enum { LANES = (POSTERIOR_MAX_TAU + FAST_LANES - 1) / FAST_LANES * FAST_LANES };

struct pricing {
	const struct choose_in *in;
	double d2;     /* squared shift */
	unsigned runs; /* in one visit */
	double visit_cost;
	double s2[POSTERIOR_MAX_TAU], k2[POSTERIOR_MAX_TAU]; /* run and boot variance by tau */
	double levels[POSTERIOR_MAX_TAU]; /* what unknown levels add to the noise */
	double good_w, bad_w;		  /* precision of the two levels, averaged over tau */
	double tau2, noise2;		  /* averages */
	double *unit_var;		  /* by unit and tau, without the offset */
};

static double side_of_unit(const struct choose_in *in, uint32_t u, const double *p)
{
	const struct classes *c = in->classes;
	uint32_t bit = unit_bit(c, &in->data->units.v[u]);
	double q = 0;

	if (bit == NO_BIT)
		return 0;
	for (uint32_t i = 0; i < c->n; i++)
		if (class_makes_bad(c, i, bit))
			q += p[i];
	return q < 1 ? q : 1;
}

static void pricing_make(struct pricing *r, const struct choose_in *in)
{
	const struct posterior *p = in->posterior;
	AUTO_FREE double *side = xcalloc(in->data->units.n + 1, sizeof(*side));
	double s2, k2;

	*r = (struct pricing){ .in = in };
	r->unit_var = xcalloc(in->data->units.n * p->n_tau + 1, sizeof(*r->unit_var));
	for (uint32_t u = 0; u < in->data->units.n; u++)
		if (in->data->units.v[u].n)
			side[u] = side_of_unit(in, u, in->p);
	mean_noise(in, &s2, &k2);
	r->runs = choose_runs_per_boot(in);
	r->visit_cost = in->costs.boot + r->runs * in->costs.run;
	r->d2 = p->change * p->change;
	for (unsigned t = 0; t < p->n_tau; t++) {
		double total = p->s2[t] + p->kappa2[t], share = s2 / (s2 + k2), wg = 0, wb = 0;

		/* Only the sum is known while boots cannot be told apart. */
		r->s2[t] = in->data->noise.boots ? p->s2[t] : share * total;
		r->k2[t] = in->data->noise.boots ? p->kappa2[t] : (1 - share) * total;
		for (uint32_t u = 0; u < in->data->units.n; u++) {
			double m, v;

			if (!in->data->units.v[u].n)
				continue;
			unit_location(in->data, u, sqrt(p->s2[t]), sqrt(p->kappa2[t]), &m, &v);
			r->unit_var[u * p->n_tau + t] = v;
			wg += (1 - side[u]) / (p->tau2[t] + v);
			wb += side[u] / (p->tau2[t] + v);
		}
		r->levels[t] = (1 / wg + 1 / wb) / 4;
		r->good_w += in->w_tau[t] * wg;
		r->bad_w += in->w_tau[t] * wb;
		r->tau2 += in->w_tau[t] * p->tau2[t];
		r->noise2 += in->w_tau[t] * total;
	}
}

/* Something to visit, by offset sd: what is known of it, and what one visit adds. */
struct option {
	struct choice choice;
	unsigned had; /* visits */
	double extra; /* cost before the first */
	double factor;
	double q[LANES];     /* probability that its side is bad */
	double known[LANES]; /* squared separation already reached */
	double precision[LANES], visit[LANES], rest[LANES];
};

/* v0: the variances that its visits leave by offset sd, NULL = it has none. */
static void option_make(struct option *o, const struct pricing *r, const double *v0)
{
	const struct posterior *p = r->in->posterior;

	for (unsigned t = 0; t < p->n_tau; t++) {
		double known = v0 ? r->d2 / (p->tau2[t] + v0[t] + r->levels[t]) : 0;

		/* Few visits that should have decided and did not were wild: the unit is as good as not measured. */
		if (known >= 0.5 * DECISIVE && o->had < WILD_VISITS && o->q[t] >= 0.02 &&
		    o->q[t] <= 0.98)
			known = 0;
		o->known[t] = fmin(DECISIVE, known);
		o->precision[t] = v0 ? 1 / v0[t] : 0;
		o->visit[t] = 1 / (r->k2[t] + r->s2[t] / r->runs);
		o->rest[t] = p->tau2[t] + r->levels[t];
	}
}

/* Value of n more visits. */
static double value_of(const struct pricing *r, const struct option *o, unsigned n)
{
	const struct posterior *p = r->in->posterior;
	double e = spoiled_chance(r->in->data->noise.eps, o->had + n), sum = 0;
	double visits = n / (o->had + n > 2 ? 1.08 : 1);
	double x[LANES] = { 0 }, information[LANES];

	for (unsigned t = 0; t < p->n_tau; t++) {
		double after = 1 / (o->precision[t] + visits * o->visit[t]);

		x[t] = fmin(DECISIVE, r->d2 / (o->rest[t] + after)) - o->known[t];
		x[t] = fmax(0, x[t]);
	}
	fast_information(p->n_tau, o->q, x, e, entropy(e), information);
	for (unsigned t = 0; t < p->n_tau; t++)
		if (r->in->w_tau[t] >= 1e-3)
			sum += r->in->w_tau[t] * information[t];
	return sum;
}

/* Best number of repeats of one option. Keeps it if it beats *ret. */
static void consider(const struct pricing *r, const struct option *o, struct choice *ret)
{
	double most = 0;

	for (size_t i = 0; i < ARRAY_LEN(repeats); i++) {
		unsigned n = repeats[i];
		double value = o->factor * value_of(r, o, n) / (o->extra + n * r->visit_cost);

		/* Rises, then falls: what is well past its best is not looked at further. */
		if (value < 0.6 * most)
			break;
		most = fmax(most, value);
		if (value <= ret->value)
			continue;
		*ret = o->choice;
		ret->value = value;
		ret->runs = r->runs;
		ret->var = r->tau2 + r->noise2 / (o->had + n);
	}
}

static void consider_new(struct chooser *c, const struct pricing *r, struct choice *ret)
{
	const struct choose_in *in = r->in;
	double top = 0;

	for (uint32_t k = 0; k < in->classes->n; k++)
		top = fmax(top, c->best_score[k]);
	for (uint32_t k = 0; k < in->classes->n; k++) {
		if (c->best_score[k] <= 0 || c->best_score[k] < 0.1 * top)
			continue;
		uint32_t node = c->best_of[k];
		double side = sketch_q(&c->sketch, node), h = entropy(side);

		struct option o = { .choice = { .kind = CHOICE_NEW, .node = node, .q = side },
				    .extra = in->costs.build,
				    .factor = h > 0 ? c->best_score[k] / h : 0 };

		for (unsigned t = 0; t < in->posterior->n_tau; t++)
			o.q[t] = sketch_q_given(&c->sketch, node,
						in->p_tau + (size_t)t * in->posterior->n);
		option_make(&o, r, NULL);
		consider(r, &o, ret);
	}
}

static void consider_rerun(const struct pricing *r, struct choice *ret)
{
	const struct choose_in *in = r->in;
	const struct posterior *p = in->posterior;

	for (uint32_t u = 0; u < in->data->units.n; u++) {
		const struct unit *unit = &in->data->units.v[u];
		double side = side_of_unit(in, u, in->p);

		if (!unit->n || side < 1e-4 || side > 1 - 1e-4)
			continue;
		struct option o = { .choice = { .kind = CHOICE_RERUN,
						.node = unit->nodes.v[0],
						.unit = u,
						.q = side },
				    .had = unit->n_visits,
				    .factor = u == in->last_unit ? SAME_AGAIN : 1 };

		for (unsigned t = 0; t < p->n_tau; t++)
			o.q[t] = side_of_unit(in, u, in->p_tau + (size_t)t * p->n);
		if (!in->data->noise.exact) {
			option_make(&o, r, r->unit_var + u * p->n_tau);
			consider(r, &o, ret);
		}
		if (!in->can_relayout)
			continue;
		o.choice.kind = CHOICE_RELAYOUT;
		o.had = 0;
		o.extra = in->costs.build;
		o.factor = 1;
		option_make(&o, r, NULL);
		consider(r, &o, ret);
	}
}

void choose_sides(struct chooser *c, const struct choose_in *in)
{
	sketch_make(&c->sketch, in->classes, in->p);
}

void choose_best(struct chooser *c, const struct choose_in *in, struct choice *ret)
{
	struct pricing r;

	*ret = (struct choice){ .kind = CHOICE_NONE };
	choose_sides(c, in);
	find_candidates(c, in);
	pricing_make(&r, in);
	consider_new(c, &r, ret);
	consider_rerun(&r, ret);
	free(r.unit_var);
}

bool choose_divider(struct chooser *c, const struct choose_in *in, uint32_t cls, uint32_t *ret_node)
{
	const struct graph *g = in->classes->g;
	double best = 0;
	bool any_failed = false;

	sketch_class(&c->sketch, in->classes, cls);
	for (uint32_t i = 0; i < g->n && !any_failed; i++)
		any_failed = in->failed[i];
	if (any_failed)
		hops_make(c, in);
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->boundary[i] || in->closed[i])
			continue;
		double score = entropy(sketch_q(&c->sketch, i)) * chance_to_build(c, any_failed, i);

		if (score > best) {
			best = score;
			*ret_node = i;
		}
	}
	return best > 0;
}

bool choose_neighbour(const struct chooser *c, const struct choose_in *in, bool bad_side,
		      double doubt, uint32_t *ret_node)
{
	const struct graph *g = in->classes->g;
	double least = doubt;
	bool found = false;

	for (uint32_t k = 0; k < g->n; k++) {
		uint32_t i = bad_side ? g->n - 1 - k : k;
		double q = g->boundary[i] ? 0 : sketch_q(&c->sketch, i),
		       wrong = bad_side ? 1 - q : q;

		if (in->closed[i])
			continue;
		if (wrong < least - 1e-9) {
			least = wrong;
			*ret_node = i;
			found = true;
		}
	}
	return found;
}
