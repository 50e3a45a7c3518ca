/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out is our own: jansson would want the whole tree first, and refuses NaN and bad UTF-8 where we
 * want null and U+FFFD. In is jansson's parser; `struct json` is its json_t under another name, so
 * that no other file sees the library.
 */
#include "text/json.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at p, 0 if there is none (overlong forms and surrogates are
 * none). */
static size_t sequence(const unsigned char *p)
{
	size_t n = p[0] < 0x80			 ? 1
		   : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		   : (p[0] & 0xf0) == 0xe0	 ? 3
		   : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						 : 0;

	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0)))
		return 0;
	if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)))
		return 0;
	return n;
}

void json_quote(struct str *out, const char *text)
{
	static const char escapes[] = "b\bf\fn\nr\rt\t\"\"\\\\";

	str_putc(out, '"');
	while (*text) {
		const unsigned char *p = (const unsigned char *)text;
		const char *known = NULL;
		size_t n = sequence(p);

		for (const char *x = escapes; *x && !known; x += 2)
			if (x[1] == *text)
				known = x;
		if (known)
			str_addf(out, "\\%c", *known);
		else if (*p < 0x20 || *p == 0x7f)
			str_addf(out, "\\u%04x", *p);
		else if (n)
			str_add(out, text, n);
		else
			str_puts(out, "\xef\xbf\xbd");
		text += n ? n : 1;
	}
	str_putc(out, '"');
}

static void newline(struct json_out *w)
{
	if (w->style == JSON_STYLE_PRETTY) {
		str_putc(w->out, '\n');
		str_pad(w->out, ' ', 2 * (size_t)w->depth);
	}
}

/* What stands before a value: comma, line, name. */
static void begin(struct json_out *w, const char *key)
{
	if (w->depth) {
		if (w->filled[w->depth - 1])
			str_putc(w->out, ',');
		w->filled[w->depth - 1] = true;
		newline(w);
	}
	assert(!w->depth || (w->close[w->depth - 1] == '}') == (key != NULL));
	if (key) {
		json_quote(w->out, key);
		str_puts(w->out, w->style == JSON_STYLE_PRETTY ? ": " : ":");
	}
}

static void open_with(struct json_out *w, const char *key, char first, char last)
{
	begin(w, key);
	assert(w->depth < JSON_OUT_DEPTH);
	str_putc(w->out, first);
	w->close[w->depth] = last;
	w->filled[w->depth++] = false;
}

void json_out_object(struct json_out *w, const char *key)
{
	open_with(w, key, '{', '}');
}

void json_out_array(struct json_out *w, const char *key)
{
	open_with(w, key, '[', ']');
}

void json_out_close(struct json_out *w)
{
	assert(w->depth);
	w->depth--;
	if (w->filled[w->depth])
		newline(w);
	str_putc(w->out, w->close[w->depth]);
	if (!w->depth && w->style == JSON_STYLE_PRETTY)
		str_putc(w->out, '\n');
}

void json_out_text(struct json_out *w, const char *key, const char *value)
{
	if (!value) {
		json_out_null(w, key);
		return;
	}
	begin(w, key);
	json_quote(w->out, value);
}

void json_out_texts(struct json_out *w, const char *key, const char *const *list)
{
	json_out_array(w, key);
	for (; list && *list; list++)
		json_out_text(w, NULL, *list);
	json_out_close(w);
}

void json_out_number(struct json_out *w, const char *key, double value)
{
	char text[40];

	if (!isfinite(value)) {
		json_out_null(w, key);
		return;
	}
	begin(w, key);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	str_puts(w->out, text);
}

void json_out_int(struct json_out *w, const char *key, int64_t value)
{
	begin(w, key);
	str_addf(w->out, "%lld", (long long)value);
}

void json_out_bool(struct json_out *w, const char *key, bool value)
{
	begin(w, key);
	str_puts(w->out, value ? "true" : "false");
}

void json_out_null(struct json_out *w, const char *key)
{
	begin(w, key);
	str_puts(w->out, "null");
}

void json_out_raw(struct json_out *w, const char *key, const char *json)
{
	begin(w, key);
	str_puts(w->out, json && *json ? json : "null");
}

/* --- in --- */

static json_t *node(const struct json *v)
{
	return (json_t *)(uintptr_t)v;
}

static const struct json *value(const json_t *j)
{
	return (const struct json *)j;
}

/* The length of a word for "no number" at p, or 0. */
static size_t no_number(const char *p, size_t n)
{
	static const char *const words[] = {
		"NaN", "-NaN", "nan", "-nan", "Infinity", "-Infinity"
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t w = strlen(words[i]);

		if (n >= w && !memcmp(p, words[i], w))
			return w;
	}
	return 0;
}

bool json_without_nan(const char *text, size_t n, struct str *ret)
{
	size_t done = 0;
	bool in_string = false;

	for (size_t i = 0; i < n; i++) {
		if (in_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		size_t w = in_string || i >= n ? 0 : no_number(text + i, n - i);

		if (!w)
			continue;
		str_add(ret, text + done, i - done);
		str_puts(ret, "null");
		done = i + w;
		i = done - 1;
	}
	if (!done)
		return false;
	str_add(ret, text + done, n - done);
	return true;
}

/* What jansson says ends in "near 'TOKEN'", and a token may be anything: made one line of text. */
static int refuse(json_error_t *why, const char *name, unsigned line, struct err *e)
{
	for (char *p = why->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return err_set(e, ERR_USAGE, "%s:%u:%d: not JSON: %s", name, line + (unsigned)why->line - 1,
		       why->column, why->text);
}

static json_t *load(const char *text, size_t n, size_t flags, json_error_t *why)
{
	json_t *root = json_loadb(text, n, flags, why);

	/* A counter above 2^63 is still a number. */
	if (!root && json_error_code(why) == json_error_numeric_overflow)
		root = json_loadb(text, n, flags | JSON_DECODE_INT_AS_REAL, why);
	return root;
}

int json_parse(const char *text, size_t n, const char *name, struct json **ret, struct err *e)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
	json_error_t why;
	json_t *root = load(text, n, flags, &why);

	if (!root)
		return refuse(&why, name, 1, e);
	*ret = (struct json *)root;
	return 0;
}

int json_parse_next(const char *text, size_t n, const char *name, unsigned line, struct json **ret,
		    size_t *ret_used, struct err *e)
{
	/* Duplicate keys are in what real programs write (iperf3 --bidir): the last one counts. */
	const size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK;
	json_error_t why;
	json_t *root = load(text, n, flags, &why);

	if (!root)
		return refuse(&why, name, line, e);
	*ret_used = (size_t)why.position;
	*ret = (struct json *)root;
	return 0;
}

int json_parse_stored(const char *text, const char *name, struct json **ret, struct err *e)
{
	if (json_parse(text, strlen(text), name, ret, NULL) < 0)
		return err_set(
			e, ERR_BROKEN,
			"%s is damaged, it is not JSON any more; 'culprit export' shows the values that it came from",
			name);
	return 0;
}

void json_free(struct json *root)
{
	json_decref((json_t *)root);
}

enum json_kind json_kind(const struct json *v)
{
	if (!v)
		return JSON_IS_NULL;
	switch (json_typeof(node(v))) {
	case JSON_OBJECT:
		return JSON_IS_OBJECT;
	case JSON_ARRAY:
		return JSON_IS_ARRAY;
	case JSON_STRING:
		return JSON_IS_STRING;
	case JSON_INTEGER:
		return JSON_IS_INT;
	case JSON_REAL:
		return JSON_IS_REAL;
	case JSON_TRUE:
	case JSON_FALSE:
		return JSON_IS_BOOL;
	case JSON_NULL:
		break;
	}
	return JSON_IS_NULL;
}

const struct json *json_member(const struct json *v, const char *key)
{
	return v ? value(json_object_get(node(v), key)) : NULL;
}

const struct json *json_at(const struct json *array, size_t i)
{
	return array ? value(json_array_get(node(array), i)) : NULL;
}

size_t json_count(const struct json *v)
{
	/* Both give 0 for a value of another kind. */
	return v ? json_array_size(node(v)) + json_object_size(node(v)) : 0;
}

const struct json *json_next(const struct json *object, void **iter, const char **ret_key)
{
	if (!object)
		return NULL;
	*iter = *iter ? json_object_iter_next(node(object), *iter) : json_object_iter(node(object));
	if (!*iter)
		return NULL;
	*ret_key = json_object_iter_key(*iter);
	return value(json_object_iter_value(*iter));
}

const struct json *json_get(const struct json *v, const char *path)
{
	while (v && path && *path) {
		size_t n = strcspn(path, ".[");

		if (n) {
			AUTO_FREE char *key = xstrndup(path, n);

			v = json_member(v, key);
			path += n;
		} else if (*path == '[') {
			char *end;

			v = json_at(v, strtoul(path + 1, &end, 10));
			path = *end == ']' ? end + 1 : "";
		} else {
			path++;
		}
	}
	return v;
}

bool json_to_number(const struct json *v, const char *path, double *ret)
{
	v = json_get(v, path);
	if (!v || !json_is_number(node(v)))
		return false;
	*ret = json_number_value(node(v));
	return true;
}

bool json_to_int(const struct json *v, const char *path, int64_t *ret)
{
	v = json_get(v, path);
	if (!v || !json_is_integer(node(v)))
		return false;
	*ret = json_integer_value(node(v));
	return true;
}

bool json_to_bool(const struct json *v, const char *path, bool *ret)
{
	v = json_get(v, path);
	if (!v || !json_is_boolean(node(v)))
		return false;
	*ret = json_is_true(node(v));
	return true;
}

const char *json_to_text(const struct json *v, const char *path)
{
	v = json_get(v, path);
	return v ? json_string_value(node(v)) : NULL;
}

char *json_copy_text(const struct json *v, const char *path)
{
	const char *text = json_to_text(v, path);

	return text ? xstrdup(text) : NULL;
}

static int add_bytes(const char *bytes, size_t n, void *out)
{
	str_add(out, bytes, n);
	return 0;
}

void json_put(const struct json *v, struct str *out)
{
	if (v)
		json_dump_callback(node(v), add_bytes, out,
				   JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
	else
		str_puts(out, "null");
}
