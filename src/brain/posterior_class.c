/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_class - refinement of the partition, and the order that the posterior walks the classes in.
 *
 * No signatures are hashed or sorted: a newly tested commit splits each class into the part above it and the rest, so
 * numbers of classes are enough. The walking order is a nearest-neighbour chain in Hamming distance; on a line it is
 * the line itself, and a step to the next class then changes the side of one tested commit.
 */
#include "brain/posterior_class.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A wrong prior must cost runs, not correctness: every candidate keeps this share of an equal prior. */
#define PRIOR_EQUAL_SHARE 0.3

static void prior_make(struct classes *c)
{
	const struct graph *g = c->g;
	double sum = 0, possible = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		if (g->boundary[i])
			continue;
		assert(isfinite(g->weight[i]) && g->weight[i] >= 0);
		sum += g->weight[i];
		possible += g->weight[i] > 0;
	}
	assert(sum > 0);
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->boundary[i] || g->weight[i] <= 0)
			continue;
		c->flat[i] = 1 / possible;
		c->prior[i] =
			(1 - PRIOR_EQUAL_SHARE) * g->weight[i] / sum + PRIOR_EQUAL_SHARE / possible;
	}
}

static void classes_reserve(struct classes *c, uint32_t n, uint32_t bits)
{
	if (bits > c->words * 64) {
		uint32_t words = c->words ? c->words * 2 : 2;
		uint64_t *sig =
			xcalloc((size_t)(c->cap_class ? c->cap_class : 1) * words, sizeof(*sig));

		for (uint32_t i = 0; i < c->n; i++)
			memcpy(sig + (size_t)i * words, c->sig + (size_t)i * c->words,
			       c->words * sizeof(*sig));
		free(c->sig);
		c->sig = sig;
		c->words = words;
		c->bit_node = xreallocarray(c->bit_node, (size_t)words * 64, sizeof(*c->bit_node));
	}
	if (n > c->cap_class) {
		uint32_t cap = c->cap_class * 2 > n ? c->cap_class * 2 : n + 32;

		c->sig = xreallocarray(c->sig, (size_t)cap * c->words, sizeof(*c->sig));
		c->mass = xreallocarray(c->mass, cap, sizeof(*c->mass));
		c->mass_flat = xreallocarray(c->mass_flat, cap, sizeof(*c->mass_flat));
		c->size = xreallocarray(c->size, cap, sizeof(*c->size));
		c->order = xreallocarray(c->order, cap, sizeof(*c->order));
		c->members_at =
			xreallocarray(c->members_at, (size_t)cap + 1, sizeof(*c->members_at));
		c->cap_class = cap;
	}
}

static uint32_t distance(const struct classes *c, uint32_t a, uint32_t b)
{
	uint32_t d = 0;

	for (uint32_t w = 0; w < c->words; w++)
		d += (uint32_t)__builtin_popcountll(c->sig[(size_t)a * c->words + w] ^
						    c->sig[(size_t)b * c->words + w]);
	return d;
}

static uint32_t bits_set(const struct classes *c, uint32_t a)
{
	uint32_t d = 0;

	for (uint32_t w = 0; w < c->words; w++)
		d += (uint32_t)__builtin_popcountll(c->sig[(size_t)a * c->words + w]);
	return d;
}

/* Start from the class that makes most commits bad (the oldest candidates) and go to the nearest not yet visited. */
static void order_make(struct classes *c)
{
	uint32_t first = 0, most = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t k = bits_set(c, i);

		if (k > most) {
			most = k;
			first = i;
		}
		c->order[i] = i;
	}
	c->order[0] = first;
	c->order[first] = 0;
	for (uint32_t i = 1; i < c->n; i++) {
		uint32_t best = i, least = UINT32_MAX;

		for (uint32_t j = i; j < c->n; j++) {
			uint32_t d = distance(c, c->order[i - 1], c->order[j]);

			if (d < least || (d == least && c->order[j] < c->order[best])) {
				least = d;
				best = j;
			}
		}
		uint32_t t = c->order[i];

		c->order[i] = c->order[best];
		c->order[best] = t;
	}
}

static void members_make(struct classes *c)
{
	AUTO_FREE uint32_t *next = xcalloc((size_t)c->n + 1, sizeof(*next));

	c->members_at[0] = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		next[c->order[i]] = c->members_at[i];
		c->members_at[i + 1] = c->members_at[i] + c->size[c->order[i]];
	}
	for (uint32_t i = 0; i < c->g->n; i++)
		if (c->of[i] != NO_CLASS)
			c->members[next[c->of[i]]++] = i;
	uint32_t total = c->members_at[c->n];

	c->cum[0] = 0;
	for (uint32_t i = 0; i < total; i++)
		c->cum[i + 1] = c->cum[i] + c->prior[c->members[i]];
}

static void masses_make(struct classes *c)
{
	memset(c->mass, 0, c->n * sizeof(*c->mass));
	memset(c->mass_flat, 0, c->n * sizeof(*c->mass_flat));
	memset(c->size, 0, c->n * sizeof(*c->size));
	for (uint32_t i = 0; i < c->g->n; i++) {
		uint32_t k = c->of[i];

		if (k == NO_CLASS)
			continue;
		c->mass[k] += c->prior[i];
		c->mass_flat[k] += c->flat[i];
		c->size[k]++;
	}
}

void classes_init(struct classes *c, const struct graph *g)
{
	uint32_t candidates = graph_candidates(g);

	*c = (struct classes){ .g = g };
	c->bit_of = xreallocarray(NULL, g->n, sizeof(*c->bit_of));
	c->of = xreallocarray(NULL, g->n, sizeof(*c->of));
	c->prior = xcalloc(g->n, sizeof(*c->prior));
	c->flat = xcalloc(g->n, sizeof(*c->flat));
	c->members = xcalloc((size_t)candidates + 1, sizeof(*c->members));
	c->cum = xcalloc((size_t)candidates + 1, sizeof(*c->cum));
	prior_make(c);
	classes_reserve(c, 1, 1);
	c->n = 1;
	memset(c->sig, 0, c->words * sizeof(*c->sig));
	for (uint32_t i = 0; i < g->n; i++) {
		c->bit_of[i] = NO_BIT;
		c->of[i] = g->boundary[i] ? NO_CLASS : 0;
	}
	masses_make(c);
	order_make(c);
	members_make(c);
}

void classes_done(struct classes *c)
{
	free(c->bit_node);
	free(c->bit_of);
	free(c->of);
	free(c->prior);
	free(c->flat);
	free(c->mass);
	free(c->mass_flat);
	free(c->size);
	free(c->sig);
	free(c->order);
	free(c->members);
	free(c->members_at);
	free(c->cum);
	*c = (struct classes){ 0 };
}

static void class_set_bit(struct classes *c, uint32_t cls, uint32_t bit)
{
	c->sig[(size_t)cls * c->words + bit / 64] |= UINT64_C(1) << (bit % 64);
}

void classes_test(struct classes *c, uint32_t node)
{
	const struct graph *g = c->g;

	if (g->boundary[node] || c->bit_of[node] != NO_BIT)
		return;
	uint32_t bit = c->n_bits, old = c->n;
	AUTO_FREE uint8_t *above = xcalloc(g->n, 1);
	AUTO_FREE uint32_t *inside = xcalloc(old, sizeof(*inside));
	AUTO_FREE uint32_t *moved = xreallocarray(NULL, old, sizeof(*moved));

	classes_reserve(c, old, bit + 1);
	c->bit_node[bit] = node;
	c->bit_of[node] = bit;
	c->n_bits++;
	graph_mark_ancestors(g, node, above);
	for (uint32_t i = 0; i <= node; i++)
		if (above[i] && c->of[i] != NO_CLASS)
			inside[c->of[i]]++;
	for (uint32_t k = 0; k < old; k++) {
		moved[k] = k;
		if (!inside[k])
			continue;
		if (inside[k] < c->size[k]) {
			classes_reserve(c, c->n + 1, bit + 1);
			moved[k] = c->n++;
			memcpy(c->sig + (size_t)moved[k] * c->words, c->sig + (size_t)k * c->words,
			       c->words * sizeof(*c->sig));
		}
		class_set_bit(c, moved[k], bit);
	}
	for (uint32_t i = 0; i <= node; i++)
		if (above[i] && c->of[i] != NO_CLASS)
			c->of[i] = moved[c->of[i]];
	masses_make(c);
	order_make(c);
	members_make(c);
}
