/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merging is done here and not by scripts/kconfig/merge_config.sh of the tree that is built: that script differs between versions, and
 * olddefconfig, which runs on the result, resolves everything anyway. Kconfig itself (prompts, dependencies, defaults) is the tree's own.
 */
#include "kernel/config.h"

#include <ctype.h>
#include <string.h>

void kconfig_done(struct kconfig *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].name);
		free(c->v[i].value);
	}
	free(c->v);
	*c = (struct kconfig){ 0 };
}

/* Where `name` is, or belongs. */
static size_t place_of(const struct kconfig *c, const char *name, bool *ret_there)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(c->v[mid].name, name);

		if (order == 0) {
			*ret_there = true;
			return mid;
		}
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*ret_there = false;
	return lo;
}

const char *kconfig_get(const struct kconfig *c, const char *name)
{
	bool there;
	size_t i = place_of(c, name, &there);

	return there ? c->v[i].value : NULL;
}

void kconfig_set(struct kconfig *c, const char *name, const char *value)
{
	bool there;
	size_t i = place_of(c, name, &there);

	if (there) {
		free(c->v[i].value);
		c->v[i].value = xstrdup(value);
		return;
	}
	ARRAY_RESERVE(c, c->n + 1);
	memmove(&c->v[i + 1], &c->v[i], (c->n - i) * sizeof(*c->v));
	c->v[i] = (struct kconfig_symbol){ xstrdup(name), xstrdup(value) };
	c->n++;
}

void kconfig_merge(struct kconfig *into, const struct kconfig *more)
{
	for (size_t i = 0; i < more->n; i++)
		kconfig_set(into, more->v[i].name, more->v[i].value);
}

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* "CONFIG_X=value" or "# CONFIG_X is not set". */
static void read_line(const char *line, struct kconfig *c)
{
	static const char prefix[] = "CONFIG_", unset[] = " is not set";
	bool is_comment = starts_with(line, "# ");
	const char *name = is_comment ? line + 2 : line;

	if (!starts_with(name, prefix))
		return;
	name += sizeof(prefix) - 1;
	size_t n = name_length(name);
	AUTO_FREE char *symbol = xstrndup(name, n);

	if (!n)
		return;
	if (is_comment && starts_with(name + n, unset))
		kconfig_set(c, symbol, "n");
	else if (!is_comment && name[n] == '=' && name[n + 1])
		kconfig_set(c, symbol, name + n + 1);
}

void kconfig_read(const char *text, size_t n, struct kconfig *c)
{
	const char *end = text + n;

	while (text < end) {
		size_t line_n = strcspn(text, "\n");
		AUTO(str) struct str line = STR_INIT;

		str_add(&line, text, line_n);
		str_trim_end(&line);
		read_line(line.p, c);
		text += line_n + 1;
	}
}

/* 42, -1, 0x2a: written bare; any other text is a string to Kconfig and stands in quotes. */
static bool is_bare(const char *v)
{
	const char *digits = *v == '-' ? v + 1 : v;

	if (!strcmp(v, "y") || !strcmp(v, "m") || !strcmp(v, "n"))
		return true;
	if (starts_with(digits, "0x"))
		return digits[2] && !digits[2 + strspn(digits + 2, "0123456789abcdefABCDEF")];
	return *digits && !digits[strspn(digits, "0123456789")];
}

int kconfig_change(struct kconfig *into, const char *name, const char *value, struct err *e)
{
	const char *symbol = starts_with(name, "CONFIG_") ? name + 7 : name;
	size_t n = strlen(value);

	if (!*symbol || symbol[name_length(symbol)])
		return err_set(e, ERR_USAGE,
			       "config.%.80s: a kernel's symbol is like CONFIG_NUMA or NUMA", name);
	if (!n || strchr(value, '\n'))
		return err_set(e, ERR_USAGE,
			       "config.%.80s wants one of y, m, n, a number or a text", name);
	if (is_bare(value)) {
		kconfig_set(into, symbol, value);
		return 0;
	}
	bool quoted = n >= 2 && value[0] == '"' && value[n - 1] == '"';
	AUTO_FREE char *inner = quoted ? xstrndup(value + 1, n - 2) : xstrdup(value);

	if (strpbrk(inner, "\"\\"))
		return err_set(e, ERR_USAGE, "config.%.80s: no quotes inside the text, please",
			       name);
	AUTO_FREE char *text = xasprintf("\"%s\"", inner);

	kconfig_set(into, symbol, text);
	return 0;
}

void kconfig_write(const struct kconfig *c, struct str *out)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].value, "n"))
			str_addf(out, "# CONFIG_%s is not set\n", c->v[i].name);
		else
			str_addf(out, "CONFIG_%s=%s\n", c->v[i].name, c->v[i].value);
}

static const char *value_of(const struct kconfig *c, const char *name)
{
	const char *value = kconfig_get(c, name);

	return value ? value : "n";
}

static void put_one(struct str *out, size_t k, size_t max, const char *fmt, const char *name,
		    const char *a, const char *b)
{
	if (!out || k > max)
		return;
	if (k == max) {
		str_puts(out, max ? ", ..." : "");
		return;
	}
	str_puts(out, k ? ", " : "");
	str_addf(out, *fmt == '>' ? "%s %.40s -> %.40s" : "%s=%.40s (it is %.40s)", name, a, b);
}

size_t kconfig_diff(const struct kconfig *a, const struct kconfig *b, size_t max, struct str *out)
{
	size_t i = 0, k = 0, count = 0;

	while (i < a->n || k < b->n) {
		int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->v[i].name, b->v[k].name);
		const char *name = order <= 0 ? a->v[i].name : b->v[k].name;
		const char *old = order <= 0 ? a->v[i].value : "n";
		const char *new = order >= 0 ? b->v[k].value : "n";

		if (strcmp(old, new))
			put_one(out, count++, max, ">", name, old, new);
		i += order <= 0;
		k += order >= 0;
	}
	return count;
}

size_t kconfig_missed(const struct kconfig *asked, const struct kconfig *got, size_t max,
		      struct str *out)
{
	size_t count = 0;

	for (size_t i = 0; i < asked->n; i++) {
		const char *is = value_of(got, asked->v[i].name);

		if (strcmp(asked->v[i].value, is))
			put_one(out, count++, max, "=", asked->v[i].name, asked->v[i].value, is);
	}
	return count;
}
