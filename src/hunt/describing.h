/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * describing - what each side of an explanation stands in, before it is measured: one boot of its own for each side, on targets that have something to say.
 */
#pragma once

#include "hunt/duel.h"

/*
 * The place in its boot of the "run" whose output is the description of side 0; of side k, k less. Far below discarded runs (-1 ...), which nothing that counts
 * looks at.
 */
#define RUN_DESCRIBES (-1000000)

/*
 * Boots each side once, journals what the machine is (unless `obs` has it already, from an earlier process), and gives the sides' builds the file of symbols that
 * their runs count functions by. Nothing on a target that does not describe.
 */
int describing_sides(struct session *s, struct duel *d, const struct observations *obs,
		     struct err *e) MUST_USE;
/* The files of symbols, removed. */
void describing_done(struct duel *d);
/* The description of a side from the journal, appended; nothing if there is none. */
int describing_read(struct session *s, size_t side, const struct observations *obs, struct str *out,
		    struct err *e) MUST_USE;
