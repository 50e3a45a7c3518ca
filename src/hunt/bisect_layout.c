/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect_layout - fresh builds of a commit in other code layouts (bench/layout.h), as the search asks for them.
 */
#include "hunt/bisect.h"

#include <string.h>

unsigned bisect_next_layout(const struct bisect *b, const char *node)
{
	unsigned most = 0;

	for (size_t i = 0; i < b->s->builds.n; i++)
		if (!strcmp(b->s->builds.v[i]->node, node) && b->s->builds.v[i]->layout > most)
			most = b->s->builds.v[i]->layout;
	return most + 1;
}

void bisect_note_layout(const struct bisect *b, const struct mbuild *m)
{
	const struct session *s = b->s;

	for (size_t i = 0; i < s->builds.n; i++) {
		const struct mbuild *x = s->builds.v[i];

		if (m->outcome == OUTCOME_OK && x->layout != m->layout &&
		    !strcmp(x->node, m->node) && x->artefact_no == m->artefact_no)
			session_note(s,
				     "%.12s: built in another code layout it is the same: "
				     "this build does not take one",
				     m->node);
	}
}
