/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing results that exist already. One look at the full level: the runs were not stopped early by us, and the order in
 * which they were made is not known, which the answer says. What a file's benchmarks are run for is primary, unless one metric is named.
 *
 * Benchmarks are matched by their names, which stand before their metrics'. Where every file has one benchmark its name
 * says nothing: it is left out, so that two files of one command each can be compared though the commands differ (./old and ./new).
 */
#include "hunt/versus.h"

#include "hunt/duel_json.h"
#include "reader/reader.h"
#include "reader/units.h"
#include "sys/fs.h"
#include "text/json.h"

#include <string.h>

enum { FILE_MAX = 1 << 30 };

/* What one file holds. */
struct file {
	struct numbers numbers;
	const char *format;
	bool is_suite; /* of several benchmarks */
	bool any_main;
};

static void look_at(struct file *f)
{
	const char *first = NULL;

	for (size_t i = 0; i < f->numbers.n; i++) {
		const struct series *x = &f->numbers.v[i];
		const char *bench = x->bench ? x->bench : "";

		f->any_main = f->any_main || !x->side;
		f->is_suite = f->is_suite || (*bench && first && strcmp(bench, first) != 0);
		first = *bench && !first ? bench : first;
	}
}

static int read_one(const char *path, const struct reader *reader, struct file *f, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	int r = fs_read_named(path, FILE_MAX, &text, e);

	if (r == 0)
		r = reader_file(reader, text.p, text.n, path, &f->numbers, &f->format, e);
	if (r == 0)
		look_at(f);
	return r;
}

static int take_series(struct duel_side *side, const struct series *x, const char *name,
		       bool primary, enum better better, struct err *e)
{
	struct reading r = { .metric = xstrdup(name),
			     .unit = x->unit,
			     .resolution = x->resolution };
	AUTO_FREE char *metric = r.metric;
	int f = 0;

	r.better = better != BETTER_UNKNOWN ? better : x->better;
	if (r.better == BETTER_UNKNOWN)
		r.better = better_guess(x->metric, x->unit);
	/* a bare column of numbers is read as times, which the answer says */
	if (r.better == BETTER_UNKNOWN)
		r.better = BETTER_LOWER;
	for (size_t i = 0; i < x->n && f == 0; i++) {
		r.value = x->v[i];
		if (!duel_add(side, &r, r.better, primary, 0, 0))
			f = err_set(e, ERR_USAGE, "%s: metric '%s' has two units", side->label,
				    metric);
	}
	return f;
}

/* `metric`: one that is asked for, by its own name or with its benchmark's. */
static int fill_side(struct duel_side *side, const struct file *f, bool suite,
		     const struct versus_files_options *o, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < f->numbers.n && r == 0; i++) {
		const struct series *x = &f->numbers.v[i];
		AUTO_FREE char *full = series_name(x, true);
		AUTO_FREE char *name = series_name(x, suite);

		if (o->metric && strcmp(o->metric, full) != 0 && strcmp(o->metric, x->metric) != 0)
			continue;
		r = take_series(side, x, name, o->metric || !x->side || !f->any_main, o->better, e);
	}
	if (r == 0 && !side->n_series)
		return err_set(e, ERR_USAGE, "%s: no metric '%s'", side->label, o->metric);
	return r;
}

/* In the baseline's unit, where that is the same one scaled. */
static void convert(struct metric_series *b, const struct metric_series *a)
{
	double by, over;

	if (!strcmp(a->unit, b->unit) || !units_factor(b->unit, a->unit, &by, &over))
		return;
	for (size_t i = 0; i < b->n; i++)
		b->v[i] = b->v[i] * by / over;
	b->resolution = b->resolution * by / over;
	free(b->unit);
	b->unit = xstrdup(a->unit);
}

/* Sides that share no metric cannot be compared; say so instead of printing an empty table. */
static int check_common(const struct duel *d, struct err *e)
{
	for (size_t i = 1; i < d->n_sides; i++) {
		bool common = false;

		for (size_t k = 0; k < d->sides[0].n_series; k++) {
			const struct metric_series *a = &d->sides[0].series[k];
			struct metric_series *b = duel_series(&d->sides[i], a->metric);

			common = common || b;
			if (b)
				convert(b, a);
			if (b && strcmp(a->unit, b->unit))
				return err_set(e, ERR_USAGE,
					       "metric '%s' is in '%s' in %s and in '%s' in %s",
					       a->metric, a->unit, d->sides[0].label, b->unit,
					       d->sides[i].label);
		}
		if (!common)
			return err_set(e, ERR_USAGE, "%s and %s have no metric in common",
				       d->sides[0].label, d->sides[i].label);
	}
	return 0;
}

/* Is there but one value of every metric that decides? */
static bool is_one_run(const struct duel_side *side)
{
	for (size_t i = 0; i < side->n_series; i++)
		if (side->series[i].primary && side->series[i].n > 1)
			return false;
	return true;
}

static bool has_note(const struct file *f, const char *note)
{
	for (size_t i = 0; i < f->numbers.notes.n; i++)
		if (!strcmp(f->numbers.notes.v[i], note))
			return true;
	return false;
}

static bool in_all(const struct file *files, size_t n, const char *note)
{
	for (size_t i = 0; i < n; i++)
		if (!has_note(&files[i], note))
			return false;
	return true;
}

/* What the files themselves say that their values do not: "FILE: cache-misses is not supported"; of all files once. */
static void put_remarks(const struct duel *d, const struct file *files, struct json_out *w)
{
	json_out_array(w, "remarks");
	if (is_one_run(&d->sides[0]) && is_one_run(&d->sides[1]))
		json_out_text(
			w, NULL,
			"one run of each says nothing of the noise; results of several runs put into one file (cat run1 run2 run3 >old) are compared as such");
	for (size_t i = 0; i < d->n_sides; i++)
		for (size_t k = 0; k < files[i].numbers.notes.n; k++) {
			const char *note = files[i].numbers.notes.v[k];
			bool all = in_all(files, d->n_sides, note);
			AUTO_FREE char *line =
				xasprintf("%s: %s", all ? "every file" : d->sides[i].label, note);

			if (!all || i == 0)
				json_out_text(w, NULL, line);
		}
	json_out_close(w);
}

static void files_answer(const struct duel *d, const struct file *files, char **ret)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "compare");
	json_out_number(&w, "level", 1 - d->alpha);
	json_out_number(&w, "margin", d->margin);
	json_out_array(&w, "formats");
	for (size_t i = 0; i < d->n_sides; i++)
		json_out_text(&w, NULL, files[i].format);
	json_out_close(&w);
	duel_json(d, &w);
	put_remarks(d, files, &w);
	json_out_close(&w);
	*ret = str_take(&out);
}

static int read_all(const struct versus_files_options *o, struct duel *d, struct file *files,
		    struct err *e)
{
	bool suite = false;
	int r = 0;

	for (size_t i = 0; i < o->n && r == 0; i++) {
		d->sides[i].label = xstrdup(o->paths[i]);
		d->sides[i].node = xstrdup(o->paths[i]);
		r = read_one(o->paths[i], o->reader, &files[i], e);
		suite = suite || files[i].is_suite;
	}
	for (size_t i = 0; i < o->n && r == 0; i++)
		r = fill_side(&d->sides[i], &files[i], suite, o, e);
	return r < 0 ? r : check_common(d, e);
}

int versus_files(const struct versus_files_options *o, char **ret_answer, struct err *e)
{
	AUTO(duel) struct duel d;
	AUTO_FREE struct file *files = xcalloc(o->n, sizeof(*files));

	duel_init(&d, o->n, o->alpha, o->margin);
	d.imported = true;
	d.look = 0;
	judge_plan_fixed(o->alpha, &d.plan);
	int r = read_all(o, &d, files, e);

	if (r == 0)
		files_answer(&d, files, ret_answer);
	for (size_t i = 0; i < o->n; i++)
		numbers_done(&files[i].numbers);
	return r;
}
