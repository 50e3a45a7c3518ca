/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The question and the answer are JSON of whoever made the hunt, maybe of another version, and of a bundle maybe a stranger's: what is
 * missing here is left out, never an error.
 */
#include "cli/journal_text.h"

#include "base/num.h"
#include "hunt/describing.h"
#include "report/answer.h"

#include <ctype.h>
#include <string.h>

#define AUTO_JSON __attribute__((cleanup(json_root_done)))

/* Text of benchmarks, commits and strangers goes to terminals: what could steer one is shown as '?'. */
static void tame(struct str *out, size_t from)
{
	for (size_t i = from; i < out->n; i++)
		if ((unsigned char)out->p[i] < 0x20 || out->p[i] == 0x7f)
			out->p[i] = '?';
}

static struct json *parse(const char *text)
{
	struct json *root = NULL;

	if (!text || json_parse(text, strlen(text), "journal", &root, NULL) < 0)
		return NULL;
	return root;
}

/* A variant's canonical text is "commit=NAME" and a line for each change. */
/* Object names get short, wherever they stand: "OID^", "v1:revert=OID". */
void journal_put_node(const char *node, struct str *out)
{
	static const char prefix[] = "commit=", hex[] = "0123456789abcdef";
	const char *p = starts_with(node, prefix) ? node + strlen(prefix) : node;

	while (*p) {
		size_t n = strspn(p, hex);

		if ((n == 40 || n == 64) && !isalnum((unsigned char)p[n])) {
			str_add(out, p, 12);
			p += n;
		} else if (n) {
			str_add(out, p, n);
			p += n;
		} else if (*p != '\n') {
			str_putc(out, *p++);
		} else if (*++p) {
			str_putc(out, ':');
		}
	}
}

/* --- a hunt ------------------------------------------------------------------------------------------------------- */

static void put_list(const struct json *list, struct str *out)
{
	for (size_t i = 0; i < json_count(list); i++) {
		const char *name = json_to_text(json_at(list, i), NULL);

		if (i)
			str_putc(out, ' ');
		journal_put_node(name ? name : "?", out);
	}
}

/* The old and the new end: what the user called them if that is kept, else the question's object names. */
static bool put_ends(const struct json *question, const struct json *answer, struct str *out)
{
	const char *old = json_to_text(answer, "old.name"), *new = json_to_text(answer, "new.name");

	if (!old || !new) {
		old = json_to_text(question, "old");
		new = json_to_text(question, "new");
	}
	if (!old || !new) {
		old = json_to_text(question, "good_name");
		new = json_to_text(question, "bad_name");
	}
	if (!old || !new)
		return false;
	journal_put_node(old, out);
	str_puts(out, " .. ");
	journal_put_node(new, out);
	return true;
}

/* A trial that has no answer yet, or could measure nothing. */
static void put_trial(const struct json *q, const struct json *answer, struct str *out)
{
	const struct json *patches = json_get(q, "patches");
	const char *ends[] = { json_to_text(q, "good"), json_to_text(q, "bad") };
	const char *names[] = { json_to_text(answer, "good.name"),
				json_to_text(answer, "bad.name") };

	for (size_t i = 0; i < ARRAY_LEN(ends) && json_count(patches); i++)
		if (ends[i]) {
			str_puts(out, i ? " " : "");
			journal_put_node(names[i] ? names[i] : ends[i], out);
		}
	for (size_t i = 0; i < json_count(patches); i++) {
		const char *file = json_to_text(json_at(patches, i), "file");

		str_addf(out, " %s", file ? file : "?");
	}
}

void journal_question(const struct hunt_row *h, struct str *out)
{
	AUTO_JSON struct json *root = parse(h->question), *answer = parse(h->answer);
	const struct json *q = json_get(root, "question");
	const char *benchmark = json_to_text(root, "benchmark");
	size_t before = out->n;

	if (!q)
		q = root;
	if (!put_ends(q, answer, out)) {
		const struct json *variants = json_get(answer, "variants");

		put_trial(q, answer, out);
		if (out->n == before)
			put_list(json_count(variants) ? variants : json_get(q, "variants"), out);
	}
	if (benchmark && strcmp(benchmark, "default"))
		str_addf(out, "%s(%s)", out->n > before ? " " : "", benchmark);
	if (out->n == before)
		str_puts(out, "?");
	tame(out, before);
}

/* Of an investigation. */
static void put_culprits(const struct json *list, struct str *out)
{
	for (size_t i = 0; i < json_count(list); i++) {
		const char *commit = json_to_text(json_at(list, i), "commit");

		str_puts(out, i ? ", " : ": ");
		journal_put_node(commit ? commit : "?", out);
	}
}

static void put_bisect(const struct json *a, struct str *out)
{
	const char *verdict = json_to_text(a, "verdict"), *culprit = json_to_text(a, "culprit");
	const char *subject = json_to_text(a, "named.subject");
	double p, change;

	if (culprit && !strcmp(verdict, "named")) {
		journal_put_node(culprit, out);
		if (json_to_number(a, "change", &change)) {
			str_putc(out, ' ');
			answer_plain_change(change, out);
		}
		if (json_to_number(a, "probability", &p)) {
			str_puts(out, ", P = ");
			answer_probability(p, out);
		}
		if (subject)
			str_addf(out, "  %s", subject);
	} else if (!strcmp(verdict, "set")) {
		str_addf(out, "one of %zu commits", json_count(json_get(a, "suspects")));
	} else if (!strcmp(verdict, "no-change")) {
		str_puts(out, "no change");
	} else if (!strcmp(verdict, "multiple")) {
		str_puts(out, "more than one change");
	} else {
		const char *commit = json_to_text(a, "culprit.commit"); /* of a confirmation */

		if (commit) {
			journal_put_node(commit, out);
			str_putc(out, ' ');
		}
		str_puts(out, verdict);
		put_culprits(json_get(a, "culprits"), out);
	}
}

/* The primary metrics, or all if none is marked; at most three. */
static void put_metrics(const struct json *metrics, struct str *out)
{
	bool any = false, primary = false;
	unsigned shown = 0;

	for (size_t i = 0; i < json_count(metrics); i++)
		any = any || (json_to_bool(json_at(metrics, i), "primary", &primary) && primary);
	for (size_t i = 0; i < json_count(metrics) && shown < 3; i++) {
		const struct json *m = json_at(metrics, i);
		const char *name = json_to_text(m, "metric"), *verdict = json_to_text(m, "verdict");
		const char *unit = json_to_text(m, "unit");
		enum verdict v;
		double change;

		primary = false;
		if (any && !(json_to_bool(m, "primary", &primary) && primary))
			continue;
		str_addf(out, "%s%s", shown++ ? "; " : "", name ? name : "?");
		if (json_to_number(m, "change", &change)) {
			str_putc(out, ' ');
			answer_plain_change(change, out);
		}
		if (verdict && verdict_parse(verdict, &v))
			str_addf(out, " %s",
				 answer_work_word(answer_str(m, "evidence"), v, name ? name : "",
						  unit ? unit : ""));
	}
}

void journal_answer(const struct hunt_row *h, const struct hunt_counts *c, struct str *out)
{
	AUTO_JSON struct json *a = parse(h->answer);
	const struct json *metrics = json_get(a, "metrics");
	size_t before = out->n;

	if (strcmp(h->status, "answered")) {
		str_puts(out, h->status);
		if (c) {
			str_puts(out, ": ");
			journal_counts(c, out);
		}
		return;
	}
	if (json_to_text(a, "verdict"))
		put_bisect(a, out);
	else if (json_count(metrics))
		put_metrics(metrics, out);
	if (out->n == before)
		str_puts(out, "answered");
	tame(out, before);
}

static void put_count(struct str *out, unsigned n, unsigned failed, const char *what)
{
	str_addf(out, "%s%u %s%s", out->n && out->p[out->n - 1] != ' ' ? ", " : "", n, what,
		 n == 1 ? "" : "s");
	if (failed)
		str_addf(out, " (%u failed)", failed);
}

void journal_counts(const struct hunt_counts *c, struct str *out)
{
	AUTO(str) struct str s = STR_INIT;

	put_count(&s, c->builds, c->failed_builds, "build");
	put_count(&s, c->boots, c->failed_boots, "boot");
	put_count(&s, c->runs + c->failed_runs, c->failed_runs, "run");
	if (c->marks)
		put_count(&s, c->marks, 0, "mark");
	if (c->withdrawn)
		str_addf(&s, ", %u withdrawn", c->withdrawn);
	str_puts(out, s.p);
}

/* --- an observation ----------------------------------------------------------------------------------------------- */

void journal_readings(const struct readings *r, size_t max, struct str *out)
{
	for (size_t i = 0; i < r->n && i < max; i++) {
		str_addf(out, "%s%s ", i ? ", " : "", r->v[i].metric);
		num_put_value(out, r->v[i].value, r->v[i].unit, 4);
	}
	if (r->n > max)
		str_addf(out, ", and %zu more", r->n - max);
}

static void put_outcome(const struct observation *o, struct str *out)
{
	str_puts(out, outcome_name(o->outcome));
	if (o->reason && *o->reason)
		str_addf(out, " (%s)", o->reason);
}

static void put_run(const struct observation *o, struct str *out)
{
	str_addf(out, "run    r%lld of b%lld, %s ", (long long)o->run, (long long)o->build,
		 o->benchmark);
	if (o->index <= RUN_DESCRIBES)
		str_puts(out, "describes the machine: ");
	else if (o->index < 0)
		str_addf(out, "warm-up %d: ", -o->index);
	else
		str_addf(out, "#%d: ", o->index);
	put_outcome(o, out);
	if (o->readings.n)
		str_puts(out, ", ");
	journal_readings(&o->readings, 6, out);
}

void journal_observation(const struct observation *o, struct str *out)
{
	size_t before = out->n;

	switch (o->kind) {
	case OBS_BUILD:
		str_addf(out, "build  b%lld for ", (long long)o->build);
		journal_put_node(o->node ? o->node : "?", out);
		str_puts(out, ": ");
		put_outcome(o, out);
		str_puts(out, ", ");
		num_put_duration(out, (int64_t)(o->seconds * 1e9));
		break;
	case OBS_BOOT:
		str_addf(out, "boot   v%lld of b%lld: ", (long long)o->boot, (long long)o->build);
		put_outcome(o, out);
		break;
	case OBS_RUN:
		put_run(o, out);
		break;
	case OBS_MARK:
		str_puts(out, "mark   ");
		journal_put_node(o->node ? o->node : "?", out);
		str_addf(out, " %s", o->text ? o->text : "?");
		break;
	case OBS_ACTION:
		str_addf(out, "action %s", o->text ? o->text : "");
		break;
	case OBS_NOTE:
		str_addf(out, "note   %s", o->text ? o->text : "");
		break;
	}
	tame(out, before);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

void journal_json(struct json_out *w, const char *key, const char *text)
{
	AUTO_JSON struct json *root = parse(text);

	if (!root)
		json_out_text(w, key, text);
	else
		json_out_raw(w, key, text);
}

void journal_json_counts(struct json_out *w, const struct hunt_counts *c)
{
	json_out_int(w, "builds", c->builds);
	json_out_int(w, "failed_builds", c->failed_builds);
	json_out_int(w, "boots", c->boots);
	json_out_int(w, "failed_boots", c->failed_boots);
	json_out_int(w, "runs", c->runs);
	json_out_int(w, "failed_runs", c->failed_runs);
	json_out_int(w, "warmup_runs", c->warmup_runs);
	json_out_int(w, "marks", c->marks);
	json_out_int(w, "withdrawn", c->withdrawn);
	json_out_number(w, "build_seconds", c->build_seconds);
	json_out_number(w, "run_seconds", c->run_seconds);
}

void journal_json_hunt(struct json_out *w, const struct hunt_row *h)
{
	json_out_int(w, "hunt", h->id);
	json_out_text(w, "kind", h->kind);
	json_out_text(w, "status", h->status);
	json_out_number(w, "began", (double)h->began_ns / 1e9);
	if (h->ended_ns)
		json_out_number(w, "ended", (double)h->ended_ns / 1e9);
	else
		json_out_null(w, "ended");
	journal_json(w, "question", h->question);
	journal_json(w, "answer", h->answer);
}
