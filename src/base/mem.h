/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem - allocation that cannot return NULL, cleanup attributes, growing arrays, arenas.
 *
 * Out of memory ends the process with status 4 from a static message: everything outside
 * the process is recoverable (the journal, the worktrees), so nothing is lost by it. This is the only code
 * below cli/ that may end the process.
 *
 * Three lifetimes: a local resource is AUTO(type); what one command reads lives in one arena; a long-lived
 * object has one owner and _open/_close or _new/_free.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define MUST_USE __attribute__((warn_unused_result))
#define UNUSED __attribute__((unused))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

void *xmalloc(size_t n) MUST_USE;
void *xcalloc(size_t count, size_t size) MUST_USE;
/* Overflow of count * size counts as out of memory. */
void *xreallocarray(void *p, size_t count, size_t size) MUST_USE;
char *xstrdup(const char *s) MUST_USE;
char *xstrndup(const char *s, size_t n) MUST_USE;
char *xasprintf(const char *fmt, ...) MUST_USE PRINTF(1, 2);
void *xmemdup(const void *p, size_t n) MUST_USE;

/* AUTO(str) struct str s = STR_INIT;   calls str_done(&s) on every path out of the scope. */
#define AUTO(type) __attribute__((cleanup(type##_done)))
#define AUTO_FREE __attribute__((cleanup(auto_free_)))
static inline void auto_free_(void *p)
{
	free(*(void **)p);
}

/* Hand an AUTO_FREE pointer out: evaluates to it and leaves NULL behind. */
#define TAKE_PTR(p)                                                                               \
	({                                                                                         \
		__typeof__(p) *take_at_ = &(p);                                                    \
		__typeof__(p) taken_ = *take_at_;                                                  \
		*take_at_ = NULL;                                                                  \
		taken_;                                                                            \
	})

/*
 * Growing arrays: struct { T *v; size_t n, cap; }. ARRAY_PUSH(&a, value) appends,
 * ARRAY_GROW(&a) appends a zeroed element and gives its address (valid until the next growth).
 */
void array_reserve_(void **v, size_t *cap, size_t need, size_t size);
#define ARRAY_RESERVE(a, need)                                                                     \
	array_reserve_((void **)&(a)->v, &(a)->cap, (need), sizeof(*(a)->v))
#define ARRAY_PUSH(a, value)                                                                       \
	do {                                                                                       \
		ARRAY_RESERVE((a), (a)->n + 1);                                                    \
		(a)->v[(a)->n++] = (value);                                                        \
	} while (0)
#define ARRAY_GROW(a)                                                                              \
	({                                                                                         \
		ARRAY_RESERVE((a), (a)->n + 1);                                                    \
		memset(&(a)->v[(a)->n], 0, sizeof(*(a)->v));                                       \
		&(a)->v[(a)->n++];                                                                 \
	})

/* A list of strings, owned; used for argv, names and paths. v[n] is always NULL, so v is an argv. */
struct strvec {
	char **v;
	size_t n, cap;
};
#define STRVEC_INIT                                                                                \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}
void strvec_add(struct strvec *s, const char *text);
void strvec_addf(struct strvec *s, const char *fmt, ...) PRINTF(2, 3);
/* Takes ownership of `text`. */
void strvec_take(struct strvec *s, char *text);
void strvec_done(struct strvec *s);

/* All that one command reads: freed at once, never singly. Zero is a valid empty arena. */
struct arena {
	struct arena_block *head;
};
void *arena_alloc(struct arena *a, size_t n) MUST_USE; /* zeroed, 16-aligned */
char *arena_strdup(struct arena *a, const char *s) MUST_USE;
void arena_done(struct arena *a);
