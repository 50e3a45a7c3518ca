/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulated - hunts with no builds and no runs: `--target sim=FILE`, where FILE says which values the commits give (target/sim_target.h).
 *
 * Everything else of a hunt is the real thing: the repository's graph, the journal, resuming, marks, verify.
 */
#pragma once

#include "hunt/session.h"

/* Reads s->opt.target's file, which must name commits of s->repo. Sets s->simulated and s->target_name. */
int simulated_open(struct session *s, const char *path, struct err *e) MUST_USE;
/* The build of a commit, as a row for the journal; the caller's (build_row_done). ERR_USAGE for a variant with changes. */
int simulated_build(struct session *s, const struct variant *v, unsigned layout,
		    struct build_row *ret, struct err *e) MUST_USE;
