/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256 - FIPS 180-4, section 6.2, in plain C.
 *
 * libcrypto was refused: one function is needed, and its closure is larger than the rest of
 * culprit's. About 300 MB/s, enough for keys and artefacts. The round constants are computed, not
 * listed: the first 32 bits of the fractional parts of the cube roots of the first 64 primes
 * (section 4.2.2), found by exact integer search.
 */
#include "sys/fs.h"

#include <pthread.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <string.h>

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[64];
};

static uint32_t round_constant[64], initial[8];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

/* floor(2^32 * p^(1/degree)) mod 2^32, by bisection on r^degree <= p * 2^(32 * degree) in 128 bits.
 */
static uint32_t root_fraction(unsigned prime, int degree)
{
	uint64_t lo = 0, hi = (uint64_t)1 << 36; /* roots are below 2^4 */

	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;
		unsigned __int128 square = (unsigned __int128)mid * mid;
		bool fits;

		if (degree == 2)
			fits = square >> 64 < prime;
		else /* mid^3 <= p 2^96, divided by mid: both sides stay below 2^128 */
			fits = square <= ((unsigned __int128)prime << 96) / mid;
		if (fits)
			lo = mid;
		else
			hi = mid;
	}
	return (uint32_t)lo;
}

static void make_tables(void)
{
	unsigned found = 0;

	for (unsigned p = 2; found < 64; p++) {
		bool is_prime = true;

		for (unsigned d = 2; d * d <= p; d++)
			is_prime = is_prime && p % d != 0;
		if (!is_prime)
			continue;
		if (found < 8)
			initial[found] = root_fraction(p, 2);
		round_constant[found++] = root_fraction(p, 3);
	}
}

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void compress(struct sha256 *s, const unsigned char *block)
{
	uint32_t w[64], v[8];

	for (int t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
		       (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
	for (int t = 16; t < 64; t++) {
		uint32_t a = w[t - 15], b = w[t - 2];

		w[t] = w[t - 16] + w[t - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(v, s->h, sizeof(v));
	for (int t = 0; t < 64; t++) {
		uint32_t e = v[4], a = v[0];
		uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			      ((e & v[5]) ^ (~e & v[6])) + round_constant[t] + w[t];
		uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		s->h[i] += v[i];
}

struct sha256 *sha256_new(void)
{
	struct sha256 *s = xcalloc(1, sizeof(*s));

	pthread_once(&tables_once, make_tables);
	memcpy(s->h, initial, sizeof(s->h));
	return s;
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n) {
		size_t used = s->bytes % 64, take = 64 - used < n ? 64 - used : n;

		if (take == 64) {
			compress(s, p);
		} else {
			memcpy(s->block + used, p, take);
			if (used + take == 64)
				compress(s, s->block);
		}
		s->bytes += take;
		p += take;
		n -= take;
	}
}

void sha256_finish(struct sha256 *s, char ret[65])
{
	uint64_t bits = s->bytes * 8;
	unsigned char length[8];
	static const unsigned char pad[64] = { 0x80 };

	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(s, pad, 1 + (119 - s->bytes % 64) % 64);
	sha256_add(s, length, sizeof(length));
	for (int i = 0; i < 8; i++)
		snprintf(ret + 8 * i, 9, "%08x", s->h[i]);
	free(s);
}

int sha256_file(const char *path, char ret[65], struct err *e)
{
	/* our reading must not look like the build's or the benchmark's: access times tell what those read */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOATIME);
	static _Thread_local char buf[65536];
	struct sha256 *s;
	ssize_t n;

	if (fd < 0 && errno == EPERM) /* another user's file */
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, "reading '%s'", path);
	s = sha256_new();
	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			sha256_add(s, buf, (size_t)n);
	sha256_finish(s, ret);
	int r = n < 0 ? err_errno(e, "reading '%s'", path) : 0;

	close(fd);
	return r;
}
