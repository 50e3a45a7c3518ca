/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/bisect.h"

#include "hunt/booting.h"
#include "hunt/guesting.h"
#include "text/json.h"

#include <stddef.h>

/*
 * Of instructions in an emulated guest. Builds: 13 kernels of neighbouring sources, 78 runs, sd of their means without the runs' own noise
 * 0.049 %, covariance with other boots of the same builds (0.038 %)^2; see docs/results/exact.md, "What builds differ by". Boots: docs/design/020-exact.md.
 */
#define EXACT_OFFSET_SCALE 0.0004
#define EXACT_BOOT_SCALE 0.001

/* One row a parameter: written and read by the same table, so that neither can be forgotten. */
static const struct {
	const char *name;
	enum { REAL, FLAG, COUNT } type;
	size_t at;
} rows[] = {
#define P(field) offsetof(struct search_params, field)
	{ "alpha", REAL, P(alpha) },
	{ "margin", REAL, P(margin) },
	{ "offset_scale", REAL, P(offset_scale) },
	{ "boot_scale", REAL, P(boot_scale) },
	{ "cost_build", REAL, P(cost_build) },
	{ "cost_boot", REAL, P(cost_boot) },
	{ "cost_run", REAL, P(cost_run) },
	{ "offset_measured", FLAG, P(offset_measured) },
	{ "counter", FLAG, P(counter) },
	{ "can_relayout", FLAG, P(can_relayout) },
	{ "inside", FLAG, P(inside) },
	{ "coarser", FLAG, P(coarser) },
	{ "max_runs", COUNT, P(max_runs) },
	{ "max_builds", COUNT, P(max_builds) },
	{ "runs_per_boot", COUNT, P(runs_per_boot) },
	{ "boot_each", FLAG, P(boot_each) },
#undef P
};

void bisect_params_json(const struct search_params *p, struct json_out *w)
{
	json_out_object(w, "params");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *at = (const char *)p + rows[i].at;

		switch (rows[i].type) {
		case REAL:
			json_out_number(w, rows[i].name, *(const double *)at);
			break;
		case FLAG:
			json_out_bool(w, rows[i].name, *(const bool *)at);
			break;
		case COUNT:
			json_out_int(w, rows[i].name, *(const unsigned *)at);
			break;
		}
	}
	json_out_close(w);
}

void bisect_params_read(const struct json *question, struct search_params *ret)
{
	const struct json *params = json_get(question, "params");
	int64_t count;

	search_params_default(ret);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *at = (char *)ret + rows[i].at;
		const struct json *v = json_member(params, rows[i].name);

		if (rows[i].type == REAL)
			json_to_number(v, NULL, (double *)at);
		else if (rows[i].type == FLAG)
			json_to_bool(v, NULL, (bool *)at);
		else if (json_to_int(v, NULL, &count))
			*(unsigned *)at = (unsigned)count;
	}
}

void bisect_set_params(struct bisect *b)
{
	struct search_params *p = &b->params;

	search_params_default(p);
	p->alpha = b->o->alpha;
	p->margin = b->o->margin;
	p->counter = b->o->counter || b->s->bench->measure == MEASURE_CALLGRIND;
	if (p->counter)
		p->offset_scale = 0.0001;
	if (guesting(b->s)) {
		p->offset_scale = EXACT_OFFSET_SCALE;
		p->offset_measured = true;
		p->boot_scale = EXACT_BOOT_SCALE;
	}
	/* Counts of work hardly depend on where code lies, and a file's values were not built. */
	p->can_relayout = b->o->relayout || (!b->o->no_relayout && !p->counter && !guesting(b->s) &&
					     !session_is_simulated(b->s));
	p->inside = b->o->inside;
	p->coarser = b->o->coarser;
	p->runs_per_boot = b->s->bench->runs ? b->s->bench->runs : 1;
	p->boot_each = booting_side_by_side(b->s);
	p->max_runs = b->o->max_runs;
	p->max_builds = b->o->max_builds;
}
