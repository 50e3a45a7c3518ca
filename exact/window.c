/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generated code can only add to fixed places, so all CPUs share one tally; it is folded into the account of the CPU that ran whenever
 * another one takes over. That is exact because the emulator runs its CPUs in turn on one thread.
 */
#include "window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool window_init(struct window *w, uint32_t ncpus, long first_run, const struct cache_model *model,
		 struct symbols *symbols)
{
	*w = (struct window){
		.run = first_run, .ncpus = ncpus, .model = model, .symbols = symbols
	};
	w->cpus = calloc(ncpus, sizeof(*w->cpus));
	return w->cpus != NULL;
}

void window_done(struct window *w)
{
	free(w->cpus);
	w->cpus = NULL;
}

static void fold(struct window *w)
{
	struct tally now = w->shared, d = tally_minus(&now, &w->folded);

	tally_plus(&w->cpus[w->cpu].total, &d);
	w->folded = now;
}

void window_switch(struct window *w, uint32_t cpu)
{
	fold(w);
	w->cpu = cpu < w->ncpus ? cpu : 0;
}

void window_begin(struct window *w)
{
	if (w->open)
		w->misplaced++;
	fold(w);
	for (uint32_t i = 0; i < w->ncpus; i++) {
		struct window_cpu *c = &w->cpus[i];

		c->at_begin = c->total;
		if (w->model)
			memcpy(c->event_at_begin, w->model->cpu[i].event,
			       sizeof(c->event_at_begin));
	}
	if (w->symbols)
		symbols_begin(w->symbols);
	w->open = true;
}

/* The members that a CPU and the whole have alike. What was counted in halves is put together. */
static void put_counts(FILE *out, const struct tally *t)
{
	const uint64_t *v = t->v;
	uint64_t user = v[TALLY_USER] - v[TALLY_PAIR_USER] / 2,
		 kernel = v[TALLY_KERNEL] - v[TALLY_PAIR_KERNEL] / 2,
		 pairs = (v[TALLY_PAIR_USER] + v[TALLY_PAIR_KERNEL]) / 2;

	fprintf(out, "\"instructions\":%" PRIu64 ",\"user\":%" PRIu64 ",\"kernel\":%" PRIu64,
		user + kernel, user, kernel);
	fprintf(out, ",\"rep\":%" PRIu64 ",\"rep_bytes\":%" PRIu64, v[TALLY_REP] + pairs,
		v[TALLY_REP_BYTES] + v[TALLY_PAIR_BYTES]);
	fprintf(out, ",\"loads\":%" PRIu64 ",\"stores\":%" PRIu64 ",\"atomics\":%" PRIu64,
		v[TALLY_LOADS] + v[TALLY_BOTH] - v[TALLY_BOTH] / 2,
		v[TALLY_STORES] + v[TALLY_BOTH] / 2, v[TALLY_ATOMICS]);
}

static uint64_t instructions_of(const struct tally *t)
{
	return t->v[TALLY_USER] + t->v[TALLY_KERNEL] - t->v[TALLY_PAIR_USER] / 2 -
	       t->v[TALLY_PAIR_KERNEL] / 2;
}

static void put_model(FILE *out, const struct tally *t, const uint64_t event[CACHE_EVENTS])
{
	static const char *const presets[CACHE_PRESETS] = { "1M", "8M", "32M" };

	for (int i = 0; i < CACHE_EVENTS; i++)
		fprintf(out, ",\"%s\":%" PRIu64, cache_event_names[i], event[i]);
	for (unsigned i = 0; i < CACHE_PRESETS; i++)
		fprintf(out, ",\"cycles_%s\":%" PRIu64, presets[i],
			cache_cycles(instructions_of(t),
				     t->v[TALLY_REP_BYTES] + t->v[TALLY_PAIR_BYTES], event, i));
}

void window_end(struct window *w, FILE *out)
{
	struct tally sum = { 0 };
	uint64_t events[CACHE_EVENTS] = { 0 };

	if (!w->open) {
		w->misplaced++;
		return;
	}
	fold(w);
	for (uint32_t i = 0; i < w->ncpus; i++) {
		struct tally d = tally_minus(&w->cpus[i].total, &w->cpus[i].at_begin);

		tally_plus(&sum, &d);
		for (int k = 0; w->model && k < CACHE_EVENTS; k++)
			events[k] += w->model->cpu[i].event[k] - w->cpus[i].event_at_begin[k];
	}
	fprintf(out, "{\"run\":%ld,", w->run);
	put_counts(out, &sum);
	if (w->model)
		put_model(out, &sum, events);
	fprintf(out, ",\"cpus\":[");
	for (uint32_t i = 0; i < w->ncpus; i++) {
		struct tally d = tally_minus(&w->cpus[i].total, &w->cpus[i].at_begin);

		fprintf(out, "%s{", i ? "," : "");
		put_counts(out, &d);
		for (int k = 0; w->model && k < CACHE_EVENTS; k++)
			fprintf(out, ",\"%s\":%" PRIu64, cache_event_names[k],
				w->model->cpu[i].event[k] - w->cpus[i].event_at_begin[k]);
		fprintf(out, "}");
	}
	fprintf(out, "]");
	if (w->symbols) {
		fprintf(out, ",\"symbols\":[");
		symbols_write(w->symbols, out);
		fprintf(out, "]");
	}
	if (w->misplaced)
		fprintf(out, ",\"misplaced_marks\":%u", w->misplaced);
	fprintf(out, "}\n");
	fflush(out);
	w->misplaced = 0;
	w->open = false;
	w->run++;
}
