/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where it was seen, with what, and how to see it again without culprit, in five lines of shell.
 */
#include "report/letter.h"

#include "base/num.h"
#include "report/answer.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

enum { TOOLS_SHOWN = 4, REPEATS = 7 };

static const struct json *benchmark_of(const struct dossier *d)
{
	const struct json *q = d->main.question, *all = json_get(q, "config.benchmarks");

	return json_member(all, answer_str(q, "benchmark"));
}

static void put_machine(const struct dossier *d, struct doc *to)
{
	const struct json *h = d->host;
	AUTO(str) struct str memory = STR_INIT;
	long long bytes = answer_int(h, "memory_bytes");
	const char *governor = answer_str(h, "governor"), *virtual = answer_str(h, "hypervisor");

	if (!h)
		return;
	num_put_size(&memory, bytes);
	if (*answer_str(h, "cpu"))
		doc_item(to, "machine: %s, %lld CPUs, %s of memory%s%s%s%s", answer_str(h, "cpu"),
			 answer_int(h, "cpus"), bytes ? memory.p : "unknown size",
			 *governor ? ", governor " : "", governor,
			 *virtual ? ", a virtual machine: " : "", virtual);
	if (*answer_str(h, "kernel"))
		doc_item(to, "its kernel: %s", answer_str(h, "kernel"));
}

/* "measured" on what; emulated never reads like hardware. */
static void put_evidence(const struct dossier *d, const struct letter *l, struct doc *to)
{
	const struct json *q = d->main.question;
	const char *target = answer_str(q, "target");
	bool work = (l->main && claim_is_work(l->main)) || letter_is_counted(d);
	bool sim = starts_with(target, "sim");

	doc_item(to, "seen on hardware: %s",
		 sim	? "no, the values are a simulation's"
		 : work ? "not yet: the evidence is counted or emulated work"
		 : *answer_str(d->host, "hypervisor")
			 ? "in a virtual machine; not on bare metal by this report"
			 : "yes, measured on the machine above");
	if (*target && strcmp(target, "local") != 0)
		doc_item(to, "target: %s", target);
}

static bool is_mentioned(const char *build, const char *tool, size_t n)
{
	AUTO_FREE char *name = xstrndup(tool, n);

	for (const char *p = build; (p = strstr(p, name)); p++)
		if ((p == build || strchr(" ;&|(\n", p[-1])) && strchr(" ;&|)\n", p[n]))
			return true;
	return false;
}

/* Of all compilers here those that the build names, else the first ones. */
static void put_tools(const struct dossier *d, struct doc *to)
{
	const char *build = answer_str(d->main.question, "config.project.build");
	AUTO(str) struct str named = STR_INIT, first = STR_INIT;
	unsigned n = 0;

	for (const char *p = d->toolchain; p && *p;) {
		const char *end = strstr(p, ", ");
		size_t len = end ? (size_t)(end - p) : strlen(p), key = strcspn(p, ":");

		if (key < len && is_mentioned(build, p, key))
			str_addf(&named, "%s%.*s", named.n ? "; " : "", (int)len, p);
		if (n++ < TOOLS_SHOWN)
			str_addf(&first, "%s%.*s", first.n ? "; " : "", (int)len, p);
		p += len + (end ? 2 : 0);
	}
	doc_item(to, "%s%s", named.n || first.n ? "tools: " : "", named.n ? named.p : first.p);
}

static void put_command(const char *what, const char *text, struct doc *to)
{
	if (!*text)
		return;
	if (!strchr(text, '\n')) {
		doc_item(to, "%s: %s", what, text);
		return;
	}
	doc_paragraph(to, "%s:", what);
	doc_code(to, text);
}

static void put_config(const struct dossier *d, struct doc *to)
{
	const struct json *list = json_get(d->main.question, "config.kernel.config");
	AUTO(str) struct str text = STR_INIT;

	for (size_t i = 0; i < json_count(list); i++)
		str_addf(&text, "%s%s", i ? ", " : "", answer_str(json_at(list, i), NULL));
	doc_item(to, "%s%s", text.n ? "kernel configuration: " : "", text.p);
}

void letter_setup(const struct dossier *d, struct letter *l)
{
	static const char *const measures[] = { "", ", counted with perf",
						", counted with valgrind's callgrind" };
	const struct json *q = d->main.question, *b = benchmark_of(d);
	long long measure = answer_int(q, "measure");
	struct doc *to = &l->setup;
	AUTO(str) struct str env = STR_INIT;
	const struct json *list = json_get(b, "env");

	put_machine(d, to);
	put_evidence(d, l, to);
	put_tools(d, to);
	put_config(d, to);
	for (size_t i = 0; i < json_count(list); i++)
		str_addf(&env, "%s%s", i ? " " : "", answer_str(json_at(list, i), NULL));
	if (env.n)
		doc_item(to, "environment: %s", env.p);
	doc_item(
		to,
		"made by culprit %s; %u builds, %u boots and %u runs stand behind this report, %s%lld",
		d->version, d->builds, d->boots, d->runs, "hunt ", (long long)d->main.hunt);
	put_command("build", answer_str(q, "config.project.build"), to);
	if (b)
		doc_item(to, "benchmark: %s%s", answer_str(q, "benchmark"),
			 measures[measure >= 0 && measure < 3 ? measure : 0]);
	put_command("its setup", answer_str(b, "setup"), to);
	put_command("before each run", answer_str(b, "prepare"), to);
	put_command("its command", answer_str(b, "command"), to);
}

/* --- again, by hand ------------------------------------------------------------------------------------------------ */

/* One line of shell, or a name for the lines that stand in the setup. */
static char *one_line(const char *command, const char *file)
{
	AUTO(str) struct str s = STR_INIT;

	str_puts(&s, command);
	str_trim_end(&s);
	return strchr(s.p, '\n') ? xasprintf("sh %s", file) : str_take(&s);
}

/* How the metric is read off by hand. */
static void put_measured(const char *metric, long long measure, const char *command,
			 struct str *out)
{
	static const char *const timed[] = { "wall", "user", "system", "sys", "cpu" };

	if (measure == 2) {
		str_addf(out, "valgrind --tool=callgrind %s 2>&1 | grep refs", command);
		return;
	}
	if (measure == 1) {
		str_addf(out, "perf stat -- sh -c '%s'", command);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(timed); i++)
		if (!strcmp(metric, timed[i])) {
			str_addf(out, "time ( %s )", command);
			return;
		}
	if (!strcmp(metric, "max_rss") || !strcmp(metric, "peak"))
		str_addf(out, "/usr/bin/time -v sh -c '%s'", command);
	else
		str_puts(out, command);
}

static void two_revisions(const struct dossier *d, char *ret[2])
{
	const struct json *a = d->main.answer;
	const char *culprit = answer_str(a, "culprit");
	const char *second = *culprit			    ? culprit
			     : *answer_str(a, "new.commit") ? answer_str(a, "new.commit")
							    : answer_str(a, "variants[1]");
	const char *first = *culprit && d->git.parent	   ? d->git.parent
			    : *answer_str(a, "old.commit") ? answer_str(a, "old.commit")
							   : answer_str(a, "variants[0]");
	size_t n = strspn(second, "0123456789abcdef");

	ret[0] = xstrndup(first, strspn(first, "0123456789abcdef") >= 40 ? 12 : strlen(first));
	ret[1] = xstrndup(second, n >= 40 ? 12 : strlen(second));
	if (*culprit && !d->git.parent && n >= 40) {
		free(ret[0]);
		ret[0] = xasprintf("%s^", ret[1]);
	}
}

static bool is_release(const char *name)
{
	return starts_with(name, "deb=") || starts_with(name, "image=");
}

/* A variant as git and a shell take it: changes behind the revision are not for them. */
static bool can_check_out(const char *name)
{
	return *name && !strpbrk(name, ":'\"\\$`;&|<>() ");
}

void letter_reproduce(const struct dossier *d, struct letter *l)
{
	const struct json *q = d->main.question, *b = benchmark_of(d);
	AUTO_FREE char *build = one_line(answer_str(q, "config.project.build"), "build.sh");
	AUTO_FREE char *command = one_line(answer_str(b, "command"), "bench.sh");
	AUTO(str) struct str text = STR_INIT, run = STR_INIT;
	const char *metric = answer_str(d->main.answer, "metric");
	char *rev[2];

	if (!*command || starts_with(answer_str(q, "target"), "sim"))
		return;
	if (!*metric)
		metric = answer_str(d->main.answer, "metrics[0].metric");
	two_revisions(d, rev);
	put_measured(metric, answer_int(q, "measure"), command, &run);
	if (is_release(rev[0]) || is_release(rev[1])) {
		str_addf(&text, "# boot each of the two, then:\n# %s, %s\n%s\n", rev[0], rev[1],
			 run.p);
	} else if (json_count(json_get(q, "config.kernel.config")) || d->git.is_kernel) {
		str_addf(&text, "for c in %s %s; do git checkout -q $c && %s || break\n", rev[0],
			 rev[1], *build ? build : "make olddefconfig && make -j$(nproc)");
		str_addf(&text, "  # boot it, then:\n  %s\ndone\n", run.p);
	} else if (can_check_out(rev[0]) && can_check_out(rev[1])) {
		str_addf(&text, "for c in %s %s; do git checkout -q $c\n  %s || break\n", rev[0],
			 rev[1], *build ? build : "true");
		str_addf(&text, "  for i in $(seq %d); do %s; done\ndone\n", REPEATS, run.p);
	}
	free(rev[0]);
	free(rev[1]);
	if (text.n)
		doc_code(&l->reproduce, text.p);
	if (strstr(text.p, ".../"))
		doc_paragraph(
			&l->reproduce,
			"(.../ stands for a folder outside of the project, whose name is left out.)");
}
