/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph.h"

#include <assert.h>
#include <string.h>

uint32_t graph_add(struct graph_builder *b, const uint32_t *parents, uint32_t n_parents,
		   bool boundary)
{
	struct graph *g = &b->g;
	uint32_t id = g->n;
	uint32_t at = id ? g->parent_start[id] : 0;

	if (id + 2 > b->cap_nodes) {
		b->cap_nodes = b->cap_nodes * 2 + 64;
		g->parent_start = xreallocarray(g->parent_start, b->cap_nodes, sizeof(*g->parent_start));
		g->boundary = xreallocarray(g->boundary, b->cap_nodes, 1);
		g->weight = xreallocarray(g->weight, b->cap_nodes, sizeof(*g->weight));
	}
	if (at + n_parents > b->cap_parents) {
		b->cap_parents = b->cap_parents * 2 + n_parents + 64;
		g->parents = xreallocarray(g->parents, b->cap_parents, sizeof(*g->parents));
	}
	g->parent_start[id] = at;
	for (uint32_t i = 0; i < n_parents; i++) {
		assert(parents[i] < id);
		g->parents[at + i] = parents[i];
	}
	g->parent_start[id + 1] = at + n_parents;
	g->boundary[id] = boundary;
	g->weight[id] = boundary ? 0 : 1;
	g->n++;
	return id;
}

struct graph graph_finish(struct graph_builder *b, uint32_t good, uint32_t bad)
{
	struct graph g = b->g;

	g.good = good;
	g.bad = bad;
	*b = (struct graph_builder){ 0 };
	return g;
}

void graph_done(struct graph *g)
{
	free(g->parent_start);
	free(g->parents);
	free(g->boundary);
	free(g->weight);
	*g = (struct graph){ 0 };
}

uint32_t graph_candidates(const struct graph *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		n += !g->boundary[i];
	return n;
}

void graph_mark_ancestors(const struct graph *g, uint32_t node, uint8_t *flags)
{
	flags[node] = 1;
	for (uint32_t i = node + 1; i-- > 0;) {
		if (!flags[i])
			continue;
		for (uint32_t k = g->parent_start[i]; k < g->parent_start[i + 1]; k++)
			flags[g->parents[k]] = 1;
	}
}

void graph_mark_descendants(const struct graph *g, uint32_t node, uint8_t *flags)
{
	flags[node] = 1;
	for (uint32_t i = node + 1; i < g->n; i++)
		for (uint32_t k = g->parent_start[i]; k < g->parent_start[i + 1]; k++)
			if (flags[g->parents[k]]) {
				flags[i] = 1;
				break;
			}
}

bool graph_reaches(const struct graph *g, uint32_t a, uint32_t b)
{
	if (a == b)
		return true;
	if (a > b)
		return false;
	AUTO_FREE uint8_t *flags = xcalloc(g->n, 1);

	flags[b] = 1;
	for (uint32_t i = b; i > a; i--) {
		if (!flags[i])
			continue;
		for (uint32_t k = g->parent_start[i]; k < g->parent_start[i + 1]; k++)
			flags[g->parents[k]] = 1;
	}
	return flags[a];
}

struct graph graph_line(uint32_t n)
{
	struct graph_builder b = { 0 };
	uint32_t last = graph_add(&b, NULL, 0, true);

	for (uint32_t i = 0; i < n; i++)
		last = graph_add(&b, &last, 1, false);
	return graph_finish(&b, 0, last);
}
