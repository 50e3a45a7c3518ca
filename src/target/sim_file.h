/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_file - a history written by hand or taken from real measurements: "commit -> values".
 *
 * One line a commit, parents before children, words separated by blanks; `#` starts a comment:
 *
 *	NAME PARENTS level VALUE        runs are drawn around VALUE with the settings' noise
 *	NAME PARENTS values V1 V2 ...   the runs give these, in turn (history 0) or drawn from them
 *(the others) NAME PARENTS broken             does not build
 *
 * PARENTS is `-` for a root, or names joined by commas. Settings stand in lines of their own:
 *
 *	%good NAME    %bad NAME     default: the first and the last commit
 *	%culprit NAME               repeatable; default: the commits whose level is that of none of
 *their parents %sd 0.01  %noise out  %tau 0.005  %boot-sd 0  %drift 0.01 0.98  %warm 0.05  %warmup
 *1  %resolution 0.01  %margin 1%
 *
 * sd, tau, boot-sd, drift and warm are relative (0.01 = 1 %); resolution is the unit of the printed
 *last digit, in the values' unit.
 */
#pragma once

#include "base/err.h"
#include "target/sim.h"

struct sim_file {
	struct sim_scenario p;
	struct graph g;
	char **names; /* per node */
	double *shift;
	uint8_t *broken;
	struct sim_values *values;
	uint32_t culprits[SIM_MAX_CHANGES];
	unsigned n_culprits;
	/* sim_file_parse_commits only: how many were listed; the others' level (NaN: none); what changes it from a commit on */
	uint32_t n_commits;
	double level;
	struct {
		char *name;
		double shift; /* on the logarithm */
	} changes[SIM_MAX_CHANGES];
	unsigned n_changes;
	bool truth_known; /* a culprit was named, or all commits that build have levels */
	struct arena mem;
};

/* `text` of n bytes; `name` is for messages: "history.txt:3: ...". Zeroed or half-read on failure:
 * always call sim_file_done. */
int sim_file_parse(struct sim_file *f, const char *text, size_t n, const char *name,
		   struct err *e) MUST_USE;
/*
 * The same for the commits of a repository, whose graph is known: lines without PARENTS, names are revisions of it, and besides
 *
 *	%level VALUE             of all commits that are not listed; without it they cannot be measured
 *	%change NAME RATIO       changes that level in NAME and in all commits that contain it: 4% or -4%
 *
 * No graph is made; names, shift, broken and values have n_commits entries.
 */
int sim_file_parse_commits(struct sim_file *f, const char *text, size_t n, const char *name,
			   struct err *e) MUST_USE;
void sim_file_done(struct sim_file *f);
/* As sim_open; `f` must outlive the sim. */
void sim_open_file(struct sim *sim, const struct sim_file *f, uint64_t seed, uint32_t history);
