/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sides - the sides of a duel, from what the user wrote to builds that can run; and all of it from the journal again.
 */
#pragma once

#include "hunt/duel.h"

/* Side i is this variant. ERR_USAGE if an earlier side is the same. */
int side_parse(struct session *s, struct duel *d, size_t i, const char *text,
	       struct err *e) MUST_USE;
/*
 * The same, called `name` where that still means this commit, else by its first digits; without a name as it is written.
 */
int side_parse_as(struct session *s, struct duel *d, size_t i, const char *text, const char *name,
		  struct err *e) MUST_USE;
/* `layouts` builds of it, numbered from 0. One that fails is ERR_ENV. */
int side_build(struct session *s, struct duel_side *side, unsigned layouts, struct err *e) MUST_USE;
/* Its build in this layout alone. *ret is that build, whatever became of it; an ok one can run and is the side's. */
int side_build_in(struct session *s, struct duel_side *side, unsigned layout, struct mbuild **ret,
		  struct err *e) MUST_USE;
/* The same where a build that fails by its own fault is a part of the answer. One that failed otherwise is ERR_ENV: another time it may be made. */
int side_build_to_judge(struct session *s, struct duel_side *side, unsigned layout,
			struct err *e) MUST_USE;
/* The build of a node in a layout that the session has, or NULL. */
struct mbuild *sides_build_of(const struct session *s, const char *node, unsigned layout);
/* Have both nodes the same artefacts, and no settings that would be a question all the same? */
bool sides_same_artefacts(const struct session *s, const char *a, const char *b);
/* Where the user asked for it with -j: what is missing of the above is built side by side first. */
int sides_build_at_once(struct session *s, struct duel *d, unsigned layouts,
			struct err *e) MUST_USE;
/* Resume: builds, boots and runs of the session's hunt; each run to the duel that has its build. */
int sides_replay(struct session *s, struct duel *const *duels, size_t n, struct err *e) MUST_USE;
