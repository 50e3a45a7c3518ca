/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "brain/choose_sketch.h"

#include <string.h>

/* Counting bits is one instruction where the processor has it, and dozens where not. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) &&             \
	!defined(__clang__)
#define COUNTS_BITS __attribute__((target_clones("popcnt", "default")))
#else
#define COUNTS_BITS
#endif

void sketch_done(struct sketch *k)
{
	free(k->row_of);
	free(k->rows);
	free(k->first);
	free(k->q);
	free(k->drawn);
	*k = (struct sketch){ 0 };
}

static void sketch_reset(struct sketch *k, const struct classes *c)
{
	if (!k->row_of) {
		k->row_of = xcalloc(c->g->n, sizeof(*k->row_of));
		k->first = xcalloc(c->g->n, sizeof(*k->first));
		k->drawn = xcalloc(SKETCH_BITS, sizeof(*k->drawn));
	}
	for (uint32_t i = 0; i < k->n_drawn; i++)
		k->first[k->drawn[i]] = 0;
	k->n_drawn = k->n_samples = k->n_runs = 0;
}

static uint32_t row_new(struct sketch *k)
{
	if (k->n_rows == k->cap_rows) {
		k->cap_rows = k->cap_rows * 2 + 2 * SKETCH_BITS;
		k->rows = xreallocarray(k->rows, (size_t)k->cap_rows * SKETCH_WORDS,
					sizeof(*k->rows));
		k->q = xreallocarray(k->q, k->cap_rows, sizeof(*k->q));
	}
	return k->n_rows++;
}

static void draw(struct sketch *k, uint32_t node, uint32_t cls)
{
	uint32_t bit = k->n_samples++;

	if (!k->first[node]) {
		k->first[node] = bit + 1;
		k->drawn[k->n_drawn++] = node;
	}
	if (k->n_runs && k->run[k->n_runs - 1].cls == cls) {
		k->run[k->n_runs - 1].to = bit + 1;
		return;
	}
	k->run[k->n_runs].cls = cls;
	k->run[k->n_runs].from = bit;
	k->run[k->n_runs++].to = bit + 1;
}

static void set_own_bits(uint64_t *row, uint32_t from, uint32_t to)
{
	for (uint32_t b = from; b < to; b++)
		row[b / 64] |= UINT64_C(1) << (b % 64);
}

static uint32_t row_of_parents(struct sketch *k, const struct graph *g, uint32_t i, bool *ret_fresh)
{
	uint32_t from = g->parent_start[i], to = g->parent_start[i + 1];
	uint32_t row = from < to ? k->row_of[g->parents[from]] : 0;

	*ret_fresh = false;
	for (uint32_t p = from + 1; p < to; p++) {
		uint32_t other = k->row_of[g->parents[p]];

		if (other == row || !other)
			continue;
		if (!row) {
			row = other;
			continue;
		}
		if (!*ret_fresh) {
			uint32_t fresh = row_new(k);

			memcpy(k->rows + (size_t)fresh * SKETCH_WORDS,
			       k->rows + (size_t)row * SKETCH_WORDS,
			       SKETCH_WORDS * sizeof(*k->rows));
			row = fresh;
			*ret_fresh = true;
		}
		for (int w = 0; w < SKETCH_WORDS; w++)
			k->rows[(size_t)row * SKETCH_WORDS + w] |=
				k->rows[(size_t)other * SKETCH_WORDS + w];
	}
	return row;
}

COUNTS_BITS static void rows_count(struct sketch *k)
{
	for (uint32_t r = 0; r < k->n_rows; r++) {
		int bits = 0;

		for (int w = 0; w < SKETCH_WORDS; w++)
			bits += __builtin_popcountll(k->rows[(size_t)r * SKETCH_WORDS + w]);
		k->q[r] = k->n_samples ? (double)bits / k->n_samples : 0;
	}
}

static void propagate(struct sketch *k, const struct classes *c)
{
	const struct graph *g = c->g;
	uint32_t next_bit[SKETCH_BITS + 1] = { 0 };

	/* Where the bits of each drawn node end: nodes were drawn with consecutive bits. */
	for (uint32_t i = 0; i < k->n_drawn; i++)
		next_bit[k->first[k->drawn[i]] - 1] =
			i + 1 < k->n_drawn ? k->first[k->drawn[i + 1]] - 1 : k->n_samples;
	k->n_rows = 0;
	uint32_t empty = row_new(k);

	memset(k->rows + (size_t)empty * SKETCH_WORDS, 0, SKETCH_WORDS * sizeof(*k->rows));
	for (uint32_t i = 0; i < g->n; i++) {
		bool fresh;

		if (g->boundary[i]) {
			k->row_of[i] = 0;
			continue;
		}
		uint32_t row = row_of_parents(k, g, i, &fresh);

		if (k->first[i]) {
			if (!fresh) {
				uint32_t copy = row_new(k);

				memcpy(k->rows + (size_t)copy * SKETCH_WORDS,
				       k->rows + (size_t)row * SKETCH_WORDS,
				       SKETCH_WORDS * sizeof(*k->rows));
				row = copy;
			}
			set_own_bits(k->rows + (size_t)row * SKETCH_WORDS, k->first[i] - 1,
				     next_bit[k->first[i] - 1]);
		}
		k->row_of[i] = row;
	}
	rows_count(k);
}

/* The mass of the ancestors of `node`, itself included, when the classes have the probabilities `p`. */
static double exact_q(const struct classes *c, uint32_t node, const double *p, uint8_t *flags)
{
	double q = 0;

	memset(flags, 0, c->g->n);
	graph_mark_ancestors(c->g, node, flags);
	for (uint32_t i = 0; i <= node; i++)
		if (flags[i] && c->of[i] != NO_CLASS && c->mass[c->of[i]] > 0)
			q += p[c->of[i]] * c->prior[i] / c->mass[c->of[i]];
	return q < 1 ? q : 1;
}

/* A row for every node. */
static void exact_make(struct sketch *k, const struct classes *c, const double *p)
{
	AUTO_FREE uint8_t *flags = xcalloc(c->g->n, 1);

	sketch_reset(k, c);
	k->n_rows = 0;
	for (uint32_t i = 0; i < c->g->n; i++) {
		k->row_of[i] = row_new(k);
		k->q[i] = c->g->boundary[i] ? 0 : exact_q(c, i, p, flags);
	}
}

void sketch_make(struct sketch *k, const struct classes *c, const double *p)
{
	if (k->exact) {
		exact_make(k, c, p);
		return;
	}
	double sum = 0, at = 0.5 / SKETCH_BITS;

	sketch_reset(k, c);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t cls = c->order[i], m = c->members_at[i], end = c->members_at[i + 1];

		if (p[cls] <= 0 || c->mass[cls] <= 0)
			continue;
		double per_mass = p[cls] / c->mass[cls], base = c->cum[m];

		while (at < sum + p[cls] && k->n_samples < SKETCH_BITS) {
			double want = base + (at - sum) / per_mass;
			uint32_t lo = m, hi = m, step = 1;

			/* The member whose share of the cumulated prior holds `want`: not far from the last. */
			while (hi < end - 1 && c->cum[hi + 1] <= want) {
				lo = hi + 1;
				hi = end - 1 - hi > step ? hi + step : end - 1;
				step *= 2;
			}
			while (lo < hi) {
				uint32_t mid = (lo + hi) / 2;

				if (c->cum[mid + 1] > want)
					hi = mid;
				else
					lo = mid + 1;
			}
			draw(k, c->members[lo], cls);
			m = lo;
			at += 1.0 / SKETCH_BITS;
		}
		sum += p[cls];
	}
	propagate(k, c);
}

void sketch_class(struct sketch *k, const struct classes *c, uint32_t cls)
{
	uint32_t i = 0, n = 0, seen = 0, drawn = 0;

	sketch_reset(k, c);
	while (c->order[i] != cls)
		i++;
	for (uint32_t m = c->members_at[i]; m < c->members_at[i + 1]; m++)
		n += c->prior[c->members[m]] > 0;
	uint32_t draws = n < SKETCH_BITS ? n : SKETCH_BITS;

	for (uint32_t m = c->members_at[i]; m < c->members_at[i + 1]; m++) {
		if (c->prior[c->members[m]] <= 0)
			continue;
		/* The next draw is due when its share of the members is behind us. */
		if ((uint64_t)drawn * n <= (uint64_t)seen * draws && drawn < draws) {
			draw(k, c->members[m], cls);
			drawn++;
		}
		seen++;
	}
	propagate(k, c);
}

COUNTS_BITS static double drawn_q_given(const struct sketch *k, const uint64_t *row,
					const double *p)
{
	double q = 0;

	for (uint32_t r = 0; r < k->n_runs; r++) {
		uint32_t from = k->run[r].from, to = k->run[r].to, bits = 0;

		for (uint32_t w = from / 64; w <= (to - 1) / 64; w++) {
			uint64_t x = row[w];

			if (w == from / 64)
				x &= ~UINT64_C(0) << (from % 64);
			if (w == (to - 1) / 64)
				x &= ~UINT64_C(0) >> (63 - (to - 1) % 64);
			bits += (uint32_t)__builtin_popcountll(x);
		}
		if (bits)
			q += p[k->run[r].cls] * bits / (to - from);
	}
	return q < 1 ? q : 1;
}

double sketch_q_given(const struct sketch *k, uint32_t node, const double *p)
{
	if (k->exact) {
		AUTO_FREE uint8_t *flags = xcalloc(k->exact->g->n, 1);

		return exact_q(k->exact, node, p, flags);
	}
	return drawn_q_given(k, k->rows + (size_t)k->row_of[node] * SKETCH_WORDS, p);
}
