/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys - the one table of a configuration's keys, and what storing a value means for each type.
 *
 * Pure: knows neither files nor YAML. text/conf reads a file by it; -c, the manual page and the example are made from it.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

enum conf_type {
	CONF_STRING,   /* const char * */
	CONF_STRINGS,  /* const char **, NULL-terminated; one value alone is a list of one */
	CONF_PAIRS,    /* the same, of NAME=VALUE; written as a section or as a list */
	CONF_BOOL,     /* bool: yes, no, true, false */
	CONF_UINT,     /* unsigned, min..max */
	CONF_DURATION, /* int64_t, nanoseconds */
	CONF_SIZE,     /* int64_t, bytes */
	CONF_RATIO,    /* double: 1% gives 0.01; min..max */
	CONF_CHOICE,   /* int or an enum, by `choices` */
};

struct conf_choice {
	const char *name; /* NULL ends */
	int value;
};

struct conf_key {
	/* "project.build", "benchmarks.*.command": '*' is a name that the user chooses; NULL ends the table */
	const char *path;
	enum conf_type type;
	size_t into;	  /* offset in the record of its section */
	const char *def;  /* default as text, or NULL: the field stays zero */
	const char *help; /* one sentence, lower case, no full stop */
	double min, max;  /* both 0 = any */
	const struct conf_choice *choices;
	const char *example; /* a value for the example file; NULL = the default */
	bool incidental; /* changes how long things take, not what is measured: outside keys_put_json */
};

struct conf_schema {
	const struct conf_key *keys;
	struct arena *arena; /* owns all strings and lists that are stored */
	/*
	 * The record of a section: `section` is "project" or "benchmarks.*", `name` what stands for the '*' (else NULL). Made, with
	 * conf_defaults, on the first call. NULL with *e filled refuses the name.
	 */
	void *(*record)(void *root, const char *section, const char *name, struct err *e);
	void *root;
};

/* What a key was given: some texts, written as one value or as a list. Zero is empty; the texts are borrowed. */
struct given {
	const char **v;
	size_t n, cap;
	bool list;
};
void given_done(struct given *g);

/* Gives the record's fields their defaults; a list without one becomes an empty list. */
void conf_defaults(const struct conf_schema *s, const char *section, void *record);
/* Does `path` name a key of the table? `ret_name` (may be NULL) gets what stands for its '*', to be freed. */
const struct conf_key *conf_find(const struct conf_key *keys, const char *path, char **ret_name);
/* "a whole number", "a time like 5m": what the manual calls the type. */
const char *conf_type_name(const struct conf_key *k);

/* The pattern of child `name` under `pattern` ("" = the top): a key or section of that name, or the '*' that takes any. NULL if neither; to be freed. */
char *keys_child(const struct conf_key *keys, const char *pattern, const char *name) MUST_USE;
const struct conf_key *keys_exact(const struct conf_key *keys, const char *pattern);
/* Has the section keys of its own, and so a record? */
bool keys_has_record(const struct conf_key *keys, const char *section);
/* Converts and stores; strings and lists are copied into the arena. `what` names the key in messages, with FILE:LINE before it. */
int keys_store(const struct conf_schema *s, const struct conf_key *k, const char *what,
	       const struct given *g, void *record, struct err *e) MUST_USE;
/* The error for `name` in the section `path`, which matched `pattern`: with a "did you mean", or where the key belongs, or what is known. */
int keys_unknown(const struct conf_key *keys, const char *where, const char *pattern,
		 const char *path, const char *name, struct err *e);

/* Every key of the section as members of the open JSON object, in the table's order, defaults included, incidental ones not. */
struct json_out;
void keys_put_json(const struct conf_key *keys, const char *section, const void *record,
		   struct json_out *w);
