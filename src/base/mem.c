/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
	static const char text[] = "culprit: out of memory; what was measured is in the journal\n";
	ssize_t ignored = write(2, text, sizeof(text) - 1);

	(void)ignored;
	_exit(4);
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;
	void *q;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	q = realloc(p, bytes ? bytes : 1);
	if (!q)
		out_of_memory();
	return q;
}

void *xmemdup(const void *p, size_t n)
{
	void *q = xmalloc(n);

	if (n)
		memcpy(q, p, n);
	return q;
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *q = xmalloc(len + 1);

	memcpy(q, s, len);
	q[len] = '\0';
	return q;
}

static char *format(const char *fmt, va_list ap) PRINTF(1, 0);
static char *format(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		out_of_memory();
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = format(fmt, ap);
	va_end(ap);
	return s;
}

void array_reserve_(void **v, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return;
	size_t cap2 = *cap + *cap / 2 + 8;

	if (cap2 < need)
		cap2 = need;
	*v = xreallocarray(*v, cap2, size);
	*cap = cap2;
}

void strvec_take(struct strvec *s, char *text)
{
	ARRAY_RESERVE(s, s->n + 2);
	s->v[s->n++] = text;
	s->v[s->n] = NULL;
}

void strvec_add(struct strvec *s, const char *text)
{
	strvec_take(s, xstrdup(text));
}

void strvec_addf(struct strvec *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strvec_take(s, format(fmt, ap));
	va_end(ap);
}

void strvec_done(struct strvec *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct strvec)STRVEC_INIT;
}

#define ARENA_BLOCK (64u * 1024u)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

void *arena_alloc(struct arena *a, size_t n)
{
	size_t need;

	if (__builtin_add_overflow(n, (size_t)15, &need))
		out_of_memory();
	need &= ~(size_t)15;
	if (!a->head || a->head->size - a->head->used < need) {
		size_t size = need > ARENA_BLOCK ? need : ARENA_BLOCK;
		struct arena_block *b = xcalloc(1, sizeof(*b) + size);

		b->size = size;
		b->next = a->head;
		a->head = b;
	}
	void *p = a->head->bytes + a->head->used;

	a->head->used += need;
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = arena_alloc(a, n);

	memcpy(p, s, n);
	return p;
}

void arena_done(struct arena *a)
{
	while (a->head) {
		struct arena_block *b = a->head;

		a->head = b->next;
		free(b);
	}
}
