/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a measuring command holds while it works. Opening one is hunt/opening.c.
 */
#include "hunt/session.h"

#include "config.h"

#include "base/num.h"
#include "kernel/kbuild.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "sys/machine.h"
#include "target/sim_target.h"
#include "text/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DRAW_EVERY_NS (50 * NS_PER_MS)

void session_note(const struct session *s, const char *fmt, ...)
{
	AUTO(str) struct str text = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	s->ui->note(s->ui->arg, text.p);
}

void session_stage(const struct session *s, const char *fmt, ...)
{
	AUTO(str) struct str text = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	s->ui->stage(s->ui->arg, text.p);
}

void session_warn(const struct session *s, const char *fmt, ...)
{
	AUTO(str) struct str text = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	s->ui->warn(s->ui->arg, text.p);
}

void session_progress(const struct session *s, const char *fmt, ...)
{
	AUTO(str) struct str text = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	s->ui->progress(s->ui->arg, text.p);
}

void session_tick(void *session)
{
	struct session *s = session;
	int64_t now = clock_monotonic_ns(), ns = now - s->doing_since_ns, seconds = ns / NS_PER_S;
	AUTO(str) struct str text = STR_INIT;

	/* who looks from outside is to see the run that is in flight */
	if (s->store && ns >= NS_PER_S / 5)
		store_show(s->store);
	/* nobody reads faster, and a short run would pay for it */
	if (now - s->drawn_ns < DRAW_EVERY_NS)
		return;
	s->drawn_ns = now;

	str_puts(&text, s->known ? s->known : "");
	if (s->doing)
		str_addf(&text, "%s%s", text.n ? "  " : "", s->doing);
	if (s->doing && seconds >= 1) {
		str_puts(&text, "  ");
		num_put_clock(&text, seconds * NS_PER_S);
	}
	s->ui->progress(s->ui->arg, text.p ? text.p : "");
}

void session_known(struct session *s, const char *fmt, ...)
{
	AUTO(str) struct str text = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	free(s->known);
	s->known = str_take(&text);
	session_tick(s);
}

void session_doing(struct session *s, const char *what, const char *node)
{
	/* a variant's key has several lines; an object name is cut shorter than elsewhere: the line has 80 columns */
	const char *name = starts_with(node, "commit=") ? node + strlen("commit=") : node;
	int n = (int)strcspn(name, "\n");
	bool is_commit = (n == 40 || n == 64) && strspn(name, "0123456789abcdef") == (size_t)n;

	free(s->doing);
	s->doing = xasprintf("%s %.*s", what, is_commit ? 8 : n < 40 ? n : 40, name);
	s->doing_since_ns = clock_monotonic_ns();
	session_tick(s);
}

uint64_t session_draw(const struct session *s, uint64_t tag)
{
	uint64_t z = s->seed + UINT64_C(0x9e3779b97f4a7c15) * (tag + 1);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

bool session_is_simulated(const struct session *s)
{
	return s->target_name && starts_with(s->target_name, "sim=");
}

double session_seconds(const struct session *s)
{
	return (double)(clock_monotonic_ns() - s->began_ns + s->spent_ns) / 1e9;
}

bool session_over_budget(const struct session *s)
{
	return !s->journal_only && s->opt.budget_ns &&
	       clock_monotonic_ns() - s->began_ns >= s->opt.budget_ns;
}

int session_check_stop(const struct session *s, struct err *e)
{
	if (s->ui->stop && s->ui->stop())
		return err_set(e, ERR_STOPPED, "stopped");
	return 0;
}

void session_drop_twin(struct session *s)
{
	if (!s->twin.of)
		return;
	if (s->twin.started)
		s->target->shutdown(s->twin.started);
	readings_done(&s->twin.readings);
	str_done(&s->twin.output);
	memset(&s->twin, 0, sizeof(s->twin));
}

void visit_end(struct session *s)
{
	if (!s->open_visit)
		return;
	session_drop_twin(s);
	if (s->open_visit->handle)
		s->target->shutdown(s->open_visit->handle);
	free(s->open_visit);
	s->open_visit = NULL;
}

static void mbuild_free(struct mbuild *b)
{
	for (char **p = b->env; p && *p; p++)
		free(*p);
	for (char **p = b->inputs; p && *p; p++)
		free(*p);
	for (char **p = b->sysctl; p && *p; p++)
		free(*p);
	free(b->sysctl);
	free(b->cmdline);
	free(b->symbols);
	free(b->env);
	free(b->inputs);
	free(b->reason);
	free(b->path);
	free(b->commit);
	free(b->artefact);
	free(b->node);
	free(b);
}

void session_reset(struct session *s)
{
	visit_end(s);
	for (size_t i = 0; i < s->ahead.n; i++)
		s->target->shutdown(s->ahead.v[i].handle);
	s->ahead.n = 0;
	for (size_t i = 0; i < s->builds.n; i++)
		mbuild_free(s->builds.v[i]);
	for (size_t i = 0; i < s->n_tallies; i++) {
		free(s->tallies[i].node);
		free(s->tallies[i].last_reason);
	}
	s->builds.n = 0;
	s->n_tallies = 0;
	strvec_done(&s->artefacts);
	strvec_done(&s->metrics);
	strvec_done(&s->remarks);
	s->metric = NULL;
	free(TAKE_PTR(s->known));
	free(TAKE_PTR(s->doing));
	free(TAKE_PTR(s->metric_unit));
	s->said_incomplete = s->said_drift = s->exactness_known = false;
	s->hunt = 0;
	s->n_builds = s->n_boots = s->n_runs = s->ok_runs = s->ok_builds = 0;
	s->run_seconds = s->build_seconds = s->boot_seconds = 0;
	s->waited_boots = 0;
	s->next_boot = 0;
	s->spent_ns = s->hunt_began_ns = 0;
}

void session_close(struct session *s)
{
	session_reset(s);
	free(s->builds.v);
	free(s->tallies);
	strvec_done(&s->data_files);
	strvec_done(&s->protect);
	if (s->store) {
		store_unlock(s->store);
		store_close(s->store);
	}
	kbuild_free(s->kbuild);
	repo_close(s->repo);
	config_done(&s->config);
	free(s->top);
	free(s->store_dir);
	free(s->data_dir);
	free(s->data_hash);
	free(s->target_name);
	free(s->guest_kernel);
	free(s->ahead.v);
	sim_target_free(s->simulated);
	memset(s, 0, sizeof(*s));
}

/* Everything that makes two hunts different questions: budget, -j and output options are not in it. */
static void full_question(const struct session *s, const char *kind, const char *question,
			  struct str *out)
{
	AUTO(str) struct str config = STR_INIT;

	config_fingerprint(&s->config, &config);
	str_addf(
		out,
		"{\"kind\":\"%s\",\"question\":%s,\"benchmark\":\"%s\",\"measure\":%d,\"warmup\":%u,",
		kind, question, s->bench->name, (int)s->bench->measure, s->bench->warmup);
	/* a .config or a fix-up that was edited is another question; by content, as benchmark files are */
	if (s->kbuild)
		str_addf(out, "\"kernel\":\"%s\",", kbuild_identity(s->kbuild));
	if (s->opt.reader)
		str_addf(out, "\"reader\":\"%s\",", s->bench->reader);
	str_addf(out, "\"better\":\"%s\",", better_name(s->bench->better));
	str_addf(out, "\"target\":\"%s\",\"metric\":\"%s\",\"files\":\"%s\",\"config\":%s}",
		 s->target_name, s->opt.metric ? s->opt.metric : "",
		 s->data_hash ? s->data_hash : "", config.n ? config.p : "null");
}

/* What machine this was, for whoever reads the journal later. */
static void host_facts(struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);
	struct machine m;

	machine_read("", &m);
	json_out_object(&w, NULL);
	json_out_text(&w, "cpu", m.cpu);
	json_out_text(&w, "kernel", m.kernel);
	json_out_text(&w, "governor", m.governor);
	json_out_text(&w, "clocksource", m.clocksource);
	json_out_text(&w, "hypervisor", m.hypervisor);
	json_out_int(&w, "cpus", m.cpus);
	json_out_int(&w, "cpus_allowed", m.cpus_allowed);
	json_out_int(&w, "turbo", m.turbo);
	json_out_int(&w, "smt", m.smt);
	json_out_int(&w, "aslr", m.aslr);
	json_out_int(&w, "memory_bytes", m.memory_bytes);
	json_out_number(&w, "load", m.load);
	json_out_close(&w);
}

static uint64_t seed_of(const char *key)
{
	char head[17];

	snprintf(head, sizeof(head), "%.16s", key);
	return strtoull(head, NULL, 16) | 1;
}

static const char command_note[] = "command: ";

/* How the hunt was asked for: what `culprit resume` says again. */
static int note_command(struct session *s, struct err *e)
{
	AUTO(str) struct str note = STR_INIT;
	AUTO_FREE char *cwd = getcwd(NULL, 0);
	struct json_out w = JSON_OUT_INIT(&note, JSON_STYLE_COMPACT);

	if (!s->opt.argv || !cwd)
		return 0;
	str_puts(&note, command_note);
	json_out_array(&w, NULL);
	json_out_text(&w, NULL, cwd);
	for (const char *const *p = s->opt.argv; *p; p++)
		json_out_text(&w, NULL, *p);
	json_out_close(&w);
	return store_note(s->store, s->hunt, note.p, e);
}

bool session_answered(const struct session *s, const struct hunt_row *row, char **ret_answer)
{
	if (row->answer && row->status && !strcmp(row->status, "answered")) {
		*ret_answer = xstrdup(row->answer);
		return true;
	}
	session_note(s, "resuming hunt %lld", (long long)row->id);
	return false;
}

void session_benchmarks(const struct session *s, struct strvec *ret)
{
	const char *only = s->opt.benchmark	   ? s->opt.benchmark
			   : s->config.bench_given ? "default"
						   : NULL;

	for (size_t i = 0; i < s->config.n_benchmarks; i++)
		if (!only || !strcmp(s->config.benchmarks[i].name, only))
			strvec_add(ret, s->config.benchmarks[i].name);
}

bool session_command(const struct observations *obs, struct strvec *ret_argv, char **ret_cwd)
{
	for (size_t i = 0; i < obs->n; i++) {
		struct json *list = NULL;
		const char *text;

		if (obs->v[i].kind != OBS_NOTE || !starts_with(obs->v[i].text, command_note))
			continue;
		text = obs->v[i].text + sizeof(command_note) - 1;
		if (json_parse(text, strlen(text), "the command", &list, NULL) < 0)
			return false;
		for (size_t k = 0; k < json_count(list); k++) {
			const char *word = json_to_text(json_at(list, k), NULL);

			if (k == 0)
				*ret_cwd = xstrdup(word ? word : ".");
			else
				strvec_add(ret_argv, word ? word : "");
		}
		json_free(list);
		return ret_argv->n > 0;
	}
	return false;
}

/* The hunt that is to be gone on with, also if its command said --new, or others with the same question came after it. */
static int find_named(const struct session *s, const char *key, struct hunt_row *ret, struct err *e)
{
	int r = store_hunt_get(s->store, s->opt.only_hunt, ret, e);

	if (r < 0 || !strcmp(ret->key, key))
		return r;
	return err_set(
		e, ERR_USAGE,
		"hunt %lld asked another question: a name, the configuration or a benchmark file has "
		"changed since; give the old command again with full object names",
		(long long)s->opt.only_hunt);
}

int session_hunt(struct session *s, const char *kind, const char *question, const char *graph,
		 uint64_t seed, struct hunt_row *ret_row, bool *ret_known, struct err *e)
{
	AUTO(str) struct str full = STR_INIT;
	char key[65];
	int r;

	full_question(s, kind, question, &full);
	struct sha256 *h = sha256_new();

	sha256_add(h, full.p, full.n);
	if (seed)
		sha256_add(h, &seed, sizeof(seed));
	sha256_finish(h, key);
	*ret_known = false;
	store_hold(s->store);
	r = s->opt.only_hunt ? find_named(s, key, ret_row, e)
	    : s->opt.fresh   ? -ERR_MISSING
			     : store_hunt_find(s->store, key, ret_row, e);
	if (r == 0) {
		s->hunt = ret_row->id;
		s->seed = ret_row->seed;
		s->hunt_began_ns = ret_row->began_ns;
		*ret_known = true;
		if (s->opt.only_hunt) { /* what follows in this session are its parts: known or not */
			s->opt.only_hunt = 0;
			s->opt.fresh = false;
		}
		return 0;
	}
	if (r != -ERR_MISSING)
		return r;
	AUTO(str) struct str host = STR_INIT;

	host_facts(&host);
	struct hunt_row row = {
		.kind = (char *)kind,
		.key = key,
		.question = full.p,
		.graph = (char *)graph,
		.seed = seed ? seed : seed_of(key),
		.began_ns = clock_realtime_ns(),
		.host = host.p,
		.version = (char *)CULPRIT_VERSION,
	};

	s->seed = row.seed;
	r = store_hunt_begin(s->store, &row, &s->hunt, e);
	if (r < 0 || (r = note_command(s, e)) < 0)
		return r;
	return store_hunt_get(s->store, s->hunt, ret_row, e);
}
