/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/keys.h"

#include "base/num.h"
#include "text/json.h"

#include <string.h>

void given_done(struct given *g)
{
	free(g->v);
}

/* Does `key` begin with `pattern` and a dot? Returns the rest, else NULL. */
static const char *below(const char *key, const char *pattern)
{
	size_t n = strlen(pattern);

	if (!n)
		return key;
	return starts_with(key, pattern) && key[n] == '.' ? key + n + 1 : NULL;
}

/* The pattern of child `name` under `pattern`: a key or section of that name, or the '*' that takes any. NULL if neither. */
char *keys_child(const struct conf_key *keys, const char *pattern, const char *name)
{
	for (int star = 0; star < 2; star++) {
		const char *want = star ? "*" : name;

		for (const struct conf_key *k = keys; k->path; k++) {
			const char *rest = below(k->path, pattern);
			size_t n = rest ? strcspn(rest, ".") : 0;

			if (n && n == strlen(want) && !memcmp(rest, want, n))
				return xasprintf("%s%s%s", pattern, *pattern ? "." : "", want);
		}
	}
	return NULL;
}

const struct conf_key *keys_exact(const struct conf_key *keys, const char *pattern)
{
	for (const struct conf_key *k = keys; k->path; k++)
		if (!strcmp(k->path, pattern))
			return k;
	return NULL;
}

const struct conf_key *conf_find(const struct conf_key *keys, const char *path, char **ret_name)
{
	for (const struct conf_key *k = keys; k->path; k++) {
		const char *star = strchr(k->path, '*');
		size_t head = star ? (size_t)(star - k->path) : 0, n = strlen(path);
		size_t tail = star ? strlen(star + 1) : 0;

		if (!star && !strcmp(k->path, path)) {
			if (ret_name)
				*ret_name = NULL;
			return k;
		}
		if (star && n > head + tail && !memcmp(k->path, path, head) &&
		    ends_with(path, star + 1)) {
			if (ret_name)
				*ret_name = xstrndup(path + head, n - head - tail);
			return k;
		}
	}
	return NULL;
}

const char *conf_type_name(const struct conf_key *k)
{
	switch (k->type) {
	case CONF_STRING:
		return "text";
	case CONF_STRINGS:
		return "list";
	case CONF_PAIRS:
		return "names with values";
	case CONF_BOOL:
		return "yes or no";
	case CONF_UINT:
		return "whole number";
	case CONF_DURATION:
		return "time like 90s or 5m";
	case CONF_SIZE:
		return "size like 512M or 2G";
	case CONF_RATIO:
		return "ratio like 1% or 0.01";
	case CONF_CHOICE:
		return "one of the words below";
	}
	return "?";
}

/* Appends what may stand under `pattern`, as "a, b, c", and offers each name for "did you mean". */
static void list_children(const struct conf_key *keys, const char *pattern, struct str *list,
			  struct nearest *near)
{
	const char *last = "";
	size_t last_n = 0;

	for (const struct conf_key *k = keys; k->path; k++) {
		const char *rest = below(k->path, pattern);
		size_t n = rest ? strcspn(rest, ".") : 0;

		if (!n || *rest == '*' || (n == last_n && !memcmp(rest, last, n)))
			continue;
		AUTO_FREE char *name = xstrndup(rest, n);

		str_addf(list, "%s%s", list->n ? ", " : "", name);
		if (near) {
			nearest_offer(near, name);
			/* `best` must outlive the name: it points into the table where it can. */
			if (near->best == name)
				near->best = rest;
		}
		last = rest;
		last_n = n;
	}
}

int keys_unknown(const struct conf_key *keys, const char *where, const char *pattern,
		 const char *parent, const char *name, struct err *e)
{
	AUTO(str) struct str known = STR_INIT;
	struct nearest near = NEAREST_INIT(name);
	const char *dot = *parent ? "." : "";

	list_children(keys, pattern, &known, &near);
	if (!strcmp(name, "<<"))
		return err_set(e, ERR_USAGE, "%smerge keys ('<<') are not read; repeat the keys",
			       where);
	if (near.best)
		return err_set(e, ERR_USAGE, "%sunknown key '%.80s%s%.60s', did you mean '%.*s'?",
			       where, parent, dot, name, (int)strcspn(near.best, "."), near.best);
	for (const struct conf_key *k = keys; k->path; k++) {
		const char *last = strrchr(k->path, '.');

		if (last && !strcmp(last + 1, name))
			return err_set(e, ERR_USAGE,
				       "%sunknown key '%.80s%s%.60s'; '%s' belongs into %.*s",
				       where, parent, dot, name, name, (int)(last - k->path),
				       k->path);
	}
	return err_set(e, ERR_USAGE, "%sunknown key '%.80s%s%.60s'; known here: %s", where, parent,
		       dot, name, known.p);
}

static int one_text(const struct given *g, const char *what, struct err *e)
{
	if (g->list || g->n != 1)
		return err_set(e, ERR_USAGE, "%s wants one value, not a list", what);
	return 0;
}

static int store_list(const struct conf_schema *s, const struct given *g, const char ***field)
{
	const char **v = arena_alloc(s->arena, (g->n + 1) * sizeof(*v));

	for (size_t i = 0; i < g->n; i++)
		v[i] = arena_strdup(s->arena, g->v[i]);
	*field = v;
	return 0;
}

static int store_pairs(const struct conf_schema *s, const struct given *g, const char *what,
		       const char ***field, struct err *e)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strchr(g->v[i], '=') || g->v[i][0] == '=')
			return err_set(e, ERR_USAGE, "%s wants NAME=VALUE, not '%.60s'", what,
				       g->v[i]);
	return store_list(s, g, field);
}

static int store_choice(const struct conf_key *k, const char *what, const char *text, int *field,
			struct err *e)
{
	AUTO(str) struct str list = STR_INIT;

	for (const struct conf_choice *c = k->choices; c->name; c++) {
		if (!strcmp(c->name, text)) {
			*field = c->value;
			return 0;
		}
		str_addf(&list, "%s%s", c == k->choices ? "" : c[1].name ? ", " : " or ", c->name);
	}
	return err_set(e, ERR_USAGE, "%s wants %s, not '%.60s'", what, list.p, text);
}

static int store_bool(const char *what, const char *text, bool *field, struct err *e)
{
	static const struct {
		const char *name;
		bool value;
	} words[] = { { "yes", true }, { "true", true }, { "no", false }, { "false", false } };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i].name, text)) {
			*field = words[i].value;
			return 0;
		}
	return err_set(e, ERR_USAGE, "%s wants yes or no, not '%.60s'", what, text);
}

static int store_uint(const struct conf_key *k, const char *what, const char *text, unsigned *field,
		      struct err *e)
{
	int64_t v, min = (int64_t)k->min, max = k->max > 0 ? (int64_t)k->max : UINT32_MAX;
	int r = num_parse_int(text, what, min, max, &v, e);

	if (!r)
		*field = (unsigned)v;
	return r;
}

static int store_ratio(const struct conf_key *k, const char *what, const char *text, double *field,
		       struct err *e)
{
	double v;
	int r = num_parse_ratio(text, what, &v, e);

	if (r < 0)
		return r;
	if ((k->min != 0 || k->max != 0) && (v < k->min || v > k->max))
		return err_set(e, ERR_USAGE, "%s wants a ratio from %g%% to %g%%, not '%.60s'",
			       what, k->min * 100, k->max * 100, text);
	*field = v;
	return 0;
}

/* `what` names the key in messages, with FILE:LINE before it. */
int keys_store(const struct conf_schema *s, const struct conf_key *k, const char *what,
	       const struct given *g, void *record, struct err *e)
{
	void *field = (char *)record + k->into;
	int r;

	if (k->type == CONF_STRINGS)
		return store_list(s, g, field);
	if (k->type == CONF_PAIRS)
		return store_pairs(s, g, what, field, e);
	r = one_text(g, what, e);
	if (r < 0)
		return r;
	switch (k->type) {
	case CONF_STRINGS:
	case CONF_PAIRS:
		break;
	case CONF_STRING:
		*(const char **)field = arena_strdup(s->arena, g->v[0]);
		break;
	case CONF_BOOL:
		return store_bool(what, g->v[0], field, e);
	case CONF_UINT:
		return store_uint(k, what, g->v[0], field, e);
	case CONF_DURATION:
		return num_parse_duration(g->v[0], what, field, e);
	case CONF_SIZE:
		return num_parse_size(g->v[0], what, field, e);
	case CONF_RATIO:
		return store_ratio(k, what, g->v[0], field, e);
	case CONF_CHOICE:
		return store_choice(k, what, g->v[0], field, e);
	}
	return 0;
}

void conf_defaults(const struct conf_schema *s, const char *section, void *record)
{
	for (const struct conf_key *k = s->keys; k->path; k++) {
		const char *rest = below(k->path, section);
		struct given g = { .v = (const char *[]){ k->def }, .n = k->def ? 1 : 0 };
		struct err e = ERR_INIT;

		if (!rest || strchr(rest, '.') ||
		    (!k->def && k->type != CONF_STRINGS && k->type != CONF_PAIRS))
			continue;
		if (keys_store(s, k, k->path, &g, record, &e) < 0)
			__builtin_trap(); /* a default that its own type refuses: the table is wrong */
	}
}

/* Has the pattern keys of its own (and so a record), or only sections below? */
bool keys_has_record(const struct conf_key *keys, const char *pattern)
{
	for (const struct conf_key *k = keys; k->path; k++) {
		const char *rest = below(k->path, pattern);

		if (*pattern && rest && !strchr(rest, '.'))
			return true;
	}
	return false;
}

static const char *choice_name(const struct conf_key *k, int value)
{
	for (const struct conf_choice *c = k->choices; c->name; c++)
		if (c->value == value)
			return c->name;
	return NULL;
}

static void put_key(const struct conf_key *k, const char *name, const void *field,
		    struct json_out *w)
{
	switch (k->type) {
	case CONF_STRING:
		json_out_text(w, name, *(const char *const *)field);
		break;
	case CONF_STRINGS:
	case CONF_PAIRS:
		json_out_texts(w, name, *(const char *const *const *)field);
		break;
	case CONF_BOOL:
		json_out_bool(w, name, *(const bool *)field);
		break;
	case CONF_UINT:
		json_out_int(w, name, *(const unsigned *)field);
		break;
	case CONF_DURATION:
	case CONF_SIZE:
		json_out_int(w, name, *(const int64_t *)field);
		break;
	case CONF_RATIO:
		json_out_number(w, name, *(const double *)field);
		break;
	case CONF_CHOICE:
		json_out_text(w, name, choice_name(k, *(const int *)field));
		break;
	}
}

void keys_put_json(const struct conf_key *keys, const char *section, const void *record,
		   struct json_out *w)
{
	for (const struct conf_key *k = keys; k->path; k++) {
		const char *rest = below(k->path, section);

		if (rest && !strchr(rest, '.') && !k->incidental)
			put_key(k, rest, (const char *)record + k->into, w);
	}
}
