/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/units.h"

#include "base/mem.h"

#include <string.h>

/* A size relative to its kind's smallest: all are whole numbers, so a conversion is one exact division or product. */
static const struct unit {
	const char *name;
	char kind;
	double size;
} units[] = {
	{ "ns", 't', 1 },
	{ "nsec", 't', 1 },
	{ "nanoseconds", 't', 1 },
	{ "us", 't', 1e3 },
	{ "µs", 't', 1e3 },
	{ "μs", 't', 1e3 },
	{ "usec", 't', 1e3 },
	{ "usecs", 't', 1e3 },
	{ "microseconds", 't', 1e3 },
	{ "ms", 't', 1e6 },
	{ "msec", 't', 1e6 },
	{ "milliseconds", 't', 1e6 },
	{ "s", 't', 1e9 },
	{ "sec", 't', 1e9 },
	{ "secs", 't', 1e9 },
	{ "seconds", 't', 1e9 },
	{ "Seconds", 't', 1e9 },
	{ "min", 't', 60e9 },
	{ "B", 'b', 1 },
	{ "kB", 'b', 1e3 },
	{ "KB", 'b', 1e3 },
	{ "MB", 'b', 1e6 },
	{ "GB", 'b', 1e9 },
	{ "TB", 'b', 1e12 },
	{ "KiB", 'b', 1024.0 },
	{ "MiB", 'b', 1024.0 * 1024 },
	{ "GiB", 'b', 1024.0 * 1024 * 1024 },
	{ "bit", 'i', 1 },
	{ "bits", 'i', 1 },
	{ "Kbit", 'i', 1e3 },
	{ "Kbits", 'i', 1e3 },
	{ "Mbit", 'i', 1e6 },
	{ "Mbits", 'i', 1e6 },
	{ "Gbit", 'i', 1e9 },
	{ "Gbits", 'i', 1e9 },
};

/* What stands before the `/`; *ret_per is the rest with it. */
static const struct unit *find(const char *text, const char **ret_per)
{
	size_t n = strcspn(text, "/");

	*ret_per = text + n;
	if (!strcmp(*ret_per, "/sec"))
		*ret_per = "/s";
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (strlen(units[i].name) == n && !memcmp(units[i].name, text, n))
			return &units[i];
	return NULL;
}

bool units_factor(const char *from, const char *to, double *ret_by, double *ret_over)
{
	const char *per_from, *per_to;
	const struct unit *a = find(from, &per_from), *b = find(to, &per_to);

	if (!a || !b || a->kind != b->kind || strcmp(per_from, per_to) != 0)
		return false;
	*ret_by = a->size > b->size ? a->size / b->size : 1;
	*ret_over = a->size > b->size ? 1 : b->size / a->size;
	return true;
}
