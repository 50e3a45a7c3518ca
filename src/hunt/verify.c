/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same code that made the answer makes it again, from a session that has a journal and nothing else. What is compared is the
 * JSON: every number, and the texts that carry a verdict. Left out are the things that only the repository or the clock
 * know: subjects, authors, seconds, and the answers of further hunts, which are verified on their own.
 */
#include "hunt/verify.h"

#include "hunt/investigate.h"
#include "hunt/retrace.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void verify_report_done(struct verify_report *r)
{
	free(r->kind);
	free(r->version);
	strvec_done(&r->differences);
	*r = (struct verify_report){ 0 };
}

static bool left_out(const char *key)
{
	static const char *const keys[] = {
		"abbrev",	 "subject",	  "author", "time",    "seconds",  "name",
		"changes",	 "out_of_budget", "why",    "variant", "baseline", "variants",
		"outside_paths", "blind",	  "source", "of_hunt", NULL
	};

	for (const char *const *k = keys; *k; k++)
		if (!strcmp(*k, key))
			return true;
	return false;
}

static bool same_number(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void differ(struct verify_report *r, const char *path, const struct json *a,
		   const struct json *b)
{
	AUTO(str) struct str stored = STR_INIT_MAX(80);
	AUTO(str) struct str computed = STR_INIT_MAX(80);

	json_put(a, &stored);
	json_put(b, &computed);
	strvec_addf(&r->differences, "%s: stored %s, computed %s", path, stored.p, computed.p);
}

static void compare_json(const struct json *a, const struct json *b, const char *path,
			 struct verify_report *r)
{
	double x, y;

	if (json_kind(a) == JSON_IS_OBJECT) {
		const char *key;
		void *iter = NULL;
		const struct json *member;

		while ((member = json_next(a, &iter, &key))) {
			AUTO_FREE char *below = xasprintf("%s%s%s", path, *path ? "." : "", key);

			if (!left_out(key))
				compare_json(member, json_member(b, key), below, r);
		}
	} else if (json_kind(a) == JSON_IS_ARRAY) {
		if (json_count(a) != json_count(b))
			differ(r, path, a, b);
		for (size_t i = 0; i < json_count(a) && i < json_count(b); i++) {
			AUTO_FREE char *below = xasprintf("%s[%zu]", path, i);

			compare_json(json_at(a, i), json_at(b, i), below, r);
		}
	} else if (json_to_number(a, NULL, &x)) {
		r->numbers++;
		if (!json_to_number(b, NULL, &y) || !same_number(x, y))
			differ(r, path, a, b);
	} else {
		AUTO(str) struct str s = STR_INIT;
		AUTO(str) struct str t = STR_INIT;

		json_put(a, &s);
		json_put(b, &t);
		if (strcmp(s.p, t.p))
			differ(r, path, a, b);
	}
}

static bool is_known(const char *kind)
{
	static const char *const kinds[] = { "bisect",	"compare",   "explain", "run",
					     "confirm", "calibrate", "try",	"hunt" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i], kind))
			return true;
	return false;
}

/* An investigation rests on its stages: each is verified with it. */
static int verify_stages(struct store *st, const struct observations *obs,
			 struct verify_report *ret, struct err *e)
{
	int64_t hunt = 0;
	size_t at = 0;
	int r = 0;

	while (r == 0 && investigate_next_hunt(obs, &at, &hunt)) {
		struct verify_report one = { 0 };

		if ((r = verify_hunt(st, hunt, &one, e)) < 0)
			break;
		ret->observations += one.observations;
		ret->actions += one.actions;
		ret->numbers += one.numbers;
		for (size_t i = 0; i < one.differences.n; i++)
			strvec_addf(&ret->differences, "hunt %lld: %s", (long long)hunt,
				    one.differences.v[i]);
		verify_report_done(&one);
	}
	return r;
}

int verify_hunt(struct store *st, int64_t hunt, struct verify_report *ret, struct err *e)
{
	AUTO(hunt_row) struct hunt_row row = { 0 };
	AUTO(observations) struct observations obs = { 0 };
	__attribute__((cleanup(json_root_done))) struct json *stored = NULL;
	__attribute__((cleanup(json_root_done))) struct json *computed = NULL;
	AUTO_FREE char *text = NULL;
	static const struct hunt_ui silent = { 0 };
	struct session s = { .store = st, .ui = &silent, .journal_only = true };
	int r = store_hunt_get(st, hunt, &row, e);

	if (r < 0)
		return r;
	if (!is_known(row.kind))
		return err_set(
			e, ERR_USAGE,
			"hunt %lld is a '%s'; verify knows bisect, compare, explain, run, confirm, try, hunt and calibrate",
			(long long)row.id, row.kind);
	if (!row.answer)
		return err_set(e, ERR_MISSING, "hunt %lld has no answer yet to verify",
			       (long long)row.id);
	s.hunt = row.id;
	s.seed = row.seed;
	if ((r = store_observations(st, row.id, &obs, e)) < 0)
		return r;
	*ret = (struct verify_report){ .hunt = row.id,
				       .kind = xstrdup(row.kind),
				       .version = xstrdup(row.version) };
	for (size_t i = 0; i < obs.n; i++) {
		ret->observations++;
		ret->actions += obs.v[i].kind == OBS_ACTION;
	}
	r = retrace_answer(&s, &row, &obs, true, &text, e);
	if (r == 0)
		r = json_parse_stored(row.answer, "the stored answer", &stored, e);
	if (r == -ERR_BROKEN) {
		strvec_add(&ret->differences, e->msg);
		r = 0;
	} else if (r == 0 &&
		   (r = json_parse_stored(text, "the computed answer", &computed, e)) == 0) {
		compare_json(stored, computed, "", ret);
	}
	s.store = NULL;
	session_close(&s);
	if (r == 0 && !strcmp(row.kind, "hunt"))
		r = verify_stages(st, &obs, ret, e);
	if (r < 0)
		verify_report_done(ret);
	return r;
}
