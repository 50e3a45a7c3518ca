/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qsort(3) is refused for its call per comparison: two files of a million values must be read,
 * sorted, compared and judged within a second. The sort is a quicksort on the median of three with
 * insertion below 24, and falls back to heapsort when the depth says that an input was made to hurt
 * it. From some thousand values on a radix sort of the bit patterns, six passes of 11 bits, takes a
 * third of that time.
 */
#include "stats/sample.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

static void insertion_sort(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double x = v[i];
		size_t j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

static void sift_down(double *v, size_t i, size_t n)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && v[child + 1] > v[child])
			child++;
		if (v[i] >= v[child])
			return;
		swap(&v[i], &v[child]);
	}
}

static void heap_sort(double *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(v, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(&v[0], &v[i]);
		sift_down(v, 0, i);
	}
}

/* Hoare's partition around the median of three: v[0..p) <= v[p..n), 0 < p < n. Equal values are
 * spread over both. */
static size_t partition(double *v, size_t n)
{
	double a = v[0], b = v[n / 2], c = v[n - 1];
	double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
	size_t i = 0, j = n - 1;

	for (;;) {
		while (v[i] < pivot)
			i++;
		while (v[j] > pivot)
			j--;
		if (i >= j)
			break;
		swap(&v[i++], &v[j--]);
	}
	/* i == j: that element is the pivot's equal; it may go right. i > j: they have crossed. */
	return i > 0 ? i : 1;
}

static void quick_sort(double *v, size_t n, unsigned depth)
{
	while (n > 24) {
		if (!depth--) {
			heap_sort(v, n);
			return;
		}
		size_t p = partition(v, n);

		if (p < n - p) {
			quick_sort(v, p, depth);
			v += p;
			n -= p;
		} else {
			quick_sort(v + p, n - p, depth);
			n = p;
		}
	}
	insertion_sort(v, n);
}

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS, RADIX_PASSES = 6, RADIX_LEAST = 8192 };

/* Bit patterns as unsigned numbers of the same order, and back. */
static uint64_t key_of(uint64_t bits)
{
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t bits_of(uint64_t key)
{
	return key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
}

static size_t digit(uint64_t key, unsigned pass)
{
	return (size_t)(key >> (pass * RADIX_BITS)) % RADIX;
}

static void radix_sort(double *v, size_t n)
{
	AUTO_FREE uint64_t *keys = xmalloc(n * sizeof(*keys));
	AUTO_FREE uint64_t *spare = xmalloc(n * sizeof(*spare));
	AUTO_FREE size_t *count = xcalloc((size_t)RADIX_PASSES * RADIX, sizeof(*count));
	uint64_t *from = keys, *to = spare;

	memcpy(keys, v, n * sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		keys[i] = key_of(keys[i]);
		for (unsigned pass = 0; pass < RADIX_PASSES; pass++)
			count[pass * RADIX + digit(keys[i], pass)]++;
	}
	for (unsigned pass = 0; pass < RADIX_PASSES; pass++) {
		size_t *at = &count[pass * RADIX], sum = 0;

		if (at[digit(from[0], pass)] == n)
			continue; /* all alike here */
		for (size_t d = 0; d < RADIX; d++) {
			size_t c = at[d];

			at[d] = sum;
			sum += c;
		}
		for (size_t i = 0; i < n; i++)
			to[at[digit(from[i], pass)]++] = from[i];
		uint64_t *t = from;

		from = to;
		to = t;
	}
	for (size_t i = 0; i < n; i++)
		from[i] = bits_of(from[i]);
	memcpy(v, from, n * sizeof(*v));
}

void sample_sort(double *v, size_t n)
{
	unsigned depth = 8;

	if (n >= RADIX_LEAST) {
		radix_sort(v, n);
		return;
	}

	for (size_t m = n; m > 1; m >>= 1)
		depth += 2;
	quick_sort(v, n, depth);
}

double *sample_sorted(const double *v, size_t n)
{
	double *copy = xmalloc((n + 1) * sizeof(*copy));

	if (n)
		memcpy(copy, v, n * sizeof(*v));
	sample_sort(copy, n);
	return copy;
}

double sample_select(double *v, size_t n, size_t k)
{
	assert(k < n);
	for (unsigned depth = 96; n > 24; depth--) {
		if (!depth) {
			heap_sort(v, n);
			return v[k];
		}
		size_t p = partition(v, n);

		if (k < p) {
			n = p;
		} else {
			v += p;
			n -= p;
			k -= p;
		}
	}
	insertion_sort(v, n);
	return v[k];
}

double sample_median_sorted(const double *v, size_t n)
{
	if (!n)
		return NAN;
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

double sample_quantile_sorted(const double *v, size_t n, double p)
{
	if (!n || !(p >= 0 && p <= 1))
		return NAN;
	double at = p * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

double sample_median(const double *v, size_t n)
{
	AUTO_FREE double *s = sample_sorted(v, n);

	return sample_median_sorted(s, n);
}

double sample_mad(const double *v, size_t n)
{
	double median = sample_median(v, n);
	AUTO_FREE double *r = xmalloc((n + 1) * sizeof(*r));

	for (size_t i = 0; i < n; i++)
		r[i] = fabs(v[i] - median);
	sample_sort(r, n);
	return sample_median_sorted(r, n);
}

void moments_add(struct moments *m, double x)
{
	double d = x - m->mean;

	m->n++;
	m->mean += d / (double)m->n;
	m->m2 += d * (x - m->mean);
}

double moments_mean(const struct moments *m)
{
	return m->n ? m->mean : NAN;
}

double moments_sd(const struct moments *m)
{
	return m->n >= 2 ? sqrt(m->m2 / (double)(m->n - 1)) : NAN;
}

double sample_mean(const double *v, size_t n)
{
	struct moments m = { 0 };

	for (size_t i = 0; i < n; i++)
		moments_add(&m, v[i]);
	return moments_mean(&m);
}

double sample_sd(const double *v, size_t n)
{
	struct moments m = { 0 };

	for (size_t i = 0; i < n; i++)
		moments_add(&m, v[i]);
	return moments_sd(&m);
}

double sample_huber(const double *v, size_t n, double scale)
{
	if (n <= 2 || !(scale > 0))
		return sample_mean(v, n);
	double at = sample_median(v, n);

	for (int step = 0; step < 4; step++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += fmax(-1.5, fmin(1.5, (v[i] - at) / scale));
		at += scale * sum / (double)n;
	}
	return at;
}

size_t sample_ties_sorted(const double *v, size_t n)
{
	size_t ties = 0;

	for (size_t i = 0; i < n; i++)
		if ((i > 0 && v[i] == v[i - 1]) || (i + 1 < n && v[i] == v[i + 1]))
			ties++;
	return ties;
}

double sample_step_sorted(const double *v, size_t n)
{
	double step = 0;

	if (n < 4 || 2 * sample_ties_sorted(v, n) < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		double d = v[i] - v[i - 1];

		/* What arithmetic left behind (0.1 + 0.2 against 0.3) is no step. */
		if (d > 1e-12 * fabs(v[i]) && (step == 0 || d < step))
			step = d;
	}
	return step;
}

bool sample_median_interval(const double *v, size_t n, double level, double *ret_low,
			    double *ret_high)
{
	/* ln of the probability of k values below the median, from k = 0; the tail grows until it would take too much */
	double term = -(double)n * log(2), tail = 0;
	size_t k = 0;

	while (k < n / 2 && tail + exp(term) <= (1 - level) / 2) {
		tail += exp(term);
		term += log((double)(n - k)) - log((double)(k + 1));
		k++;
	}
	if (!k)
		return false;
	*ret_low = v[k - 1];
	*ret_high = v[n - k];
	return true;
}
