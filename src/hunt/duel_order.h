/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duel_order - whose turn it is in a round of a duel. */
#pragma once

#include "hunt/session.h"

/* The sides in the order of round `round`: drawn from the seed for each pair of rounds, the second the mirror of the first. */
void duel_order(const struct session *s, size_t n_sides, unsigned round, size_t *ret);
