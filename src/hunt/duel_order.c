/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/duel_order.h"

static void shuffle(const struct session *s, size_t *order, size_t n, uint64_t tag)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t k = session_draw(s, tag * 64 + i + (UINT64_C(1) << 40)) % i;
		size_t x = order[i - 1];

		order[i - 1] = order[k];
		order[k] = x;
	}
}

void duel_order(const struct session *s, size_t n_sides, unsigned round, size_t *ret)
{
	shuffle(s, ret, n_sides, round & ~1u);
	if (round % 2 == 0)
		return;
	for (size_t i = 0; i < n_sides / 2; i++) {
		size_t x = ret[i];

		ret[i] = ret[n_sides - 1 - i];
		ret[n_sides - 1 - i] = x;
	}
}
