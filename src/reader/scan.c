/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/scan.h"

#include "base/num.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { NAME_MAX_LEN = 79, UNIT_MAX_LEN = 31, VALUE_MAX_LEN = 400 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

bool scan_line(const char **at, const char *end, const char **ret_line, size_t *ret_n)
{
	if (*at >= end)
		return false;
	const char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));

	*at = stop ? stop + 1 : end;
	if (!stop)
		stop = end;
	line = skip_blanks(line, stop);
	while (stop > line && is_blank(stop[-1]))
		stop--;
	*ret_line = line;
	*ret_n = (size_t)(stop - line);
	return true;
}

static bool is_word_end(const char *p, const char *end)
{
	return p >= end || !(isalnum((unsigned char)*p) || *p == '_');
}

/* "nan", "inf", "infinity" in any case; their length, or 0. */
static size_t not_finite_word(const char *p, const char *end)
{
	static const char *const words[] = { "nan", "infinity", "inf" };

	if (p >= end || !strchr("nNiI", *p) ||
	    !*p) /* most numbers are digits: this is asked for each */
		return 0;
	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(end - p) >= n && !strncasecmp(p, words[i], n) &&
		    is_word_end(p + n, end))
			return n;
	}
	return 0;
}

static const char *skip_exponent(const char *p, const char *end)
{
	if (p >= end || (*p != 'e' && *p != 'E'))
		return p;
	p++;
	if (p < end && (*p == '+' || *p == '-'))
		p++;
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return p;
}

enum scan_value scan_value(const char *p, const char *end, const char **ret_end, double *ret,
			   double *ret_resolution)
{
	const char *q = p;
	bool digits = false;

	if (q < end && (*q == '+' || *q == '-'))
		q++;
	size_t word = not_finite_word(q, end);

	if (word) {
		*ret_end = q + word;
		return SCAN_NOT_FINITE;
	}
	for (; q < end && (isdigit((unsigned char)*q) || *q == '.'); q++)
		digits = digits || *q != '.';
	if (!digits)
		return SCAN_NONE;
	if (q - p <= VALUE_MAX_LEN && num_scan_double(p, ret_end, ret, ret_resolution))
		return *ret_end <= end ? SCAN_VALUE : SCAN_NONE;
	*ret_end = skip_exponent(q, end); /* digits that are no double: too large */
	return SCAN_NOT_FINITE;
}

size_t scan_unit(const char *p, const char *end)
{
	const char *q = p;

	if (q >= end)
		return 0;
	bool is_per = *q == '/' || (*q == '1' && end - q > 1 && q[1] == '/');

	if (!is_per && *q != '%' && *q != '$' && !isalpha((unsigned char)*q) && !(*q & 0x80))
		return 0;
	while (q < end && !is_blank(*q)) {
		/* A unit is a word of letters and operators; a sentence's punctuation ends it as no unit. */
		if (!isalnum((unsigned char)*q) && !(*q & 0x80) &&
		    (!*q || !strchr("/%$*^_-.()", *q)))
			return 0;
		q++;
	}
	return q - p <= UNIT_MAX_LEN ? (size_t)(q - p) : 0;
}

/* A name starts with a letter, and is of letters, digits, _ . / % - + ( ) [ ] and single spaces. Its length, or 0. */
static size_t scan_name(const char *p, const char *end)
{
	const char *q = p;

	if (q >= end || !(isalpha((unsigned char)*q) || *q == '_' || (*q & 0x80)))
		return 0;
	for (; q < end; q++) {
		bool in_word = isalnum((unsigned char)*q) || (*q & 0x80) ||
			       (*q && strchr("_./%-+()[]@,", *q));

		if (in_word)
			continue;
		if (*q == ' ' && q + 1 < end && q[1] != ' ' && q[1] != '=' && q[1] != ':')
			continue;
		break;
	}
	return q - p <= NAME_MAX_LEN ? (size_t)(q - p) : 0;
}

bool scan_pair(const char *line, size_t n, struct scan_pair *ret)
{
	const char *end = line + n, *p = line;
	size_t name_n = scan_name(line, end);

	if (!name_n)
		return false;
	p = skip_blanks(line + name_n, end);
	if (p >= end || (*p != ':' && *p != '='))
		return false;
	p = skip_blanks(p + 1, end);
	ret->name = line;
	ret->name_n = name_n;
	ret->resolution = 0;
	switch (scan_value(p, end, &p, &ret->value, &ret->resolution)) {
	case SCAN_NONE:
		return false;
	case SCAN_NOT_FINITE:
		ret->value = NAN;
		break;
	case SCAN_VALUE:
		break;
	}
	p = skip_blanks(p, end);
	ret->unit = p;
	ret->unit_n = scan_unit(p, end);
	return p + ret->unit_n == end;
}
