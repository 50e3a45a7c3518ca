/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to numbers and back. strtod is used for the value only after our own scan has found where a plain decimal
 * number ends, so that "0x10", "nan" and "inf", which strtod accepts, never get through. The
 * program never calls setlocale, so '.' is the decimal point everywhere.
 */
#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Exact as doubles. */
static const double powers_of_ten[] = { 1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static double power_of_ten(int n)
{
	int size = n < 0 ? -n : n;

	if (size >= (int)ARRAY_LEN(powers_of_ten))
		return pow(10, n);
	return n < 0 ? 1 / powers_of_ten[size] : powers_of_ten[size];
}

/*
 * The value of the number of n bytes at p. With at most 15 digits and a power of ten that is a double itself, one
 * multiplication or division rounds once and correctly (Clinger, PLDI 1990): all that benchmarks print, ten times as fast as strtod.
 */
static double to_double(const char *p, size_t n, uint64_t digits, int n_digits, int power)
{
	if (n_digits <= 15 && power >= -22 && power <= 22) {
		double v = power < 0 ? (double)digits / powers_of_ten[-power]
				     : (double)digits * powers_of_ten[power];

		return *p == '-' ? -v : v;
	}
	AUTO_FREE char *copy = xstrndup(p, n);

	return strtod(copy, NULL);
}

/* An exponent at p ("e-3"): its value, and *ret_end behind it; 0 and p itself if there is none. */
static int scan_exponent(const char *p, const char **ret_end)
{
	const char *q = p + 1;
	bool negative = false;
	int value = 0;

	*ret_end = p;
	if (*p != 'e' && *p != 'E')
		return 0;
	if (*q == '+' || *q == '-')
		negative = *q++ == '-';
	if (!isdigit((unsigned char)*q))
		return 0;
	for (; isdigit((unsigned char)*q); q++)
		if (value < 100000)
			value = value * 10 + (*q - '0');
	*ret_end = q;
	return negative ? -value : value;
}

bool num_scan_double(const char *text, const char **ret_end, double *ret, double *ret_resolution)
{
	const char *p = text;
	uint64_t digits = 0;
	int n_digits = 0, decimals = 0;
	bool any = false, behind_point = false;

	if (*p == '+' || *p == '-')
		p++;
	for (;; p++) {
		if (*p == '.' && !behind_point) {
			behind_point = true;
			continue;
		}
		if (!isdigit((unsigned char)*p))
			break;
		any = true;
		decimals += behind_point;
		if (n_digits < 16) /* more are left to strtod */
			digits = digits * 10 + (uint64_t)(*p - '0');
		n_digits += digits > 0;
	}
	if (!any)
		return false;
	int exponent = scan_exponent(p, &p);
	double v = to_double(text, (size_t)(p - text), digits, n_digits, exponent - decimals);

	if (!isfinite(v))
		return false;
	*ret = v;
	*ret_end = p;
	if (ret_resolution)
		*ret_resolution = power_of_ten(exponent - decimals);
	return true;
}

int num_parse_double(const char *text, const char *what, double *ret, double *ret_resolution,
		     struct err *e)
{
	const char *end;
	double v, res;

	while (*text == ' ' || *text == '\t')
		text++;
	if (!num_scan_double(text, &end, &v, &res))
		return err_set(e, ERR_USAGE, "%s wants a finite number, not '%.60s'", what, text);
	while (*end == ' ' || *end == '\t' || *end == '\r' || *end == '\n')
		end++;
	if (*end)
		return err_set(e, ERR_USAGE, "%s wants a number, not '%.60s'", what, text);
	*ret = v;
	if (ret_resolution)
		*ret_resolution = res;
	return 0;
}

int num_parse_int(const char *text, const char *what, int64_t min, int64_t max, int64_t *ret,
		  struct err *e)
{
	char *end;

	errno = 0;
	long long v = strtoll(text, &end, 10);

	if (end == text || *end || isspace((unsigned char)*text))
		return err_set(e, ERR_USAGE, "%s wants a whole number, not '%.60s'", what, text);
	if (errno || v < min || v > max)
		return err_set(e, ERR_USAGE, "%s wants a number from %lld to %lld, not '%.60s'",
			       what, (long long)min, (long long)max, text);
	*ret = v;
	return 0;
}

struct suffix {
	const char *name;
	double factor;
};

static const struct suffix *suffix_find(const struct suffix *table, const char *p, size_t n)
{
	for (; table->name; table++)
		if (strlen(table->name) == n && !strncasecmp(table->name, p, n))
			return table;
	return NULL;
}

int num_parse_duration(const char *text, const char *what, int64_t *ret_ns, struct err *e)
{
	static const struct suffix units[] = {
		{ "", 1e9 },	 { "ns", 1 },	   { "us", 1e3 },     { "ms", 1e6 },
		{ "s", 1e9 },	 { "sec", 1e9 },   { "m", 60e9 },     { "min", 60e9 },
		{ "h", 3600e9 }, { "d", 86400e9 }, { "w", 604800e9 }, { NULL, 0 },
	};
	const char *p = text;
	double total = 0;
	bool any = false;

	while (*p) {
		const char *end;
		double v;
		size_t n = 0;

		if (*p == ' ') {
			p++;
			continue;
		}
		if (!num_scan_double(p, &end, &v, NULL) || v < 0)
			goto bad;
		while (*end == ' ')
			end++;
		while (isalpha((unsigned char)end[n]))
			n++;
		const struct suffix *u = suffix_find(units, end, n);

		if (!u || (any && n == 0))
			goto bad;
		total += v * u->factor;
		any = true;
		p = end + n;
	}
	if (!any || total > 9e18)
		goto bad;
	*ret_ns = (int64_t)total;
	return 0;
bad:
	return err_set(e, ERR_USAGE, "%s wants a time like 90s, 5m or 1h30m, not '%.60s'", what,
		       text);
}

int num_parse_size(const char *text, const char *what, int64_t *ret_bytes, struct err *e)
{
	static const struct suffix units[] = {
		{ "", 1 },
		{ "b", 1 },
		{ "k", 1024 },
		{ "kb", 1024 },
		{ "kib", 1024 },
		{ "m", 1048576 },
		{ "mb", 1048576 },
		{ "mib", 1048576 },
		{ "g", 1073741824 },
		{ "gb", 1073741824 },
		{ "gib", 1073741824 },
		{ "t", 1099511627776.0 },
		{ "tb", 1099511627776.0 },
		{ "tib", 1099511627776.0 },
		{ NULL, 0 },
	};
	const char *end;
	double v;

	if (num_scan_double(text, &end, &v, NULL) && v >= 0) {
		while (*end == ' ')
			end++;
		const struct suffix *u = suffix_find(units, end, strlen(end));

		if (u && v * u->factor < 9e18) {
			*ret_bytes = (int64_t)(v * u->factor);
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "%s wants a size like 64K, 512M or 2G, not '%.60s'", what,
		       text);
}

int num_parse_ratio(const char *text, const char *what, double *ret, struct err *e)
{
	const char *end;
	double v;

	if (num_scan_double(text, &end, &v, NULL)) {
		while (*end == ' ')
			end++;
		if (!strcmp(end, "%") || !*end) {
			*ret = *end ? v / 100 : v;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "%s wants a ratio like 1%% or 0.01, not '%.60s'", what, text);
}

void num_put_clock(struct str *out, int64_t ns)
{
	int64_t s = (ns + NS_PER_S / 2) / NS_PER_S;

	if (s >= 3600)
		str_addf(out, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60),
			 (long long)(s % 60));
	else
		str_addf(out, "%lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

void num_put_duration(struct str *out, int64_t ns)
{
	double s = (double)ns / 1e9;
	long long m = (long long)(s / 60 + 0.5), h = (long long)(s / 3600 + 0.5);

	if (s < 1e-3)
		str_addf(out, "%.0f us", s * 1e6);
	else if (s < 0.9995)
		str_addf(out, "%.0f ms", s * 1e3);
	else if (s < 9.95)
		str_addf(out, "%.1f s", s);
	else if (s < 119.5)
		str_addf(out, "%.0f s", s);
	else if (m < 60)
		str_addf(out, "%lld min", m);
	else if (m < 48 * 60)
		str_addf(out, "%lld h %02lld min", m / 60, m % 60);
	else
		str_addf(out, "%lld d %lld h", h / 24, h % 24);
}

void num_put_size(struct str *out, int64_t bytes)
{
	num_put_value(out, (double)bytes, "B", 3);
}

/* Families of units that scale. Base first in meaning, sorted by factor: value_in_base / factor is shown. */
static const struct suffix seconds[] = {
	{ "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 }, { NULL, 0 }
};
static const struct suffix bytes[] = { { "B", 1 },
				       { "KiB", 1024.0 },
				       { "MiB", 1048576.0 },
				       { "GiB", 1073741824.0 },
				       { "TiB", 1099511627776.0 },
				       { NULL, 0 } };
static const struct suffix byte_rates[] = { { "B/s", 1 },
					    { "KiB/s", 1024.0 },
					    { "MiB/s", 1048576.0 },
					    { "GiB/s", 1073741824.0 },
					    { NULL, 0 } };
static const struct suffix bit_rates[] = { { "bit/s", 1 },    { "kbit/s", 1e3 },  { "Mbit/s", 1e6 },
					   { "Gbit/s", 1e9 }, { "Tbit/s", 1e12 }, { NULL, 0 } };
static const struct suffix counts[] = { { "", 1 },    { "k", 1e3 },  { "M", 1e6 },
					{ "G", 1e9 }, { "T", 1e12 }, { NULL, 0 } };

static const struct suffix *family(const char *unit, const char **ret_tail)
{
	static const struct suffix *const families[] = { seconds, bytes, byte_rates, bit_rates };

	*ret_tail = "";
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const struct suffix *u = families[i]; u->name; u++)
			if (!strcmp(u->name, unit))
				return families[i];
	if (!*unit || !strcmp(unit, "instructions") || !strcmp(unit, "count") ||
	    !strcmp(unit, "/s") || !strcmp(unit, "ops/s")) {
		*ret_tail = unit;
		return counts;
	}
	return NULL;
}

void num_scale(double value, const char *unit, double *ret_factor, char ret_unit[32])
{
	const char *tail;
	const struct suffix *f = family(unit, &tail), *best;
	double base = 1, size;

	*ret_factor = 1;
	snprintf(ret_unit, 32, "%.31s", unit);
	if (!f || !isfinite(value) || value == 0)
		return;
	for (const struct suffix *u = f; u->name && !*tail; u++)
		if (!strcmp(u->name, unit))
			base = u->factor;
	size = fabs(value) * base;
	best = f;
	for (const struct suffix *u = f; u->name; u++)
		if (size >= u->factor * 0.99995)
			best = u;
	/* plain counts below 10,000 read better as they are */
	if (f == counts && size < 1e4)
		best = f;
	*ret_factor = base / best->factor;
	snprintf(ret_unit, 32, "%s%s%s", best->name, *best->name && *tail ? " " : "", tail);
}

void num_put_value(struct str *out, double value, const char *unit, int digits)
{
	double factor, v;
	char scaled[32];
	int decimals;

	if (isnan(value)) {
		str_puts(out, "-");
		return;
	}
	num_scale(value, unit, &factor, scaled);
	v = value * factor;
	decimals = v == 0 ? 0 : digits - 1 - (int)floor(log10(fabs(v)) + 1e-9);
	if (decimals < 0)
		decimals = 0;
	if (decimals > 9) {
		str_addf(out, "%.*g", digits, v);
	} else {
		/* whole counts need no decimals */
		if (v == floor(v) && factor == 1 &&
		    (!strcmp(unit, "B") || !*unit || !strcmp(unit, "count")))
			decimals = 0;
		str_addf(out, "%.*f", decimals, v);
	}
	if (*scaled)
		str_addf(out, " %s", scaled);
}

void num_put_change(struct str *out, double change, int decimals)
{
	double pct = change * 100;
	double unit = pow(10, -decimals);

	if (isnan(pct)) {
		str_puts(out, "?");
		return;
	}
	if (fabs(pct) < unit / 2)
		pct = 0;
	str_addf(out, "%+.*f", decimals, pct);
}
