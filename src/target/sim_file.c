/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read in two passes: lines become raw commits in file order, then those that matter (ancestors of
 * the bad end, and the good end) become the graph. A text format of words rather than YAML: such
 * files are written by awk and by hand, and read a line at a time by people.
 */
#include "target/sim_file.h"

#include "base/num.h"

#include <math.h>
#include <string.h>

enum { MAX_COMMITS = 1 << 22 };
#define NONE UINT32_MAX

struct raw_commit {
	char *name;
	uint32_t *parents;
	uint32_t n_parents;
	double level; /* NaN: none was given */
	struct sim_values values;
	bool broken;
};

struct reader {
	struct sim_file *f;
	const char *file;
	unsigned line;
	struct {
		struct raw_commit *v;
		size_t n, cap;
	} commits;
	uint32_t *slots; /* name -> commit + 1, open addressing, a power of two */
	uint32_t n_slots;
	const char *good, *bad;
	struct strvec culprits;
	double finest;	    /* smallest resolution of a printed value */
	bool of_repository; /* the graph is somebody else's */
};

#define FAIL(r, e, fmt, ...)                                                                       \
	err_set(e, ERR_USAGE, "%s:%u: " fmt, (r)->file, (r)->line, ##__VA_ARGS__)

/* --- names
 * ----------------------------------------------------------------------------------------------------------
 */

static uint32_t *slot_of(struct reader *r, const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619u;
	for (;; h++) {
		uint32_t *s = &r->slots[h & (r->n_slots - 1)];
		if (!*s || strcmp(r->commits.v[*s - 1].name, name) == 0)
			return s;
	}
}

static uint32_t find_commit(struct reader *r, const char *name)
{
	return r->n_slots ? *slot_of(r, name) - 1 : NONE;
}

static void remember_name(struct reader *r, uint32_t commit)
{
	if (2 * r->commits.n >= r->n_slots) {
		free(r->slots);
		r->n_slots = r->n_slots ? 2 * r->n_slots : 64;
		r->slots = xcalloc(r->n_slots, sizeof(*r->slots));
		for (uint32_t i = 0; i < commit; i++)
			*slot_of(r, r->commits.v[i].name) = i + 1;
	}
	*slot_of(r, r->commits.v[commit].name) = commit + 1;
}

/* --- lines
 * ----------------------------------------------------------------------------------------------------------
 */

static char *next_word(char **at)
{
	char *p = *at + strspn(*at, " \t\r"), *end;

	if (!*p || *p == '#')
		return NULL;
	end = p + strcspn(p, " \t\r");
	*at = *end ? end + 1 : end;
	*end = 0;
	return p;
}

static int read_number(struct reader *r, const char *word, double min, double *ret, struct err *e)
{
	double res;

	if (num_parse_double(word, "a number", ret, &res, e) < 0)
		return err_wrap(e, "%s:%u", r->file, r->line);
	if (*ret < min)
		return FAIL(r, e, "'%s' must be at least %g", word, min);
	if (res > 0 && (r->finest == 0 || res < r->finest))
		r->finest = res;
	return 0;
}

static int read_parents(struct reader *r, char *list, struct raw_commit *c, struct err *e)
{
	uint32_t cap = 1;

	if (strcmp(list, "-") == 0)
		return 0;
	for (const char *p = list; *p; p++)
		cap += *p == ',';
	c->parents = arena_alloc(&r->f->mem, cap * sizeof(*c->parents));
	for (char *save = NULL, *p = strtok_r(list, ",", &save); p;
	     p = strtok_r(NULL, ",", &save)) {
		uint32_t i = find_commit(r, p);
		if (i == NONE)
			return FAIL(
				r, e,
				"parent '%s' of '%s' is not above it; parents come before their children",
				p, c->name);
		for (uint32_t k = 0; k < c->n_parents; k++)
			if (c->parents[k] == i)
				return FAIL(r, e, "parent '%s' of '%s' is given twice", p, c->name);
		c->parents[c->n_parents++] = i;
	}
	return c->n_parents ? 0 : FAIL(r, e, "'%s' has no parents; a root says '-'", c->name);
}

static int read_values(struct reader *r, char *rest, struct raw_commit *c, struct err *e)
{
	struct {
		double *v;
		size_t n, cap;
	} list = { 0 };
	double x;
	double *kept;

	for (char *word; (word = next_word(&rest));) {
		if (read_number(r, word, -HUGE_VAL, &x, e) < 0) {
			free(list.v);
			return -ERR_USAGE;
		}
		ARRAY_PUSH(&list, x);
	}
	if (!list.n)
		return FAIL(r, e, "'%s' has no values", c->name);
	kept = arena_alloc(&r->f->mem, list.n * sizeof(*kept));
	memcpy(kept, list.v, list.n * sizeof(*kept));
	free(list.v);
	c->values = (struct sim_values){ kept, (uint32_t)list.n };
	return 0;
}

static int read_commit(struct reader *r, char *name, char *rest, struct err *e)
{
	struct raw_commit c = { .level = NAN };
	char *parents = r->of_repository ? NULL : next_word(&rest);
	char *what = parents || r->of_repository ? next_word(&rest) : NULL, *word;

	if (!what && r->of_repository)
		return FAIL(r, e, "'%s' needs level, values or broken", name);
	if (!what)
		return FAIL(
			r, e,
			"'%s' needs its parents ('-' for none) and then level, values or broken",
			name);
	if (find_commit(r, name) != NONE)
		return FAIL(r, e, "commit '%s' is given twice", name);
	if (r->commits.n >= MAX_COMMITS)
		return FAIL(r, e, "more than %d commits", MAX_COMMITS);
	c.name = arena_strdup(&r->f->mem, name);
	if (parents && read_parents(r, parents, &c, e) < 0)
		return -ERR_USAGE;
	if (strcmp(what, "broken") == 0) {
		c.broken = true;
	} else if (strcmp(what, "values") == 0) {
		if (read_values(r, rest, &c, e) < 0)
			return -ERR_USAGE;
		rest = str_empty;
	} else if (strcmp(what, "level") == 0 && (word = next_word(&rest))) {
		double finest = r->finest; /* a level is not printed by a benchmark */
		if (read_number(r, word, -HUGE_VAL, &c.level, e) < 0)
			return -ERR_USAGE;
		r->finest = finest;
		if (!(c.level > 0))
			return FAIL(r, e, "level '%s' must be above 0", word);
	} else {
		return FAIL(
			r, e,
			"after its %s '%s' needs 'level VALUE', 'values V...' or 'broken', not '%s'",
			r->of_repository ? "name" : "parents", name, what);
	}
	if ((word = next_word(&rest)))
		return FAIL(r, e, "'%s' is one word too many", word);
	ARRAY_PUSH(&r->commits, c);
	remember_name(r, (uint32_t)r->commits.n - 1);
	return 0;
}

/* --- settings
 * -------------------------------------------------------------------------------------------------------
 */

#define AT(field) offsetof(struct sim_scenario, field)
static const struct {
	const char *key;
	size_t into;
} number_keys[] = {
	{ "sd", AT(s) },	   { "tau", AT(tau) },	   { "boot-sd", AT(boot_sd) },
	{ "warm", AT(warm) },	   { "creep", AT(creep) }, { "resolution", AT(resolution) },
	{ "drift", AT(drift_sd) },
};
static const char *const word_keys[] = { "good",   "bad",    "culprit", "noise",
					 "warmup", "margin", "level",	"change" };

static int unknown_key(struct reader *r, const char *key, struct err *e)
{
	const char *near = NULL;
	unsigned least = 3;

	for (size_t i = 0; i < ARRAY_LEN(number_keys) + ARRAY_LEN(word_keys); i++) {
		const char *k = i < ARRAY_LEN(number_keys) ? number_keys[i].key
							   : word_keys[i - ARRAY_LEN(number_keys)];
		if (str_distance(key, k) < least) {
			least = str_distance(key, k);
			near = k;
		}
	}
	if (near)
		return FAIL(r, e, "unknown setting '%%%s', did you mean '%%%s'?", key, near);
	return FAIL(r, e, "unknown setting '%%%s'", key);
}

static int read_number_key(struct reader *r, size_t k, const char *word, char *rest, struct err *e)
{
	struct sim_scenario *p = &r->f->p;
	double finest = r->finest;
	const char *phi;

	double *into = (double *)((char *)p + number_keys[k].into);
	size_t n = strlen(word);
	bool percent = word[n - 1] == '%' && strcmp(number_keys[k].key, "resolution");
	AUTO_FREE char *number = xstrndup(word, percent ? n - 1 : n);

	if (read_number(r, number, 0, into, e) < 0)
		return -ERR_USAGE;
	if (percent)
		*into /= 100;
	if (p->s > 0 && p->noise == SIM_DET)
		p->noise = SIM_GAUSS;
	if (strcmp(number_keys[k].key, "drift") == 0 && (phi = next_word(&rest)) != NULL) {
		if (read_number(r, phi, 0, &p->drift_phi, e) < 0)
			return -ERR_USAGE;
		if (p->drift_phi >= 1)
			return FAIL(r, e, "the drift's memory '%s' must be below 1", phi);
	}
	r->finest = finest;
	return 0;
}

static int read_word_key(struct reader *r, const char *key, const char *word, struct err *e)
{
	struct sim_scenario *p = &r->f->p;
	int64_t n;

	if (strcmp(key, "good") == 0) {
		r->good = arena_strdup(&r->f->mem, word);
	} else if (strcmp(key, "bad") == 0) {
		r->bad = arena_strdup(&r->f->mem, word);
	} else if (strcmp(key, "culprit") == 0) {
		strvec_add(&r->culprits, word);
	} else if (strcmp(key, "noise") == 0) {
		if (!sim_noise_parse(word, &p->noise))
			return FAIL(
				r, e,
				"unknown noise '%s'; there are gauss, skew, out, bimod, t3, det, out15 and ar",
				word);
	} else if (strcmp(key, "warmup") == 0) {
		if (num_parse_int(word, "warmup", 0, 1000, &n, e) < 0)
			return err_wrap(e, "%s:%u", r->file, r->line);
		p->warmup = (unsigned)n;
	} else if (strcmp(key, "margin") == 0) {
		if (num_parse_ratio(word, "margin", &p->margin, e) < 0)
			return err_wrap(e, "%s:%u", r->file, r->line);
		if (!(p->margin > 0))
			return FAIL(r, e, "the margin must be above 0");
		p->margin = log1p(p->margin);
	} else {
		return unknown_key(r, key, e);
	}
	return 0;
}

/* What only makes sense where the graph is a repository's; true if the key is one of these. */
static bool read_repository_key(struct reader *r, const char *key, const char *word, char *rest,
				int *ret, struct err *e)
{
	struct sim_file *f = r->f;
	double finest = r->finest, change;
	const char *ratio;

	if (!r->of_repository || (strcmp(key, "level") && strcmp(key, "change")))
		return false;
	*ret = -ERR_USAGE;
	if (!strcmp(key, "level")) {
		if (read_number(r, word, 0, &f->level, e) == 0)
			*ret = f->level > 0 ? 0 : FAIL(r, e, "the level must be above 0");
		r->finest = finest;
		return true;
	}
	if (!(ratio = next_word(&rest)))
		FAIL(r, e, "'%%change %s' needs by how much: 4%%, or -4%%", word);
	else if (f->n_changes == SIM_MAX_CHANGES)
		FAIL(r, e, "more than %d changes", SIM_MAX_CHANGES);
	else if (num_parse_ratio(ratio + (*ratio == '-' || *ratio == '+'), "the change", &change,
				 e) < 0)
		err_wrap(e, "%s:%u", r->file, r->line);
	else if (*ratio == '-' && change >= 1)
		FAIL(r, e, "a change by '%s' leaves nothing", ratio);
	else
		*ret = 0;
	if (*ret)
		return true;
	f->changes[f->n_changes].name = arena_strdup(&f->mem, word);
	f->changes[f->n_changes++].shift = log1p(*ratio == '-' ? -change : change);
	return true;
}

static int read_setting(struct reader *r, const char *key, char *rest, struct err *e)
{
	const char *word = next_word(&rest);
	int rc;

	if (!word)
		return FAIL(r, e, "'%%%s' needs a value", key);
	if (read_repository_key(r, key, word, rest, &rc, e))
		return rc;
	for (size_t k = 0; k < ARRAY_LEN(number_keys); k++)
		if (strcmp(key, number_keys[k].key) == 0)
			return read_number_key(r, k, word, rest, e);
	return read_word_key(r, key, word, e);
}

static int read_line(struct reader *r, char *line, struct err *e)
{
	char *rest = line, *word = next_word(&rest);

	if (!word)
		return 0;
	if (*word == '%')
		return read_setting(r, word + 1, rest, e);
	return read_commit(r, word, rest, e);
}

/* --- from lines to a graph
 * ------------------------------------------------------------------------------------------ */

static void mark_up(const struct reader *r, uint32_t from, uint8_t *flags)
{
	flags[from] = 1;
	for (uint32_t i = from + 1; i-- > 0;)
		for (uint32_t k = 0; flags[i] && k < r->commits.v[i].n_parents; k++)
			flags[r->commits.v[i].parents[k]] = 1;
}

static int named_end(struct reader *r, const char *name, uint32_t fallback, uint32_t *ret,
		     struct err *e)
{
	*ret = name ? find_commit(r, name) : fallback;
	if (*ret == NONE)
		return err_set(e, ERR_USAGE, "%s: no commit '%s'", r->file, name);
	if (r->commits.v[*ret].broken)
		return err_set(e, ERR_USAGE, "%s: the end '%s' must build", r->file,
			       r->commits.v[*ret].name);
	return 0;
}

/* Numbers the commits that count; map[raw] is the node. */
static void make_graph(struct reader *r, uint32_t good, uint32_t bad, uint32_t *map)
{
	struct sim_file *f = r->f;
	struct graph_builder b = { 0 };
	AUTO_FREE uint8_t *old = xcalloc(r->commits.n, 1);
	AUTO_FREE uint8_t *used = xcalloc(r->commits.n, 1);
	uint32_t n = 0;

	mark_up(r, good, old);
	mark_up(r, bad, used);
	mark_up(r, good, used);
	f->names = arena_alloc(&f->mem, r->commits.n * sizeof(*f->names));
	f->shift = arena_alloc(&f->mem, r->commits.n * sizeof(*f->shift));
	f->broken = arena_alloc(&f->mem, r->commits.n);
	f->values = arena_alloc(&f->mem, r->commits.n * sizeof(*f->values));
	for (uint32_t i = 0; i < r->commits.n; i++) {
		struct raw_commit *c = &r->commits.v[i];
		map[i] = NONE;
		if (!used[i])
			continue;
		for (uint32_t k = 0; k < c->n_parents; k++)
			c->parents[k] = map[c->parents[k]];
		map[i] = graph_add(&b, c->parents, c->n_parents, old[i]);
		f->names[n] = c->name;
		f->shift[n] = isnan(c->level) ? 0 : log(c->level / 100);
		f->broken[n] = c->broken;
		f->values[n++] = c->values;
	}
	f->g = graph_finish(&b, map[good], map[bad]);
}

static bool differs_from_all_parents(const struct sim_file *f, uint32_t i)
{
	for (uint32_t k = f->g.parent_start[i]; k < f->g.parent_start[i + 1]; k++)
		if (fabs(f->shift[f->g.parents[k]] - f->shift[i]) < 1e-12)
			return false;
	return f->g.parent_start[i + 1] > f->g.parent_start[i];
}

static int note_culprit(struct reader *r, uint32_t node, struct err *e)
{
	if (r->f->n_culprits == SIM_MAX_CHANGES)
		return err_set(e, ERR_USAGE,
			       "%s: more than %d commits change the level; use %%culprit", r->file,
			       SIM_MAX_CHANGES);
	r->f->culprits[r->f->n_culprits++] = node;
	return 0;
}

static int find_truth(struct reader *r, const uint32_t *map, struct err *e)
{
	struct sim_file *f = r->f;

	f->truth_known = true;
	for (size_t i = 0; i < r->culprits.n; i++) {
		uint32_t c = find_commit(r, r->culprits.v[i]);
		if (c == NONE || map[c] == NONE || f->g.boundary[map[c]])
			return err_set(
				e, ERR_USAGE,
				"%s: the culprit '%s' is not between the good and the bad end",
				r->file, r->culprits.v[i]);
		if (note_culprit(r, map[c], e) < 0)
			return -ERR_USAGE;
	}
	for (uint32_t i = 0; i < f->g.n && !r->culprits.n; i++) {
		if (f->values[i].n || f->broken[i]) {
			f->truth_known = false;
			f->n_culprits = 0;
			return 0;
		}
		if (!f->g.boundary[i] && differs_from_all_parents(f, i) &&
		    note_culprit(r, i, e) < 0)
			return -ERR_USAGE;
	}
	return 0;
}

static int finish(struct reader *r, struct err *e)
{
	struct sim_file *f = r->f;
	AUTO_FREE uint32_t *map = NULL;
	uint32_t good, bad;

	if (r->commits.n < 2)
		return err_set(e, ERR_USAGE, "%s: needs at least a good and a bad commit", r->file);
	if (named_end(r, r->good, 0, &good, e) < 0 ||
	    named_end(r, r->bad, (uint32_t)r->commits.n - 1, &bad, e) < 0)
		return -ERR_USAGE;
	map = xreallocarray(NULL, r->commits.n, sizeof(*map));
	make_graph(r, good, bad, map);
	f->p.n = graph_candidates(&f->g);
	if (!f->p.n || f->g.boundary[f->g.bad])
		return err_set(e, ERR_USAGE,
			       "%s: no commits lie after the good end '%s' and up to '%s'", r->file,
			       r->commits.v[good].name, r->commits.v[bad].name);
	if (f->p.resolution == 0)
		f->p.resolution = r->finest;
	return find_truth(r, map, e);
}

/* Every listed commit as it stands; no graph. */
static int finish_commits(struct reader *r, struct err *e)
{
	struct sim_file *f = r->f;
	size_t n = r->commits.n;

	if (!n && isnan(f->level))
		return err_set(e, ERR_USAGE,
			       "%s: needs commits with their values, or %%level for all of them",
			       r->file);
	if (f->n_changes && isnan(f->level))
		return err_set(e, ERR_USAGE, "%s: %%change needs a %%level to change", r->file);
	f->names = arena_alloc(&f->mem, (n + 1) * sizeof(*f->names));
	f->shift = arena_alloc(&f->mem, (n + 1) * sizeof(*f->shift));
	f->broken = arena_alloc(&f->mem, n + 1);
	f->values = arena_alloc(&f->mem, (n + 1) * sizeof(*f->values));
	for (size_t i = 0; i < n; i++) {
		const struct raw_commit *c = &r->commits.v[i];

		f->names[i] = c->name;
		f->shift[i] = isnan(c->level) ? 0 : log(c->level / 100);
		f->broken[i] = c->broken;
		f->values[i] = c->values;
	}
	f->n_commits = (uint32_t)n;
	if (f->p.resolution == 0)
		f->p.resolution = r->finest;
	return 0;
}

static int parse(struct sim_file *f, const char *text, size_t n, const char *name,
		 bool of_repository, struct err *e)
{
	struct reader r = { .f = f, .file = name, .of_repository = of_repository };
	AUTO_FREE char *copy = xstrndup(text, n);
	int rc = 0;

	*f = (struct sim_file){ .level = NAN };
	f->p = (struct sim_scenario){
		.help = "from a file", .noise = SIM_DET, .drift_phi = .98, .margin = log1p(.01)
	};
	strcpy(f->p.name, "file");
	if (memchr(text, 0, n))
		rc = err_set(e, ERR_USAGE, "%s: is not a text file", name);
	for (char *at = copy, *line; !rc && (line = strsep(&at, "\n"));) {
		r.line++;
		rc = read_line(&r, line, e);
	}
	if (!rc)
		rc = of_repository ? finish_commits(&r, e) : finish(&r, e);
	free(r.commits.v);
	free(r.slots);
	strvec_done(&r.culprits);
	return rc;
}

int sim_file_parse(struct sim_file *f, const char *text, size_t n, const char *name, struct err *e)
{
	return parse(f, text, n, name, false, e);
}

int sim_file_parse_commits(struct sim_file *f, const char *text, size_t n, const char *name,
			   struct err *e)
{
	return parse(f, text, n, name, true, e);
}

void sim_file_done(struct sim_file *f)
{
	graph_done(&f->g);
	arena_done(&f->mem);
	*f = (struct sim_file){ 0 };
}

void sim_open_file(struct sim *sim, const struct sim_file *f, uint64_t seed, uint32_t history)
{
	*sim = (struct sim){ .p = f->p,
			     .g = &f->g,
			     .key = sim_key(seed, history),
			     .history = history,
			     .values = f->values,
			     .step = f->p.resolution,
			     .resolution = f->p.resolution };
	sim->shift = xmemdup(f->shift, f->g.n * sizeof(*f->shift));
	sim->broken = xmemdup(f->broken, f->g.n);
	sim->artefact = xreallocarray(NULL, f->g.n, sizeof(*sim->artefact));
	for (uint32_t i = 0; i < f->g.n; i++)
		sim->artefact[i] = i;
	memcpy(sim->changes, f->culprits, sizeof(f->culprits));
	sim->n_changes = f->n_culprits;
}
