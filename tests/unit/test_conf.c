/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/num.h"
#include "text/conf.h"

enum mode { MODE_A = 3, MODE_B = 7 };

struct item {
	char name[32];
	const char *command;
	const char **files, **env;
	bool quick;
	unsigned runs;
	int64_t timeout_ns, size;
	double margin;
	enum mode mode;
};
struct toy {
	const char *build;
	struct item items[4];
	size_t n;
	struct conf_schema schema;
	struct arena arena;
};

static const struct conf_choice modes[] = { { "a", MODE_A }, { "b", MODE_B }, { NULL, 0 } };

static const struct conf_key keys[] = {
	{ "project.build", CONF_STRING, offsetof(struct toy, build), NULL, "how" },
	{ "items.*.command", CONF_STRING, offsetof(struct item, command), NULL, "what" },
	{ "items.*.files", CONF_STRINGS, offsetof(struct item, files), NULL, "which" },
	{ "items.*.env", CONF_PAIRS, offsetof(struct item, env), NULL, "where" },
	{ "items.*.quick", CONF_BOOL, offsetof(struct item, quick), "yes", "hurry" },
	{ "items.*.runs", CONF_UINT, offsetof(struct item, runs), "5", "how often", 1, 100 },
	{ "items.*.timeout", CONF_DURATION, offsetof(struct item, timeout_ns), "10m", "how long" },
	{ "items.*.size", CONF_SIZE, offsetof(struct item, size), NULL, "how much" },
	{ "items.*.margin", CONF_RATIO, offsetof(struct item, margin), "1%", "how near", 0, 0.5 },
	{ "items.*.mode", CONF_CHOICE, offsetof(struct item, mode), "a", "how so",
	  .choices = modes },
	{ 0 },
};

static void *record(void *root, const char *section, const char *name, struct err *e)
{
	struct toy *t = root;

	if (!strcmp(section, "project"))
		return t;
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->items[i].name, name))
			return &t->items[i];
	if (t->n == ARRAY_LEN(t->items)) {
		err_set(e, ERR_USAGE, "too many items");
		return NULL;
	}
	snprintf(t->items[t->n].name, sizeof(t->items[0].name), "%s", name);
	conf_defaults(&t->schema, section, &t->items[t->n]);
	return &t->items[t->n++];
}

static void toy_init(struct toy *t)
{
	*t = (struct toy){ 0 };
	t->schema = (struct conf_schema){ keys, &t->arena, record, t };
}

static void toy_done(struct toy *t)
{
	arena_done(&t->arena);
}

static int read_text(struct toy *t, const char *text, struct err *e)
{
	AUTO(conf_file) struct conf *c = NULL;
	int r = conf_parse(text, strlen(text), "culprit.yaml", &c, e);

	return r < 0 ? r : conf_apply(c, &t->schema, e);
}

static void values_are_read_as_the_table_says(void **state UNUSED)
{
	AUTO(toy) struct toy t;

	toy_init(&t);
	assert_int_equal(read_text(&t,
				   "project:\n"
				   "  build: no\n" /* YAML 1.1 says false; the table says text */
				   "items:\n"
				   "  rr: &base\n"
				   "    command: |\n"
				   "      netserver -L \"127.0.0.1\" # not a comment; really\n"
				   "      netperf -l 3\n"
				   "    files: [a b, \"c\"]\n"
				   "    env: {A: 1, B: x=y}\n"
				   "    quick: no\n"
				   "    runs: 7\n"
				   "    timeout: 1m30s\n"
				   "    size: 2G\n"
				   "    margin: 2%\n"
				   "    mode: b\n"
				   "  copy: *base\n"
				   "  plain:\n"
				   "    files: only\n"
				   "    env: [C=3]\n",
				   NULL),
			 0);
	assert_string_equal(t.build, "no");
	assert_int_equal(t.n, 3);
	for (size_t i = 0; i < 2; i++) {
		const struct item *x = &t.items[i];

		assert_string_equal(x->command,
				    "netserver -L \"127.0.0.1\" # not a comment; really\n"
				    "netperf -l 3\n");
		assert_string_equal(x->files[0], "a b");
		assert_string_equal(x->files[1], "c");
		assert_null(x->files[2]);
		assert_string_equal(x->env[0], "A=1");
		assert_string_equal(x->env[1], "B=x=y");
		assert_null(x->env[2]);
		assert_false(x->quick);
		assert_int_equal(x->runs, 7);
		assert_int_equal(x->timeout_ns, 90 * NS_PER_S);
		assert_int_equal(x->size, INT64_C(2) << 30);
		assert_double(x->margin, 0.02, 1e-15);
		assert_int_equal(x->mode, MODE_B);
	}
	assert_string_equal(t.items[1].name, "copy");
	assert_string_equal(t.items[2].files[0], "only");
	assert_null(t.items[2].files[1]);
	assert_true(t.items[2].quick);
	assert_int_equal(t.items[2].runs, 5);
	assert_int_equal(t.items[2].timeout_ns, 600 * NS_PER_S);
	assert_int_equal(t.items[2].mode, MODE_A);
	assert_null(t.items[2].command);
}

static void nothing_is_fine(void **state UNUSED)
{
	static const char *const rows[] = { "",		"\n# only a comment\n", "---\n", "{}",
					    "items:\n", "items:\n  a:\n" };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(toy) struct toy t;
		struct err e = ERR_INIT;

		toy_init(&t);
		if (read_text(&t, rows[i], &e))
			fail_msg("'%s': %s", rows[i], e.msg);
	}
}

static void mistakes_have_their_line(void **state UNUSED)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "items:\n  boot:\n    rusn: 3\n",
		  "culprit.yaml:3: unknown key 'items.boot.rusn', did you mean 'runs'?" },
		{ "proj:\n  build: x\n",
		  "culprit.yaml:1: unknown key 'proj', did you mean 'project'?" },
		{ "command: x\n",
		  "culprit.yaml:1: unknown key 'command'; 'command' belongs into items.*" },
		{ "project: {zzzzzz: 1}\n",
		  "culprit.yaml:1: unknown key 'project.zzzzzz'; known here: build" },
		{ "items:\n  a: {runs: 0}\n",
		  "culprit.yaml:2: items.a.runs wants a number from 1 to 100, not '0'" },
		{ "items:\n  a:\n    runs: many\n",
		  "culprit.yaml:3: items.a.runs wants a whole number, not 'many'" },
		{ "items: {a: {runs: [1]}}\n",
		  "culprit.yaml:1: items.a.runs wants one value, not a list" },
		{ "items: {a: {command: {x: y}}}\n",
		  "culprit.yaml:1: items.a.command wants one value, not a section" },
		{ "items: {a: {files: {x: y}}}\n",
		  "culprit.yaml:1: items.a.files wants one value, not a section" },
		{ "items: {a: {files: [x, [y]]}}\n",
		  "culprit.yaml:1: items.a.files wants one value, not a list" },
		{ "items: {a: {env: [x]}}\n",
		  "culprit.yaml:1: items.a.env wants NAME=VALUE, not 'x'" },
		{ "items: {a: {env: {x: 1, x: 2}}}\n",
		  "culprit.yaml:1: duplicate key 'items.a.env.x'" },
		{ "items: {a: {quick: on}}\n",
		  "culprit.yaml:1: items.a.quick wants yes or no, not 'on'" },
		{ "items: {a: {mode: c}}\n", "culprit.yaml:1: items.a.mode wants a or b, not 'c'" },
		{ "items: {a: {margin: 60%}}\n",
		  "culprit.yaml:1: items.a.margin wants a ratio from 0% to 50%, not '60%'" },
		{ "items: {a: {timeout: soon}}\n",
		  "culprit.yaml:1: items.a.timeout wants a time like 90s, 5m or 1h30m, not 'soon'" },
		{ "project:\n  build: a\n  build: b\n",
		  "culprit.yaml:3: duplicate key 'project.build', first in line 2" },
		{ "project:\n  build:\n",
		  "culprit.yaml:2: project.build has no value; give it one or remove the line" },
		{ "project: make\n",
		  "culprit.yaml:1: project wants a section of 'key: value' lines" },
		{ "- a\n- b\n", "culprit.yaml:1: the file wants a section of 'key: value' lines" },
		{ "[a]: b\n", "culprit.yaml:1: a key wants one value, not a list" },
		{ "project: {build: !!int 5}\n",
		  "culprit.yaml:1: tags are not read: remove 'tag:yaml.org,2002:int'" },
		{ "project: !evil {build: x}\n",
		  "culprit.yaml:1: tags are not read: remove '!evil'" },
		{ "project: {build: \"a\\0b\"}\n",
		  "culprit.yaml:1: project.build holds a zero byte" },
		{ "items: {a: &a {runs: 2}, b: {<<: *a}}\n",
		  "culprit.yaml:1: merge keys ('<<') are not read; repeat the keys" },
		{ "project: {}\n---\nproject: {}\n",
		  "culprit.yaml:2: a second document ('---'); one file is one configuration" },
		{ "project:\n  build: sed s/a: b/\n",
		  "culprit.yaml:2: mapping values are not allowed in this context (column 17);"
		  " text with ': ' in it needs quotes, or a '|' and a line of its own" },
		{ "project:\n\tbuild: x\n",
		  "culprit.yaml:2: found character that cannot start any token (column 1)" },
		{ "items: {a: , b: , c: , d: , e: }\n", "culprit.yaml:1: too many items" },
		{ "a: *nowhere\n", "culprit.yaml:1: found undefined alias (column 4)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(toy) struct toy t;
		struct err e = ERR_INIT;

		toy_init(&t);
		if (read_text(&t, rows[i].text, &e) != -ERR_USAGE)
			fail_msg("accepted: %s", rows[i].text);
		assert_string_equal(e.msg, rows[i].message);
	}
}

static void *same_record(void *root, const char *section UNUSED, const char *name UNUSED,
			 struct err *e UNUSED)
{
	return root;
}

static void bombs_and_depth_are_bounded(void **state UNUSED)
{
	/*
	 * Sections below sections, as far as a table allows: a schema of our own where '*' nests, so that aliases can
	 * multiply. Each line holds the one before nine times: 9^6 sections if nobody counted.
	 */
	static const struct conf_key nest[] = { { "*.*.*.*.*.*.*.x", CONF_STRING, 0, NULL, "" },
						{ 0 } };
	AUTO(str) struct str bomb = STR_INIT, large = STR_INIT;
	AUTO(conf_file) struct conf *c = NULL;
	AUTO(toy) struct toy t;
	struct err e = ERR_INIT;
	struct conf *none = NULL;

	toy_init(&t);
	t.schema.keys = nest;
	t.schema.record = same_record;
	str_puts(&bomb,
		 "k0: &l0 {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}, i: {}}\n");
	for (int i = 1; i < 6; i++) {
		str_addf(&bomb, "k%d: &l%d {", i, i);
		for (int k = 0; k < 9; k++)
			str_addf(&bomb, "%sk%d: *l%d", k ? ", " : "", k, i - 1);
		str_puts(&bomb, "}\n");
	}
	assert_int_equal(conf_parse(bomb.p, bomb.n, "bomb", &c, &e), 0);
	assert_int_equal(conf_apply(c, &t.schema, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "bomb:1: more than 20000 values; aliases may be unfolding");
	str_pad(&large, '#', CONF_MAX_BYTES + 1);
	assert_int_equal(conf_parse(large.p, large.n, "large", &none, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "large: larger than 1024 KiB, which no configuration is");
}

static void assignments_work_as_the_file_does(void **state UNUSED)
{
	AUTO(toy) struct toy t;

	toy_init(&t);
	assert_int_equal(conf_set(&t.schema, "project.build=make CFLAGS='-O2 -g': [x]", NULL), 0);
	assert_int_equal(conf_set(&t.schema, "items.a.b.files=[x, 'y z']", NULL), 0);
	assert_int_equal(conf_set(&t.schema, "items.a.b.env=A=1", NULL), 0);
	assert_int_equal(conf_set(&t.schema, "items.a.b.runs=9", NULL), 0);
	assert_string_equal(t.build, "make CFLAGS='-O2 -g': [x]");
	assert_string_equal(t.items[0].name, "a.b");
	assert_string_equal(t.items[0].files[1], "y z");
	assert_string_equal(t.items[0].env[0], "A=1");
	assert_int_equal(t.items[0].runs, 9);
	assert_int_equal(t.items[0].mode, MODE_A);
}

static void bad_assignments_are_named(void **state UNUSED)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "project.build", "-c wants KEY=VALUE, not 'project.build'" },
		{ "items.a.rusn=3", "-c: unknown key 'items.a.rusn', did you mean 'runs'?" },
		{ "project.biuld=x", "-c: unknown key 'project.biuld', did you mean 'build'?" },
		{ "nonsense=x", "-c: unknown key 'nonsense'; known here: project, items" },
		{ "items.a.runs=x", "-c items.a.runs wants a whole number, not 'x'" },
		{ "items.a.files=[x", "-c items.a.files wants a list like [a, b], not '[x'" },
		{ "items.a.files={x: y}",
		  "-c items.a.files wants a list like [a, b], not '{x: y}'" },
		{ "=x", "-c: unknown key ''; known here: project, items" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(toy) struct toy t;
		struct err e = ERR_INIT;

		toy_init(&t);
		assert_int_equal(conf_set(&t.schema, rows[i].text, &e), -ERR_USAGE);
		assert_string_equal(e.msg, rows[i].message);
	}
}

static void lines_can_be_asked_for(void **state UNUSED)
{
	static const char text[] = "project:\n  build: x\nitems:\n  a.b:\n    runs: 3\n";
	AUTO(conf_file) struct conf *c = NULL;

	assert_int_equal(conf_parse(text, sizeof(text) - 1, "f", &c, NULL), 0);
	assert_int_equal(conf_line(c, "project"), 1);
	assert_int_equal(conf_line(c, "project.build"), 2);
	assert_int_equal(conf_line(c, "items.a.b"), 4);
	assert_int_equal(conf_line(c, "items.a.b.runs"), 5);
	assert_int_equal(conf_line(c, "items.a"), 0);
	assert_int_equal(conf_line(c, "project.build.x"), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_as_the_table_says),
		cmocka_unit_test(nothing_is_fine),
		cmocka_unit_test(mistakes_have_their_line),
		cmocka_unit_test(bombs_and_depth_are_bounded),
		cmocka_unit_test(assignments_work_as_the_file_does),
		cmocka_unit_test(bad_assignments_are_named),
		cmocka_unit_test(lines_can_be_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
