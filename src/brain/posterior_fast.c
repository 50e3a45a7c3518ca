/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_fast - exp and log that the compiler can put into vector registers.
 *
 * Single precision: the quadrature is off by 1e-3 at worst and the polynomials below by 2e-7, and a register holds twice as
 * many. What is added up over units and classes is kept in double, and so is what large numbers are subtracted in.
 * libm's vector functions are a GNU extension that only gcc reaches from plain C and whose results change between
 * versions. The results are the same to the last bit on every processor: there is no sum whose order a compiler could choose (lanes
 * stay apart and are folded in a fixed order), and multiplications and additions are not contracted (meson.build). All windows have whole blocks of nodes, so that the inner loops have a fixed length and no remainder. Where the
 * processor has wider registers another copy of each loop is taken at load time.
 */
#include "brain/posterior_fast.h"

#include <string.h>

#ifdef FAST_ONLY
#define FAST_TEXT(x) #x
#define FAST_QUOTED(x) FAST_TEXT(x)
#define CLONES __attribute__((target(FAST_QUOTED(FAST_ONLY))))
#elif defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) &&           \
	!defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

#define LEAST_EXP (-80.0f) /* far from the subnormal numbers, which are slow */
#define LEAST_FLOOR 1e-30f

enum { BLOCK = FAST_BLOCK };

/* exp(x) for LEAST_EXP <= x <= 80. The offset 128 keeps the conversion to an integer a plain truncation. */
INLINE float exp_poly(float x)
{
	float v = x > LEAST_EXP ? x : LEAST_EXP;
	int32_t k = (int32_t)(v * 1.44269504f + 128.5f);
	float kd = (float)(k - 128);
	float r = v - kd * 0.693359375f + kd * 2.12194440e-4f;
	float p = 1.0f / 720;

	p = p * r + 1.0f / 120;
	p = p * r + 1.0f / 24;
	p = p * r + 1.0f / 6;
	p = p * r + 0.5f;
	p = p * r + 1;
	p = p * r + 1;
	uint32_t bits = (uint32_t)(k - 1) << 23;
	float scale;

	memcpy(&scale, &bits, sizeof(scale));
	return p * scale;
}

/* ln(x) for normal x > 0: x = 2^k m with m around 1, then the series of artanh. */
INLINE float log_poly(float x)
{
	uint32_t b;

	memcpy(&b, &x, sizeof(b));
	int32_t k = (int32_t)(b - UINT32_C(0x3f3504f3)) >> 23;
	uint32_t mb = b - ((uint32_t)k << 23);
	float m;

	memcpy(&m, &mb, sizeof(m));
	float t = (m - 1) / (m + 1), w = t * t, p = 1.0f / 7;

	p = p * w + 1.0f / 5;
	p = p * w + 1.0f / 3;
	p = p * w + 1;
	return 2 * t * p + (float)k * 0.693147181f;
}

CLONES void fast_log_mixture(float *restrict ret, size_t n, double x0, double h, unsigned bells,
			     const double *restrict m, const double *restrict g,
			     const double *restrict c, double floor)
{
	float z0[FAST_BELLS], dz[FAST_BELLS], height[FAST_BELLS];

	for (unsigned k = 0; k < bells; k++) {
		z0[k] = (float)((x0 - m[k]) * g[k]);
		dz[k] = (float)(h * g[k]);
		height[k] = (float)c[k];
	}
	for (size_t at = 0; at < n; at += BLOCK) {
		float sum[BLOCK];

		for (int i = 0; i < BLOCK; i++)
			sum[i] = floor > LEAST_FLOOR ? (float)floor : LEAST_FLOOR;
		for (unsigned k = 0; k < bells; k++)
			for (int i = 0; i < BLOCK; i++) {
				float z = z0[k] + dz[k] * (float)((int32_t)at + i);

				sum[i] += height[k] * exp_poly(-z * z);
			}
		for (int i = 0; i < BLOCK; i++)
			ret[at + i] = log_poly(sum[i]);
	}
}

CLONES void fast_add(double *restrict acc, const float *restrict add, size_t n, double sign)
{
	for (size_t at = 0; at < n; at += BLOCK)
		for (int i = 0; i < BLOCK; i++)
			acc[at + i] += sign * (double)add[at + i];
}

/* The lanes stay apart until the end, where halves are added to halves: nothing waits for a chain of additions. */
#define HALVE(lanes, half, op)                                                                     \
	for (int i = 0; i < (half); i++)                                                           \
	(lanes)[i] = op((lanes)[i], (lanes)[i + (half)])
#define FOLD(lanes, op)                                                                            \
	do {                                                                                       \
		HALVE(lanes, 8, op);                                                               \
		HALVE(lanes, 4, op);                                                               \
		HALVE(lanes, 2, op);                                                               \
		HALVE(lanes, 1, op);                                                               \
	} while (0)
#define PLUS(a, b) ((a) + (b))
#define MOST(a, b) ((a) > (b) ? (a) : (b))

CLONES void fast_sums(const double *restrict l, size_t n, struct fast_sums *restrict ret)
{
	double top[BLOCK];
	float s0[BLOCK] = { 0 }, s1[BLOCK] = { 0 }, s2[BLOCK] = { 0 };
	float middle = 0.5f * (float)((int32_t)n - 1);

	memcpy(top, l, sizeof(top));
	for (size_t b = BLOCK; b < n; b += BLOCK)
		for (int i = 0; i < BLOCK; i++)
			top[i] = MOST(top[i], l[b + i]);
	FOLD(top, MOST);
	for (size_t b = 0; b < n; b += BLOCK)
		for (int i = 0; i < BLOCK; i++) {
			float e = exp_poly((float)(l[b + i] - top[0]));
			float x = (float)((int32_t)b + i) - middle;

			s0[i] += e;
			s1[i] += e * x;
			s2[i] += e * x * x;
		}
	FOLD(s0, PLUS);
	FOLD(s1, PLUS);
	FOLD(s2, PLUS);
	*ret = (struct fast_sums){ top[0], s0[0], s1[0], s2[0] };
}

CLONES void fast_moments(const struct fast_sums *restrict sums, size_t n_sums, size_t n, double x0,
			 double h, struct fast_moments *restrict ret)
{
	double middle = x0 + h * 0.5 * (double)((int32_t)n - 1);

	for (size_t i = 0; i < n_sums; i++) {
		float one = 1 / sums[i].s0, mean = sums[i].s1 * one,
		      var = sums[i].s2 * one - mean * mean;

		ret[i].log_sum = sums[i].top + (double)log_poly(sums[i].s0 * (float)h);
		ret[i].mean = middle + h * (double)mean;
		ret[i].var = (double)MOST(var, 1e-6f) * h * h;
	}
}

/* --- what visits are worth ------------------------------------------------------------------------------------ */

/* Twice as precise as above: differences of entropies are small. exp(x) for x <= 0, nearly 0 below -300. */
INLINE double exp_double(double x)
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

INLINE double log_double(double x)
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

CLONES void fast_information(size_t n, const double *restrict q, const double *restrict x, double e,
			     double entropy_e, double *restrict ret)
{
	for (size_t at = 0; at < n; at += FAST_LANES)
		for (int i = 0; i < FAST_LANES; i++) {
			double p = q[at + i] * (1 - e) + (1 - q[at + i]) * e;

			p = p > 1e-12 ? p : 1e-12;
			p = p < 1 - 1e-12 ? p : 1 - 1e-12;
			double h = -p * log_double(p) - (1 - p) * log_double(1 - p) - entropy_e;

			h = h > 1e-12 ? h : 1e-12;
			ret[at + i] = h * (1 - exp_double(-q[at + i] * (1 - q[at + i]) * x[at + i] /
							  (2 * h)));
		}
}
