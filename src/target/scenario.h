/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario - what a simulated history is like: STATISTICS.md section 4 by name, and by parameters.
 *
 * A plain record and a table of named ones. All sizes of effects are on ln(value): d = 0.03 is a
 * step of 3.05 %. docs/design/011-simulator.md says what each field means; target/sim.h draws
 * histories from it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_noise {
	SIM_GAUSS,
	SIM_SKEW,  /* a log-normal, mean 0, sd 1 */
	SIM_OUT,   /* Gauss, and 5 % of the runs are slower by Exp(mean 8) */
	SIM_BIMOD, /* two modes 2 apart, 35 % in the upper one */
	SIM_T3,	   /* Student's t with 3 degrees of freedom */
	SIM_DET,   /* none: a counter */
	SIM_OUT15, /* as SIM_OUT with 15 % */
	SIM_AR,	   /* 0.7 white + 0.7 AR(1) with phi 0.8 over the order of the runs */
};
enum { SIM_NOISES = SIM_AR + 1 };
const char *sim_noise_name(enum sim_noise n); /* "gauss", "skew", "out", ... */
bool sim_noise_parse(const char *name, enum sim_noise *ret);

struct sim_scenario {
	char name[24];
	const char *help; /* one line */
	uint32_t n;	  /* candidates; node 0 is the good end, the last node the bad end */
	bool dag;	  /* a history with merges; else a line */
	double dag_merge, dag_extend,
		dag_open; /* chance of each kind of commit; the rest extends main */
	double d;	  /* ln shift between good and bad; 0: nothing changed */
	unsigned changes; /* how many commits share it equally; 0 counts as 1 */
	bool alternate; /* each change is a whole d and they alternate in sign: regression, fix, ...
			 */
	bool ramp;	/* d is spread over all commits: slow creep with no culprit */
	double spread;	/* s is multiplied by this on the bad side; 0 counts as 1 */
	double s;	/* run-to-run sd */
	enum sim_noise noise;
	double tau;	   /* sd of the offset of a build */
	double boot_sd;	   /* sd of the offset of a boot */
	double drift_sd;   /* AR(1) over the order of all runs: stationary sd ... */
	double drift_phi;  /* ... and memory */
	double creep;	   /* sd of each commit's own offset, the same in all its builds */
	double quant;	   /* values are rounded to a multiple of quant * 100; 0: to 1e-6 */
	double resolution; /* what the printed number's last digit claims, in units of 100; 0: as
			      quant */
	double warm;	   /* the first run of a build is slower by this */
	unsigned warmup; /* runs of each build that culprit's policy discards (they cost what a run
			    costs) */
	double skip; /* about this share of the commits does not build, in stretches of mean length
			3 */
	bool mix; /* d, s, noise, tau and drift are drawn anew for each history (STATISTICS.md 2.2)
		   */
	double same; /* share of commits whose artefacts are those of their first parent, to the byte */
	double hint; /* a tenth of the commits weigh so many times more a priori; 0 counts as 1 ... */
	bool hint_wrong; /* ... and the culprit is none of them (else it is one) */
	double margin;	 /* smallest ln change of interest; 0: d / 2 */
	bool counter;	 /* the metric is declared an exact count */
};

/* NULL if there is none of that name. */
const struct sim_scenario *sim_scenario_find(const char *name);
/* The i-th of the table, NULL beyond its end. */
const struct sim_scenario *sim_scenario_at(size_t i);
/* The name nearest to a mistyped one, or NULL if none is near. */
const char *sim_scenario_near(const char *name);
/* m as a ratio, for a history whose shift is d: exp(margin) - 1, with margin = |d| / 2 where the
 * scenario says none. */
double sim_scenario_margin(const struct sim_scenario *p);
