/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg - plots as inline SVG that fit any width: across in per cent or in an inner coordinate system of 0..1000 that is stretched, down in pixels. So text is
 * never scaled, and ten thousand dots are one path.
 */
#pragma once

#include "base/str.h"

/* Values to 0..1; low and high are the ends of the axis. */
struct svg_scale {
	double low, high;
};
/* Covers the values with a little room at both ends; one value alone gets some room too. NaN and infinities are left out. */
void svg_scale_fit(struct svg_scale *s, const double *v, size_t n);
double svg_at(const struct svg_scale *s, double value);
/* Round values within the scale, at most `most` (2..10): how many. */
size_t svg_ticks(const struct svg_scale *s, size_t most, double *ret);

/* A figure as wide as its container and `height` pixels high; `label` says what it shows to those who do not see it. */
void svg_open(struct str *out, unsigned height, const char *label);
void svg_close(struct str *out);
/* x and y: 0..1 of the width, pixels from the top. `class` and `anchor` (start, middle, end) are our own words; the text is escaped. */
void svg_text(struct str *out, double x, double y, const char *class, const char *anchor,
	      const char *text);
void svg_line(struct str *out, double x1, double y1, double x2, double y2, const char *class);
void svg_rect(struct str *out, double x, double y, double width, double height, const char *class);
/* Dots: between the two, svg_dot for each. */
void svg_dots_open(struct str *out, unsigned height, const char *class);
void svg_dot(struct str *out, double x, double y);
void svg_dots_close(struct str *out);
