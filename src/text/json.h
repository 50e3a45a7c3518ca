/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json - JSON out, member by member in the order of the calls, and JSON in, as values that are
 * looked up by path.
 *
 * Out: no NaN or infinity ever (null instead), doubles by the shortest digits that read back the
 * same, bytes that are not UTF-8 as U+FFFD. In: errors carry NAME:LINE:COLUMN; duplicate keys and
 * text after the value are refused; depth is bounded.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* --- out --- */

enum json_style { JSON_STYLE_PRETTY, JSON_STYLE_COMPACT };
enum { JSON_OUT_DEPTH = 32 };

/* Writes into `out`, which the caller owns. `key` is the member's name inside an object and NULL in
 * an array or at the top. */
struct json_out {
	struct str *out;
	enum json_style style;
	unsigned depth;
	char close[JSON_OUT_DEPTH];
	bool filled[JSON_OUT_DEPTH]; /* the open object or array has a member */
};
#define JSON_OUT_INIT(target, how)                                                                 \
	{                                                                                          \
		.out = (target), .style = (how)                                                    \
	}
void json_out_object(struct json_out *w, const char *key); /* until json_out_close */
void json_out_array(struct json_out *w, const char *key);
void json_out_close(
	struct json_out *w); /* the innermost; closing the last one ends the line when pretty */
void json_out_text(struct json_out *w, const char *key, const char *value); /* NULL gives null */
void json_out_number(struct json_out *w, const char *key, double value);    /* NaN, inf: null */
void json_out_int(struct json_out *w, const char *key, int64_t value);
void json_out_bool(struct json_out *w, const char *key, bool value);
void json_out_null(struct json_out *w, const char *key);
/* An array of texts; `list` ends with NULL and may itself be NULL: []. */
void json_out_texts(struct json_out *w, const char *key, const char *const *list);
/* `json` is a whole value that is JSON already, as a column of the journal. */
void json_out_raw(struct json_out *w, const char *key, const char *json);
/* A string alone, quoted and escaped, for log_trace. */
void json_quote(struct str *out, const char *text);

/* --- in --- */

/* A value inside a parsed text: borrowed, valid until json_free of the root. */
struct json;
enum json_kind {
	JSON_IS_NULL,
	JSON_IS_BOOL,
	JSON_IS_INT,
	JSON_IS_REAL,
	JSON_IS_STRING,
	JSON_IS_ARRAY,
	JSON_IS_OBJECT
};

/* `name` stands in messages: a file's name or what the text is. ERR_USAGE when it is not JSON. */
int json_parse(const char *text, size_t n, const char *name, struct json **ret,
	       struct err *e) MUST_USE;
/*
 * The value at the beginning of `text`, whatever follows it: *ret_used bytes are its. The text begins on line `line`, for messages. Of
 * duplicate keys the last counts, as in other parsers.
 */
int json_parse_next(const char *text, size_t n, const char *name, unsigned line, struct json **ret,
		    size_t *ret_used, struct err *e) MUST_USE;
/* Adds the text to `ret` with `null` for each NaN and Infinity outside of strings, which Python's json writes; false if it has none. */
bool json_without_nan(const char *text, size_t n, struct str *ret);
/* For what culprit itself has stored: anything but JSON is damage, ERR_BROKEN. `name` as above ("the answer of hunt 3"). */
int json_parse_stored(const char *text, const char *name, struct json **ret, struct err *e);
void json_free(struct json *root); /* NULL is fine */
static inline void json_root_done(struct json **root)
{
	json_free(*root);
}

/* All accessors take NULL (something absent) and say "absent": NULL, 0, false or the default. */
enum json_kind json_kind(const struct json *v);
/* "a.b[2].c"; NULL if any step is absent or of another kind. */
const struct json *json_get(const struct json *v, const char *path);
/* A member whose name may hold dots. */
const struct json *json_member(const struct json *v, const char *key);
/* Elements of an array, members of an object, 0 of anything else. */
size_t json_count(const struct json *v);
const struct json *json_at(const struct json *array, size_t i);
/* Members in their order: *iter begins as NULL; NULL at the end. */
const struct json *json_next(const struct json *object, void **iter, const char **ret_key);

/* From the value itself (path NULL or "") or from one inside it. Numbers include integers; never
 * NaN. */
bool json_to_number(const struct json *v, const char *path, double *ret);
bool json_to_int(const struct json *v, const char *path, int64_t *ret);
bool json_to_bool(const struct json *v, const char *path, bool *ret);
const char *json_to_text(const struct json *v, const char *path); /* of strings only */
/* A copy of it, which the caller frees; NULL where there is none. */
char *json_copy_text(const struct json *v, const char *path) MUST_USE;
/* The value as one line of JSON. */
void json_put(const struct json *v, struct str *out);
