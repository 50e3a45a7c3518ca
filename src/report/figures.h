/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures - the plots of the HTML page. Each writes nothing where there is nothing to show, and true where it wrote.
 */
#pragma once

#include "report/letter.h"

/* The commits that were measured, in order, each with its samples; under them where the change is, with its probability. */
bool figure_range(const struct dossier *d, struct str *out);
/* Samples of each side with median and interval, a plot a metric. */
bool figure_sides(const struct dossier *d, struct str *out);
/* The values in the order of their runs: a machine that changed its speed is seen here. */
bool figure_order(const struct dossier *d, struct str *out);
/* Every metric's change with its interval around zero. */
bool figure_forest(const struct dossier *d, struct str *out);
/* What functions cost more and less. */
bool figure_functions(const struct dossier *d, struct str *out);

/* "good", "bad", "third" (mended) or "other": how a side of a series is coloured. */
const char *figure_color(const struct dossier *d, const struct dossier_series *x, uint32_t side);
/* The place of a commit in the range, or -1. */
int64_t figure_place(const struct dossier *d, const char *name);
/* A value beside an axis whose largest one is `scale_by`: "0.2 s". */
void figure_tick(double value, double scale_by, const char *unit, struct str *out);
/* Gridlines and values of a vertical axis. */
struct svg_scale;
void figure_axis(const struct svg_scale *s, double top, double bottom, const char *unit,
		 struct str *out);
