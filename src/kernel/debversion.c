/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debversion - see debversion.h.
 *
 * `dpkg --compare-versions` answers one question a process; sorting some dozens of kernels would take hundreds. The unit test holds this against dpkg.
 */
#include "kernel/debversion.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Weight of a byte in the non-digit parts: '~' < end < letters < the rest. */
static int weight(const char *p, const char *end)
{
	if (p == end || isdigit((unsigned char)*p))
		return 0;
	if (*p == '~')
		return -1;
	return isalpha((unsigned char)*p) ? (unsigned char)*p : (unsigned char)*p + 256;
}

static int compare_digits(const char **a, const char *a_end, const char **b, const char *b_end)
{
	int first = 0;

	while (*a < a_end && **a == '0')
		(*a)++;
	while (*b < b_end && **b == '0')
		(*b)++;
	while (*a < a_end && *b < b_end && isdigit((unsigned char)**a) &&
	       isdigit((unsigned char)**b)) {
		if (!first)
			first = **a - **b;
		(*a)++;
		(*b)++;
	}
	if (*a < a_end && isdigit((unsigned char)**a))
		return 1;
	if (*b < b_end && isdigit((unsigned char)**b))
		return -1;
	return first;
}

static int compare_part(const char *a, const char *a_end, const char *b, const char *b_end)
{
	while (a < a_end || b < b_end) {
		int r;

		while ((a < a_end && !isdigit((unsigned char)*a)) ||
		       (b < b_end && !isdigit((unsigned char)*b))) {
			r = weight(a, a_end) - weight(b, b_end);
			if (r)
				return r;
			a += a < a_end;
			b += b < b_end;
		}
		r = compare_digits(&a, a_end, &b, b_end);
		if (r)
			return r;
	}
	return 0;
}

int debversion_compare(const char *a, const char *b)
{
	const char *a_colon = strchr(a, ':'), *b_colon = strchr(b, ':'), *a_dash, *b_dash;
	const char *a_end, *b_end;
	long a_epoch = a_colon ? strtol(a, NULL, 10) : 0,
	     b_epoch = b_colon ? strtol(b, NULL, 10) : 0;
	int r;

	if (a_epoch != b_epoch)
		return a_epoch < b_epoch ? -1 : 1;
	a = a_colon ? a_colon + 1 : a;
	b = b_colon ? b_colon + 1 : b;
	a_end = a + strlen(a);
	b_end = b + strlen(b);
	a_dash = strrchr(a, '-');
	b_dash = strrchr(b, '-');
	r = compare_part(a, a_dash ? a_dash : a_end, b, b_dash ? b_dash : b_end);
	/* No revision is as revision 0: an empty part compares like that. */
	return r ? r
		 : compare_part(a_dash ? a_dash + 1 : a_end, a_end, b_dash ? b_dash + 1 : b_end,
				b_end);
}
