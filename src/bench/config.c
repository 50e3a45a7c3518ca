/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to build and what to measure, from three places in this order: culprit.yaml, -c, the flags --build and --bench. All
 * three write through the one table of keys, so that a later one replaces an earlier one key by key and the checks at the end see
 * only the result; a mistake that came from the file still says its line.
 *
 * Which metrics are primary, if the benchmark does not say: those that metrics.NAME.primary marks; else the one that a
 * regex reads; else the first that the reader gives; else wall time (hunt/ decides, when the first run has been read).
 */
#include "bench/benchmark.h"

#include "bench/formula.h"
#include "reader/reader.h"
#include "sys/fs.h"
#include "text/conf.h"
#include "text/json.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>

/* --- records --- */

/* Names of benchmarks stand in paths and in -c; those of metrics come from tools: "L1-dcache-loads:u", "bogo ops/s". */
static int check_name(const char *section, const char *name, struct err *e)
{
	const char *more = starts_with(section, "metrics") ? "_-.+:/@% ()" : "_-.+";
	size_t n = strlen(name);
	bool good = n && n <= 64 && name[0] != '-' && name[0] != '.' && name[0] != ' ';

	for (const char *p = name; *p; p++)
		good &= isalnum((unsigned char)*p) || strchr(more, *p);
	return good ? 0
		    : err_set(e, ERR_USAGE, "'%.80s' is no name: up to 64 letters, digits and %s",
			      name, more);
}

/* Finds the record called `name` in an array whose records begin with their name, or appends it. */
static void *named(const struct conf_schema *s, void **v, size_t *n, size_t size,
		   const char *section, const char *name)
{
	char *base = *v;

	for (size_t i = 0; i < *n; i++)
		if (!strcmp(*(const char *const *)(const void *)(base + i * size), name))
			return base + i * size;
	if (!(*n & (*n - 1))) { /* 0, 1, 2, 4, ...: twice as many */
		char *more = arena_alloc(s->arena, (*n ? 2 * *n : 1) * size);

		if (*n)
			memcpy(more, base, *n * size);
		*v = base = more;
	}
	char *record = base + (*n)++ * size;

	*(const char **)(void *)record = arena_strdup(s->arena, name);
	conf_defaults(s, section, record);
	return record;
}

struct loading {
	struct conf_schema schema;
	struct config *c;
	const struct config_base *base; /* or NULL */
	const struct conf *file;	/* NULL without one */
	struct err *e;
};

_Static_assert(offsetof(struct benchmark, name) == 0 &&
		       offsetof(struct formula_metric, name) == 0 &&
		       offsetof(struct target_config, name) == 0,
	       "named() finds the name first");

static void *record(void *root, const char *section, const char *name, struct err *e)
{
	struct loading *l = root;
	struct config *c = l->c;

	if (!name)
		return c;
	if (check_name(section, name, e) < 0)
		return NULL;
	if (starts_with(section, "benchmarks"))
		return named(&l->schema, (void **)&c->benchmarks, &c->n_benchmarks,
			     sizeof(*c->benchmarks), section, name);
	if (starts_with(section, "metrics"))
		return named(&l->schema, (void **)&c->metrics, &c->n_metrics, sizeof(*c->metrics),
			     section, name);
	return named(&l->schema, (void **)&c->targets, &c->n_targets, sizeof(*c->targets), section,
		     name);
}

void config_done(struct config *c)
{
	arena_done(&c->arena);
	*c = (struct config){ 0 };
}

/* --- checks that need more than one key --- */

/* ERR_USAGE about `path`, with the line where the file has it. */
static int wrong(const struct loading *l, const char *path, const char *fmt, ...) PRINTF(3, 4);
static int wrong(const struct loading *l, const char *path, const char *fmt, ...)
{
	AUTO(str) struct str s = STR_INIT;
	int line = l->file ? conf_line(l->file, path) : 0;
	va_list ap;

	if (line)
		str_addf(&s, "%s:%d: ", l->c->path, line);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	return err_set(l->e, ERR_USAGE, "%s", s.p);
}

/* The rest of a check that a lower layer made: its message under the key's name and line. */
static int wrong_why(const struct loading *l, const char *path)
{
	struct err why = *l->e;

	return wrong(l, path, "%s: %s", path, why.msg);
}

static int check_pattern(const struct loading *l, const char *path, const char *pattern)
{
	regex_t re;
	char why[200];
	int r = pattern ? regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) : 0;

	if (r) {
		regerror(r, &re, why, sizeof(why));
		return wrong(l, path, "%s: %s in '%.200s'", path, why, pattern);
	}
	if (pattern)
		regfree(&re);
	return 0;
}

/* A regex is a reader of its own, which nobody has to name. Without a reader (NULL) the output itself tells. */
static int check_reader(const struct loading *l, const char *self, struct benchmark *b)
{
	AUTO_FREE char *reader = xasprintf("%s.reader", self);
	AUTO_FREE char *regex = xasprintf("%s.regex", self);
	const struct reader *r;

	if (b->regex && b->reader && strcmp(b->reader, "regex"))
		return wrong(l, reader, "%s has both a reader ('%.60s') and a regex; remove one",
			     self, b->reader);
	if (!b->regex && b->reader && !strcmp(b->reader, "regex"))
		return wrong(l, reader, "%s: give the expression: 'regex: ...' stands for both",
			     reader);
	if (b->regex)
		b->reader = "regex";
	if (b->reader && reader_find(b->reader, &r, l->e) < 0)
		return wrong_why(l, reader);
	if (b->regex && reader_check_regex(b->regex, l->e) < 0)
		return wrong_why(l, regex);
	return 0;
}

/* Lists of files of the checkout: a path that leads out of it would not be the same for every commit. */
static int check_inside(const struct loading *l, const char *path, const char *const *files)
{
	for (; *files; files++) {
		const char *dots = strstr(*files, "..");
		bool up = false;

		for (; dots; dots = strstr(dots + 2, ".."))
			up |= (dots == *files || dots[-1] == '/') && (!dots[2] || dots[2] == '/');
		if (**files == '/' || up || !**files)
			return wrong(
				l, path,
				"%s: '%.200s' is not inside the repository; name it from its top",
				path, *files);
	}
	return 0;
}

/* "2-3,5": the syntax; whether the CPUs exist is the target's to say. */
static bool good_cpus(const char *p)
{
	bool digit = false, dash = false;

	for (; *p; p++) {
		if (isdigit((unsigned char)*p)) {
			digit = true;
		} else if (*p == ',' && digit) {
			digit = dash = false;
		} else if (*p == '-' && digit && !dash) {
			digit = false;
			dash = true;
		} else {
			return false;
		}
	}
	return digit;
}

static int check_primary(const struct loading *l, const char *path, const char *const *primary)
{
	for (size_t i = 0; primary[i]; i++) {
		if (!*primary[i])
			return wrong(l, path, "%s: a metric without a name", path);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(primary[i], primary[k]))
				return wrong(l, path, "%s names '%.60s' twice", path, primary[i]);
	}
	return 0;
}

static int check_benchmark(const struct loading *l, struct benchmark *b)
{
	AUTO_FREE char *self = xasprintf("benchmarks.%s", b->name);
	AUTO_FREE char *reject = xasprintf("%s.reject", self);
	AUTO_FREE char *files = xasprintf("%s.files", self);
	AUTO_FREE char *pin = xasprintf("%s.pin", self);
	AUTO_FREE char *primary = xasprintf("%s.primary", self);
	AUTO_FREE char *operations = xasprintf("%s.operations", self);
	int r;

	if (!b->command || !b->command[strspn(b->command, " \t\n")])
		return wrong(l, self, "%s has no command; give it one: 'command: ./bench.sh'",
			     self);
	if (b->timeout_ns <= 0)
		return wrong(l, self, "%s.timeout wants more than nothing", self);
	if (b->pin && !good_cpus(b->pin))
		return wrong(l, pin, "%s wants CPUs like 2-3,5, not '%.60s'", pin, b->pin);
	if ((r = check_reader(l, self, b)) < 0 || (r = check_pattern(l, reject, b->reject)) < 0 ||
	    (r = check_primary(l, primary, b->primary)) < 0)
		return r;
	if (b->operations && formula_check(b->operations, l->e) < 0)
		return wrong_why(l, operations);
	return check_inside(l, files, b->files);
}

static void add_env(struct config *c, struct benchmark *b, const char *name, const char *value)
{
	AUTO_FREE char *text = xasprintf("%s=%s", name, value);
	size_t n = 0;

	while (b->env[n])
		n++;
	const char **env = arena_alloc(&c->arena, (n + 2) * sizeof(*env));

	if (n)
		memcpy(env, b->env, n * sizeof(*env));
	env[n] = arena_strdup(&c->arena, text);
	env[n + 1] = NULL;
	b->env = env;
}

/* What its commands see of its keys. */
static int add_variables(const struct loading *l, struct benchmark *b)
{
	AUTO_FREE char *cpus = xasprintf("benchmarks.%s.cpus", b->name);

	if (b->arguments[0])
		add_env(l->c, b, "CULPRIT_ARGUMENT", b->arguments[0]);
	for (size_t i = 0; b->cpus[i]; i++) {
		AUTO_FREE char *name = xasprintf("CULPRIT_CPUS_%zu", i + 1);

		if (!good_cpus(b->cpus[i]))
			return wrong(l, cpus, "%s wants CPUs like 2-3,5, not '%.60s'", cpus,
				     b->cpus[i]);
		add_env(l->c, b, name, b->cpus[i]);
	}
	return 0;
}

static int check_target(const struct loading *l, const struct target_config *t)
{
	static const char *const known[] = { "local", "vm", "exact", "sim", "ssh", "slurm" };
	AUTO_FREE char *self = xasprintf("targets.%s", t->name);
	struct nearest near = NEAREST_INIT(t->name);

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!strcmp(known[i], t->name))
			return 0;
		nearest_offer(&near, known[i]);
	}
	if (near.best)
		return wrong(l, self, "no target '%.60s', did you mean '%s'?", t->name, near.best);
	return wrong(l, self, "no target '%.60s'; there are local, vm, exact, sim, ssh and slurm",
		     t->name);
}

static int check(const struct loading *l)
{
	const struct config *c = l->c;
	const char *const subdir[] = { c->project.subdir, NULL };
	int r = 0;

	if (c->project.build_timeout_ns <= 0)
		return wrong(l, "project.build_timeout",
			     "project.build_timeout wants more than nothing");
	if ((r = check_inside(l, "project.subdir", subdir)) < 0 ||
	    (r = check_inside(l, "project.artefacts", c->project.artefacts)) < 0)
		return r;
	for (size_t i = 0; !r && i < c->n_benchmarks; i++)
		if ((r = check_benchmark(l, &c->benchmarks[i])) == 0)
			r = add_variables(l, &c->benchmarks[i]);
	for (size_t i = 0; !r && i < c->n_targets; i++)
		r = check_target(l, &c->targets[i]);
	for (size_t i = 0; !r && i < c->n_metrics; i++) {
		const struct formula_metric *m = &c->metrics[i];
		AUTO_FREE char *self = xasprintf("metrics.%s", m->name);

		struct err why = ERR_INIT;

		if (m->formula && !*m->formula)
			r = wrong(l, self, "%s.formula is empty", self);
		else if (m->formula && formula_check(m->formula, &why) < 0)
			r = wrong(l, self, "%s: %s", self, why.msg);
	}
	return r;
}

/* --- loading --- */

static int set_flag(struct loading *l, const char *key, const char *flag, const char *value)
{
	AUTO_FREE char *assignment = xasprintf("%s=%s", key, value ? value : "");

	if (!value)
		return 0;
	if (!value[strspn(value, " \t\n")])
		return err_set(l->e, ERR_USAGE, "%s wants a shell command, not nothing", flag);
	return conf_set(&l->schema, assignment, l->e);
}

/* A file that comes before culprit.yaml: what it gives can be changed there, key by key. */
static int load_base(struct loading *l, const char *path, const char *argument)
{
	AUTO(conf_file) struct conf *file = NULL;
	AUTO(str) struct str text = STR_INIT;
	int r = fs_read_named(path, CONF_MAX_BYTES, &text, l->e);

	if (r == 0)
		r = conf_parse(text.p, text.n, path, &file, l->e);
	if (r < 0 || (r = conf_apply(file, &l->schema, l->e)) < 0 || !argument ||
	    l->c->n_benchmarks != 1)
		return r;
	struct benchmark *b = l->c->benchmarks;
	AUTO_FREE char *name = xasprintf("%s-%s", b->name, argument);

	if (!b->arguments[0])
		return err_set(l->e, ERR_USAGE, "the workload '%s' takes no argument ':%.60s'",
			       b->name, argument);
	if ((r = check_name("benchmarks", name, l->e)) < 0)
		return r;
	b->name = arena_strdup(&l->c->arena, name);
	const char **chosen = arena_alloc(&l->c->arena, 2 * sizeof(*chosen));

	chosen[0] = arena_strdup(&l->c->arena, argument);
	chosen[1] = NULL;
	b->arguments = chosen;
	return 0;
}

static int load(struct loading *l, const char *text, size_t n, const char *const *overrides,
		const char *build, const char *bench)
{
	AUTO(conf_file) struct conf *file = NULL;
	int r = 0;

	conf_defaults(&l->schema, "project", l->c);
	conf_defaults(&l->schema, "kernel", l->c);
	if (l->base && (r = load_base(l, l->base->path, l->base->argument)) < 0)
		return r;
	if (text) {
		r = conf_parse(text, n, l->c->path, &file, l->e);
		l->file = file;
		if (r < 0 || (r = conf_apply(file, &l->schema, l->e)) < 0)
			return r;
	}
	for (; overrides && *overrides; overrides++) {
		r = conf_set(&l->schema, *overrides, l->e);
		if (r < 0)
			return r;
	}
	l->c->bench_given = bench != NULL;
	if ((r = set_flag(l, "project.build", "--build", build)) < 0 ||
	    (r = set_flag(l, "benchmarks.default.command", "--bench", bench)) < 0)
		return r;
	return check(l);
}

static int parse(const struct config_base *base, const char *name, const char *text, size_t n,
		 const char *const *overrides, const char *build, const char *bench,
		 struct config *ret, struct err *e)
{
	struct config c = { 0 };
	struct err unwanted = ERR_INIT;
	struct loading l = { .c = &c, .base = base, .e = e ? e : &unwanted };
	int r;

	l.schema = (struct conf_schema){ config_keys, &c.arena, record, &l };
	c.path = text ? arena_strdup(&c.arena, name) : NULL;
	r = load(&l, text, n, overrides, build, bench);
	if (r < 0) {
		config_done(&c);
		return r;
	}
	*ret = c;
	return 0;
}

int config_parse(const char *name, const char *text, size_t n, const char *const *overrides,
		 const char *build, const char *bench, struct config *ret, struct err *e)
{
	return parse(NULL, name, text, n, overrides, build, bench, ret, e);
}

int config_load(const struct config_base *workload, const char *path, const char *const *overrides,
		const char *build, const char *bench, struct config *ret, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	int r = path ? fs_read_named(path, CONF_MAX_BYTES, &text, e) : 0;

	return r < 0 ? r
		     : parse(workload, path, path ? text.p : NULL, text.n, overrides, build, bench,
			     ret, e);
}

int config_benchmark(const struct config *c, const char *name, const struct benchmark **ret,
		     struct err *e)
{
	AUTO(str) struct str list = STR_INIT;
	struct nearest near = NEAREST_INIT(name ? name : "");

	if (!name && c->bench_given)
		name = "default";
	if (!name && c->n_benchmarks == 1)
		name = c->benchmarks[0].name;
	for (size_t i = 0; i < c->n_benchmarks; i++) {
		const char *has = c->benchmarks[i].name;

		if (name && !strcmp(has, name)) {
			*ret = &c->benchmarks[i];
			return 0;
		}
		nearest_offer(&near, has);
		str_addf(&list, "%s%s", i ? ", " : "", has);
	}
	if (!c->n_benchmarks && c->path)
		return err_set(
			e, ERR_USAGE,
			"%s has no benchmark: fill in 'benchmarks:' there, or give --bench CMD",
			c->path);
	if (!c->n_benchmarks)
		return err_set(
			e, ERR_USAGE,
			"no benchmark: give --bench CMD, or write one into culprit.yaml (culprit init)");
	if (!name)
		return err_set(e, ERR_USAGE, "several benchmarks; choose one of: %s", list.p);
	if (near.best)
		return err_set(e, ERR_USAGE, "no benchmark '%.60s', did you mean '%s'?", name,
			       near.best);
	return err_set(e, ERR_USAGE, "no benchmark '%.60s'; there are: %s", name, list.p);
}

const struct formula_metric *config_metric(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_metrics; i++)
		if (!strcmp(c->metrics[i].name, name))
			return &c->metrics[i];
	return NULL;
}

const struct target_config *config_target(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_targets; i++)
		if (!strcmp(c->targets[i].name, name))
			return &c->targets[i];
	return NULL;
}

/* --- fingerprint --- */

static int by_name(const void *a, const void *b)
{
	return strcmp(**(const char *const *const *)a, **(const char *const *const *)b);
}

/* Named records in the order of their names: where they stand in the file says nothing. */
static void put_named(struct json_out *w, const char *title, const char *section, const void *v,
		      size_t n, size_t size)
{
	AUTO_FREE const char *const **order = xcalloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (const char *const *)(const void *)((const char *)v + i * size);
	qsort(order, n, sizeof(*order), by_name);
	json_out_object(w, title);
	for (size_t i = 0; i < n; i++) {
		json_out_object(w, *order[i]);
		keys_put_json(config_keys, section, order[i], w);
		json_out_close(w);
	}
	json_out_close(w);
}

void config_fingerprint(const struct config *c, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_object(&w, "project");
	keys_put_json(config_keys, "project", c, &w);
	json_out_close(&w);
	put_named(&w, "benchmarks", "benchmarks.*", c->benchmarks, c->n_benchmarks,
		  sizeof(*c->benchmarks));
	put_named(&w, "metrics", "metrics.*", c->metrics, c->n_metrics, sizeof(*c->metrics));
	json_out_object(&w, "kernel");
	keys_put_json(config_keys, "kernel", c, &w);
	json_out_close(&w);
	put_named(&w, "targets", "targets.*", c->targets, c->n_targets, sizeof(*c->targets));
	json_out_close(&w);
}
