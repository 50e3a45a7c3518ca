/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report [HUNT] - the letter, the page or the text for an update that a hunt ends in, from the journal alone.
 *
 * Nothing is sent. What leaves the machine is what is printed; --preview says what that is before it is.
 */
#include "base/num.h"
#include "cli/cmd.h"
#include "cli/journal_text.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "hunt/dossier.h"
#include "hunt/redact.h"
#include "repo/repo.h"
#include "report/answer.h"
#include "report/write.h"
#include "store/bundle.h"
#include "sys/fs.h"
#include "text/escape.h"
#include "text/json.h"

#include <string.h>

enum { LOG_MOST = 2000 };

struct report_args {
	struct common_opts common;
	int form, format; /* one is the other's name; -1: not given */
	const char *output, *project;
	bool redact, preview;
};

enum report_form { FORM_MAIL, FORM_SRU, FORM_MD, FORM_JSON, FORM_HTML };
static const char *const forms[] = { "mail", "sru", "md", "json", "html", NULL };

const struct opt cmd_report_options[] = {
	{ 'f', "form", OPT_CHOICE, OPT_INTO(struct report_args, form), "FORM",
	  "mail (for a list, also for git send-email), sru (for a stable release's update), md, json or html",
	  .choices = forms },
	{ 0, "format", OPT_CHOICE, OPT_INTO(struct report_args, format), "FORM",
	  "the same as --form", .choices = forms },
	{ 'o', "output", OPT_STRING, OPT_INTO(struct report_args, output), "FILE",
	  "write it to this file instead of standard output", .complete = COMPLETE_FILE },
	{ 0, "project", OPT_STRING, OPT_INTO(struct report_args, project), "NAME",
	  "what the project is called, instead of its folder's or remote's name" },
	{ 0, "redact", OPT_BOOL, OPT_INTO(struct report_args, redact), NULL,
	  "leave out more: the machine, tools, commands, settings and messages" },
	{ 0, "preview", OPT_BOOL, OPT_INTO(struct report_args, preview), NULL,
	  "show what the report would tell about this machine, and what it leaves out" },
	OPT_COMMON_STORE(struct report_args, common),
	OPT_COMMON_OUTPUT(struct report_args, common),
	OPT_END,
};

static void repo_done(struct repo **r)
{
	repo_close(*r);
}

/* --- where from --------------------------------------------------------------------------------------------------- */

/* The folder that the hunt was begun in, "" if that is not known. */
static char *hunt_folder(struct store *st, int64_t hunt)
{
	AUTO(observations) struct observations obs = { 0 };

	if (store_observations(st, hunt, &obs, NULL) < 0)
		return xstrdup("");
	for (size_t i = 0; i < obs.n; i++) {
		__attribute__((cleanup(json_root_done))) struct json *argv = NULL;
		const char *text = obs.v[i].kind == OBS_NOTE ? strchr(obs.v[i].text, '[') : NULL;

		if (!text || !starts_with(obs.v[i].text, "command: "))
			continue;
		if (json_parse(text, strlen(text), "command", &argv, NULL) == 0)
			return xstrdup(answer_str(argv, "[0]"));
	}
	return xstrdup("");
}

/*
 * The repository that the hunt was begun in; else the one around us, if the store is its own. NULL without one: a report needs none. Any other repository must not be
 * tried: preparing it would make the store's copy a copy of that one.
 */
static struct repo *open_repo(struct store *st, const char *folder)
{
	AUTO_FREE char *own = fs_join(store_dir(st), "repo.git");
	struct repo *repo = NULL;

	if (!*store_dir(st) || !fs_is_dir(own))
		return NULL;
	if (*folder == '/' && fs_is_dir(folder)) {
		if (repo_open(folder, &repo, NULL) < 0)
			return NULL;
	} else if (repo_open(NULL, &repo, NULL) < 0) {
		return NULL;
	} else {
		AUTO_FREE char *here = realpath(store_dir(st), NULL);
		AUTO_FREE char *there = realpath(repo_default_store(repo), NULL);

		if (!here || !there || strcmp(here, there) != 0) {
			repo_close(repo);
			return NULL;
		}
	}
	if (repo_prepare(repo, store_dir(st), NULL) == 0)
		return repo;
	repo_close(repo);
	return NULL;
}

/* "/src/mimalloc.git/" -> "mimalloc" */
static char *last_part(const char *path)
{
	AUTO(str) struct str s = STR_INIT;

	str_puts(&s, path);
	while (s.n && (s.p[s.n - 1] == '/' || s.p[s.n - 1] == '\n'))
		str_cut(&s, s.n - 1);
	if (ends_with(s.p, ".git"))
		str_cut(&s, s.n - 4);
	while (s.n && s.p[s.n - 1] == '/')
		str_cut(&s, s.n - 1);
	const char *slash = strrchr(s.p, '/');

	return xstrdup(slash ? slash + 1 : s.p);
}

/* The folder's name; of one that is called like any other, that of the one around it. */
static char *project_name(const struct report_args *a, const struct repo *repo, const char *folder)
{
	static const char *const common[] = { "src",  "source", "repo",	   "git",
					      "work", "tree",	"checkout" };
	const char *top = repo ? repo_top(repo) : folder, *slash = strrchr(top, '/');
	AUTO_FREE char *name = a->project ? xstrdup(a->project) : last_part(top);

	for (size_t i = 0; !a->project && slash && slash > top && i < ARRAY_LEN(common); i++)
		if (!strcmp(name, common[i])) {
			AUTO_FREE char *around = xstrndup(top, (size_t)(slash - top));

			return last_part(around);
		}
	return TAKE_PTR(name);
}

/* --- the journal in words ----------------------------------------------------------------------------------------- */

static int read_log(struct store *st, int64_t hunt, struct redactor *r, struct dossier *d,
		    struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	int64_t began = 0;
	int code = store_observations(st, hunt, &obs, e);

	for (size_t i = 0; i < obs.n && code == 0; i++) {
		AUTO(str) struct str line = STR_INIT, text = STR_INIT;

		if (d->log.n >= LOG_MOST) {
			strvec_addf(&d->log, "... and %zu more (culprit log %lld)", obs.n - i,
				    (long long)hunt);
			break;
		}
		/* the command line is what --preview shows; the report has what it came to */
		if (obs.v[i].kind == OBS_NOTE && starts_with(obs.v[i].text, "command: "))
			continue;
		if (!began)
			began = obs.v[i].at_ns;
		journal_observation(&obs.v[i], &line);
		str_cut(&line, line.n > 400 ? 400 : line.n);
		redact_text(r, line.p, &text);
		strvec_add(&d->log, text.p);
	}
	return code;
}

/* --- what leaves -------------------------------------------------------------------------------------------------- */

static void put_named(const struct json *v, const char *path, const char *what, struct str *out)
{
	AUTO(str) struct str text = STR_INIT;

	if (!*answer_str(v, path))
		return;
	escape_plain(&text, answer_str(v, path));
	str_addf(out, "  %-16s %s\n", what, text.p);
}

static void preview(const struct dossier *d, const struct redactor *r, struct str *out)
{
	const struct json *q = d->main.question;
	AUTO_FREE char *command =
		xasprintf("config.benchmarks.%s.command", answer_str(q, "benchmark"));

	str_addf(out, "What the report of hunt %lld tells of this machine:\n",
		 (long long)d->main.hunt);
	put_named(d->host, "cpu", "processor", out);
	put_named(d->host, "kernel", "kernel", out);
	put_named(d->host, "hypervisor", "virtual machine", out);
	put_named(q, "config.project.build", "build command", out);
	put_named(q, command, "benchmark", out);
	if (d->toolchain)
		str_addf(out, "  %-16s %s\n", "tools", d->toolchain);
	if (d->git.author)
		str_addf(out, "  %-16s %s (the culprit's author)\n", "address", d->git.author);
	str_puts(out, "Left out:\n  host and user names, and the environment\n");
	for (size_t i = 0; i < r->done.n; i++) {
		AUTO(str) struct str text = STR_INIT;

		escape_plain(&text, r->done.v[i]);
		str_addf(out, "  %s\n", text.p);
	}
	if (!r->more)
		str_puts(
			out,
			"--redact leaves out the machine, tools, commands, settings and messages too.\n");
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static void write_form(enum report_form form, const struct dossier *d, const struct letter *l,
		       struct str *out)
{
	switch (form) {
	case FORM_MAIL:
		write_mail(d, l, out);
		break;
	case FORM_SRU:
		write_sru(d, l, out);
		break;
	case FORM_MD:
		write_markdown(d, l, out);
		break;
	case FORM_JSON:
		write_json(d, l, out);
		break;
	case FORM_HTML:
		write_html(d, l, out);
		break;
	}
}

static int put_out(const struct report_args *a, const struct str *out, struct err *e)
{
	int r;

	if (!a->output || !strcmp(a->output, "-")) {
		term_print(out);
		return 0;
	}
	r = fs_write_atomic(a->output, out->p, out->n, e);
	if (r == 0)
		term_note("%s: %zu kB", a->output, (out->n + 1023) / 1024);
	return r;
}

static int make(const struct report_args *a, struct store *st, int64_t hunt, struct err *e)
{
	AUTO(dossier) struct dossier d = { 0 };
	AUTO(redactor) struct redactor r = { .more = a->redact };
	AUTO(hunt_row) struct hunt_row row = { 0 };
	AUTO(letter) struct letter l = { 0 };
	AUTO(str) struct str out = STR_INIT;
	enum report_form form =
		a->common.json ? FORM_JSON : (enum report_form)(a->form ? a->form : a->format);
	int code = store_hunt_get(st, hunt, &row, e);

	if (code < 0)
		return code;
	AUTO_FREE char *folder = hunt_folder(st, row.id);
	__attribute__((cleanup(repo_done))) struct repo *repo = open_repo(st, folder);

	redactor_learn_host(&r);
	redactor_add_project(&r, repo ? repo_top(repo) : NULL);
	redactor_add_project(&r, folder);
	if ((code = dossier_gather(st, hunt, repo, &r, &d, e)) < 0)
		return code;
	d.project = a->redact && !a->project ? xstrdup("") : project_name(a, repo, folder);
	if (!a->redact && (code = read_log(st, d.main.hunt, &r, &d, e)) < 0)
		return code;
	if (a->preview) {
		preview(&d, &r, &out);
		return put_out(a, &out, e);
	}
	letter_compose(&d, &l);
	write_form(form, &d, &l, &out);
	code = put_out(a, &out, e);
	for (size_t i = 0; i < d.missing.n && code == 0; i++)
		term_note("%s", d.missing.v[i]);
	if (code == 0 && l.refusals.list.n)
		term_note("%zu row%s left out, which carry no claim; the report lists them",
			  l.refusals.list.n, l.refusals.list.n == 1 ? " was" : "s were");
	return code;
}

static int run(const struct report_args *a, const struct strvec *args, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	const char *what = args->n ? args->v[0] : NULL;
	int64_t hunt = 0;
	int r;

	if (args->n > 1)
		return err_set(e, ERR_USAGE, "report: one hunt at a time, not '%.60s' too",
			       args->v[1]);
	if (what && fs_exists(what) && !fs_is_dir(what)) {
		if ((r = bundle_read(what, &st, &hunt, e)) < 0)
			return r;
		return make(a, st, hunt, e);
	}
	if (what && num_parse_int(what, "report", 1, INT64_MAX, &hunt, e) < 0)
		return err_set(e, ERR_USAGE,
			       "report wants a hunt's number or a bundle; '%.60s' is neither",
			       what);
	if ((r = storedir_open(a->common.store, STORE_READ, &st, e)) < 0)
		return r;
	return make(a, st, hunt, e);
}

int cmd_report(int argc, const char *const *argv)
{
	struct report_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_report_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
