/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libyaml's document API gives nodes with line numbers; what they mean is said by the table alone, so YAML's guesses about types
 * (no, 1:30, 0x10) never apply. The walk keeps two spellings of where it is: the path as written and the pattern that it
 * matched. Aliases make the document a graph: the walk counts nodes as it follows them, so that nine lines of
 * aliases do not unfold into a billion values, and a cycle ends at the depth limit.
 */
#include "text/conf.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct conf {
	yaml_document_t doc;
	const char *name;
};

struct walk {
	const struct conf *c;
	const struct conf_schema *s;
	size_t nodes;
	struct err *e;
};

/* --- the file --- */

static int line_of(const yaml_node_t *n)
{
	return (int)n->start_mark.line + 1;
}

static int at_line(const struct walk *w, const yaml_node_t *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int at_line(const struct walk *w, const yaml_node_t *n, const char *fmt, ...)
{
	AUTO(str) struct str s = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	return err_set(w->e, ERR_USAGE, "%s:%d: %s", w->c->name, line_of(n), s.p);
}

/* Everything that is wrong with a node whatever the table says. Counts it. */
static int check_node(struct walk *w, const yaml_node_t *n, unsigned depth)
{
	static const char *const plain[] = { [YAML_SCALAR_NODE] = YAML_DEFAULT_SCALAR_TAG,
					     [YAML_SEQUENCE_NODE] = YAML_DEFAULT_SEQUENCE_TAG,
					     [YAML_MAPPING_NODE] = YAML_DEFAULT_MAPPING_TAG };

	if (++w->nodes > CONF_MAX_NODES)
		return at_line(w, n, "more than %d values; aliases may be unfolding",
			       CONF_MAX_NODES);
	if (depth > CONF_MAX_DEPTH)
		return at_line(w, n, "nested more than %d deep", CONF_MAX_DEPTH);
	if (n->tag && plain[n->type] && strcmp((const char *)n->tag, plain[n->type]))
		return at_line(w, n, "tags are not read: remove '%.60s'", (const char *)n->tag);
	return 0;
}

/* The text of a scalar that is wanted as one; `what` says what it is. */
static int scalar(struct walk *w, const yaml_node_t *n, const char *what, const char **ret)
{
	if (n->type != YAML_SCALAR_NODE)
		return at_line(w, n, "%s wants one value, not a %s", what,
			       n->type == YAML_MAPPING_NODE ? "section" : "list");
	if (strlen((const char *)n->data.scalar.value) != n->data.scalar.length)
		return at_line(w, n, "%s holds a zero byte", what);
	*ret = (const char *)n->data.scalar.value;
	return 0;
}

/* `key:` with nothing after it: of a section "nothing in it", of a key a mistake. */
static bool is_empty(const yaml_node_t *n)
{
	return n->type == YAML_SCALAR_NODE && !n->data.scalar.length &&
	       n->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static int given_list(struct walk *w, yaml_node_t *n, const char *path, unsigned depth,
		      struct given *g)
{
	yaml_document_t *doc = (yaml_document_t *)(uintptr_t)&w->c->doc;

	g->list = true;
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top;
	     i++) {
		yaml_node_t *item = yaml_document_get_node(doc, *i);
		const char *text;
		int r = check_node(w, item, depth + 1);

		if (r < 0 || (r = scalar(w, item, path, &text)) < 0)
			return r;
		if (is_empty(item))
			return at_line(w, item,
				       "%s has an empty entry; remove the dash or quote it", path);
		ARRAY_PUSH(g, text);
	}
	return 0;
}

/* NAME: VALUE pairs as NAME=VALUE. */
static int given_pairs(struct walk *w, yaml_node_t *n, const char *path, unsigned depth,
		       struct given *g)
{
	yaml_document_t *doc = (yaml_document_t *)(uintptr_t)&w->c->doc;

	g->list = true;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
	     p++) {
		yaml_node_t *key = yaml_document_get_node(doc, p->key);
		yaml_node_t *value = yaml_document_get_node(doc, p->value);
		const char *name, *text;
		int r;

		if ((r = check_node(w, key, depth + 1)) < 0 ||
		    (r = check_node(w, value, depth + 1)) < 0 ||
		    (r = scalar(w, key, path, &name)) < 0 ||
		    (r = scalar(w, value, path, &text)) < 0)
			return r;
		AUTO_FREE char *pair = xasprintf("%s=%s", name, text);

		for (size_t i = 0; i < g->n; i++)
			if (!strncmp(g->v[i], pair, strlen(name) + 1))
				return at_line(w, key, "duplicate key '%.80s.%.60s'", path, name);
		ARRAY_PUSH(g, arena_strdup(w->s->arena, pair));
	}
	return 0;
}

static int read_value(struct walk *w, const struct conf_key *k, const char *path, yaml_node_t *n,
		      void *record, unsigned depth)
{
	AUTO(given) struct given g = { 0 };
	AUTO_FREE char *what = xasprintf("%s:%d: %s", w->c->name, line_of(n), path);
	int r;

	if (is_empty(n))
		return at_line(w, n, "%s has no value; give it one or remove the line", path);
	if (n->type == YAML_SEQUENCE_NODE && (k->type == CONF_STRINGS || k->type == CONF_PAIRS)) {
		r = given_list(w, n, path, depth, &g);
	} else if (n->type == YAML_MAPPING_NODE && k->type == CONF_PAIRS) {
		r = given_pairs(w, n, path, depth, &g);
	} else {
		const char *text;

		r = scalar(w, n, path, &text);
		if (!r)
			ARRAY_PUSH(&g, text);
	}
	return r < 0 ? r : keys_store(w->s, k, what, &g, record, w->e);
}

static int find_duplicate(struct walk *w, yaml_node_t *map, const yaml_node_pair_t *upto,
			  const char *name, const char *path)
{
	yaml_document_t *doc = (yaml_document_t *)(uintptr_t)&w->c->doc;

	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < upto; p++) {
		const yaml_node_t *key = yaml_document_get_node(doc, p->key);

		if (key->type == YAML_SCALAR_NODE &&
		    !strcmp((const char *)key->data.scalar.value, name))
			return at_line(w, yaml_document_get_node(doc, upto->key),
				       "duplicate key '%.80s', first in line %d", path,
				       line_of(key));
	}
	return 0;
}

static int read_section(struct walk *w, yaml_node_t *map, const char *path, const char *pattern,
			const char *name, unsigned depth);

/* One "name: value" of a section: a key of the table, or a section below. */
static int read_pair(struct walk *w, yaml_node_t *map, const yaml_node_pair_t *p, const char *path,
		     const char *pattern, void *record, unsigned depth)
{
	yaml_document_t *doc = (yaml_document_t *)(uintptr_t)&w->c->doc;
	yaml_node_t *key = yaml_document_get_node(doc, p->key);
	yaml_node_t *value = yaml_document_get_node(doc, p->value);
	const char *name;
	int r;

	if ((r = check_node(w, key, depth)) < 0 || (r = check_node(w, value, depth)) < 0 ||
	    (r = scalar(w, key, "a key", &name)) < 0)
		return r;
	AUTO_FREE char *child = keys_child(w->s->keys, pattern, name);
	AUTO_FREE char *full = xasprintf("%s%s%s", path, *path ? "." : "", name);

	r = find_duplicate(w, map, p, name, full);
	if (r < 0)
		return r;
	if (!child || !*name) {
		AUTO_FREE char *where = xasprintf("%s:%d: ", w->c->name, line_of(key));

		return keys_unknown(w->s->keys, where, pattern, path, name, w->e);
	}
	const struct conf_key *k = keys_exact(w->s->keys, child);

	if (k)
		return read_value(w, k, full, value, record, depth);
	return read_section(w, value, full, child, ends_with(child, "*") ? name : NULL, depth + 1);
}

static int read_section(struct walk *w, yaml_node_t *map, const char *path, const char *pattern,
			const char *name, unsigned depth)
{
	void *record = NULL;

	if (map->type != YAML_MAPPING_NODE && !is_empty(map))
		return at_line(w, map, "%s wants a section of 'key: value' lines",
			       *path ? path : "the file");
	if (keys_has_record(w->s->keys, pattern)) {
		struct err e = ERR_INIT;

		record = w->s->record(w->s->root, pattern, name, &e);
		if (!record)
			return at_line(w, map, "%s", e.msg);
	}
	if (is_empty(map))
		return 0;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
	     p++) {
		int r = read_pair(w, map, p, path, pattern, record, depth);

		if (r < 0)
			return r;
	}
	return 0;
}

int conf_apply(const struct conf *c, const struct conf_schema *s, struct err *e)
{
	yaml_node_t *root = yaml_document_get_root_node((yaml_document_t *)(uintptr_t)&c->doc);
	struct walk w = { .c = c, .s = s, .e = e };
	int r;

	if (!root)
		return 0;
	r = check_node(&w, root, 1);
	return r < 0 ? r : read_section(&w, root, "", "", NULL, 1);
}

static int load_problem(const yaml_parser_t *p, const char *name, struct err *e)
{
	const char *hint = "";

	if (p->error == YAML_READER_ERROR)
		return err_set(e, ERR_USAGE, "%s: not a text file: %s (byte %zu)", name, p->problem,
			       p->problem_offset);
	if (p->problem && strstr(p->problem, "mapping values are not allowed"))
		hint = "; text with ': ' in it needs quotes, or a '|' and a line of its own";
	return err_set(e, ERR_USAGE, "%s:%zu: %s (column %zu)%s", name, p->problem_mark.line + 1,
		       p->problem ? p->problem : "not YAML", p->problem_mark.column + 1, hint);
}

/* A file is one document. */
static int nothing_after(yaml_parser_t *p, const char *name, struct err *e)
{
	yaml_document_t second;
	int r = 0;

	if (!yaml_parser_load(p, &second))
		return load_problem(p, name, e);
	if (yaml_document_get_root_node(&second))
		r = err_set(e, ERR_USAGE,
			    "%s:%zu: a second document ('---'); one file is one configuration",
			    name, second.start_mark.line + 1);
	yaml_document_delete(&second);
	return r;
}

int conf_parse(const char *text, size_t n, const char *name, struct conf **ret, struct err *e)
{
	struct conf *c;
	yaml_parser_t parser;
	int r = 0;

	if (n > CONF_MAX_BYTES)
		return err_set(e, ERR_USAGE, "%s: larger than %d KiB, which no configuration is",
			       name, CONF_MAX_BYTES >> 10);
	c = xcalloc(1, sizeof(*c));
	c->name = name;
	if (!yaml_parser_initialize(&parser)) {
		free(c);
		return err_set(e, ERR_ENV, "%s: libyaml could not start", name);
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
	if (!yaml_parser_load(&parser, &c->doc)) {
		r = load_problem(&parser, name, e);
		free(c);
	} else if (yaml_document_get_root_node(&c->doc) &&
		   (r = nothing_after(&parser, name, e)) < 0) {
		conf_free(c);
	} else {
		*ret = c;
	}
	yaml_parser_delete(&parser);
	return r;
}

void conf_free(struct conf *c)
{
	if (!c)
		return;
	yaml_document_delete(&c->doc);
	free(c);
}

int conf_line(const struct conf *c, const char *path)
{
	yaml_document_t *doc = (yaml_document_t *)(uintptr_t)&c->doc;
	yaml_node_t *n = yaml_document_get_root_node(doc);
	int line = 0;

	while (n && *path) {
		yaml_node_t *next = NULL;

		if (n->type != YAML_MAPPING_NODE)
			return 0;
		for (yaml_node_pair_t *p = n->data.mapping.pairs.start;
		     p < n->data.mapping.pairs.top && !next; p++) {
			const yaml_node_t *key = yaml_document_get_node(doc, p->key);
			const char *name = key->type == YAML_SCALAR_NODE
						   ? (const char *)key->data.scalar.value
						   : "";
			size_t len = strlen(name);

			if (!len || !starts_with(path, name) || (path[len] && path[len] != '.'))
				continue;
			next = yaml_document_get_node(doc, p->value);
			line = line_of(key);
			path += path[len] ? len + 1 : len;
		}
		if (!next)
			return 0;
		n = next;
	}
	return line;
}

/* --- one assignment of -c --- */

/* "[a, b]" as a list; anything else is one value. */
static int given_text(const struct conf_schema *s, const struct conf_key *k, const char *path,
		      const char *value, struct given *g, struct err *e)
{
	struct conf *list = NULL;
	AUTO_FREE char *name = xasprintf("-c %s", path);
	struct walk w = { .s = s, .e = e };
	int r;

	if ((k->type != CONF_STRINGS && k->type != CONF_PAIRS) ||
	    (*value != '[' && *value != '{')) {
		ARRAY_PUSH(g, arena_strdup(s->arena, value));
		return 0;
	}
	r = conf_parse(value, strlen(value), name, &list, e);
	yaml_node_t *n = r ? NULL : yaml_document_get_root_node(&list->doc);

	w.c = list;
	if (n && n->type == YAML_SEQUENCE_NODE)
		r = given_list(&w, n, path, 1, g);
	else if (n && n->type == YAML_MAPPING_NODE && k->type == CONF_PAIRS)
		r = given_pairs(&w, n, path, 1, g);
	else
		r = err_set(e, ERR_USAGE, "%s wants a list like [a, b], not '%.60s'", name, value);
	for (size_t i = 0; !r && i < g->n; i++) /* the document goes; its texts stay */
		g->v[i] = arena_strdup(s->arena, g->v[i]);
	conf_free(list);
	return r;
}

int conf_set(const struct conf_schema *s, const char *assignment, struct err *e)
{
	AUTO(given) struct given g = { 0 };
	AUTO_FREE char *name = NULL;
	size_t n = strcspn(assignment, "=");
	AUTO_FREE char *path = xstrndup(assignment, n);
	AUTO_FREE char *what = xasprintf("-c %s", path);
	const struct conf_key *k = conf_find(s->keys, path, &name);
	int r;

	if (!assignment[n])
		return err_set(e, ERR_USAGE, "-c wants KEY=VALUE, not '%.80s'", assignment);
	if (!k) {
		const char *last = strrchr(path, '.');
		AUTO_FREE char *parent = xstrndup(path, last ? (size_t)(last - path) : 0);
		AUTO_FREE char *pattern = NULL;

		/* benchmarks.rr is the pattern benchmarks.*: found by asking for it as a key's section */
		for (const struct conf_key *x = s->keys; x->path && !pattern; x++) {
			AUTO_FREE char *probe = xasprintf("%s%s%s", parent, *parent ? "." : "",
							  strrchr(x->path, '.') + 1);

			if (conf_find(s->keys, probe, NULL) == x)
				pattern = xstrndup(x->path,
						   (size_t)(strrchr(x->path, '.') - x->path));
		}
		return keys_unknown(s->keys, "-c: ", pattern ? pattern : "", pattern ? parent : "",
				    pattern ? last + 1 : path, e);
	}
	AUTO_FREE char *section = xstrndup(k->path, (size_t)(strrchr(k->path, '.') - k->path));
	void *record = s->record(s->root, section, name, e);

	if (!record)
		return err_wrap(e, "-c %s", path);
	r = given_text(s, k, path, assignment + n + 1, &g, e);
	return r < 0 ? r : keys_store(s, k, what, &g, record, e);
}
