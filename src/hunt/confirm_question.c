/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a confirmation is in the journal: its question, why a revert could not be had, and the builds, from which follow what needed no run.
 * Live, resumed and verified hunts come to the same answer through these.
 */
#include "hunt/confirm_work.h"

#include "hunt/sides.h"
#include "text/json.h"

#include <string.h>

static const char refusal_note[] = "cannot be taken out: ";

/* --- the question ------------------------------------------------------------------------------------------------ */

static void take_list(const struct json *list, struct strvec *ret)
{
	for (size_t i = 0; i < json_count(list); i++) {
		const char *text = json_to_text(json_at(list, i), NULL);

		strvec_add(ret, text ? text : "");
	}
}

void confirm_question(const struct confirm *c, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_text(&w, "commit", c->commit);
	json_out_text(&w, "parent", c->parent);
	json_out_bool(&w, "fix", c->fix);
	json_out_text(&w, "means", c->means);
	json_out_texts(&w, "reverted", (const char *const *)c->reverted.v);
	json_out_array(&w, "variants");
	for (size_t i = 0; i < c->duel.n_sides; i++)
		json_out_text(&w, NULL, c->duel.sides[i].node);
	json_out_close(&w);
	json_out_bool(&w, "not_picked", c->picked_why != NULL);
	json_out_bool(&w, "relayout", c->relaid.n_sides > 0);
	json_out_number(&w, "alpha", c->o->alpha);
	json_out_number(&w, "margin", c->o->margin);
	json_out_int(&w, "max_runs", c->o->max_runs);
	json_out_close(&w);
}

int confirm_read_question(struct confirm *c, const struct json *question, struct err *e)
{
	static const char *const means[] = { "revert", "patch", "knob" };
	const struct json *nodes = json_get(question, "variants");
	const char *word = json_to_text(question, "means");
	double alpha = 0.05, margin = 0.01;
	bool relayout = false, not_picked = false;

	for (size_t i = 0; word && i < ARRAY_LEN(means); i++)
		if (!strcmp(word, means[i]))
			c->means = means[i];
	json_to_number(question, "alpha", &alpha);
	json_to_number(question, "margin", &margin);
	if (json_to_bool(question, "not_picked", &not_picked) && not_picked)
		c->picked_why = xstrdup("");
	json_to_bool(question, "fix", &c->fix);
	json_to_bool(question, "relayout", &relayout);
	c->commit = json_copy_text(question, "commit");
	c->parent = json_copy_text(question, "parent");
	take_list(json_get(question, "reverted"), &c->reverted);
	if (!c->means || json_count(nodes) < 3 || json_count(nodes) > 4 ||
	    (relayout && !(c->commit && c->parent)))
		return err_set(e, ERR_BROKEN, "the question of a confirmation is incomplete");
	duel_init(&c->duel, json_count(nodes), alpha, margin);
	for (size_t i = 0; i < c->duel.n_sides; i++) {
		const char *node = json_to_text(json_at(nodes, i), NULL);

		c->duel.sides[i].node = xstrdup(node ? node : "");
		c->duel.sides[i].label = xstrdup(node ? node : ""); /* not compared */
	}
	if (relayout)
		confirm_relaid_sides(c);
	return 0;
}

/* --- another layout ---------------------------------------------------------------------------------------------- */

/* A node of its own, so that its runs are told from those of the same commit in the comparison. */
static void relaid_side(struct duel_side *side, const char *oid)
{
	AUTO(str) struct str key = STR_INIT;

	variant_of_commit(oid, &side->variant);
	variant_key(&side->variant, &key);
	str_puts(&key, "layout=1\n");
	side->label = xasprintf("%.12s in another layout", oid);
	side->node = str_take(&key);
}

void confirm_relaid_sides(struct confirm *c)
{
	AUTO(str) struct str key = STR_INIT;
	struct variant v;

	duel_init(&c->relaid, 2, c->duel.alpha, c->duel.margin);
	c->relaid.tag = "layout";
	relaid_side(&c->relaid.sides[0], c->parent);
	relaid_side(&c->relaid.sides[1], c->commit);
	variant_of_commit(c->commit, &v);
	variant_key(&v, &key);
	variant_done(&v);
	c->plain_node = str_take(&key);
}

enum confirm_survival confirm_relaid_state(const struct confirm *c)
{
	const struct mbuild *parent, *commit, *plain;

	if (!c->relaid.n_sides)
		return SURVIVAL_NOT_ASKED;
	parent = sides_build_of(c->s, c->relaid.sides[0].node, 1);
	commit = sides_build_of(c->s, c->relaid.sides[1].node, 1);
	plain = sides_build_of(c->s, c->plain_node, 0);
	if (!parent || !commit || !plain)
		return SURVIVAL_NOT_ASKED; /* it was not come to */
	if (parent->outcome != OUTCOME_OK || commit->outcome != OUTCOME_OK)
		return SURVIVAL_BROKEN;
	return *plain->artefact && !strcmp(plain->artefact, commit->artefact) ? SURVIVAL_NOT_TAKEN
									      : SURVIVAL_UNDECIDED;
}

/* --- what needs no run ------------------------------------------------------------------------------------------- */

static bool same_artefacts(const struct confirm *c, size_t i, size_t k)
{
	return sides_same_artefacts(c->s, c->duel.sides[i].node, c->duel.sides[k].node);
}

void confirm_compare_artefacts(struct confirm *c)
{
	struct mbuild *fixed = sides_build_of(c->s, c->duel.sides[CONFIRM_FIXED].node, 0);
	const struct mbuild *picked =
		c->duel.n_sides > CONFIRM_PICKED
			? sides_build_of(c->s, c->duel.sides[CONFIRM_PICKED].node, 0)
			: NULL;

	if (picked && picked->outcome != OUTCOME_OK) {
		c->picked_why = xasprintf("%s does not build: %s",
					  c->duel.sides[CONFIRM_PICKED].label, picked->reason);
		duel_drop(&c->duel, c->duel.n_sides - 1);
	}
	c->broken = fixed && fixed->outcome != OUTCOME_OK ? fixed : NULL;
	c->no_difference = same_artefacts(c, CONFIRM_GOOD, CONFIRM_BAD);
	c->same_as_bad = same_artefacts(c, CONFIRM_FIXED, CONFIRM_BAD);
}

/* --- why it cannot be taken out ----------------------------------------------------------------------------------- */

void confirm_refusal_note(const struct confirm *c, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	str_puts(out, refusal_note);
	json_out_object(&w, NULL);
	json_out_text(&w, "verdict", confirm_verdict_name(c->refusal.verdict));
	json_out_text(&w, "why", c->refusal.why);
	json_out_texts(&w, "files", (const char *const *)c->refusal.paths.v);
	json_out_texts(&w, "dependents", (const char *const *)c->refusal.dependents.commits.v);
	json_out_bool(&w, "complete", c->refusal.dependents.complete);
	json_out_text(&w, "undone_by", c->refusal.undone_by);
	json_out_close(&w);
}

bool confirm_take_refusal(struct confirm *c, const char *note)
{
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	struct confirm_refusal *f = &c->refusal;
	const char *text = note + strlen(refusal_note);

	if (!starts_with(note, refusal_note) ||
	    json_parse(text, strlen(text), "a note", &root, NULL) < 0 ||
	    !confirm_verdict_parse(json_to_text(root, "verdict"), &f->verdict))
		return false;
	f->why = json_copy_text(root, "why");
	take_list(json_get(root, "files"), &f->paths);
	take_list(json_get(root, "dependents"), &f->dependents.commits);
	json_to_bool(root, "complete", &f->dependents.complete);
	f->undone_by = json_copy_text(root, "undone_by");
	return true;
}
