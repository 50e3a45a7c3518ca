/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target/frames.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_MAX = 80 };

bool frame_next(const struct str *text, size_t *at, struct frame *ret, bool *ret_broken)
{
	const char *head = text->p + *at;
	size_t left = text->n - *at;
	const char *end = memchr(head, '\n', left < HEAD_MAX ? left : HEAD_MAX);
	char line[HEAD_MAX + 1];
	size_t body = 0;
	int used = 0;

	*ret_broken = false;
	if (!end) {
		*ret_broken = left >= HEAD_MAX;
		return false;
	}
	snprintf(line, sizeof(line), "%.*s", (int)(end - head), head);
	if (sscanf(line, "culprit %23s %d %zu%n", ret->kind, &ret->run, &body, &used) != 3 ||
	    line[used] || body > FRAME_MAX_BYTES) {
		*ret_broken = true;
		return false;
	}
	size_t start = *at + (size_t)(end - head) + 1;

	if (text->n < start + body + 1)
		return false;
	if (text->p[start + body] != '\n') {
		*ret_broken = true;
		return false;
	}
	ret->body = text->p + start;
	ret->n = body;
	*at = start + body + 1;
	return true;
}

char *frame_value(const struct frame *f, const char *key)
{
	const char *p = f->body, *end = f->body + f->n;
	size_t key_n = strlen(key);

	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t n = stop ? (size_t)(stop - p) : (size_t)(end - p);

		if (n > key_n && !memcmp(p, key, key_n) && p[key_n] == ' ')
			return xstrndup(p + key_n + 1, n - key_n - 1);
		p += n + 1;
	}
	return NULL;
}

bool frame_int(const struct frame *f, const char *key, int64_t *ret)
{
	AUTO_FREE char *text = frame_value(f, key);
	struct err ignored = ERR_INIT;

	return text && num_parse_int(text, key, INT64_MIN, INT64_MAX, ret, &ignored) == 0;
}
