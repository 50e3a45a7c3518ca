/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counts is the first counted run of each boot: the second finds another machine, and digits repeat for the k-th run of a boot, not for any two.
 *
 * Parts that a compiler splits off a function (foo.isra.0, foo.part.1, foo.cold) are counted with it: they come and go with every change, and are
 * the same lines of source.
 */
#include "hunt/explain.h"

#include "bench/section.h"
#include "hunt/describing.h"
#include "hunt/surroundings.h"
#include "stats/contrast.h"
#include "text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROWS_MOST = 300, /* of a contrast that are kept, those that are noise not counted */
	NOISE_MOST = 20,
	SURROUNDINGS_MOST = 500,
};
#define SHIFT_LEAST                                                                                \
	0.005 /* of all that was gained and lost: what moved and is less is not worth a line */

/* --- rates ---------------------------------------------------------------------------------------------------------- */

void explain_add_rates(struct duel *d)
{
	static const char *const levels[][3] = {
		{ "l1d-miss-rate", "l1d-misses", "l1d-refs" },
		{ "llc-miss-rate", "llc-misses", "llc-refs" },
		{ "cache-miss-rate", "cache-misses", "cache-references" },
	};

	for (size_t i = 0; i < d->n_sides; i++)
		for (size_t k = 0; k < ARRAY_LEN(levels); k++) {
			const struct metric_series *misses =
							   duel_series(&d->sides[i], levels[k][1]),
						   *refs = duel_series(&d->sides[i], levels[k][2]);
			size_t n = misses && refs && misses->n == refs->n ? misses->n : 0;
			AUTO_FREE double *rates = xcalloc(n + 1, sizeof(*rates));
			AUTO_FREE int64_t *ids = xcalloc(2 * n + 1, sizeof(*ids));

			/* copied first: adding a series moves the others */
			for (size_t m = 0; m < n; m++) {
				rates[m] = refs->v[m] > 0 ? misses->v[m] / refs->v[m] : NAN;
				ids[2 * m] = misses->build[m];
				ids[2 * m + 1] = misses->boot[m];
			}
			for (size_t m = 0; m < n; m++) {
				struct reading r = { .metric = (char *)levels[k][0],
						     .unit = (char *)"%",
						     .value = 100 * rates[m] };

				if (isfinite(rates[m]))
					duel_add(&d->sides[i], &r, BETTER_LOWER, false, ids[2 * m],
						 ids[2 * m + 1]);
			}
		}
}

/* --- runs ----------------------------------------------------------------------------------------------------------- */

/* A contrast for each of what is told of functions, and one for events. */
struct told {
	struct contrast events, functions, misses;
	bool is_per_operation;
};

static void told_done(struct told *t)
{
	contrast_done(&t->events);
	contrast_done(&t->functions);
	contrast_done(&t->misses);
}

/* Operations of a run, as its own numbers have it: instructions over instructions for each. 1 where that is not known. */
static double operations(const struct readings *r)
{
	const struct reading *all = readings_find(r, "instructions"),
			     *each = readings_find(r, "instructions-per-op");
	double n = all && each && each->value > 0 ? all->value / each->value : 1;

	/* a whole number that a division and its inverse have bent */
	return fabs(n - round(n)) < 1e-6 * n ? round(n) : n;
}

/* "irq.LOC.cpu0" -> "irq.LOC"; what is a level, a share of time or a task is no event. */
static size_t event_name(const char *name, size_t n)
{
	AUTO_FREE char *text = xstrndup(name, n);
	const char *cpu = strstr(text, ".cpu");

	if (starts_with(text, "task.") || starts_with(text, "stat.cpu") ||
	    starts_with(text, "stat.procs_"))
		return 0;
	/* "nr_" is how much there is, but for these */
	if (starts_with(text, "vmstat.nr_") && !starts_with(text, "vmstat.nr_tlb_") &&
	    !starts_with(text, "vmstat.nr_dirtied") && !starts_with(text, "vmstat.nr_written") &&
	    !starts_with(text, "vmstat.nr_vmscan_"))
		return 0;
	return cpu ? (size_t)(cpu - text) : n;
}

static void add_events(const char *output, struct contrast *to)
{
	const char *at = section_find(output, SECTION_EVENTS), *line;
	size_t n;

	while (at && section_line(&at, &line, &n)) {
		size_t name_n = strcspn(line, " \n");
		char *end;
		double before = strtod(line + name_n, &end), after = strtod(end, NULL);
		size_t kept = event_name(line, name_n);

		if (kept && name_n < n)
			contrast_add(to, line, kept, after - before);
	}
}

/* Without what a compiler puts behind a name for a part or a copy of the function. */
static size_t function_name(const char *name, size_t n)
{
	static const char *const parts[] = { ".isra.", ".constprop.", ".part.",
					     ".cold",  ".lto_priv.",  ".llvm." };
	size_t kept = n;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const char *at = memmem(name, kept, parts[i], strlen(parts[i]));

		if (at && at > name)
			kept = (size_t)(at - name);
	}
	return kept;
}

static void add_functions(const char *output, struct told *t)
{
	const char *at = section_find(output, SECTION_FUNCTIONS), *line;
	struct section_function f;
	size_t n;

	while (at && section_line(&at, &line, &n)) {
		if (!section_function(line, n, &f))
			continue;
		size_t kept = function_name(f.name, f.name_n);

		contrast_add(&t->functions, f.name, kept, f.instructions);
		if (f.misses[2] != 0)
			contrast_add(&t->misses, f.name, kept, f.misses[2]);
	}
}

/* Whose boot it was; false for one that no value came from. */
static bool side_of_boot(const struct duel *d, int64_t boot, unsigned *ret)
{
	for (unsigned i = 0; i < d->n_sides && i < 2; i++)
		for (size_t k = 0; k < d->sides[i].n_series; k++)
			for (size_t m = 0; m < d->sides[i].series[k].n; m++)
				if (d->sides[i].series[k].boot[m] == boot) {
					*ret = i;
					return true;
				}
	return false;
}

static int hear(struct session *s, const struct duel *d, const struct observations *obs,
		struct told *t, struct err *e)
{
	for (size_t i = 0; i < obs->n; i++) {
		const struct observation *o = &obs->v[i];
		AUTO(str) struct str output = STR_INIT;
		unsigned side;
		int r;

		if (o->kind != OBS_RUN || o->withdrawn || o->index != 0 ||
		    o->outcome != OUTCOME_OK || !side_of_boot(d, o->boot, &side))
			continue;
		if ((r = store_run_output(s->store, o->run, &output, e)) < 0)
			return r;
		double per = operations(&o->readings);

		t->is_per_operation = t->is_per_operation || per != 1;
		if (section_find(output.p, SECTION_EVENTS))
			contrast_run(&t->events, side, per);
		if (section_find(output.p, SECTION_FUNCTIONS)) {
			contrast_run(&t->functions, side, per);
			contrast_run(&t->misses, side, per);
		}
		add_events(output.p, &t->events);
		add_functions(output.p, t);
	}
	return 0;
}

/* --- as JSON -------------------------------------------------------------------------------------------------------- */

static void put_pair(struct json_out *w, const char *key, const double v[2])
{
	json_out_array(w, key);
	json_out_number(w, NULL, v[0]);
	json_out_number(w, NULL, v[1]);
	json_out_close(w);
}

static void put_shifts(const struct contrast *c, struct json_out *w)
{
	AUTO(contrast_shifts) struct contrast_shifts shifts = { 0 };

	contrast_find_shifts(c, SHIFT_LEAST * (c->gained + c->lost), &shifts);
	json_out_array(w, "shifts");
	for (size_t i = 0; i < shifts.n; i++) {
		json_out_object(w, NULL);
		json_out_texts(w, "gone", (const char *const *)shifts.v[i].gone.v);
		json_out_texts(w, "come", (const char *const *)shifts.v[i].come.v);
		json_out_number(w, "lost", shifts.v[i].lost);
		json_out_number(w, "gained", shifts.v[i].gained);
		json_out_close(w);
	}
	json_out_close(w);
}

static void put_contrast(struct contrast *c, const char *key, const char *what, bool per_operation,
			 struct json_out *w)
{
	size_t shown = 0, noise = 0, all_noise = 0, left_out = 0;

	contrast_finish(c);
	json_out_object(w, key);
	json_out_bool(w, "per_operation", per_operation);
	json_out_array(w, "runs");
	json_out_int(w, NULL, c->runs[0]);
	json_out_int(w, NULL, c->runs[1]);
	json_out_close(w);
	json_out_int(w, "count", (int64_t)c->names);
	json_out_int(w, "repeating", (int64_t)c->repeating);
	put_pair(w, "total", c->total);
	json_out_number(w, "gained", c->gained);
	json_out_number(w, "lost", c->lost);
	json_out_array(w, "rows");
	for (size_t i = 0; i < c->n; i++) {
		const struct contrast_row *r = &c->v[i];
		bool is_noise = r->status == CONTRAST_NOISE;

		all_noise += is_noise;
		if (is_noise ? noise >= NOISE_MOST : shown >= ROWS_MOST) {
			left_out++;
			continue;
		}
		shown += !is_noise;
		noise += is_noise;
		json_out_object(w, NULL);
		json_out_text(w, what, r->name);
		json_out_number(w, "before", r->median[0]);
		json_out_number(w, "after", r->median[1]);
		json_out_number(w, "difference", r->difference);
		json_out_number(w, "spread", r->spread);
		json_out_text(w, "status", contrast_status_name(r->status));
		json_out_close(w);
	}
	json_out_close(w);
	json_out_int(w, "noise", (int64_t)all_noise);
	json_out_int(w, "left_out", (int64_t)left_out);
	if (!strcmp(what, "function"))
		put_shifts(c, w);
	json_out_close(w);
}

static void put_surroundings(const char *const text[2], bool is_machine, struct json_out *w)
{
	AUTO(surroundings) struct surroundings all = { 0 };

	surroundings_compare(text[0], text[1], &all);
	json_out_object(w, "surroundings");
	json_out_bool(w, "machine", is_machine);
	json_out_array(w, "rows");
	for (size_t i = 0; i < all.n && i < SURROUNDINGS_MOST; i++) {
		const struct surrounding *x = &all.v[i];

		json_out_object(w, NULL);
		json_out_text(w, "group", x->group);
		json_out_text(w, "key", x->key);
		json_out_text(w, "before", x->before);
		json_out_text(w, "after", x->after);
		json_out_int(w, "rank", x->rank);
		json_out_close(w);
	}
	json_out_close(w);
	json_out_int(w, "count", (int64_t)all.n);
	json_out_int(w, "noise", (int64_t)all.noise);
	json_out_int(w, "follow_memory", (int64_t)all.follow_memory);
	json_out_close(w);
}

/* What the journal has of a side: its machine, and what built it ("cc: gcc 12.2, ld: ..."). */
static int read_side(struct session *s, const struct duel *d, size_t side,
		     const struct observations *obs, struct str *out, bool *ret_described,
		     struct err *e)
{
	const struct duel_side *x = &d->sides[side];
	AUTO(build_row) struct build_row b = { 0 };
	int r = describing_read(s, side, obs, out, e);

	*ret_described = out->n > 0;
	if (r < 0 || !x->n_series || !x->series[0].n)
		return r;
	r = store_build_get(s->store, x->series[0].build[0], &b, e);
	for (char *p = b.toolchain; r == 0 && p && *p;) {
		char *end = strstr(p, ", ");
		size_t n = end ? (size_t)(end - p) : strlen(p), key = strcspn(p, ":");

		if (key < n)
			str_addf(out, "build %.*s %.*s\n", (int)key, p,
				 (int)(n - key - 1 - (p[key + 1] == ' ')),
				 p + key + 1 + (p[key + 1] == ' '));
		p += n + (end ? 2 : 0);
	}
	return r;
}

static void put_remarks(const struct observations *obs, struct json_out *w)
{
	static const char remark[] = "remark: ", exact[] = "exact: ";

	json_out_array(w, "remarks");
	for (size_t i = 0; i < obs->n; i++) {
		const char *text = obs->v[i].kind == OBS_NOTE ? obs->v[i].text : "";

		if (starts_with(text, remark))
			json_out_text(w, NULL, text + strlen(remark));
		else if (starts_with(text, exact))
			json_out_text(w, NULL, text);
	}
	json_out_close(w);
}

int explain_put(struct session *s, const struct duel *d, struct json_out *w, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	AUTO(told) struct told t = { .is_per_operation = false };
	AUTO(str) struct str before = STR_INIT, after = STR_INIT;
	bool described[2] = { false };
	int r = store_observations(s->store, s->hunt, &obs, e);

	if (r == 0)
		r = hear(s, d, &obs, &t, e);
	if (r == 0)
		r = read_side(s, d, 0, &obs, &before, &described[0], e);
	if (r == 0)
		r = read_side(s, d, 1, &obs, &after, &described[1], e);
	if (r < 0)
		return r;
	put_contrast(&t.events, "events", "event", t.is_per_operation, w);
	put_contrast(&t.functions, "functions", "function", t.is_per_operation, w);
	put_contrast(&t.misses, "misses", "function", t.is_per_operation, w);
	/* one side alone would be all difference */
	if (described[0] != described[1] || !(before.n + after.n))
		json_out_null(w, "surroundings");
	else
		put_surroundings((const char *const[]){ before.p, after.p }, described[0], w);
	put_remarks(&obs, w);
	return 0;
}

int explain_prepare(struct session *s, struct duel *d, const struct observations *obs,
		    struct err *e)
{
	s->explains = true;
	return describing_sides(s, d, obs, e);
}
