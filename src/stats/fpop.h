/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fpop - the exact optimum of a penalised segmentation with bounded loss.
 *
 * Minimises over all segmentations and levels: sum min((x_t - level)^2, bound^2) + penalty * (segments - 1).
 */
#pragma once

#include <stddef.h>

/*
 * x finite, scaled so that the noise's sd is about 1. Writes the first index of each segment (ret[0] = 0) and returns their
 * number; `ret` has room for n. n >= 1. bound HUGE_VAL = ordinary least squares.
 */
size_t fpop_segments(const double *x, size_t n, double bound, double penalty, size_t *ret);
