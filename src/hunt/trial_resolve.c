/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From patch files to sides, and the question of the hunt. Whether a patch applies is found out before anything is built; one that does not is
 * an answer about that patch, not the end of the others.
 */
#include "hunt/trial_work.h"

#include "hunt/sides.h"
#include "text/json.h"

#include <string.h>

static const char *const verdict_names[TRIAL_VERDICTS] = {
	"undecided",	  "repairs",	     "partly", "no-help", "no-loss",
	"does-not-apply", "changes-nothing", "broken", "fails"
};

const char *trial_verdict_name(enum trial_verdict v)
{
	return verdict_names[v];
}

static bool parse_verdict(const char *name, enum trial_verdict *ret)
{
	for (size_t i = 0; name && i < TRIAL_VERDICTS; i++)
		if (!strcmp(name, verdict_names[i])) {
			*ret = (enum trial_verdict)i;
			return true;
		}
	return false;
}

void trial_done(struct trial *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->patches[i].file);
		free(t->patches[i].title);
		free(t->patches[i].node);
		free(t->patches[i].why);
	}
	free(t->patches);
	duel_done(&t->duel);
}

/* --- patches --------------------------------------------------------------------------------------------------- */

/* The subject of a mail without "[PATCH v2 1/3]" in front; a folded one is joined. */
static char *title_of(const char *text)
{
	AUTO(str) struct str out = STR_INIT_MAX(200);
	const char *p = starts_with(text, "Subject: ") ? text : strstr(text, "\nSubject: ");

	if (!p)
		return xstrdup("");
	p += strcspn(p, " ") + 1;
	if (*p == '[')
		p += strcspn(p, "]\n");
	p += *p == ']';
	p += strspn(p, " ");
	for (; *p; p++) {
		if (*p != '\n')
			str_putc(&out, *p);
		else if (p[1] == ' ' || p[1] == '\t')
			continue;
		else
			break;
	}
	str_trim_end(&out);
	str_make_printable(&out);
	return str_take(&out);
}

static const char *bytes_of(const struct variant *v)
{
	for (size_t i = v->n_changes; i-- > 0;)
		if (v->changes[i].kind == CHANGE_PATCH)
			return v->changes[i].patch;
	return "";
}

static void refused(struct trial_patch *p, const struct refusal *f, struct str *why)
{
	p->known = f->kind == REFUSAL_EMPTY ? TRIAL_NOTHING : TRIAL_DOES_NOT_APPLY;
	str_make_printable(why);
	p->why = str_take(why);
}

/* Side `i` of the duel, unless it cannot be one. */
static int add_patch(struct trial *t, struct trial_patch *p, size_t i, struct err *e)
{
	const struct trial_options *o = t->o;
	AUTO_FREE char *text = xasprintf("%s:patch=%s", o->bad, p->file);
	AUTO(refusal) struct refusal f = { .kind = REFUSAL_NONE };
	AUTO(variant) struct variant v = { 0 };
	AUTO(str) struct str why = STR_INIT;
	char tree[65];
	int r = variant_parse(t->s->repo, text, &v, e);

	if (r < 0)
		return r;
	p->title = title_of(bytes_of(&v));
	if ((r = variant_try(t->s->repo, &v, tree, &f, &why, e)) < 0)
		return r;
	if (f.kind != REFUSAL_NONE) {
		if (f.change < v.n_changes - 1)
			return err_set(e, ERR_USAGE, "%s: %s", o->bad, why.p);
		refused(p, &f, &why);
		return 0;
	}
	if ((r = side_parse(t->s, &t->duel, i, text, e)) < 0)
		return r == -ERR_USAGE ? err_set(e, ERR_USAGE,
						 "%s is the same patch as one before it", p->file)
				       : r;
	free(t->duel.sides[i].label);
	t->duel.sides[i].label = xstrdup(p->file);
	p->node = xstrdup(t->duel.sides[i].node);
	p->side = i;
	return 0;
}

int trial_resolve(struct trial *t, struct err *e)
{
	const struct trial_options *o = t->o;
	size_t sides = CONFIRM_FIXED;
	int r;

	duel_init(&t->duel, CONFIRM_FIXED + o->n, o->alpha, o->margin);
	t->patches = xcalloc(o->n + 1, sizeof(*t->patches));
	t->good_source = o->good_source;
	if ((r = side_parse_as(t->s, &t->duel, CONFIRM_GOOD, o->good, o->good_name, e)) < 0 ||
	    (r = side_parse_as(t->s, &t->duel, CONFIRM_BAD, o->bad, o->bad_name, e)) < 0)
		return r;
	for (; t->n < o->n && r == 0; t->n++) {
		struct trial_patch *p = &t->patches[t->n];

		p->file = xstrdup(o->patches[t->n]);
		r = add_patch(t, p, sides, e);
		sides += p->side != 0;
	}
	t->duel.n_sides = sides;
	return r;
}

/* --- the question ------------------------------------------------------------------------------------------------ */

void trial_question(const struct trial *t, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_text(&w, "good", t->duel.sides[CONFIRM_GOOD].node);
	json_out_text(&w, "bad", t->duel.sides[CONFIRM_BAD].node);
	json_out_array(&w, "patches");
	for (size_t i = 0; i < t->n; i++) {
		const struct trial_patch *p = &t->patches[i];

		json_out_object(&w, NULL);
		json_out_text(&w, "file", p->file);
		json_out_text(&w, "title", p->title);
		json_out_text(&w, "variant", p->node);
		if (p->known != TRIAL_UNDECIDED) {
			json_out_text(&w, "verdict", verdict_names[p->known]);
			json_out_text(&w, "why", p->why);
		}
		json_out_close(&w);
	}
	json_out_close(&w);
	json_out_number(&w, "alpha", t->o->alpha);
	json_out_number(&w, "margin", t->o->margin);
	json_out_int(&w, "max_runs", t->o->max_runs);
	json_out_close(&w);
}

static void read_patch(struct trial *t, const struct json *row, size_t *sides)
{
	struct trial_patch *p = &t->patches[t->n++];

	p->file = json_copy_text(row, "file");
	p->title = json_copy_text(row, "title");
	p->node = json_copy_text(row, "variant");
	p->why = json_copy_text(row, "why");
	if (parse_verdict(json_to_text(row, "verdict"), &p->known) || !p->node)
		return;
	p->side = (*sides)++;
	t->duel.sides[p->side].node = xstrdup(p->node);
	t->duel.sides[p->side].label = xstrdup(p->file ? p->file : "");
}

int trial_read_question(struct trial *t, const struct json *question, struct err *e)
{
	const struct json *list = json_get(question, "patches");
	const char *good = json_to_text(question, "good"), *bad = json_to_text(question, "bad");
	double alpha = 0.05, margin = 0.01;
	size_t sides = CONFIRM_FIXED;

	if (!good || !bad || !json_count(list))
		return err_set(e, ERR_BROKEN, "the question of a trial is incomplete");
	json_to_number(question, "alpha", &alpha);
	json_to_number(question, "margin", &margin);
	duel_init(&t->duel, CONFIRM_FIXED + json_count(list), alpha, margin);
	t->patches = xcalloc(json_count(list), sizeof(*t->patches));
	t->duel.sides[CONFIRM_GOOD].node = xstrdup(good);
	t->duel.sides[CONFIRM_GOOD].label = xstrdup(good);
	t->duel.sides[CONFIRM_BAD].node = xstrdup(bad);
	t->duel.sides[CONFIRM_BAD].label = xstrdup(bad);
	for (size_t i = 0; i < json_count(list); i++)
		read_patch(t, json_at(list, i), &sides);
	t->duel.n_sides = sides;
	return 0;
}
