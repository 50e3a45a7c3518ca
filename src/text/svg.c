/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dot is a line of no length with round ends, drawn in a stretched coordinate system by a pen that is not: one path for all dots of a colour takes ten bytes a dot,
 * where a circle takes fifty, and 10,000 samples still make a page below a megabyte.
 */
#include "text/svg.h"

#include "text/escape.h"

#include <math.h>

void svg_scale_fit(struct svg_scale *s, const double *v, size_t n)
{
	double room;

	s->low = INFINITY;
	s->high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		s->low = fmin(s->low, v[i]);
		s->high = fmax(s->high, v[i]);
	}
	if (s->low > s->high)
		s->low = s->high = 0;
	room = s->high > s->low ? 0.06 * (s->high - s->low) : s->low != 0 ? 0.05 * fabs(s->low) : 1;
	s->low -= room;
	s->high += room;
}

double svg_at(const struct svg_scale *s, double value)
{
	return (value - s->low) / (s->high - s->low);
}

size_t svg_ticks(const struct svg_scale *s, size_t most, double *ret)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double raw = (s->high - s->low) / (double)most, power = pow(10, floor(log10(raw)));
	double step = 10 * power;
	size_t n = 0;

	for (size_t i = ARRAY_LEN(steps); i-- > 0;)
		if (steps[i] * power >= raw)
			step = steps[i] * power;
	for (double x = ceil(s->low / step) * step; x <= s->high && n < most; x += step)
		ret[n++] = fabs(x) < step / 1e6 ? 0 : x;
	return n;
}

void svg_open(struct str *out, unsigned height, const char *label)
{
	str_addf(out, "<svg class=\"fig\" width=\"100%%\" height=\"%u\" role=\"img\" aria-label=\"",
		 height);
	escape_html(out, label);
	str_puts(out, "\">\n");
}

void svg_close(struct str *out)
{
	str_puts(out, "</svg>\n");
}

void svg_text(struct str *out, double x, double y, const char *class, const char *anchor,
	      const char *text)
{
	str_addf(out, "<text x=\"%.2f%%\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">", 100 * x, y,
		 class, anchor);
	escape_html(out, text);
	str_puts(out, "</text>\n");
}

void svg_line(struct str *out, double x1, double y1, double x2, double y2, const char *class)
{
	str_addf(out, "<line x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\" class=\"%s\"/>\n",
		 100 * x1, y1, 100 * x2, y2, class);
}

void svg_rect(struct str *out, double x, double y, double width, double height, const char *class)
{
	str_addf(out,
		 "<rect x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\" class=\"%s\"/>\n",
		 100 * x, y, 100 * width, height, class);
}

void svg_dots_open(struct str *out, unsigned height, const char *class)
{
	str_addf(
		out,
		"<svg width=\"100%%\" height=\"%u\" viewBox=\"0 0 1000 %u\" preserveAspectRatio=\"none\"><path class=\"dot %s\" d=\"",
		height, height, class);
}

void svg_dot(struct str *out, double x, double y)
{
	str_addf(out, "M%.1f %.1fh0", 1000 * x, y);
}

void svg_dots_close(struct str *out)
{
	str_puts(out, "\"/></svg>\n");
}
