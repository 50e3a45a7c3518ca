/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search against histories whose culprit is known: exact counts, noise, merges, commits that do not build.
 */
#include "unit.h"

#include "brain/search.h"

/* A history under test: what building and running a commit gives, as a function of numbers only. */
struct world {
	struct graph g;
	uint32_t culprit; /* 0: none */
	double shift, run_sd, build_sd;
	const uint8_t *broken; /* per node, or NULL */
	uint64_t seed;
};

static double uniform(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + a * UINT64_C(0xbf58476d1ce4e5b9) + b + 1;

	for (int i = 0; i < 3; i++) {
		x ^= x >> 31;
		x *= UINT64_C(0x94d049bb133111eb);
	}
	return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t seed, uint64_t a, uint64_t b)
{
	return sqrt(-2 * log(uniform(seed, a, b))) * cos(2 * M_PI * uniform(seed + 77, a, b));
}

struct outcome_of_hunt {
	struct search_status st;
	uint32_t suspects[64];
	size_t n_suspects;
	struct search_range range[2];
	size_t n_ranges;
	struct action log[2000];
	size_t n_actions;
};

static void report(struct search *s, const struct world *w, const uint8_t *bad,
		   const struct action *a, int64_t *builds, int64_t *boots, uint64_t *runs,
		   uint32_t *node_of)
{
	int64_t b = a->build;

	if (a->how != ACTION_BUILD_EXISTING) {
		bool broken = w->broken && w->broken[a->node];

		b = (*builds)++;
		node_of[b] = a->node;
		search_built(s, a->node, b, broken ? OUTCOME_FAILED : OUTCOME_OK,
			     a->how == ACTION_BUILD_RELAYOUT ? 1000000 + b : a->node,
			     a->how == ACTION_BUILD_RELAYOUT, 10);
		if (broken)
			return;
	}
	assert_true(b >= 0 && b < *builds);
	uint32_t node = node_of[b];

	search_booted(s, b, (*boots)++, OUTCOME_OK, 0);
	for (unsigned r = 0; r < a->runs; r++) {
		double y = log(100) + w->shift * bad[node] +
			   w->build_sd * normal(w->seed, 5, node) +
			   w->run_sd * normal(w->seed, 9, (*runs)++);

		search_value(s, *boots - 1, r, exp(y), 0, 1);
	}
}

static void hunt(const struct world *w, const struct search_params *p, struct outcome_of_hunt *ret)
{
	struct search *s = search_new(&w->g, p);
	AUTO_FREE uint8_t *bad = xcalloc(w->g.n, 1);
	AUTO_FREE uint32_t *node_of = xcalloc(4000, sizeof(*node_of));
	int64_t builds = 0, boots = 0;
	uint64_t runs = 0;
	double p_node[64];

	memset(ret, 0, sizeof(*ret));
	if (w->culprit)
		graph_mark_descendants(&w->g, w->culprit, bad);
	for (;;) {
		struct action *a = &ret->log[ret->n_actions++], again;

		search_next(s, a);
		search_next(s, &again);
		assert_memory_equal(a, &again, sizeof(again));
		if (a->kind == ACTION_ANSWER)
			break;
		assert_true(ret->n_actions < ARRAY_LEN(ret->log));
		assert_true(a->runs > 0);
		report(s, w, bad, a, &builds, &boots, &runs, node_of);
	}
	search_status(s, &ret->st);
	ret->n_suspects = search_suspects(s, ret->suspects, p_node, NULL, ARRAY_LEN(ret->suspects));
	ret->n_ranges = search_ranges(s, ret->range, 2);
	assert_true(ret->st.final);
	search_free(s);
}

static struct search_params params(double margin)
{
	struct search_params p;

	search_params_default(&p);
	p.margin = margin;
	return p;
}

/* Two branches of `len` commits from the good end, merged; then `tail` more. Node numbers: branch a is odd. */
static struct graph two_branches(uint32_t len, uint32_t tail)
{
	struct graph_builder b = { 0 };
	uint32_t good = graph_add(&b, NULL, 0, true), tip[2] = { good, good }, last;

	for (uint32_t i = 0; i < len; i++)
		for (int k = 0; k < 2; k++)
			tip[k] = graph_add(&b, &tip[k], 1, false);
	last = graph_add(&b, tip, 2, false);
	for (uint32_t i = 0; i < tail; i++)
		last = graph_add(&b, &last, 1, false);
	return graph_finish(&b, good, last);
}

static void exact_counts_are_plain_bisection(void **state UNUSED)
{
	struct search_params p = params(0.01);
	struct outcome_of_hunt o;

	for (uint32_t k = 1; k <= 1024; k += 93) {
		struct world w = { .g = graph_line(1024), .culprit = k, .shift = 0.02 };

		hunt(&w, &p, &o);
		assert_int_equal(o.st.answer, ANSWER_NAMED);
		assert_int_equal(o.st.culprit, k);
		assert_true(o.st.counter);
		assert_in_range(o.st.builds, 12, 13);
		assert_in_range(o.st.runs, 14, 15);
		graph_done(&w.g);
	}
}

static void every_commit_of_a_merged_history_is_found(void **state UNUSED)
{
	struct search_params p = params(0.01);
	struct outcome_of_hunt o;
	struct graph g = two_branches(20, 9);

	for (uint32_t k = 1; k < g.n; k++) {
		struct world w = { .g = g, .culprit = k, .shift = 0.02 };

		hunt(&w, &p, &o);
		assert_int_equal(o.st.answer, ANSWER_NAMED);
		assert_int_equal(o.st.culprit, k);
		assert_true(o.st.builds <= 10);
	}
	graph_done(&g);
}

static void noise_is_seen_through(void **state UNUSED)
{
	struct search_params p = params(0.015);
	struct outcome_of_hunt o;
	unsigned builds = 0, runs = 0;
	struct graph g = graph_line(1024);

	for (uint64_t h = 0; h < 30; h++) {
		struct world w = { .g = g,
				   .culprit = 1 + (uint32_t)(1024 * uniform(h, 1, 1)),
				   .shift = 0.03,
				   .run_sd = 0.01,
				   .seed = h };

		hunt(&w, &p, &o);
		assert_int_equal(o.st.answer, ANSWER_NAMED);
		assert_int_equal(o.st.culprit, w.culprit);
		assert_true(o.st.low < 0.0305 && o.st.high > 0.0305);
		builds += o.st.builds;
		runs += o.st.runs;
	}
	assert_true(builds < 30 * 14);
	assert_true(runs < 30 * 50);
	graph_done(&g);
}

static void equal_ends_are_no_change(void **state UNUSED)
{
	struct search_params p = params(0.01);
	struct outcome_of_hunt o;
	struct graph g = graph_line(1024);

	for (uint64_t h = 0; h < 20; h++) {
		struct world w = { .g = g, .run_sd = 0.01, .seed = h };

		hunt(&w, &p, &o);
		assert_int_not_equal(o.st.answer, ANSWER_NAMED);
		assert_int_not_equal(o.st.answer, ANSWER_SET);
		assert_true(o.st.runs < 400);
	}
	struct world w = { .g = g };

	hunt(&w, &p, &o);
	assert_int_equal(o.st.answer, ANSWER_NO_CHANGE);
	assert_int_equal(o.st.runs, 4);
	graph_done(&g);
}

static void unbuildable_neighbours_give_a_set(void **state UNUSED)
{
	struct search_params p = params(0.01);
	struct outcome_of_hunt o;
	uint8_t broken[65] = { 0 };
	struct graph g = graph_line(64);

	for (int i = 30; i < 34; i++)
		broken[i] = 1;
	for (uint32_t k = 28; k < 37; k++) {
		struct world w = { .g = g, .culprit = k, .shift = 0.02, .broken = broken };

		hunt(&w, &p, &o);
		if (k < 30 || k > 34) {
			assert_int_equal(o.st.answer, ANSWER_NAMED);
			assert_int_equal(o.st.culprit, k);
			continue;
		}
		bool has = false;

		assert_int_equal(o.st.answer, ANSWER_SET);
		assert_int_equal(o.n_suspects, 5);
		for (size_t i = 0; i < o.n_suspects; i++)
			has |= o.suspects[i] == k;
		assert_true(has);
	}
	graph_done(&g);
}

static void the_same_observations_give_the_same_actions(void **state UNUSED)
{
	struct search_params p = params(0.015);
	struct outcome_of_hunt a, b;
	struct world w = { .g = two_branches(100, 50),
			   .culprit = 77,
			   .shift = 0.03,
			   .run_sd = 0.01,
			   .build_sd = 0.003,
			   .seed = 3 };

	hunt(&w, &p, &a);
	hunt(&w, &p, &b);
	assert_int_equal(a.n_actions, b.n_actions);
	assert_memory_equal(a.log, b.log, a.n_actions * sizeof(a.log[0]));
	assert_true(a.st.probability == b.st.probability);
	graph_done(&w.g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_counts_are_plain_bisection),
		cmocka_unit_test(every_commit_of_a_merged_history_is_found),
		cmocka_unit_test(noise_is_seen_through),
		cmocka_unit_test(equal_ends_are_no_change),
		cmocka_unit_test(unbuildable_neighbours_give_a_set),
		cmocka_unit_test(the_same_observations_give_the_same_actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
