/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/section.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void section_begin(struct str *out, const char *title)
{
	str_addf(out, "\n[%s]\n", title);
}

const char *section_find(const char *text, const char *title)
{
	AUTO_FREE char *head = xasprintf("[%s]\n", title);
	const char *found = NULL;

	for (const char *p = text; (p = strstr(p, head)); p++)
		if (p == text || p[-1] == '\n')
			found = p + strlen(head);
	return found;
}

bool section_line(const char **at, const char **ret_line, size_t *ret_n)
{
	size_t n = strcspn(*at, "\n");

	if (!n)
		return false;
	*ret_line = *at;
	*ret_n = n;
	*at += n + ((*at)[n] == '\n');
	return true;
}

void section_put_function(struct str *out, const char *name, const int64_t counts[4])
{
	for (int i = 0; i < 4; i++)
		str_addf(out, "%" PRId64 " ", counts[i]);
	str_addf(out, "%s\n", name);
}

bool section_function(const char *line, size_t n, struct section_function *ret)
{
	double *const to[] = { &ret->instructions, &ret->misses[0], &ret->misses[1],
			       &ret->misses[2] };
	const char *p = line;

	for (size_t i = 0; i < ARRAY_LEN(to); i++) {
		char *end;

		*to[i] = strtod(p, &end);
		if (end == p || *end != ' ' || end >= line + n)
			return false;
		p = end + 1;
	}
	ret->name = p;
	ret->name_n = (size_t)(line + n - p);
	return ret->name_n > 0;
}
