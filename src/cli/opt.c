/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over argv, one switch over the type. getopt_long was refused: it accepts abbreviations
 * (which break scripts when an option is added), knows no types, and says less than the user needs.
 * Abbreviating is an error that names the option that was meant.
 */
#include "cli/opt.h"

#include "base/num.h"
#include "text/table.h"

#include <stdio.h>
#include <string.h>

struct parser {
	const struct opt *table;
	char *into;
	int argc, at; /* at: the next argument to read */
	const char *const *argv;
	struct err *e;
	const char *const *picked; /* opt_pick: nothing is stored, these become words */
	struct strvec *words;
};

void opt_args_done(struct opt_args *a)
{
	strvec_done(&a->list);
	*a = (struct opt_args)OPT_ARGS_INIT;
}

static bool wants_value(const struct opt *o)
{
	switch (o->type) {
	case OPT_LAST:
	case OPT_HEADING:
	case OPT_BOOL:
	case OPT_COUNT:
		return false;
	case OPT_CALL:
		return o->arg;
	case OPT_INT:
	case OPT_UINT:
	case OPT_DOUBLE:
	case OPT_RATIO:
	case OPT_DURATION:
	case OPT_SIZE:
	case OPT_STRING:
	case OPT_STRINGS:
	case OPT_CHOICE:
		return true;
	}
	return false;
}

const char *opt_value_name(const struct opt *o, struct str *scratch)
{
	if (!wants_value(o))
		return NULL;
	if (o->arg)
		return o->arg;
	str_clear(scratch);
	for (const char *const *c = o->choices; c && *c; c++)
		str_addf(scratch, "%s%s", c == o->choices ? "" : "|", *c);
	return scratch->n ? scratch->p : "VALUE";
}

static int in_range(const struct opt *o, const char *what, double v, struct err *e)
{
	if ((o->min == 0 && o->max == 0) || (v >= o->min && v <= o->max))
		return 0;
	if (o->type == OPT_RATIO)
		return err_set(e, ERR_USAGE, "%s wants a ratio from %g%% to %g%%, not %g%%", what,
			       o->min * 100, o->max * 100, v * 100);
	return err_set(e, ERR_USAGE, "%s wants a number from %g to %g, not %g", what, o->min,
		       o->max, v);
}

static int choose(const struct opt *o, const char *what, const char *value, int *ret, struct err *e)
{
	AUTO(str) struct str list = STR_INIT;

	for (int i = 0; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], value)) {
			*ret = i;
			return 0;
		}
		str_addf(&list, "%s%s", !i ? "" : o->choices[i + 1] ? ", " : " or ", o->choices[i]);
	}
	return err_set(e, ERR_USAGE, "%s wants %s, not '%.60s'", what, list.p, value);
}

static int store_whole(const struct opt *o, const char *what, const char *value, void *field,
		       struct err *e)
{
	bool ranged = o->min != 0 || o->max != 0;
	int64_t min = ranged ? (int64_t)o->min : o->type == OPT_UINT ? 0 : INT64_MIN;
	int64_t max = ranged ? (int64_t)o->max : o->type == OPT_UINT ? UINT32_MAX : INT64_MAX;
	int64_t v;
	int r = num_parse_int(value, what, min, max, &v, e);

	if (r < 0)
		return r;
	if (o->type == OPT_UINT)
		*(unsigned *)field = (unsigned)v;
	else
		*(int64_t *)field = v;
	return 0;
}

static int store_real(const struct opt *o, const char *what, const char *value, double *field,
		      struct err *e)
{
	double v;
	int r = o->type == OPT_RATIO ? num_parse_ratio(value, what, &v, e)
				     : num_parse_double(value, what, &v, NULL, e);

	if (r < 0 || (r = in_range(o, what, v, e)) < 0)
		return r;
	*field = v;
	return 0;
}

/* Its least value is said as "longer than zero": there is no other use for one. */
static int store_duration(const struct opt *o, const char *what, const char *value, int64_t *field,
			  struct err *e)
{
	int64_t v;
	int r = num_parse_duration(value, what, &v, e);

	if (r < 0)
		return r;
	if ((double)v < o->min)
		return err_set(e, ERR_USAGE, "%s wants a time longer than zero, not '%.60s'", what,
			       value);
	*field = v;
	return 0;
}

static int pick(struct parser *p, const struct opt *o, const char *value, bool on)
{
	for (const char *const *name = p->picked; *name; name++)
		if (!strcmp(*name, o->name))
			strvec_addf(p->words, "--%s%s%s%s", on ? "" : "no-", o->name,
				    value ? "=" : "", value ? value : "");
	return 0;
}

/* `what` is the option as the user wrote it; `value` is NULL for one that takes none; `on` is false
 * for --no-NAME. */
static int store(struct parser *p, const struct opt *o, const char *what, const char *value,
		 bool on)
{
	if (p->words)
		return pick(p, o, value, on);
	void *field = p->into + o->into;

	if (o->has_seen)
		*(bool *)(p->into + o->seen) = true;
	switch (o->type) {
	case OPT_LAST:
	case OPT_HEADING:
		break;
	case OPT_BOOL:
		*(bool *)field = on;
		break;
	case OPT_COUNT:
		++*(int *)field;
		break;
	case OPT_INT:
	case OPT_UINT:
		return store_whole(o, what, value, field, p->e);
	case OPT_DOUBLE:
	case OPT_RATIO:
		return store_real(o, what, value, field, p->e);
	case OPT_DURATION:
		return store_duration(o, what, value, field, p->e);
	case OPT_SIZE:
		return num_parse_size(value, what, field, p->e);
	case OPT_STRING:
		*(const char **)field = value;
		break;
	case OPT_STRINGS:
		strvec_add(field, value);
		break;
	case OPT_CHOICE:
		return choose(o, what, value, field, p->e);
	case OPT_CALL:
		return o->call(field, value, p->e);
	}
	return 0;
}

static const struct opt *find_long(const struct opt *table, const char *name, size_t n)
{
	for (const struct opt *o = table; o->type != OPT_LAST; o++)
		if (o->name && strlen(o->name) == n && !memcmp(o->name, name, n))
			return o;
	return NULL;
}

static const struct opt *find_short(const struct opt *table, char c)
{
	for (const struct opt *o = table; o->type != OPT_LAST; o++)
		if (o->short_name && o->short_name == c)
			return o;
	return NULL;
}

static int unknown_long(struct parser *p, const char *name, size_t n)
{
	AUTO_FREE char *word = xstrndup(name, n);
	struct nearest near = NEAREST_INIT(word);

	for (const struct opt *o = p->table; o->type != OPT_LAST; o++)
		if (o->name && !o->hidden)
			nearest_offer(&near, o->name);
	nearest_offer(&near, "help");
	if (near.best)
		return err_set(p->e, ERR_USAGE, "unknown option '--%.60s', did you mean '--%s'?",
			       word, near.best);
	return err_set(p->e, ERR_USAGE, "unknown option '--%.60s'; 'culprit help %s' lists them",
		       word, p->argv[0]);
}

static int missing_value(struct parser *p, const struct opt *o, const char *what)
{
	AUTO(str) struct str scratch = STR_INIT;

	return err_set(p->e, ERR_USAGE, "%s wants a value: %s %s", what, what,
		       opt_value_name(o, &scratch));
}

static int parse_long(struct parser *p, const char *name)
{
	size_t n = strcspn(name, "=");
	const char *value = name[n] ? name + n + 1 : NULL;
	const struct opt *o = find_long(p->table, name, n);
	bool on = true;
	char what[80];

	snprintf(what, sizeof(what), "--%.*s", (int)n, name);
	if (!o && n > 3 && starts_with(name, "no-")) {
		o = find_long(p->table, name + 3, n - 3);
		if (o && o->type != OPT_BOOL)
			o = NULL;
		on = false;
	}
	if (!o)
		return unknown_long(p, name, n);
	if (!wants_value(o)) {
		if (value)
			return err_set(p->e, ERR_USAGE, "%s takes no value, not '%.60s'", what,
				       value);
	} else if (!value) {
		if (p->at >= p->argc)
			return missing_value(p, o, what);
		value = p->argv[p->at++];
	}
	return store(p, o, what, value, on);
}

/* One argument of short options: flags may be bundled, the first that wants a value takes the rest
 * or the next argument. */
static int parse_short(struct parser *p, const char *arg, bool *ret_help)
{
	for (const char *c = arg; *c; c++) {
		const struct opt *o = find_short(p->table, *c);
		char what[3] = { '-', *c, '\0' };
		const char *value = NULL;
		int r;

		if (!o && *c == 'h') {
			*ret_help = true;
			return 0;
		}
		if (!o)
			return err_set(
				p->e, ERR_USAGE,
				"unknown option '-%c' in '-%.60s'; 'culprit help %s' lists them",
				*c, arg, p->argv[0]);
		if (wants_value(o)) {
			value = c[1] ? c + 1 : p->at < p->argc ? p->argv[p->at++] : NULL;
			if (!value)
				return missing_value(p, o, what);
			return store(p, o, what, value, true);
		}
		r = store(p, o, what, NULL, true);
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse(struct parser *p, struct opt_args *ret)
{
	while (p->at < p->argc && !ret->help) {
		const char *arg = p->argv[p->at++];
		int r = 0;

		if (ret->dashes || arg[0] != '-' || !arg[1]) {
			strvec_add(&ret->list, arg);
		} else if (!strcmp(arg, "--")) {
			ret->dashes = true;
			ret->before = ret->list.n;
		} else if (!strcmp(arg, "--help")) {
			ret->help = true;
		} else if (arg[1] == '-') {
			r = parse_long(p, arg + 2);
		} else {
			r = parse_short(p, arg + 1, &ret->help);
		}
		if (r < 0)
			return r;
	}
	if (!ret->dashes)
		ret->before = ret->list.n;
	return 0;
}

int opt_parse(const struct opt *table, void *into, int argc, const char *const *argv,
	      struct opt_args *ret, struct err *e)
{
	struct parser p = {
		.table = table, .into = into, .argc = argc, .at = 1, .argv = argv, .e = e
	};

	return parse(&p, ret);
}

int opt_pick(const struct opt *table, const char *const *names, int argc, const char *const *argv,
	     struct strvec *ret, struct err *e)
{
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct parser p = { .table = table,
			    .argc = argc,
			    .at = 1,
			    .argv = argv,
			    .e = e,
			    .picked = names,
			    .words = ret };

	return parse(&p, &rest);
}

void opt_help(const struct opt *table, unsigned width, struct str *out)
{
	AUTO(str) struct str scratch = STR_INIT;
	size_t indent = 28;

	if (width < 50)
		width = width ? 50 : 80;
	for (const struct opt *o = table; o->type != OPT_LAST; o++) {
		AUTO(str) struct str left = STR_INIT;

		if (o->hidden)
			continue;
		if (o->type == OPT_HEADING) {
			str_addf(out, "%s%s:\n", out->n ? "\n" : "", o->help);
			continue;
		}
		if (o->short_name)
			str_addf(&left, "  -%c, --%s", o->short_name, o->name);
		else
			str_addf(&left, "      --%s", o->name);
		if (opt_value_name(o, &scratch))
			str_addf(&left, " %s", opt_value_name(o, &scratch));
		str_puts(out, left.p);
		if (left.n + 2 > indent) {
			str_putc(out, '\n');
			left.n = 0;
		}
		str_pad(out, ' ', indent - left.n);
		text_wrap(out, o->help, indent, indent, width);
	}
}
