/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/strings.h"

#include <string.h>

size_t strings_put(struct str *out, const char *const *list)
{
	size_t n = 0;

	for (; list && list[n]; n++)
		str_add(out, list[n], strlen(list[n]) + 1);
	return n;
}

const char *strings_next(const char **at)
{
	const char *s = *at;

	*at += strlen(s) + 1;
	return s;
}

const char *const *strings_next_list(const char **at, size_t n, const char ***words)
{
	const char **list = *words;

	for (size_t i = 0; i < n; i++)
		*(*words)++ = strings_next(at);
	*(*words)++ = NULL;
	return list;
}
