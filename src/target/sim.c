/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counter-based random numbers: a hash of the ids instead of a stream. A stream would make a
 * policy's second question depend on its first, and two policies could not be compared history by
 * history; it also makes --jobs trivially exact.
 *
 * The hash is three rounds of the 64-bit finaliser "Mix13" (D. Stafford; used in SplitMix64,
 * Steele, Lea and Flood, OOPSLA 2014). Normals are Box and Muller's, of two uniforms.
 */
#include "target/sim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum tag {
	TAG_CHANGE = 1,
	TAG_CREEP,
	TAG_BUILD,
	TAG_BOOT,
	TAG_RUN,
	TAG_RUN2,
	TAG_DRIFT,
	TAG_AR,
	TAG_SKIP,
	TAG_MIX,
	TAG_DAG,
	TAG_RESAMPLE,
	TAG_SAME,
	TAG_HINT,
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t hash(uint64_t key, unsigned tag, uint64_t a, uint64_t b)
{
	uint64_t h = mix(key + tag * UINT64_C(0x9e3779b97f4a7c15));

	h = mix(h ^ (a + UINT64_C(0xd1b54a32d192ed03)));
	return mix(h + b * UINT64_C(0x8cb92ba72f3d8dd7));
}

uint64_t sim_key(uint64_t seed, uint64_t history)
{
	return hash(seed, 0, history, 0);
}

static double to_unit(uint64_t h)
{
	return ((double)(h >> 11) + .5) * 0x1p-53;
}

double sim_uniform(uint64_t key, unsigned tag, uint64_t a, uint64_t b)
{
	return to_unit(hash(key, tag, a, b));
}

/* The second uniform continues the first one's hash: independent, at one round instead of three. */
double sim_normal(uint64_t key, unsigned tag, uint64_t a, uint64_t b)
{
	uint64_t h = hash(key, tag, a, b);
	double u = to_unit(h), v = to_unit(mix(h + UINT64_C(0x9e3779b97f4a7c15)));

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* a names the build, b the run; a draw that needs several numbers takes them at b * 4 + 0..3. */
double sim_noise_draw(enum sim_noise kind, uint64_t key, uint64_t a, uint64_t b)
{
	double z, u, chi;

	if (kind == SIM_DET)
		return 0;
	z = sim_normal(key, TAG_RUN, a, b * 4);
	switch (kind) {
	case SIM_GAUSS:
	case SIM_DET:
		return z;
	case SIM_SKEW:
		return (exp(.8 * z) - exp(.32)) / (exp(.32) * sqrt(expm1(.64)));
	case SIM_OUT:
	case SIM_OUT15:
		u = sim_uniform(key, TAG_RUN2, a, b * 4);
		if (u >= (kind == SIM_OUT ? .05 : .15))
			return z;
		return z - 8 * log(sim_uniform(key, TAG_RUN2, a, b * 4 + 1));
	case SIM_BIMOD:
		return .5 * z + 2 * (sim_uniform(key, TAG_RUN2, a, b * 4) < .35) - .7;
	case SIM_T3:
		chi = 0;
		for (unsigned i = 1; i <= 3; i++) {
			double x = sim_normal(key, TAG_RUN, a, b * 4 + i);
			chi += x * x;
		}
		return z / sqrt(chi / 3);
	case SIM_AR:
		return .7 * z;
	}
	return z;
}

double sim_ar_step(double g, double phi, double z, uint64_t t)
{
	return t == 0 ? z : phi * g + sqrt(1 - phi * phi) * z;
}

/* --- the graph
 * ------------------------------------------------------------------------------------------------------
 */

struct branches {
	uint32_t *v;
	size_t n, cap;
};

static size_t pick(uint64_t key, uint32_t commit, unsigned what, size_t n)
{
	size_t i = (size_t)(sim_uniform(key, TAG_DAG, commit, what) * (double)n);

	return i < n ? i : n - 1;
}

/* The last commit joins what is still open: one merge of all of it. */
static void dag_close(struct graph_builder *b, uint32_t tip, const struct branches *open)
{
	uint32_t *parents = xreallocarray(NULL, open->n + 1, sizeof(*parents));

	parents[0] = tip;
	for (size_t i = 0; i < open->n; i++)
		parents[i + 1] = open->v[i];
	graph_add(b, parents, (uint32_t)open->n + 1, false);
	free(parents);
}

struct graph sim_dag(const struct sim_scenario *p, uint64_t key)
{
	struct graph_builder b = { 0 };
	struct branches open = { 0 }, trunk = { 0 };
	uint32_t root = graph_add(&b, NULL, 0, true);

	ARRAY_PUSH(&trunk, root);
	for (uint32_t i = 1; i < p->n; i++) {
		double u = sim_uniform(key, TAG_DAG, i, 0);
		uint32_t tip = trunk.v[trunk.n - 1];
		size_t k = open.n ? pick(key, i, 1, open.n) : 0;
		if (u < p->dag_merge && open.n) {
			uint32_t parents[2] = { tip, open.v[k] };
			open.v[k] = open.v[--open.n];
			ARRAY_PUSH(&trunk, graph_add(&b, parents, 2, false));
		} else if (u < p->dag_merge + p->dag_extend && open.n) {
			open.v[k] = graph_add(&b, &open.v[k], 1, false);
		} else if (u >= 1 - p->dag_open) {
			size_t back = pick(key, i, 2, 20);
			uint32_t from = trunk.v[back < trunk.n ? trunk.n - 1 - back : 0];
			ARRAY_PUSH(&open, graph_add(&b, &from, 1, false));
		} else {
			ARRAY_PUSH(&trunk, graph_add(&b, &tip, 1, false));
		}
	}
	dag_close(&b, trunk.v[trunk.n - 1], &open);
	free(open.v);
	free(trunk.v);
	return graph_finish(&b, root, b.g.n - 1);
}

/* --- a history
 * ------------------------------------------------------------------------------------------------------
 */

static double log_uniform(double u, double low, double high)
{
	return low * pow(high / low, u);
}

static void draw_mix(struct sim *sim)
{
	static const enum sim_noise kinds[] = { SIM_GAUSS, SIM_SKEW, SIM_OUT, SIM_BIMOD, SIM_T3 };
	struct sim_scenario *p = &sim->p;
	double u[8];

	for (unsigned i = 0; i < ARRAY_LEN(u); i++)
		u[i] = sim_uniform(sim->key, TAG_MIX, i, 0);
	p->d = u[0] < .15 ? 0 : log_uniform(u[1], .01, .10);
	p->s = log_uniform(u[2], .003, .03);
	p->noise = kinds[(size_t)(u[3] * ARRAY_LEN(kinds))];
	p->tau = u[4] < .3 ? 0 : fmin(.02, .003 * tan(M_PI / 2 * u[5]));
	if (u[6] < .3) {
		p->drift_sd = .7 * p->s;
		p->drift_phi = .98;
	}
}

/* Some commits change nothing that is built. The ends and what has several parents always do. */
static void draw_artefacts(struct sim *sim)
{
	const struct graph *g = sim->g;

	for (uint32_t c = 0; c < g->n; c++) {
		uint32_t first = g->parent_start[c];
		bool same = c && c + 1 < g->n && g->parent_start[c + 1] - first == 1 &&
			    sim_uniform(sim->key, TAG_SAME, c, 0) < sim->p.same;
		sim->artefact[c] = same ? sim->artefact[g->parents[first]] : c;
	}
}

/* A prior that is worth something, or that misleads. */
static void draw_hints(struct sim *sim)
{
	for (uint32_t c = 1; c < sim->g->n; c++)
		if (sim_is_change(sim, c) ? !sim->p.hint_wrong
					  : sim_uniform(sim->key, TAG_HINT, c, 0) < .1)
			sim->own.weight[c] = sim->p.hint;
}

static bool far_enough(const struct sim *sim, uint32_t c)
{
	uint32_t apart = sim->n_changes ? sim->p.n / (4 * sim->p.changes) : 0;

	for (unsigned i = 0; i < sim->n_changes; i++) {
		uint32_t other = sim->changes[i];
		if (other == c || (c > other ? c - other : other - c) < apart)
			return false;
	}
	return true;
}

/* Where the level changes: uniform over the candidates; several are at least n / (4 changes) apart,
 * as n / 8 for two. */
static void draw_changes(struct sim *sim)
{
	unsigned want = sim->p.changes ? sim->p.changes : 1;
	uint32_t candidates = sim->g->n - 1;

	if ((sim->p.d == 0 && !(sim->p.spread > 0)) || sim->p.ramp)
		want = 0;
	for (uint64_t t = 0; sim->n_changes < want && t < 100000; t++) {
		double u = sim_uniform(sim->key, TAG_CHANGE, t, 0);
		uint32_t c = 1 + (uint32_t)(u * candidates);
		if (sim->artefact[c] != c || !far_enough(sim, c))
			continue;
		unsigned at = sim->n_changes++;
		for (; at > 0 && sim->changes[at - 1] > c; at--)
			sim->changes[at] = sim->changes[at - 1];
		sim->changes[at] = c;
	}
}

static void add_change(struct sim *sim, uint32_t from, double by, uint8_t *flags)
{
	uint32_t n = sim->g->n;

	if (!sim->p.dag) {
		for (uint32_t i = from; i < n; i++)
			sim->shift[i] += by;
		return;
	}
	memset(flags, 0, n);
	graph_mark_descendants(sim->g, from, flags);
	for (uint32_t i = from; i < n; i++)
		if (flags[i])
			sim->shift[i] += by;
}

static void draw_shifts(struct sim *sim)
{
	const struct sim_scenario *p = &sim->p;
	uint32_t n = sim->g->n;
	AUTO_FREE uint8_t *flags = p->dag ? xmalloc(n) : NULL;
	double each = p->alternate ? p->d : p->d / fmax(1, sim->n_changes);

	for (unsigned i = 0; i < sim->n_changes; i++)
		add_change(sim, sim->changes[i], p->alternate && i % 2 ? -each : each, flags);
	if (p->ramp)
		for (uint32_t i = 0; i < n; i++)
			sim->shift[i] += p->d * i / (n - 1);
	if (p->creep > 0)
		for (uint32_t i = 0; i < n; i++)
			sim->shift[i] += p->creep * sim_normal(sim->key, TAG_CREEP, i, 0);
}

/* Stretches of commits that do not build: from each commit outside of one, a stretch starts with
 * chance skip / 3. */
static void draw_broken(struct sim *sim)
{
	uint32_t last = sim->g->n - 1;
	bool inside = false;

	for (uint32_t c = 1; c < last; c++) {
		if (!inside || sim_uniform(sim->key, TAG_SKIP, c, 1) >= 2. / 3)
			inside = sim_uniform(sim->key, TAG_SKIP, c, 0) < sim->p.skip / 3;
		sim->broken[c] = inside;
	}
}

void sim_open(struct sim *sim, const struct sim_scenario *p, uint64_t seed, uint32_t history,
	      const struct graph *line)
{
	assert(p->n >= 1 && p->changes <= SIM_MAX_CHANGES);
	*sim = (struct sim){ .p = *p, .key = sim_key(seed, history), .history = history };
	if (p->mix)
		draw_mix(sim);
	if (p->dag || p->hint > 0 || !line) {
		sim->own = p->dag ? sim_dag(p, sim->key) : graph_line(p->n);
		sim->g = &sim->own;
	} else {
		assert(line->n == p->n + 1);
		sim->g = line;
	}
	sim->step = p->quant > 0 ? p->quant * 100 : 1e-6;
	sim->resolution = p->resolution > 0 ? p->resolution * 100 : sim->step;
	sim->shift = xcalloc(sim->g->n, sizeof(*sim->shift));
	sim->artefact = xcalloc(sim->g->n, sizeof(*sim->artefact));
	sim->broken = xcalloc(sim->g->n, 1);
	draw_artefacts(sim);
	draw_changes(sim);
	draw_shifts(sim);
	if (p->skip > 0)
		draw_broken(sim);
	if (p->hint > 0)
		draw_hints(sim);
}

void sim_rewind(struct sim *sim)
{
	sim->runs = 0;
	sim->drift = sim->ar = 0;
}

void sim_done(struct sim *sim)
{
	free(sim->shift);
	free(sim->artefact);
	free(sim->broken);
	graph_done(&sim->own);
	*sim = (struct sim){ 0 };
}

bool sim_builds(const struct sim *sim, uint32_t node)
{
	return !sim->broken[node];
}

uint32_t sim_artefact(const struct sim *sim, uint32_t node)
{
	return sim->artefact[node];
}

bool sim_is_change(const struct sim *sim, uint32_t node)
{
	for (unsigned i = 0; i < sim->n_changes; i++)
		if (sim->changes[i] == node)
			return true;
	return false;
}

/* --- one run
 * --------------------------------------------------------------------------------------------------------
 */

static double order_effects(struct sim *sim)
{
	const struct sim_scenario *p = &sim->p;
	uint64_t t = sim->runs++;
	double y = 0;

	if (p->drift_sd > 0) {
		double z = sim_normal(sim->key, TAG_DRIFT, t, 0);
		sim->drift = sim_ar_step(sim->drift, p->drift_phi, z, t);
		y += p->drift_sd * sim->drift;
	}
	if (p->noise == SIM_AR) {
		double z = sim_normal(sim->key, TAG_AR, t, 0);
		sim->ar = sim_ar_step(sim->ar, .8, z, t);
		y += .7 * p->s * sim->ar;
	}
	return y;
}

/* History 0 replays a list in its order, round and round; the others draw from it, so that a
 * rehearsal has variety. */
static double listed_value(const struct sim *sim, uint32_t node, uint64_t build, unsigned run)
{
	const struct sim_values *l = &sim->values[node];
	double u;

	if (sim->history == 0)
		return l->v[run % l->n];
	u = sim_uniform(sim->key, TAG_RESAMPLE, build, run);
	return l->v[(size_t)(u * l->n) % l->n];
}

static bool on_bad_side(const struct sim *sim, uint32_t node)
{
	return sim->n_changes && graph_reaches(sim->g, sim->changes[0], node);
}

double sim_run(struct sim *sim, uint32_t node, unsigned layout, unsigned boot, unsigned run)
{
	const struct sim_scenario *p = &sim->p;
	uint64_t build = sim->artefact[node] + ((uint64_t)layout << 32);
	double y = sim->shift[node] + order_effects(sim), s = p->s;

	if (sim->values && sim->values[node].n)
		return listed_value(sim, node, build, run);
	if (p->spread > 0 && on_bad_side(sim, node))
		s *= p->spread;
	y += s * sim_noise_draw(p->noise, sim->key, build, run);
	if (p->tau > 0)
		y += p->tau * sim_normal(sim->key, TAG_BUILD, build, 0);
	if (p->boot_sd > 0)
		y += p->boot_sd * sim_normal(sim->key, TAG_BOOT, build, boot);
	if (run == 0)
		y += p->warm;
	y = 100 * exp(y);
	return sim->step > 0 ? rint(y / sim->step) * sim->step : y;
}

double sim_resolution(const struct sim *sim)
{
	return sim->resolution;
}
