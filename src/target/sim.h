/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim - simulated histories: commits, builds, boots and runs without building or running anything.
 *
 * Every draw is a hash of (seed, history, what it is for, whose it is), so the value of the third
 * run of the second build of commit 17 does not depend on what was measured before it, and all
 * policies see the same history. The one exception is what really depends on the order: drift and
 * SIM_AR noise follow the count of all runs so far.
 *
 * STATISTICS.md section 4:
 *   ln value = ln 100 + shift(commit) + creep z + tau z(build) + boot_sd z(boot) + s e + warm
 * [first run of the build] + drift(t) A pure generator: no I/O, no clock, no state but its own.
 */
#pragma once

#include "model/graph.h"
#include "target/scenario.h"

enum { SIM_MAX_CHANGES = 16 };

/* The lists of values of a history that was read from a file (target/sim_file.h). */
struct sim_values {
	const double *v;
	uint32_t n;
};

struct sim {
	struct sim_scenario
		p; /* as drawn: with `mix`, this history's own d, s, noise, tau, drift */
	const struct graph *g; /* node numbers are commits */
	double *shift;	       /* per node: ln level minus ln 100 */
	uint32_t *artefact;    /* per node: the first commit with these artefacts, mostly itself */
	uint8_t *broken;       /* per node: does not build */
	uint32_t changes[SIM_MAX_CHANGES]; /* the true culprits, ascending; empty if nothing changed
					    */
	unsigned n_changes;
	double step, resolution; /* values are multiples of step (0: as they come); what the last
				    digit claims */
	uint64_t key;		 /* hash of seed and history */
	uint32_t history;
	const struct sim_values
		*values; /* per node or NULL; a node with n > 0 gives these instead of draws */

	uint64_t runs; /* all runs so far: the clock of drift */
	double drift, ar;
	struct graph own; /* the graph, where it is this history's own */
};

/* Draw history `history`. `line` is a graph_line(p->n) to borrow (must outlive the sim) or NULL; a
 * DAG is drawn anew. */
void sim_open(struct sim *sim, const struct sim_scenario *p, uint64_t seed, uint32_t history,
	      const struct graph *line);
/* Before another policy sees the same history: back to the first run. */
void sim_rewind(struct sim *sim);
void sim_done(struct sim *sim);

/* Does the commit build? The ends always do. */
bool sim_builds(const struct sim *sim, uint32_t node);
/* The commit whose artefacts these are: itself, or an ancestor that `same` made equal to it. Runs and offsets belong to it. */
uint32_t sim_artefact(const struct sim *sim, uint32_t node);
bool sim_is_change(const struct sim *sim, uint32_t node);
/*
 * One run. `layout` counts the builds of these artefacts, `boot` the boots of that build and `run` the
 * runs of that build over all its boots, each from 0. Advances the order of runs.
 */
double sim_run(struct sim *sim, uint32_t node, unsigned layout, unsigned boot, unsigned run);
/* The unit of the last printed digit of every value. */
double sim_resolution(const struct sim *sim);

/* --- the draws themselves: for tests and for the A/B simulations
 * ---------------------------------------------------- */

/* The key of a history: mixes both so that neighbouring seeds and histories share nothing. */
uint64_t sim_key(uint64_t seed, uint64_t history);
/* Uniform in (0,1), never 0 or 1; standard normal. `tag` says what for (see sim.c; from 100 on free
 * for callers). */
double sim_uniform(uint64_t key, unsigned tag, uint64_t a, uint64_t b);
double sim_normal(uint64_t key, unsigned tag, uint64_t a, uint64_t b);
/* One draw of the noise e. SIM_AR gives its white part only: the rest needs the order. */
double sim_noise_draw(enum sim_noise kind, uint64_t key, uint64_t a, uint64_t b);
/* One step of an AR(1) with stationary sd 1: phi g + sqrt(1 - phi^2) z; `t` = 0 gives the
 * stationary start, z. */
double sim_ar_step(double g, double phi, double z, uint64_t t);

/* The DAG generator of STATISTICS.md section 4: about n candidates after the root. */
struct graph sim_dag(const struct sim_scenario *p, uint64_t key);
