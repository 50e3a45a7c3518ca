/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read line by line: a file may have millions of them, of which nothing is kept but one sum for each function.
 *
 * A recursive call's levels ("walk'2") are one function here. A compiler's number for a part of a function stays with the name; hunt/explain.c knows them.
 */
#include "bench/callgrind_cost.h"

#include "bench/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names by their number: of objects, of functions. */
struct names {
	struct {
		char **v;
		size_t n, cap;
	} list;
};

struct parsing {
	const char *path;
	size_t line;
	struct names objects, functions;
	const char *object, *function; /* that cost lines belong to */
	size_t columns;		       /* positions before the first count */
	struct function_costs *into;
	size_t current;	 /* place in `into` + 1; 0 = look it up */
	bool is_callees; /* the next cost line is a call's */
};

void function_costs_done(struct function_costs *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].name);
	free(c->v);
	free(c->slots);
	*c = (struct function_costs){ 0 };
}

static void names_done(struct names *n)
{
	for (size_t i = 0; i < n->list.n; i++)
		free(n->list.v[i]);
	free(n->list.v);
}

/* FNV-1a. */
static size_t hash_of(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 32);
}

static size_t *slot_of(struct function_costs *c, const char *name)
{
	size_t i = hash_of(name) & (c->n_slots - 1);

	while (c->slots[i] && strcmp(c->v[c->slots[i] - 1].name, name))
		i = (i + 1) & (c->n_slots - 1);
	return &c->slots[i];
}

static void grow(struct function_costs *c)
{
	free(c->slots);
	c->n_slots = c->n_slots ? c->n_slots * 2 : 1024;
	c->slots = xcalloc(c->n_slots, sizeof(*c->slots));
	for (size_t i = 0; i < c->n; i++)
		*slot_of(c, c->v[i].name) = i + 1;
}

/* 1 + the place of this name. */
static size_t place_of(struct function_costs *c, const char *name)
{
	if (2 * (c->n + 1) > c->n_slots)
		grow(c);
	size_t *slot = slot_of(c, name);

	if (!*slot) {
		ARRAY_PUSH(c, ((struct function_cost){ xstrdup(name), 0 }));
		*slot = c->n;
	}
	return *slot;
}

/* "(12) name", "(12)", or a plain name. Borrowed until the file's end; NULL for a number that was never given a name. */
static const char *resolve(struct names *n, const char *text)
{
	char *end;
	size_t id;

	if (*text != '(')
		id = 0;
	else
		id = strtoull(text + 1, &end, 10);
	if (*text == '(' && *end == ')') {
		text = end + 1 + strspn(end + 1, " ");
		if (id > 10000000)
			return NULL;
	}
	if (!*text)
		return id < n->list.n ? n->list.v[id] : NULL;
	while (n->list.n <= id)
		ARRAY_PUSH(&n->list, NULL);
	free(n->list.v[id]);
	return n->list.v[id] = xstrdup(text);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void look_up(struct parsing *p)
{
	AUTO(str) struct str name = STR_INIT;
	const char *object = p->object ? base_name(p->object) : "?", *f = p->function;
	const char *level = f ? strrchr(f, '\'') : NULL;

	if (!strcmp(object, "???"))
		object = "?";
	str_addf(&name, "%s:", object);
	if (!f || !strncmp(f, "0x", 2) || !strncmp(f, "???", 3))
		str_putc(&name, '?');
	else if (level && level > f && level[1] &&
		 level[1 + strspn(level + 1, "0123456789")] == '\0')
		str_add(&name, f, (size_t)(level - f));
	else
		str_puts(&name, f);
	p->current = place_of(p->into, name.p);
}

static int broken(const struct parsing *p, struct err *e)
{
	return err_set(e, ERR_BROKEN, "'%s', line %zu: not the format of callgrind", p->path,
		       p->line);
}

/* "+3 17": positions, then counts, of which the first is that of instructions. */
static int take_cost(struct parsing *p, const char *text, struct err *e)
{
	char *end;

	for (size_t i = 0; i < p->columns; i++) {
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	if (p->is_callees) {
		p->is_callees = false;
		return 0;
	}
	if (!*text) /* counts that are 0 may be left out */
		return 0;
	long long count = strtoll(text, &end, 10);

	if (end == text)
		return broken(p, e);
	if (!p->current)
		look_up(p);
	p->into->v[p->current - 1].instructions += count;
	return 0;
}

static int take_line(struct parsing *p, const char *text, struct err *e)
{
	if (strchr("0123456789+-*", *text) && *text)
		return take_cost(p, text, e);
	if (starts_with(text, "fn=")) {
		p->function = resolve(&p->functions, text + 3);
		p->current = 0;
	} else if (starts_with(text, "ob=")) {
		p->object = resolve(&p->objects, text + 3);
		p->current = 0;
	} else if (starts_with(text, "cfn=")) {
		(void)resolve(&p->functions, text + 4);
	} else if (starts_with(text, "cob=")) {
		(void)resolve(&p->objects, text + 4);
	} else if (starts_with(text, "calls=")) {
		p->is_callees = true;
	} else if (starts_with(text, "positions:")) {
		p->columns = strstr(text, "instr") && strstr(text, "line") ? 2 : 1;
	}
	return 0; /* files, jumps, the head: nothing that is summed */
}

int callgrind_cost_read(const char *path, struct function_costs *into, struct err *e)
{
	FILE *f = fopen(path, "re");
	struct parsing p = { .path = path, .columns = 1, .into = into };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int r = 0;

	if (!f)
		return err_errno(e, "opening '%s'", path);
	while (r == 0 && (n = getline(&line, &cap, f)) >= 0) {
		p.line++;
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			line[--n] = '\0';
		r = take_line(&p, line, e);
	}
	if (r == 0 && ferror(f))
		r = err_errno(e, "reading '%s'", path);
	free(line);
	fclose(f);
	names_done(&p.objects);
	names_done(&p.functions);
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct function_cost *)a)->name,
		      ((const struct function_cost *)b)->name);
}

void callgrind_cost_put(struct function_costs *c, struct str *out)
{
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_name);
	free(c->slots); /* places have changed */
	c->slots = NULL;
	c->n_slots = 0;
	section_begin(out, SECTION_FUNCTIONS);
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].instructions)
			section_put_function(out, c->v[i].name,
					     (const int64_t[4]){ c->v[i].instructions });
}
