/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store_unit.h"

#include "store/bundle.h"
#include "store/line.h"
#include "store/query.h"

#include <float.h>
#include <zstd.h>

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void values_survive_a_line(void **state UNUSED)
{
	static const double reals[] = { 0.1,	1.0 / 3, DBL_MAX,     DBL_MIN,
					5e-324, -1e22,	 123456789.0, 0 };
	static const int64_t ints[] = { 0, -1, INT64_MAX, INT64_MIN };
	static const char *const texts[] = { "",
					     "plain",
					     "q\"b\\s/",
					     "tab\tnl\n\x01\x7f",
					     "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
					     "\xff\x80 \xc0\xaf \xed\xa0\x80 \xf5 \xe2\x82",
					     "\\udc80" };
	AUTO(str) struct str s = STR_INIT;
	AUTO(cells) struct cells c = { 0 };
	size_t at = 0;

	line_begin(&s);
	for (size_t i = 0; i < ARRAY_LEN(reals); i++)
		line_real(&s, reals[i]);
	for (size_t i = 0; i < ARRAY_LEN(ints); i++)
		line_int(&s, ints[i]);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		line_text(&s, texts[i]);
	line_null(&s);
	line_end(&s);
	assert_null(memchr(s.p, '\n', s.n - 1));
	OK(line_parse(s.p, s.n - 1, &c, &oops));
	assert_int_equal(c.n, ARRAY_LEN(reals) + ARRAY_LEN(ints) + ARRAY_LEN(texts) + 1);
	for (size_t i = 0; i < ARRAY_LEN(reals); i++, at++) {
		assert_int_equal(c.v[at].kind, CELL_REAL);
		assert_true(c.v[at].d == reals[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(ints); i++, at++) {
		assert_int_equal(c.v[at].kind, CELL_INT);
		assert_true(c.v[at].i == ints[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++, at++) {
		assert_int_equal(c.v[at].kind, CELL_TEXT);
		assert_string_equal(c.v[at].text, texts[i]);
	}
	assert_int_equal(c.v[at].kind, CELL_NULL);
}

static void escapes_of_others_are_read(void **state UNUSED)
{
	static const char line[] =
		"[\"\\u00e9\\ud83d\\ude00\\/\\b\\f\\r\\t\\n\\u0041\\u20ac\",1e3,-0.5]";
	AUTO(cells) struct cells c = { 0 };

	OK(line_parse(line, strlen(line), &c, &oops));
	assert_string_equal(c.v[0].text, "\xc3\xa9\xf0\x9f\x98\x80/\b\f\r\t\nA\xe2\x82\xac");
	assert_true(c.v[1].d == 1000 && c.v[2].d == -0.5);
}

static void broken_lines_are_refused(void **state UNUSED)
{
	static const char *const lines[] = {
		"",
		"[",
		"[]",
		"[1",
		"[1,]",
		"[1]x",
		"[,1]",
		"1",
		"[nul]",
		"[true]",
		"[[1]]",
		"[{}]",
		"[\"a]",
		"[\"\\x\"]",
		"[\"\\u12\"]",
		"[\"\\u0000\"]",
		"[\"\\ud800\"]",
		"[\"\\ud800\\u0041\"]",
		"[\"\\udc00\"]",
		"[\"\t\"]",
		"[9223372036854775808]",
		"[1e400]",
		"[1.5.5]",
		"[--1]",
		"[+]",
		"[1 ]",
		"[NaN]",
		"[0x10]",
		"[1e]",
		"[\"\\",
		"[\"\\u",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct err e = ERR_INIT;
		struct cells c = { 0 };

		if (line_parse(lines[i], strlen(lines[i]), &c, &e) != -ERR_BROKEN)
			fail_msg("accepted: %s", lines[i]);
		assert_non_null(strstr(e.msg, "column "));
		assert_null(c.v);
	}
}

static void bytes_survive_base64(void **state UNUSED)
{
	unsigned char bytes[256];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + 250);
	for (size_t n = 0; n < 20; n++) {
		AUTO(str) struct str s = STR_INIT, back = STR_INIT;

		line_blob(&s, bytes, n);
		assert_true(base64_decode(s.p + 1, s.n - 2, &back));
		assert_int_equal(back.n, n);
		assert_memory_equal(back.p, bytes, n);
	}

	static const char *const bad[] = { "a",	   "ab",   "abc",  "ab=c",
					   "====", "a===", "ab c", "abc=abcd" };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTO(str) struct str s = STR_INIT;

		assert_false(base64_decode(bad[i], strlen(bad[i]), &s));
	}
}

/* --- a hunt there and back ---------------------------------------------------------------------------------------- */

/* Two hunts; the second has everything that a hunt can have. */
static int64_t fill(struct store *st, char hash[65])
{
	int64_t other = begin_hunt(st, "other"), build = add_build(st, "b", OUTCOME_OK, "trees/b"),
		boot = 0, run = 0;
	unsigned n;

	OK(store_use_build(st, other, add_build(st, "o", OUTCOME_OK, "trees/o"), "O", &oops));
	OK(store_blob_put(st, "file", 4, hash, &oops));

	AUTO_FREE char *question = xasprintf("{\"file\":\"%s\"}", hash);
	struct hunt_row h = { .kind = (char *)"bisect",
			      .key = (char *)"q",
			      .question = question,
			      .graph = (char *)"0 1\n",
			      .seed = UINT64_MAX };
	int64_t hunt = 0;

	OK(store_hunt_begin(st, &h, &hunt, &oops));
	OK(store_action(st, hunt, "{\"kind\":\"measure\"}", &oops));
	OK(store_use_build(st, hunt, build, "A", &oops));
	OK(store_boot_add(st, hunt, build, "{\"env\":7}", OUTCOME_OK, NULL, 0.25, &boot, &oops));
	for (int i = -1; i < 5; i++)
		run_once(st, hunt, boot, i, 0.1 * (i + 2));
	OK(store_run_begin(st, hunt, boot, "bench", 5, &run, &oops));
	OK(store_run_end(st, run, OUTCOME_TIMEOUT, "deadline \xff of 1 s", 1, NULL, "slow\n", 5,
			 &oops));
	OK(store_run_begin(st, hunt, boot, "bench", 6, &run, &oops));
	OK(store_mark(st, hunt, "A", "good", &oops));
	OK(store_undo(st, hunt, 2, &n, &oops));
	OK(store_note(st, hunt, "\xe2\x82\xac", &oops));
	OK(store_hunt_end(st, hunt, "answered", "{\"a\":0.1}", &oops));
	return hunt;
}

static void same_text(const char *a, const char *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a)
		assert_string_equal(a, b);
}

static void same_observations(struct store *a, struct store *b, int64_t hunt)
{
	AUTO(observations) struct observations x = { 0 }, y = { 0 };

	OK(store_observations(a, hunt, &x, &oops));
	OK(store_observations(b, hunt, &y, &oops));
	assert_int_equal(x.n, y.n);
	for (size_t i = 0; i < x.n; i++) {
		const struct observation *o = &x.v[i], *p = &y.v[i];

		assert_true(o->seq == p->seq && o->kind == p->kind &&
			    o->withdrawn_at == p->withdrawn_at);
		assert_true(o->build == p->build && o->boot == p->boot && o->run == p->run);
		assert_true(o->index == p->index && o->outcome == p->outcome &&
			    o->at_ns == p->at_ns);
		assert_true(o->seconds == p->seconds && o->readings.n == p->readings.n);
		same_text(o->node, p->node);
		same_text(o->benchmark, p->benchmark);
		same_text(o->reason, p->reason);
		same_text(o->text, p->text);
		for (size_t k = 0; k < o->readings.n; k++) {
			assert_true(o->readings.v[k].value == p->readings.v[k].value);
			assert_true(o->readings.v[k].resolution == p->readings.v[k].resolution);
			assert_int_equal(o->readings.v[k].better, p->readings.v[k].better);
			same_text(o->readings.v[k].metric, p->readings.v[k].metric);
			same_text(o->readings.v[k].unit, p->readings.v[k].unit);
		}
	}
}

static void a_hunt_comes_back_the_same(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *file = fs_join(p->dir, "hunt.bundle");
	AUTO(hunt_row) struct hunt_row x = { 0 }, y = { 0 };
	AUTO(hunt_rows) struct hunt_rows all = { 0 };
	AUTO(build_row) struct build_row b = { 0 };
	AUTO(build_rows) struct build_rows builds = { 0 };
	AUTO(str) struct str log = STR_INIT, out = STR_INIT, blob = STR_INIT;
	AUTO(in_flight) struct in_flight fl = { 0 };
	bool any = false;
	struct store *st = open_store(p, STORE_WRITE), *back = NULL;
	char hash[65];
	int64_t hunt = fill(st, hash), read = 0;

	OK(bundle_write(st, hunt, BUNDLE_LOGS, file, &oops));
	OK(bundle_read(file, &back, &read, &oops));
	assert_int_equal(read, hunt);
	assert_string_equal(store_dir(back), "");
	OK(store_hunts(back, &all, &oops));
	assert_int_equal(all.n, 1);
	OK(store_hunt_get(st, hunt, &x, &oops));
	OK(store_hunt_get(back, hunt, &y, &oops));
	same_text(x.kind, y.kind);
	same_text(x.key, y.key);
	same_text(x.question, y.question);
	same_text(x.graph, y.graph);
	same_text(x.answer, y.answer);
	same_text(x.status, y.status);
	assert_true(x.seed == y.seed && x.began_ns == y.began_ns && x.ended_ns == y.ended_ns);
	same_observations(st, back, hunt);
	OK(store_builds(back, &builds, &oops));
	assert_int_equal(builds.n, 1);
	OK(store_build_get(back, builds.v[0].id, &b, &oops));
	assert_string_equal(b.path, "");
	assert_string_equal(b.artefact, "ff");
	OK(store_build_log(back, b.id, &log, &oops));
	assert_string_equal(log.p, "log text");
	OK(query_in_flight(back, &fl, &any, &oops));
	assert_true(any);
	OK(store_run_output(back, fl.run - 1, &out, &oops));
	assert_string_equal(out.p, "slow\n");
	OK(store_blob_get(back, hash, &blob, &oops));
	assert_string_equal(blob.p, "file");
	assert_int_equal(store_note(back, hunt, "x", NULL), -ERR_ENV);
	store_close(st);
	store_close(back);
}

static void logs_are_optional(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *file = fs_join(p->dir, "hunt.bundle");
	AUTO(str) struct str text = STR_INIT;
	struct store *st = open_store(p, STORE_WRITE), *back = NULL;
	char hash[65];
	int64_t hunt = fill(st, hash), read = 0;

	OK(bundle_write(st, 0, 0, file, &oops));
	OK(bundle_read(file, &back, &read, &oops));
	assert_int_equal(read, hunt);
	same_observations(st, back, hunt);
	OK(store_build_log(back, 1, &text, &oops));
	assert_int_equal(text.n, 0);
	assert_int_equal(store_blob_get(back, hash, &text, NULL), -ERR_MISSING);
	assert_int_equal(bundle_write(st, 99, 0, file, NULL), -ERR_MISSING);
	store_close(st);
	store_close(back);
}

/* --- bad bundles -------------------------------------------------------------------------------------------------- */

static void unpack(const char *path, struct str *text)
{
	AUTO(str) struct str packed = STR_INIT;
	size_t cap = 1 << 20;
	AUTO_FREE char *buf = xmalloc(cap);

	OK(fs_read(path, 1 << 20, &packed, &oops));

	size_t n = ZSTD_decompress(buf, cap, packed.p, packed.n);

	assert_false(ZSTD_isError(n));
	str_add(text, buf, n);
}

static int parse_text(const char *text, size_t n, struct err *e)
{
	size_t cap = ZSTD_compressBound(n);
	AUTO_FREE char *packed = xmalloc(cap);
	size_t k = ZSTD_compress(packed, cap, text, n, 1);
	struct store *st = NULL;
	int64_t hunt;
	int r = bundle_parse(packed, k, "x.bundle", &st, &hunt, e);

	if (r == 0)
		store_close(st);
	else
		assert_null(st);
	return r;
}

static void what_is_no_bundle_is_a_usage_error(void **state UNUSED)
{
	static const char *const texts[] = { "", "hello\n", "[1,2]\n", "[\"culprit-bundle\"]\n",
					     "\n" };
	struct store *st = NULL;
	int64_t hunt;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err e = ERR_INIT;
		int r = parse_text(texts[i], strlen(texts[i]), &e);

		assert_int_equal(r, i == 0 ? -ERR_BROKEN : -ERR_USAGE);
		assert_non_null(strstr(e.msg, "x.bundle"));
		if (i)
			assert_int_equal(
				bundle_parse(texts[i], strlen(texts[i]), "raw", &st, &hunt, &e),
				-ERR_USAGE);
	}
	assert_int_equal(bundle_read("/nonexistent/x", &st, &hunt, NULL), -ERR_MISSING);
}

/* `from` is replaced by `to` once; the checksum would notice, so each must be refused for a reason of its own, before the end. */
static void contradictions_are_refused(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *file = fs_join(p->dir, "hunt.bundle");
	AUTO(str) struct str text = STR_INIT;
	struct store *st = open_store(p, STORE_WRITE);
	char hash[65];
	static const struct {
		const char *from, *to, *says;
	} rows[] = {
		{ "[\"culprit-bundle\",1,", "[\"culprit-bundle\",2,", "newer culprit" },
		{ "[\"culprit-bundle\",1,1", "[\"culprit-bundle\",1,9", "newer culprit" },
		{ "\"columns\",\"hunt\"", "\"columns\",\"hurt\"", "x.bundle:2: tables missing" },
		{ "\"columns\",\"journal\"", "\"columns\",\"sqlite_schema\"", "tables missing" },
		{ "\"question\"", "\"question) values (1); --\"",
		  "x.bundle:2: a column that is not" },
		{ "\"question\"", "7", "name is no text" },
		{ "[\"boot\",", "[\"run\",", "not announced" },
		{ "[\"boot\",", "[\"boot\",1,", "too few or too many" },
		{ "\"timeout\"", "\"sleepy\"", "CHECK constraint failed" },
		{ "[\"run\",1,2,", "[\"run\",1,7,", "FOREIGN KEY constraint failed" },
		{ "[\"run\",1,", "[\"run\",\"1\",", "x.bundle:" },
		{ "[\"run_end\",", "[\"run_end\",null,\"", "column " },
		{ "[\"hunt\",2,\"bisect\"", "[\"hunt\",2,\"hisect\"", "checksum" },
		{ "[\"end\",", "[\"end\",1", "checksum" },
	};

	fill(st, hash);
	OK(bundle_write(st, 0, BUNDLE_LOGS, file, &oops));
	store_close(st);
	unpack(file, &text);
	OK(parse_text(text.p, text.n, &oops));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *at = strstr(text.p, rows[i].from);
		AUTO(str) struct str changed = STR_INIT;
		struct err e = ERR_INIT;

		if (!at)
			fail_msg("not in the bundle: %s", rows[i].from);
		str_add(&changed, text.p, (size_t)(at - text.p));
		str_puts(&changed, rows[i].to);
		str_puts(&changed, at + strlen(rows[i].from));
		assert_int_equal(parse_text(changed.p, changed.n, &e), -ERR_BROKEN);
		if (!strstr(e.msg, rows[i].says))
			fail_msg("%s -> %s: %s", rows[i].from, rows[i].to, e.msg);
	}
}

/* Cut anywhere, or with a byte changed, it is refused: never a shorter hunt. */
static void a_cut_or_changed_bundle_is_refused(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *file = fs_join(p->dir, "hunt.bundle");
	AUTO(str) struct str packed = STR_INIT, text = STR_INIT;
	struct store *st = open_store(p, STORE_WRITE), *back = NULL;
	char hash[65];
	int64_t hunt;

	fill(st, hash);
	OK(bundle_write(st, 0, BUNDLE_LOGS, file, &oops));
	store_close(st);
	OK(fs_read(file, 1 << 20, &packed, &oops));
	unpack(file, &text);
	for (size_t n = 0; n < packed.n; n += 7)
		assert_true(bundle_parse(packed.p, n, "x", &back, &hunt, NULL) < 0);
	for (size_t n = 0; n < text.n; n += 41)
		assert_true(parse_text(text.p, n, NULL) < 0);
	for (size_t i = 0; i < packed.n; i += 11) {
		packed.p[i] ^= 0x10;
		if (bundle_parse(packed.p, packed.n, "x", &back, &hunt, NULL) == 0) {
			/* A few bits of a compressed frame mean nothing: then it must read as the same hunt. */
			AUTO(str) struct str same = STR_INIT;

			store_close(back);
			back = NULL;
			OK(fs_write_atomic(file, packed.p, packed.n, &oops));
			unpack(file, &same);
			assert_string_equal(same.p, text.p);
		}
		packed.p[i] ^= 0x10;
	}
	str_add(&packed, "0123456789", 10);
	assert_true(bundle_parse(packed.p, packed.n, "x", &back, &hunt, NULL) < 0);
}

static void a_bomb_does_not_unfold(void **state UNUSED)
{
	size_t n = 64 << 20;
	AUTO_FREE char *zeros = xmalloc(n);
	struct err e = ERR_INIT;

	memset(zeros, ' ', n);
	assert_int_equal(parse_text(zeros, n, &e), -ERR_BROKEN);
	assert_non_null(strstr(e.msg, "unfolds to more"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_survive_a_line),
		cmocka_unit_test(escapes_of_others_are_read),
		cmocka_unit_test(broken_lines_are_refused),
		cmocka_unit_test(bytes_survive_base64),
		TEST(a_hunt_comes_back_the_same),
		TEST(logs_are_optional),
		cmocka_unit_test(what_is_no_bundle_is_a_usage_error),
		TEST(contradictions_are_refused),
		TEST(a_cut_or_changed_bundle_is_refused),
		cmocka_unit_test(a_bomb_does_not_unfold),
	};

	return cmocka_run_group_tests_name("bundle", tests, NULL, NULL);
}
