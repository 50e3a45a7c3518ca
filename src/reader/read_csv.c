/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv - tables with commas, semicolons or tabs, and a header:
 *
 *   benchmark,latency (ms),throughput        wide: a column a metric, a row a run
 *   metric,value,unit                        long: a row a value; without a header too
 *
 * The first value of a column decides: a column that begins with a number is a metric and must hold numbers (or nothing), another one is a label; a
 * label called benchmark, test, name or the like says which benchmark a row is of. Columns that number or date the rows are no
 * metrics. A unit stands behind the name in ( ) or [ ], or behind each number. Guessing that a mixed column's words are gaps was refused: it makes a
 * failed run's "timeout" vanish. A cell in quotes ends in its line.
 */
#include "reader/formats.h"
#include "reader/scan.h"
#include "reader/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { CELLS_MAX = 1000, CELL_SHOWN = 40 };

enum role { ROLE_NEW, ROLE_METRIC, ROLE_LABEL, ROLE_BENCH };
struct column {
	char *name, *unit;
	enum role role;
};
struct cell {
	char *p; /* zero-terminated */
	size_t n;
};
struct csv {
	struct text t;
	char separator;
	struct column *columns;
	size_t n_columns;
	struct cell cells[CELLS_MAX];
	size_t n;
	char *row; /* what the cells point into */
	size_t row_size;
	unsigned line;
	int metric, value, unit,
		bench; /* of the long form: columns, -1 = none; metric < 0: the wide form */
};

static bool is_one_of(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(name, *words))
			return true;
	return false;
}

static bool is_bench_name(const char *name)
{
	static const char *const words[] = { "benchmark", "bench", "test",     "name", "workload",
					     "command",	  "case",  "scenario", NULL };

	return is_one_of(name, words);
}

/* Numbers and dates of rows. "time" is one where it holds seconds since 1970. */
static bool is_counting(const char *name, double first)
{
	static const char *const words[] = { "",    "commit",	 "revision",  "rev",	    "hash",
					     "run", "run_id",	 "iteration", "iter",	    "index",
					     "id",  "seed",	 "sample",    "repetition", "rep",
					     "#",   "timestamp", "date",      "epoch",	    NULL };

	return is_one_of(name, words) || (!strcasecmp(name, "time") && first > 1e8);
}

/* Cells of the current line, without quotes and blanks around. False: the line is refused. */
static bool split(struct csv *x)
{
	const char *p = x->t.line, *end = p + x->t.n;
	const char separator =
		x->separator; /* out may point anywhere, as far as a compiler knows */
	char *out;

	if (x->row_size < x->t.n + CELLS_MAX + 1) {
		x->row_size = 2 * x->t.n + CELLS_MAX + 1;
		free(x->row);
		x->row = xmalloc(x->row_size);
	}
	out = x->row;
	x->n = 0;
	for (;;) {
		struct cell *c = &x->cells[x->n];
		bool quoted = false;

		if (x->n++ == CELLS_MAX) {
			gather_problem(x->t.g, NULL, 0, "line %u: more than %d columns", x->line,
				       CELLS_MAX);
			return false;
		}
		while (p < end && *p == ' ')
			p++;
		c->p = out;
		for (; p < end && *p != separator && *p != '"'; p++) /* most cells end here */
			*out++ = *p;
		for (; p < end && (quoted || *p != separator); p++)
			if (*p != '"')
				*out++ = *p;
			else if (quoted && p + 1 < end && p[1] == '"')
				*out++ = *p++;
			else
				quoted = !quoted;
		while (out > c->p && out[-1] == ' ')
			out--;
		c->n = (size_t)(out - c->p);
		*out++ = '\0';
		if (quoted) {
			gather_problem(x->t.g, NULL, 0, "line %u: a quote is not closed", x->line);
			return false;
		}
		if (p == end)
			return true;
		p++;
	}
}

/* The whole cell a number, a unit behind it allowed. */
static bool is_number(const struct cell *c, double *ret)
{
	const char *behind;
	double resolution;

	if (scan_value(c->p, c->p + c->n, &behind, ret, &resolution) != SCAN_VALUE)
		return false;
	while (*behind == ' ')
		behind++;
	return !*behind || scan_unit(behind, c->p + c->n) == (size_t)(c->p + c->n - behind);
}

/* "1.234,5": taken for a number, and refused as one, rather than for a label. */
static bool is_localised(const struct cell *c)
{
	return c->n && strspn(c->p, "+-0123456789.,'") == c->n && strpbrk(c->p, ",'") &&
	       isdigit((unsigned char)c->p[c->n - 1]);
}

static bool refuse(struct csv *x, const struct cell *c, const char *metric, const char *what)
{
	gather_problem(x->t.g, metric, strlen(metric),
		       "line %u: '%.*s' is %s, in the column of '%s'", x->line, CELL_SHOWN, c->p,
		       what, metric);
	return false;
}

static bool take_value(struct csv *x, const struct cell *c, const char *metric, const char *unit)
{
	const char *p = c->p, *end = c->p + c->n;
	struct value v;
	size_t n;

	switch (scan_value(p, end, &p, &v.value, &v.resolution)) {
	case SCAN_NOT_FINITE:
		return refuse(x, c, metric, "not a finite number");
	case SCAN_NONE:
		return refuse(x, c, metric, "no number");
	case SCAN_VALUE:
		break;
	}
	if (p < end && is_localised(c))
		return refuse(x, c, metric,
			      "in the style of a locale (write decimals with a point)");
	if (x->t.is_cut)
		return refuse(x, c, metric, "in a last line without its end: it was cut");
	while (*p == ' ')
		p++;
	n = scan_unit(p, end);
	if (n != (size_t)(end - p))
		return refuse(x, c, metric, "no number");
	unit = n ? p : unit;
	gather_add(x->t.g, metric, strlen(metric), unit, strlen(unit), v.value, v.resolution);
	return true;
}

/* "latency (ms)", "latency [ms]": the unit apart. */
static void name_column(struct column *c, const struct cell *cell)
{
	const char *close = cell->n ? cell->p + cell->n - 1 : cell->p, *open;

	*c = (struct column){ NULL, NULL, ROLE_NEW };
	if (*close == ')' || *close == ']') {
		open = memrchr(cell->p, *close == ')' ? '(' : '[', cell->n);
		if (open && open > cell->p && close - open > 1 && close - open <= 20) {
			size_t n = (size_t)(open - cell->p);

			while (n && cell->p[n - 1] == ' ')
				n--;
			c->name = xstrndup(cell->p, n);
			c->unit = xstrndup(open + 1, (size_t)(close - open - 1));
			return;
		}
	}
	c->name = xstrndup(cell->p, cell->n);
	c->unit = xstrdup("");
}

static int find_column(const struct csv *x, const char *const *words)
{
	for (; *words; words++)
		for (size_t i = 0; i < x->n_columns; i++)
			if (!strcasecmp(x->columns[i].name, *words))
				return (int)i;
	return -1;
}

/* A header has no numbers in it. False: the first row is data already. */
static bool take_header(struct csv *x)
{
	static const char *const values[] = { "value", "result", NULL };
	static const char *const metrics[] = { "metric",    "measurement", "key", "name",
					       "benchmark", "test",	   NULL };
	static const char *const units[] = { "unit", "units", NULL };
	static const char *const benches[] = { "benchmark", "bench", "test", "workload", NULL };
	double ignored;

	for (size_t i = 0; i < x->n; i++)
		if (is_number(&x->cells[i], &ignored))
			return false;
	x->columns = xcalloc(x->n, sizeof(*x->columns));
	x->n_columns = x->n;
	for (size_t i = 0; i < x->n; i++)
		name_column(&x->columns[i], &x->cells[i]);
	x->value = find_column(x, values);
	x->metric = x->value < 0 ? -1 : find_column(x, metrics);
	if (x->metric >= 0) {
		x->unit = find_column(x, units);
		x->bench = find_column(x, benches);
		if (x->bench == x->metric)
			x->bench = -1;
	}
	return true;
}

static void take_long(struct csv *x)
{
	const struct cell *metric = &x->cells[x->metric];

	if (!metric->n) {
		gather_problem(x->t.g, NULL, 0, "line %u: a value without a name", x->line);
		return;
	}
	if (x->bench >= 0)
		gather_bench(x->t.g, x->cells[x->bench].p, x->cells[x->bench].n);
	take_value(x, &x->cells[x->value], metric->p, x->unit >= 0 ? x->cells[x->unit].p : "");
}

static void learn(struct csv *x, struct column *c, const struct cell *cell)
{
	bool has_bench = false;

	double first;

	for (size_t i = 0; i < x->n_columns; i++)
		has_bench = has_bench || x->columns[i].role == ROLE_BENCH;
	if (is_number(cell, &first))
		c->role = is_counting(c->name, first) ? ROLE_LABEL : ROLE_METRIC;
	else if (is_localised(cell) ||
		 scan_value(cell->p, cell->p + cell->n, &(const char *){ NULL }, &first,
			    &(double){ 0 }) == SCAN_NOT_FINITE)
		c->role = ROLE_METRIC; /* which it will be refused for */
	else
		c->role = !has_bench && is_bench_name(c->name) ? ROLE_BENCH : ROLE_LABEL;
}

static void take_wide(struct csv *x)
{
	for (size_t i = 0; i < x->n_columns; i++) {
		struct column *c = &x->columns[i];

		if (c->role == ROLE_NEW && x->cells[i].n)
			learn(x, c, &x->cells[i]);
		if (c->role == ROLE_BENCH)
			gather_bench(x->t.g, x->cells[i].p, x->cells[i].n);
	}
	for (size_t i = 0; i < x->n_columns; i++)
		if (x->columns[i].role == ROLE_METRIC && x->cells[i].n &&
		    !take_value(x, &x->cells[i], x->columns[i].name, x->columns[i].unit))
			return;
}

/* "name,value" and "name,value,unit" without a header. */
static bool begin_headless(struct csv *x)
{
	double ignored;

	if (x->n < 2 || x->n > 3 || is_number(&x->cells[0], &ignored) ||
	    !is_number(&x->cells[1], &ignored)) {
		gather_problem(x->t.g, NULL, 0,
			       "line %u: a table begins with a line of its columns' names",
			       x->line);
		return false;
	}
	x->n_columns = x->n;
	x->columns = xcalloc(x->n, sizeof(*x->columns));
	for (size_t i = 0; i < x->n; i++)
		name_column(&x->columns[i], &(struct cell){ (char[]){ "" }, 0 });
	x->metric = 0;
	x->value = 1;
	x->unit = x->n == 3 ? 2 : -1;
	return true;
}

static void take_row(struct csv *x)
{
	if (!split(x))
		return;
	if (!x->columns && (take_header(x) || !begin_headless(x)))
		return;
	if (x->n != x->n_columns) {
		gather_problem(x->t.g, NULL, 0, "line %u has %zu cells and the first has %zu%s",
			       x->line, x->n, x->n_columns,
			       x->separator == ',' && x->n > x->n_columns
				       ? ": a decimal comma? write decimals with a point"
				       : "");
		return;
	}
	if (x->metric >= 0)
		take_long(x);
	else
		take_wide(x);
}

static char separator_of(const char *line, size_t n)
{
	static const char candidates[] = "\t;,";

	for (const char *c = candidates; *c; c++)
		if (memchr(line, *c, n))
			return *c;
	return '\0';
}

/* As text_next, but blanks at the ends stay: tabs are empty cells. */
static bool next_line(struct csv *x)
{
	const char *start = x->t.at, *end;

	if (!text_next(&x->t))
		return false;
	end = x->t.at;
	while (end > start && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	if (x->t.n) {
		x->t.line = start;
		x->t.n = (size_t)(end - start);
	}
	return true;
}

static int read_csv(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct csv *x = xcalloc(1, sizeof(*x));

	x->metric = x->value = x->unit = x->bench = -1;
	text_begin(&x->t, g, "a table", in->out, in->out_n);
	while (!gather_has_problem(g) && next_line(x)) {
		x->line++;
		if (!x->t.n || *x->t.line == '#')
			continue;
		if (!x->separator)
			x->separator = separator_of(x->t.line, x->t.n);
		if (x->separator)
			take_row(x);
	}
	text_close(&x->t, in,
		   x->columns ? "it has no row with a number"
			      : "it needs columns parted by commas, semicolons or tabs");
	for (size_t i = 0; i < x->n_columns; i++) {
		free(x->columns[i].name);
		free(x->columns[i].unit);
	}
	free(x->columns);
	free(x->row);
	free(x);
	return 0;
}

/*
 * A line of names with a line behind it that has as many cells, and a number; or "name,value" at once. Lists like "1, 2" and "t: 1, 2" are
 * none (numbers.h).
 */
static bool sniff_csv(const char *head, size_t n)
{
	struct csv *x = xcalloc(1, sizeof(*x));
	struct gather *g = gather_new(true, 1);
	bool any = false, found = false;
	double ignored;

	x->metric = -1;
	text_begin(&x->t, g, "", head, n);
	for (unsigned lines = 0; lines < 2 && next_line(x);) {
		if (!x->t.n || *x->t.line == '#')
			continue;
		if (!x->separator)
			x->separator = separator_of(x->t.line, x->t.n);
		if (!x->separator || memchr(x->t.line, ':', x->t.n) || !split(x))
			break;
		lines++;
		for (size_t i = 0; i < x->n; i++)
			any = any || is_number(&x->cells[i], &ignored);
		if (lines == 1) {
			found = any && x->n <= 3 && !is_number(&x->cells[0], &ignored);
			x->n_columns = x->n;
			if (any)
				break;
		} else {
			found = any && x->n == x->n_columns;
		}
	}
	gather_free(g);
	free(x->row);
	free(x);
	return found;
}

const struct reader reader_csv = {
	.name = "csv",
	.help = "tables with commas, semicolons or tabs: a column a metric, or name, value, unit",
	.sniff = sniff_csv,
	.read = read_csv,
};
