/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symptom - what is odd about a sample: two modes, outliers, drift, another spread.
 *
 * Each is a warning for people, no verdict: none of them changes an interval. On quiet data
 * (Gaussian, n from the stated minimum up) each is raised in at most about 1 % of the samples;
 * docs/design/013-verdicts.md has the measured rates. With very many values a symptom must also be
 * large enough to matter. Scale and origin of the values do not matter. Too few values: false.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Two clusters, each with a fifth of the values or more; sorted values, n >= 8. */
bool symptom_bimodal(const double *sorted, size_t n);
/* Values far outside the bulk; sorted values, n >= 8. */
bool symptom_outliers(const double *sorted, size_t n);
/* A trend over the order in which the values were measured; n >= 8. `sorted` holds the same values.
 */
bool symptom_drift(const double *v, const double *sorted, size_t n);
/* Two samples spread differently about their medians, by a factor of 1.25 or more; sorted, 8 or
 * more each. */
bool symptom_spread(const double *a, size_t n, const double *b, size_t m);

/* |v - median| of sorted values, ascending; the caller frees. O(n). */
double *sorted_deviations(const double *sorted, size_t n);
