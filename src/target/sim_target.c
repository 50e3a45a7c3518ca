/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commit of a boot becomes the one node of a history, and sim_run() does the rest. Its runs have no length worth waiting for; they
 * are reported as a thousandth of a second, a tenth of a build, the ratio that `culprit simulate` prices actions with.
 */
#include "target/sim_target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUN_SECONDS 0.001

struct boot {
	struct sim_target *t;
	uint64_t seed;
	unsigned layout, runs;
	bool first_visit;
};

int sim_target_open(struct sim_target *t, const char *path, const char *text, size_t n,
		    struct err *e)
{
	t->path = xstrdup(path);
	int r = sim_file_parse_commits(&t->file, text, n, path, e);

	if (r < 0)
		return r;
	t->oids = xcalloc(t->file.n_commits + 1, sizeof(*t->oids));
	t->sim = (struct sim){ .p = t->file.p,
			       .step = t->file.p.resolution,
			       .resolution = t->file.p.resolution,
			       .history = 1 }; /* 0 would give listed values in turn */
	t->sim.shift = xcalloc(1, sizeof(*t->sim.shift));
	t->sim.artefact = xcalloc(1, sizeof(*t->sim.artefact));
	t->sim.broken = xcalloc(1, 1);
	return 0;
}

void sim_target_free(struct sim_target *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; t->oids && i < t->file.n_commits; i++)
		free(t->oids[i]);
	for (unsigned i = 0; i < t->file.n_changes; i++)
		free(t->change_oids[i]);
	free(t->oids);
	free(t->path);
	free(t->sim.shift);
	free(t->sim.artefact);
	free(t->sim.broken);
	sim_file_done(&t->file);
	free(t);
}

static int64_t listed(const struct sim_target *t, const char *commit)
{
	for (uint32_t i = 0; i < t->file.n_commits; i++)
		if (t->oids[i] && !strcmp(t->oids[i], commit))
			return i;
	return -1;
}

enum outcome sim_target_build(const struct sim_target *t, const char *commit, struct str *reason)
{
	int64_t i = listed(t, commit);

	if (i < 0 && isnan(t->file.level)) {
		str_addf(reason, "%s says nothing of it", t->path);
		return OUTCOME_SKIPPED;
	}
	if (i >= 0 && t->file.broken[i]) {
		str_addf(reason, "broken in %s", t->path);
		return OUTCOME_FAILED;
	}
	return OUTCOME_OK;
}

/* Draws are keyed by 32 bits of the commit's name; it is as good as random. */
static uint32_t commit_key(const char *commit)
{
	char head[9] = "";

	memcpy(head, commit, strnlen(commit, 8));
	return (uint32_t)strtoul(head, NULL, 16);
}

static void set_commit(struct sim_target *t, const char *commit)
{
	int64_t i = listed(t, commit);
	struct sim *sim = &t->sim;

	sim->artefact[0] = commit_key(commit);
	sim->values = i >= 0 && t->file.values[i].n ? &t->file.values[i] : NULL;
	if (i >= 0) {
		sim->shift[0] = t->file.shift[i];
		return;
	}
	sim->shift[0] = log(t->file.level / 100);
	for (unsigned k = 0; k < t->file.n_changes; k++)
		if (t->contains(t->arg, commit, t->change_oids[k]))
			sim->shift[0] += t->file.changes[k].shift;
}

static int boot_sim(const struct boot_request *q, struct boot **ret_boot, enum outcome *ret_outcome,
		    struct str *context, struct str *reason UNUSED, struct err *e UNUSED)
{
	struct boot *b = xcalloc(1, sizeof(*b));

	*b = (struct boot){
		.t = q->sim, .seed = q->seed, .layout = q->layout, .first_visit = q->first_visit
	};
	set_commit(q->sim, q->commit);
	q->sim->sim.key = sim_key(q->hunt_seed, 1); /* the builds' own offsets are the hunt's */
	str_addf(context, "{\"target\":\"sim\",\"seed\":%llu}", (unsigned long long)q->seed);
	*ret_boot = b;
	*ret_outcome = OUTCOME_OK;
	return 0;
}

static int run_sim(struct boot *b, struct run_result *ret, struct err *e UNUSED)
{
	struct sim *sim = &b->t->sim;
	bool is_first = b->first_visit && b->runs == 0;
	unsigned run;

	/* Which run this is of its build, as good as unique; 0 is the first, which may be slower (%warm). */
	run = is_first ? 0 : 1 + (unsigned)(sim_key(b->seed, b->runs) >> 33);
	b->runs++;
	*ret = (struct run_result){ .outcome = OUTCOME_OK,
				    .output = STR_INIT,
				    .whole_output = true,
				    .seconds = RUN_SECONDS };
	readings_add(&ret->readings, "value", "",
		     sim_run(sim, 0, b->layout, (unsigned)b->seed, run), sim_resolution(sim),
		     BETTER_LOWER, false);
	return 0;
}

static void shutdown_sim(struct boot *b)
{
	free(b);
}

const struct target_ops target_sim = {
	.name = "sim",
	.help = "no builds and no runs: values that a file gives to the commits",
	.boot = boot_sim,
	.run = run_sim,
	.shutdown = shutdown_sim,
	.boots_at_once = true,
};
