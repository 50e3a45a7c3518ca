/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-stat - `perf stat` as text and with -x (any separator), one line an event:
 *
 *      12.34 msec task-clock    #    0.98 CPUs utilized    ( +- 0.4% )  (62.50%)
 *      12.34;msec;task-clock;0.40%;12340000;62.50;0.980;CPUs utilized
 *
 * An event that was `<not supported>` or `<not counted>`, or one that was counted for a part of the time only (the kernel shared the counters: the
 * number is an estimate), is no number: it is told, with the reason. The metrics behind # are left out, for they are ratios of the
 * means; a ratio belongs into the configuration, as a formula over what one run counted.
 *
 * perf writes thousands separators where the locale has them: "1,234,567" is read, for no count has decimals; a point in a count is
 * refused.
 */
#include "reader/formats.h"
#include "reader/perfevent.h"
#include "reader/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	FIELDS_MAX = 32,
	NAME_MAX_LEN = 120,
	UNIT_MAX_LEN = 20,
	PREFIX_MAX_LEN = 60,
	MISSED_MAX = 40
};

struct word {
	const char *p;
	size_t n;
};
struct event {
	struct word prefix; /* "CPU0", "S0": of -A, --per-socket */
	struct word value, unit, name;
	double running; /* percent of the time */
};

/* Events that are no numbers, by the reason. */
struct missed {
	struct reason {
		char *why;
		struct strvec names;
	} * v;
	size_t n, cap;
};

/* Takes ownership of `why`. */
static void miss(struct missed *m, char *why, const char *name)
{
	struct reason *r = NULL;

	for (size_t i = 0; i < m->n && !r; i++)
		if (!strcmp(m->v[i].why, why))
			r = &m->v[i];
	if (r) {
		free(why);
	} else {
		r = ARRAY_GROW(m);
		r->why = why;
	}
	for (size_t i = 0; i < r->names.n; i++)
		if (!strcmp(r->names.v[i], name))
			return;
	if (r->names.n < MISSED_MAX)
		strvec_add(&r->names, name);
}

/* One note for each reason; frees the list. */
static void tell(struct gather *g, struct missed *m)
{
	for (size_t i = 0; i < m->n; i++) {
		AUTO(str) struct str names = STR_INIT;

		for (size_t k = 0; k < m->v[i].names.n; k++)
			str_addf(&names, "%s%s", k ? ", " : "", m->v[i].names.v[k]);
		gather_note(g, "%s: no number, %s", names.p, m->v[i].why);
		free(m->v[i].why);
		strvec_done(&m->v[i].names);
	}
	free(m->v);
}

static bool is_number(struct word w)
{
	return w.n && (isdigit((unsigned char)*w.p) || (*w.p == '-' && w.n > 1) || *w.p == '.');
}

static bool is_value(struct word w)
{
	return is_number(w) || (w.n > 5 && !memcmp(w.p, "<not ", 5));
}

/* "1,234,567" without its commas, if they stand where thousands end. */
static bool drop_thousands(struct word w, char *ret, size_t size)
{
	size_t n = 0, behind_comma = 3;
	bool any = false;

	for (size_t i = 0; i < w.n && n + 1 < size; i++) {
		if (w.p[i] == ',') {
			if (behind_comma != 3 && any)
				return false;
			any = true;
			behind_comma = 0;
			continue;
		}
		if (w.p[i] == '.')
			break;
		behind_comma++;
		ret[n++] = w.p[i];
	}
	ret[n] = '\0';
	return any && behind_comma == 3;
}

static bool take_number(struct text *t, const char *name, const struct event *x, struct value *ret)
{
	char plain[40];
	struct text whole = *t;
	const char *p = x->value.p;

	if (drop_thousands(x->value, plain, sizeof(plain))) {
		const char *point = memchr(x->value.p, '.', x->value.n);
		size_t n = strlen(plain);

		if (point) /* "1,234.56 msec": the decimals as they are */
			snprintf(plain + n, sizeof(plain) - n, "%.*s",
				 (int)(x->value.p + x->value.n - point), point);
		whole.line = p = plain;
		whole.n = strlen(plain);
		return text_number(&whole, &p, name, ret);
	}
	if (!x->unit.n && memchr(x->value.p, '.', x->value.n)) {
		gather_problem(t->g, name, strlen(name),
			       "event '%s': a count with a point, '%.*s': run perf with LC_ALL=C",
			       name, (int)x->value.n, x->value.p);
		return false;
	}
	whole.line = p;
	whole.n = x->value.n;
	return text_number(&whole, &p, name, ret);
}

static void put_event(struct text *t, struct missed *missed, const struct event *x)
{
	char name[NAME_MAX_LEN + 1], unit[UNIT_MAX_LEN + 1];
	struct value v;

	if (x->name.n > NAME_MAX_LEN || x->unit.n > UNIT_MAX_LEN)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)x->name.n, x->name.p);
	snprintf(unit, sizeof(unit), "%.*s", (int)x->unit.n, x->unit.p);
	if (!strcmp(unit, "msec"))
		snprintf(unit, sizeof(unit), "ms");
	gather_bench(t->g, x->prefix.p, x->prefix.n);
	if (*x->value.p == '<') {
		miss(missed, xstrndup(x->value.p, x->value.n), name);
		return;
	}
	if (x->running < 100) {
		miss(missed, xstrdup("counted for a part of the time, ask for fewer at once"),
		     name);
		return;
	}
	if (take_number(t, name, x, &v)) {
		const struct gather_metric m = { name, unit, BETTER_LOWER,
						 !perfevent_is_main(name) };

		gather_value(t->g, &m, v.value, v.resolution);
	}
}

/* --- -x --------------------------------------------------------------------------------------------------------- */

/* The fields of a line; a separator between the slashes of "cpu/event=0x3c,umask=0/" is none. */
static size_t split(const struct text *t, char separator, struct word *ret)
{
	const char *p = t->line, *end = t->line + t->n;
	size_t n = 0;

	while (n < FIELDS_MAX) {
		const char *stop = p;
		bool in_slashes = false;

		for (; stop < end && (*stop != separator || in_slashes); stop++)
			if (*stop == '/' && separator != '/')
				in_slashes = !in_slashes &&
					     memchr(stop + 1, '/', (size_t)(end - stop - 1));
		ret[n++] = (struct word){ p, (size_t)(stop - p) };
		if (stop >= end)
			break;
		p = stop + 1;
	}
	for (size_t i = 0; i < n; i++)
		while (ret[i].n && ret[i].p[0] == ' ') {
			ret[i].p++;
			ret[i].n--;
		}
	return n;
}

static bool is_event_name(struct word w)
{
	if (!w.n || !(isalpha((unsigned char)*w.p) || *w.p == '{'))
		return false;
	return !memchr(w.p, ' ', w.n);
}

static bool is_unit(struct word w)
{
	return !w.n || isalpha((unsigned char)*w.p) || *w.p == '%';
}

/* value;unit;event;[spread%;]run time;percent: where in the line, -1 if nowhere. */
static int find_event(const struct word *f, size_t n)
{
	for (size_t i = 0; i + 4 < n && i < 5; i++) {
		size_t k = i + 3;

		if (!is_value(f[i]) || !is_unit(f[i + 1]) || !is_event_name(f[i + 2]))
			continue;
		if (f[k].n && f[k].p[f[k].n - 1] == '%')
			k++;
		if (k + 1 < n && is_number(f[k]) && is_number(f[k + 1]))
			return (int)i;
	}
	return -1;
}

static bool take_fields(struct text *t, struct missed *missed, char separator)
{
	struct word f[FIELDS_MAX];
	size_t n = split(t, separator, f);
	int at = find_event(f, n);

	if (at < 0)
		return false;
	struct event x = {
		.prefix = { "", 0 }, .value = f[at], .unit = f[at + 1], .name = f[at + 2]
	};
	size_t k = (size_t)at + 3;
	struct text whole = *t;
	struct value running;
	const char *p;

	for (int i = 0; i < at && !x.prefix.n; i++) /* -I's time and the number of CPUs are none */
		if (!is_number(f[i]))
			x.prefix = f[i];
	if (f[k].p[f[k].n - 1] == '%')
		k++;
	whole.line = p = f[k + 1].p;
	whole.n = f[k + 1].n;
	if (!text_number(&whole, &p, "percent of the time", &running))
		return true;
	x.running = running.value;
	put_event(t, missed, &x);
	return true;
}

/* --- text ------------------------------------------------------------------------------------------------------- */

static struct word next_word(const struct text *t, const char **p)
{
	struct word w = { *p, 0 };

	if (t->line + t->n - *p > 5 && !memcmp(*p, "<not ", 5)) {
		const char *close = memchr(*p, '>', (size_t)(t->line + t->n - *p));

		w.n = close ? (size_t)(close + 1 - *p) : 0;
	} else {
		w.n = (size_t)(text_word_end(t, *p) - *p);
	}
	*p = text_next_word(t, w.p + w.n);
	return w;
}

/* "(62.50%)" at the end; "( +- 3.13% )" is the spread. */
static double running_of(const struct text *t)
{
	const char *end = t->line + t->n, *p = end;
	double v = 100;

	if (t->n < 4 || end[-1] != ')' || end[-2] != '%')
		return v;
	while (p > t->line && *p != '(')
		p--;
	if (*p == '(' && isdigit((unsigned char)p[1]))
		v = atof(p + 1);
	return v;
}

/* "0.101 +- 0.001 seconds time elapsed ( +- 0.12% )", "0.0008 seconds user" */
static bool take_seconds(struct text *t)
{
	static const struct {
		const char *words;
		struct gather_metric m;
	} rows[] = {
		{ " seconds time elapsed", { "elapsed", "s", BETTER_LOWER, false } },
		{ " seconds user", { "user", "s", BETTER_LOWER, true } },
		{ " seconds sys", { "sys", "s", BETTER_LOWER, true } },
	};
	const char *p = t->line;
	struct value v;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!text_find(t, rows[i].words))
			continue;
		gather_bench(t->g, "", 0);
		if (text_number(t, &p, rows[i].m.name, &v))
			gather_value(t->g, &rows[i].m, v.value, v.resolution);
		return true;
	}
	return false;
}

/* False: the block of events ends here. */
static bool take_text(struct text *t, struct missed *missed)
{
	struct event x = { .prefix = { "", 0 }, .running = running_of(t) };
	const char *p = t->line;
	struct word w;

	if (!t->n || *p == '#' || take_seconds(t))
		return true;
	w = next_word(t, &p);
	if (!is_value(w)) {
		x.prefix = w;
		w = next_word(t, &p);
	}
	if (!is_value(w) || x.prefix.n > PREFIX_MAX_LEN)
		return false;
	x.value = w;
	w = next_word(t, &p);
	if (is_value(w)) { /* what was before is -I's time, or the number of CPUs */
		x.value = w;
		w = next_word(t, &p);
	}
	x.name = w;
	if (p < t->line + t->n && *p != '#' && *p != '(') {
		x.unit = w;
		x.name = next_word(t, &p);
	}
	if (!is_event_name(x.name))
		return false;
	put_event(t, missed, &x);
	return true;
}

static void read_stream(struct gather *g, struct missed *missed, const char *text, size_t n)
{
	static const char separators[] = ";,\t|:!~^@";
	bool in_block = false;
	char separator = 0;
	struct text t;

	text_begin(&t, g, "perf stat", text, n);
	while (text_next(&t)) {
		if (text_behind(&t, "Performance counter stats for") ||
		    (text_behind(&t, "#") && text_find(&t, "counts unit events"))) {
			in_block = true;
			continue;
		}
		if (in_block) {
			in_block = take_text(&t, missed);
			continue;
		}
		if (separator && take_fields(&t, missed, separator))
			continue;
		for (const char *s = separators; *s && t.n && !separator; s++)
			if (memchr(t.line, *s, t.n) && take_fields(&t, missed, *s))
				separator = *s;
	}
}

static int read_perf_stat(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct missed missed = { .n = 0 };
	struct text t;

	read_stream(g, &missed, in->out, in->out_n);
	read_stream(g, &missed, in->err, in->err_n);
	tell(g, &missed);
	text_begin(&t, g, "perf stat", in->out, in->out_n);
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_perf_stat(const char *head, size_t n)
{
	struct text t;

	text_begin(&t, NULL, "", head, n);
	while (text_next(&t)) {
		struct word f[FIELDS_MAX];

		if (text_behind(&t, "Performance counter stats for") ||
		    text_find(&t, "counts unit events"))
			return true;
		for (const char *s = ";,\t"; *s; s++)
			if (t.n && find_event(f, split(&t, *s, f)) >= 0)
				return true;
	}
	return false;
}

const struct reader reader_perf_stat = {
	.name = "perf-stat",
	.help = "perf stat: its text and -x; events that were not counted, or not always, are no numbers",
	.sniff = sniff_perf_stat,
	.read = read_perf_stat,
};
