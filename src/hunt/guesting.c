/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/guesting.h"

#include "hunt/prebuilt.h"
#include "sys/fs.h"
#include "target/exact.h"
#include "target/guest_files.h"
#include "target/qemu.h"
#include "text/json.h"

#include <stdio.h>
#include <string.h>

bool guesting(const struct session *s)
{
	return s->target && (!strcmp(s->target->name, "exact") || !strcmp(s->target->name, "vm"));
}

static bool is_modelled(const char *metric)
{
	static const char *const words[] = { "cycles", "misses",      "miss-rate",
					     "-refs",  "cross-lines", "walks" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strstr(metric, words[i]))
			return true;
	return false;
}

enum evidence guesting_evidence(const char *target_name, const char *metric)
{
	if (!target_name || !starts_with(target_name, "exact"))
		return EVIDENCE_MEASURED;
	return is_modelled(metric) ? EVIDENCE_MODEL : EVIDENCE_EMULATED;
}

void guesting_put_blind(const struct session *s, struct json_out *w)
{
	if (!s->target_name || !starts_with(s->target_name, "exact") || !s->bench->blind ||
	    !*s->bench->blind)
		return;
	json_out_array(w, "blind");
	for (const char **p = s->bench->blind; *p; p++)
		json_out_text(w, NULL, *p);
	json_out_close(w);
}

/* Times of the guest's clock are instructions as well, of everything that ran; the window's own count is the better number. */
static bool is_a_time(const char *metric)
{
	static const char *const names[] = { "wall", "user", "sys", "cpu" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(metric, names[i]))
			return true;
	return false;
}

/* Counts that are worth a number for each operation. */
static const char *const counted[] = { "instructions",	   "kernel-instructions",
				       "context-switches", "page-faults",
				       "interrupts",	   "ipis",
				       "tlb-shootdowns",   "atomics" };

static void add_formula(struct config *c, const char *name, const char *formula, bool primary)
{
	struct formula_metric *v = arena_alloc(&c->arena, (c->n_metrics + 1) * sizeof(*c->metrics));

	if (c->n_metrics)
		memcpy(v, c->metrics, c->n_metrics * sizeof(*v));
	v[c->n_metrics] = (struct formula_metric){
		.name = arena_strdup(&c->arena, name),
		.formula = arena_strdup(&c->arena, formula),
		.better = BETTER_LOWER,
		.primary = primary,
	};
	c->metrics = v;
	c->n_metrics++;
}

/* Named in the configuration with a formula, or a count of the window: then it was meant for a guest. */
static bool is_count(const struct session *s, const char *metric)
{
	const struct formula_metric *m = config_metric(&s->config, metric);

	for (size_t i = 0; i < ARRAY_LEN(counted); i++)
		if (!strcmp(metric, counted[i]))
			return true;
	return (m && m->formula) || is_modelled(metric) || ends_with(metric, "-per-op");
}

static void choose_metrics(struct session *s)
{
	static const char *per_op[] = { "instructions-per-op", NULL };
	static const char *whole[] = { "instructions", NULL };
	const char *operations = s->bench->operations;
	const char *first = s->bench->primary ? s->bench->primary[0] : NULL;
	/* what a workload gives elsewhere (a rate, a latency) is a time of the guest's clock too */
	bool time = first && (is_a_time(first) || (operations && !is_count(s, first)));

	for (size_t i = 0; operations && i < ARRAY_LEN(counted); i++) {
		AUTO_FREE char *name = xasprintf("%s-per-op", counted[i]);
		AUTO_FREE char *formula = xasprintf("%s / %s", counted[i], operations);

		if (!config_metric(&s->config, name))
			add_formula(&s->config, name, formula, false);
	}
	if (time || !s->bench->primary || !s->bench->primary[0])
		s->bench_copy.primary = operations ? per_op : whole;
}

static void sweep(struct session *s)
{
	AUTO_FREE char *guests = fs_join(s->store_dir, "guests");
	struct err ignored = ERR_INIT;

	if (fs_remove_tree(guests, &ignored) < 0)
		session_warn(s, "%s", ignored.msg);
}

int guesting_prepare(struct session *s, struct err *e)
{
	/* a kernel's source is nothing that runs here */
	if (s->kbuild && !s->opt.target)
		s->target = &target_exact;

	bool is_exact = s->target && !strcmp(s->target->name, "exact");
	const struct target_config *t;
	AUTO_FREE char *kernel = NULL;
	AUTO(qemu) struct qemu q = { 0 };
	int r;

	if (!guesting(s))
		return 0;
	t = guest_config(&s->config, s->target->name);
	sweep(s);
	if ((r = qemu_find(&q, e)) < 0)
		return r;
	if (t->kernel && (r = prebuilt_for_programs(s, t->kernel, &kernel, e)) < 0)
		return r;
	free(s->target_name);
	s->target_name = xasprintf("%s=qemu %s %.12s%s%s", s->target->name, q.version, q.hash,
				   kernel ? " under " : "", kernel ? kernel : "");
	if (s->opt.warmup == UINT32_MAX && !s->bench_copy.warmup)
		s->bench_copy.warmup = 1;
	s->bench_copy.measure = MEASURE_WALL;
	AUTO_FREE char *plugin = guest_plugin(&q);

	if (is_exact && plugin)
		choose_metrics(s);
	else if (is_exact)
		session_warn(
			s,
			"no plug-in for QEMU %s: exact goes on without counters, by the guest's "
			"clock",
			q.version);
	return 0;
}
