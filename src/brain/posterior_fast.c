/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_fast - exp and log that the compiler can put into vector registers.
 *
 * libm's vector functions are a GNU extension that only gcc reaches from plain C and whose results change between
 * versions; the polynomials below give 1e-10 on every compiler. Where the processor has wider registers another copy of each loop
 * is taken at load time.
 */
#include "brain/posterior_fast.h"

#include <string.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) &&             \
	!defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

/* exp(x) for x <= 700, 0-like (1e-130) below -300: far from the subnormal numbers, which are slow. The offset 1024 keeps the conversion to an integer a plain truncation. */
INLINE double exp_poly(double x)
{
	double v = x > -300 ? x : -300;
	int32_t k = (int32_t)(v * 1.4426950408889634 + 1024.5);
	double kd = k - 1024;
	double r = v - kd * 0.693147180369123816490 - kd * 1.90821492927058770002e-10;
	double p = 1.0 / 362880;

	p = p * r + 1.0 / 40320;
	p = p * r + 1.0 / 5040;
	p = p * r + 1.0 / 720;
	p = p * r + 1.0 / 120;
	p = p * r + 1.0 / 24;
	p = p * r + 1.0 / 6;
	p = p * r + 0.5;
	p = p * r + 1;
	p = p * r + 1;
	uint64_t bits = (uint64_t)((int64_t)k - 1) << 52;
	double scale;

	memcpy(&scale, &bits, sizeof(scale));
	return p * scale;
}

/* ln(x) for normal x > 0: x = 2^k m with m around 1, then the series of artanh. */
INLINE double log_poly(double x)
{
	uint64_t b;

	memcpy(&b, &x, sizeof(b));
	uint64_t e = b - UINT64_C(0x3fe6a09e667f3bcd);
	int32_t k = (int32_t)(uint32_t)(e >> 32) >> 20;
	uint64_t mb = b - ((uint64_t)(int64_t)k << 52);
	double m;

	memcpy(&m, &mb, sizeof(m));
	double t = (m - 1) / (m + 1), w = t * t, p = 1.0 / 11;

	p = p * w + 1.0 / 9;
	p = p * w + 1.0 / 7;
	p = p * w + 1.0 / 5;
	p = p * w + 1.0 / 3;
	p = p * w + 1;
	return 2 * t * p + k * 0.693147180559945309;
}

CLONES void fast_log_mixture(double *restrict ret, size_t n, double x0, double h, unsigned bells,
			     const double *restrict m, const double *restrict v,
			     const double *restrict c, double floor)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = floor;
	for (unsigned k = 0; k < bells; k++) {
		double g = -0.5 / v[k], d0 = x0 - m[k], ck = c[k];

		for (size_t i = 0; i < n; i++) {
			double d = d0 + h * (double)(int32_t)i;

			ret[i] += ck * exp_poly(g * d * d);
		}
	}
	for (size_t i = 0; i < n; i++)
		ret[i] = log_poly(ret[i]);
}

CLONES void fast_add(double *restrict acc, const double *restrict add, size_t n, double sign)
{
	for (size_t i = 0; i < n; i++)
		acc[i] += sign * add[i];
}

CLONES void fast_moments(const double *restrict l, size_t n, double x0, double h,
			 struct fast_moments *restrict ret)
{
	double top = l[0], s0 = 0, s1 = 0, s2 = 0;

	for (size_t i = 1; i < n; i++)
		top = l[i] > top ? l[i] : top;
	for (size_t i = 0; i < n; i++) {
		double e = exp_poly(l[i] - top), x = (double)(int32_t)i;

		s0 += e;
		s1 += e * x;
		s2 += e * x * x;
	}
	double mean = s1 / s0, var = s2 / s0 - mean * mean;
	double log_s0 = log_poly(s0);

	ret->log_sum = log_s0 + top;
	ret->mean = x0 + h * mean;
	ret->var = (var > 1e-6 ? var : 1e-6) * h * h;
}
