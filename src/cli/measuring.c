/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/measuring.h"

#include "cli/stop.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "hunt/opening.h"
#include "report/answer.h"
#include "target/exact.h"
#include "text/json.h"

#include <string.h>

/* While it waited for another culprit, or fetched what it needs. */
static const char stopped_early[] = "stopped before anything was measured";

static void say_note(void *arg UNUSED, const char *text)
{
	term_step("%s", text);
}

/* Worth a line where somebody watches. */
static void say_stage(void *arg UNUSED, const char *text)
{
	if (term_progress_shown())
		term_note("%s", text);
	else
		term_step("%s", text);
}

static void say_warning(void *arg UNUSED, const char *text)
{
	term_warn("%s", text);
}

static void say_progress(void *arg UNUSED, const char *text)
{
	term_progress("%s", text);
}

static const struct hunt_ui voice = {
	.note = say_note,
	.warn = say_warning,
	.stage = say_stage,
	.progress = say_progress,
	.stop = stop_requested,
};

void measuring_defaults(struct measuring_opts *m)
{
	memset(m, 0, sizeof(*m));
	m->alpha = 0.05;
	m->warmup = UINT32_MAX;
}

bool measuring_is_kernel(const char *variant)
{
	return starts_with(variant, "deb=") || starts_with(variant, "image=");
}

/* A kernel that exists runs in a guest unless something else is asked for. */
bool measuring_names_kernel(const char *const *argv)
{
	for (; argv && *argv; argv++)
		if (measuring_is_kernel(*argv) || starts_with(*argv, "--over"))
			return true;
	return false;
}

bool measuring_kernels_only(const struct strvec *variants)
{
	for (size_t i = 0; i < variants->n; i++)
		if (!measuring_is_kernel(variants->v[i]))
			return false;
	return variants->n > 0;
}

bool measuring_margin_is_given(const struct measuring_opts *m, const struct session *s)
{
	return m->margin > 0 || s->bench->margin > 0;
}

double measuring_margin(const struct measuring_opts *m, const struct session *s)
{
	if (m->margin > 0)
		return m->margin;
	if (s && s->bench->margin > 0)
		return s->bench->margin;
	/* what boots of one kernel differ by is a tenth of what runs of a machine do (docs/design/020-exact.md) */
	return s && s->target == &target_exact ? 0.001 : 0.01;
}

int measuring_open(const struct measuring_opts *m, const char *command, struct session *ret,
		   struct err *e)
{
	const char *target = m->target			       ? m->target
			     : measuring_names_kernel(m->argv) ? "exact"
							       : NULL;
	AUTO(strvec) struct strvec settings = STRVEC_INIT;
	AUTO_FREE char *store = NULL;
	int r = m->kernels_only ? storedir_find(m->common.store, &store, e) : 0;

	if (r < 0)
		return r;

	for (size_t i = 0; i < m->common.set.n; i++)
		strvec_add(&settings, m->common.set.v[i]);
	if (m->smp) {
		strvec_addf(&settings, "targets.exact.smp=%u", m->smp);
		strvec_addf(&settings, "targets.vm.smp=%u", m->smp);
	}
	struct session_options o = {
		.store_dir = store ? store : m->common.store,
		.config_path = m->common.config,
		.settings = (const char *const *)settings.v,
		.build = m->common.build,
		.bench = m->common.bench,
		.benchmark = m->benchmark,
		.workload = m->workload,
		.target = target,
		.measure = m->measure,
		.metric = m->metric,
		.reader = m->reader,
		.budget_ns = m->budget_ns,
		.jobs = m->jobs,
		.warmup = m->warmup,
		.fresh = m->fresh,
		.no_benchmark = m->no_benchmark,
		.keep_failed = m->keep_failed,
		.kernels_only = m->kernels_only,
		.argv = m->argv,
		.only_hunt = m->only_hunt,
	};

	AUTO_FREE char *who = xasprintf("culprit %s", command);

	r = session_open(&o, &voice, who, ret, e);
	return r == -ERR_STOPPED ? err_set(e, ERR_STOPPED, "%s", stopped_early) : r;
}

int measuring_show(const struct measuring_opts *m, const char *answer, bool stored, struct err *e)
{
	struct answer_style style = { term_stdout_color(), term_stdout_width() };
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;
	int r;

	term_progress_end();
	if (m->answers)
		strvec_add(m->answers, answer);
	if (m->answers && m->common.json)
		return 0;
	if (m->common.json) {
		str_puts(&out, answer);
		str_putc(&out, '\n');
		term_print(&out);
		return 0;
	}
	r = json_parse_stored(answer, "the stored answer", &root, e);
	if (r < 0)
		return r;
	if (stored)
		term_note(
			"this was measured before; the stored answer follows (--new measures again)");
	r = answer_text(root, &style, &out, e);
	if (r < 0)
		return r;
	term_print(&out);
	return 0;
}

int measuring_fail(const struct err *e)
{
	term_progress_end();
	if (e->kind == ERR_STOPPED) {
		term_note("%s", !strcmp(e->msg, stopped_early)
					? stopped_early
					: "stopped; what was measured is kept: culprit resume "
					  "goes on from here");
		return CMD_FAILED;
	}
	return cmd_fail(e);
}

int measuring_status(const char *answer, const struct verdict_status *table)
{
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;

	if (json_parse(answer, strlen(answer), "answer", &root, NULL) < 0)
		return CMD_FAILED;
	if (!strcmp(answer_str(root, "command"), "plan"))
		return CMD_OK;
	while (table->verdict && strcmp(answer_str(root, "verdict"), table->verdict) != 0)
		table++;
	return table->status;
}

struct all_opts {
	struct measuring_opts m;
};
static const struct opt all_options[] = {
	OPT_COMMON_CONFIG(struct all_opts, m.common),
	OPT_MEASURING(struct all_opts, m),
	OPT_COMMON_STORE(struct all_opts, m.common),
	OPT_END,
};

static bool is_in(const char *name, const char *const *list)
{
	for (; list && *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

void measuring_names(const char *const *without, const char *ret[MEASURING_NAMES])
{
	static const char *const of_one_go[] = { "new", "dry-run", "budget", "resume-hunt", NULL };
	size_t n = 0;

	for (const struct opt *o = all_options; o->type != OPT_LAST && n + 1 < MEASURING_NAMES; o++)
		if (o->type != OPT_HEADING && !is_in(o->name, of_one_go) &&
		    !is_in(o->name, without))
			ret[n++] = o->name;
	ret[n] = NULL;
}

int measuring_spell(const struct measuring_opts *m, const struct opt *options,
		    const char *const *without, const char *command, const char *benchmark,
		    const char *metric, struct strvec *ret, struct err *e)
{
	const char *names[MEASURING_NAMES];
	int argc = 0;

	measuring_names(without, names);
	while (m->argv[argc])
		argc++;
	strvec_add(ret, command);
	int r = opt_pick(options, names, argc, m->argv, ret, e);

	if (benchmark && !m->common.bench && !m->workload)
		strvec_addf(ret, "--benchmark=%s", benchmark);
	if (metric)
		strvec_addf(ret, "--metric=%s", metric);
	return r;
}
