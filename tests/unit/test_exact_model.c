/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "exact/cache.h"
#include "exact/options.h"
#include "exact/symbols.h"
#include "exact/window.h"

#include <unistd.h>

static void a_set_forgets_what_was_used_least_recently(void **state)
{
	struct cache c;

	(void)state;
	assert_true(cache_init(&c, (struct cache_shape){ 256, 2 })); /* two sets of two */
	assert_false(cache_touch(&c, 0));
	assert_false(cache_touch(&c, 2));
	assert_true(cache_touch(&c, 0));
	assert_false(cache_touch(&c, 4)); /* 2 goes */
	assert_true(cache_touch(&c, 0));
	assert_false(cache_touch(&c, 2));
	assert_false(cache_touch(&c, 1)); /* the other set */
	assert_true(cache_touch(&c, 2));
	cache_drop(&c, 2);
	cache_drop(&c, 99);
	assert_false(cache_touch(&c, 2));
	cache_done(&c);
}

static void shapes_are_parsed_or_refused(void **state)
{
	static const struct {
		const char *spec, *wrong;
	} rows[] = {
		{ "default", NULL },
		{ "l1d:48K/12+llc:32M/16", NULL },
		{ "l3:8M/16", "parts are l1d, l1i, l2 and llc, as in 'l1d:48K/12+llc:32M/16'" },
		{ "l2:1M", "a size is followed by its ways: 32K/8" },
		{ "l2:x/8", "a size is wanted, like 32K or 8M" },
		{ "l2:3M/16", "size / (64 * ways) must be a power of two" },
		{ "l2:1M/0", "at most 4096M and 1 to 64 ways" },
		{ "l2:1M/16,llc:8M/16", "parts are joined by '+'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct cache_config c = cache_config_default();
		const char *wrong = cache_config_parse(&c, rows[i].spec);

		if (!wrong != !rows[i].wrong || (wrong && strcmp(wrong, rows[i].wrong)))
			fail_msg("%s: %s", rows[i].spec, wrong ? wrong : "taken");
	}
}

/* Reads `bytes` from the start, line by line. */
static void sweep(struct cache_model *m, uint64_t bytes)
{
	for (uint64_t line = 0; line < bytes >> CACHE_LINE_SHIFT; line++)
		(void)cache_data(m, 0, line, false);
}

static void each_level_holds_what_fits_into_it(void **state)
{
	static const struct {
		uint64_t bytes;
		uint64_t l1d, l2, llc_1m, llc_8m,
			llc_32m; /* misses of the second sweep, in lines */
	} rows[] = {
		{ 16 << 10, 0, 0, 0, 0, 0 },
		{ 512 << 10, 8192, 0, 0, 0, 0 },
		{ 4 << 20, 65536, 65536, 65536, 0, 0 },
		{ 16 << 20, 262144, 262144, 262144, 262144, 0 },
	};
	struct cache_config config = cache_config_default();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct cache_model m;
		uint64_t first[CACHE_EVENTS], *now;

		assert_true(cache_model_init(&m, &config, 1, 0));
		sweep(&m, rows[i].bytes);
		now = m.cpu[0].event;
		memcpy(first, now, sizeof(first));
		sweep(&m, rows[i].bytes);
		assert_int_equal(now[CACHE_L1D_REFS] - first[CACHE_L1D_REFS], rows[i].bytes >> 6);
		assert_int_equal(now[CACHE_L1D_MISSES] - first[CACHE_L1D_MISSES], rows[i].l1d);
		assert_int_equal(now[CACHE_L2_MISSES] - first[CACHE_L2_MISSES], rows[i].l2);
		assert_int_equal(now[CACHE_LLC_MISSES_1M] - first[CACHE_LLC_MISSES_1M],
				 rows[i].llc_1m);
		assert_int_equal(now[CACHE_LLC_MISSES_8M] - first[CACHE_LLC_MISSES_8M],
				 rows[i].llc_8m);
		assert_int_equal(now[CACHE_LLC_MISSES_32M] - first[CACHE_LLC_MISSES_32M],
				 rows[i].llc_32m);
		assert_int_equal(now[CACHE_LLC_MISSES], now[CACHE_LLC_MISSES_8M]);
		cache_model_done(&m);
	}
}

static void a_line_moves_between_cpus_when_both_write_it(void **state)
{
	struct cache_config config = cache_config_default();
	struct cache_model m;

	(void)state;
	assert_true(cache_model_init(&m, &config, 2, 1 << 20));
	(void)cache_data(&m, 0, 5, true);
	(void)cache_data(&m, 0, 5, true);
	assert_int_equal(m.cpu[0].event[CACHE_CROSS], 0);
	(void)cache_data(&m, 1, 5, false); /* fetched from 0 */
	(void)cache_data(&m, 1, 5, false); /* its own copy */
	assert_int_equal(m.cpu[1].event[CACHE_CROSS], 1);
	(void)cache_data(&m, 0, 5, false); /* still there */
	assert_int_equal(m.cpu[0].event[CACHE_L1D_MISSES], 1);
	(void)cache_data(&m, 1, 5, true); /* takes it from 0 */
	(void)cache_data(&m, 0, 5, false);
	assert_int_equal(m.cpu[0].event[CACHE_CROSS], 1);
	(void)cache_data(&m, 1, 5, true); /* takes it again: 0 has read it in between */
	(void)cache_data(&m, 0, 5, true);
	assert_int_equal(m.cpu[0].event[CACHE_CROSS], 2);
	(void)cache_data(&m, 0, 1 << 20, true); /* beyond the memory that it was told of */
	cache_model_done(&m);
}

static void code_and_data_share_the_second_level(void **state)
{
	struct cache_config config = cache_config_default();
	struct cache_model m;

	(void)state;
	assert_true(cache_model_init(&m, &config, 1, 0));
	assert_int_equal(cache_fetch(&m, 0, 7), CACHE_MEMORY);
	assert_int_equal(cache_fetch(&m, 0, 7), CACHE_L1);
	assert_int_equal(cache_data(&m, 0, 7, false), CACHE_L2);
	cache_page(&m, 0, 1);
	cache_page(&m, 0, 2);
	cache_page(&m, 0, 1);
	assert_int_equal(m.cpu[0].event[CACHE_WALKS], 2);
	cache_model_done(&m);
}

static void cycles_follow_their_formula(void **state)
{
	uint64_t event[CACHE_EVENTS] = { [CACHE_L2_REFS] = 100,
					 [CACHE_L2_MISSES] = 30,
					 [CACHE_LLC_MISSES_1M] = 20,
					 [CACHE_LLC_MISSES_8M] = 5,
					 [CACHE_WALKS] = 2 };

	(void)state;
	assert_int_equal(cache_cycles(1000, 640, event, 0),
			 1000 + 20 + 70 * 14 + 10 * 50 + 20 * 200 + 2 * 30);
	assert_int_equal(cache_cycles(1000, 640, event, 1),
			 1000 + 20 + 70 * 14 + 25 * 50 + 5 * 200 + 2 * 30);
	assert_int_equal(cache_cycles(1000, 640, event, 2), 1000 + 20 + 70 * 14 + 30 * 50 + 2 * 30);
}

static void put_text(char path[], const char *bytes, size_t n)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void kernel_symbols_are_found_by_address(void **state)
{
	static const char text[] = "ffffffff81000200 T two\nffffffff81000100 one\n"
				   "ffffffff81000180 D data\nffffffffc0000000 t three\t[module]\n";
	char path[] = "/tmp/culprit-symbols-XXXXXX", why[200];
	struct symbols s;

	(void)state;
	put_text(path, text, sizeof(text) - 1);
	assert_int_equal(symbols_load(&s, path, why, sizeof(why)), 0);
	unlink(path);
	assert_string_equal(symbols_find(&s, 0xffffffff81000100, NULL)->name, "one");
	assert_string_equal(symbols_find(&s, 0xffffffff810001ff, NULL)->name, "one");
	assert_string_equal(symbols_find(&s, 0xffffffff81000200, NULL)->name, "two");
	assert_string_equal(symbols_find(&s, 0xffffffffc0001000, NULL)->name, "three");
	assert_string_equal(symbols_find(&s, 0xffffffff81000000, NULL)->name, "unknown kernel");
	assert_string_equal(symbols_find(&s, 0x401000, NULL)->name, "unknown user");
	symbols_done(&s);
}

static void a_program_is_recognised_by_its_bytes(void **state)
{
	char program[] = "/tmp/culprit-program-XXXXXX", path[] = "/tmp/culprit-symbols-XXXXXX";
	char text[200], why[200];
	uint8_t bytes[SYMBOLS_PAGE + 100], page[SYMBOLS_PAGE] = { 0 };
	struct symbols s;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	put_text(program, (char *)bytes, sizeof(bytes));
	put_text(path, text,
		 (size_t)snprintf(text, sizeof(text),
				  "ffffffff81000000 kernel\nfile %s\n10 start\n1010 later\n",
				  program));
	assert_int_equal(symbols_load(&s, path, why, sizeof(why)), 0);
	unlink(program);
	unlink(path);
	memcpy(page, bytes, SYMBOLS_PAGE);
	assert_string_equal(symbols_find(&s, 0x555555554020, page)->name, "start");
	assert_string_equal(symbols_find(&s, 0x7ffff7000fff, page)->name, "start");
	assert_string_equal(symbols_find(&s, 0x555555554002, page)->name, "unknown user");
	memset(page, 0, sizeof(page)); /* the file's last page, as it is mapped */
	memcpy(page, bytes + SYMBOLS_PAGE, 100);
	assert_string_equal(symbols_find(&s, 0x555555555020, page)->name, "later");
	page[4000] = 1; /* another program */
	assert_string_equal(symbols_find(&s, 0x555555555020, page)->name, "unknown user");
	symbols_done(&s);
}

static void wrong_symbols_name_their_line(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "ffffffff81000000 a\nxyz\n", ":2: expected 'hexaddr name'" },
		{ "ffffffff81000000 \n", ":1: expected 'hexaddr name'" },
		{ "file /nonexistent/program\n", ":1: this file cannot be read" },
	};
	char why[200];
	struct symbols s;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[] = "/tmp/culprit-symbols-XXXXXX";

		put_text(path, rows[i].text, strlen(rows[i].text));
		assert_int_equal(symbols_load(&s, path, why, sizeof(why)), -1);
		unlink(path);
		assert_string_equal(why + strlen(path), rows[i].why);
	}
	assert_int_equal(symbols_load(&s, "/nonexistent/symbols", why, sizeof(why)), -1);
	assert_string_equal(why, "symbols=/nonexistent/symbols: cannot be read");
}

/* What window_end writes, NUL-terminated. */
static void end_window(struct window *w, char *text, size_t size)
{
	FILE *f = tmpfile();
	size_t n;

	assert_non_null(f);
	window_end(w, f);
	rewind(f);
	n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	fclose(f);
}

static void a_window_is_a_difference_for_each_cpu(void **state)
{
	char text[2000];
	struct window w;
	uint64_t *v = w.shared.v;

	(void)state;
	assert_true(window_init(&w, 2, -1, NULL, NULL));
	v[TALLY_USER] += 1000; /* before the window */
	window_begin(&w);
	v[TALLY_USER] += 10;
	v[TALLY_BOTH] += 4;
	window_switch(&w, 1);
	v[TALLY_KERNEL] += 100 - 30; /* 30 iterations taken back */
	v[TALLY_REP] += 30;
	v[TALLY_REP_BYTES] += 240;
	v[TALLY_PAIR_KERNEL] += 8;
	v[TALLY_PAIR_BYTES] += 4;
	v[TALLY_LOADS] += 3;
	v[TALLY_STORES] += 2;
	v[TALLY_ATOMICS] += 1;
	end_window(&w, text, sizeof(text));
	assert_string_equal(
		text,
		"{\"run\":-1,\"instructions\":76,\"user\":10,\"kernel\":66,\"rep\":34,\"rep_bytes\":244,"
		"\"loads\":5,\"stores\":4,\"atomics\":1,\"cpus\":["
		"{\"instructions\":10,\"user\":10,\"kernel\":0,\"rep\":0,\"rep_bytes\":0,\"loads\":2,\"stores\":2,\"atomics\":0},"
		"{\"instructions\":66,\"user\":0,\"kernel\":66,\"rep\":34,\"rep_bytes\":244,\"loads\":3,\"stores\":2,\"atomics\":1}]}\n");
	window_begin(&w);
	end_window(&w, text, sizeof(text));
	assert_memory_equal(text, "{\"run\":0,\"instructions\":0,", 26);
	window_done(&w);
}

static void misplaced_marks_are_said(void **state)
{
	char text[2000];
	struct window w;

	(void)state;
	assert_true(window_init(&w, 1, 0, NULL, NULL));
	end_window(&w, text, sizeof(text));
	assert_string_equal(text, "");
	window_begin(&w);
	window_begin(&w);
	end_window(&w, text, sizeof(text));
	assert_non_null(strstr(text, ",\"misplaced_marks\":2}\n"));
	window_done(&w);
}

static void arguments_are_checked(void **state)
{
	static const struct {
		const char *argument, *why;
	} rows[] = {
		{ "out=/tmp/x", NULL },
		{ "model=l2:1M", "argument 'model=l2:1M': a size is followed by its ways: 32K/8" },
		{ "warmup=x", "argument 'warmup=x': a number is wanted" },
		{ "memory=-1", "argument 'memory=-1': bytes are wanted" },
		{ "outt=1",
		  "argument 'outt=1': unknown; known are out, gate, model, symbols, warmup, memory and blocks" },
	};
	struct options o;
	char why[200], out[] = "out=/tmp/y";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *argument = xstrdup(rows[i].argument), *argv[] = { out, argument };
		int r = options_parse(&o, 2, argv, why, sizeof(why));

		assert_int_equal(r, rows[i].why ? -1 : 0);
		if (rows[i].why)
			assert_string_equal(why, rows[i].why);
		free(argument);
	}
	assert_int_equal(options_parse(&o, 0, NULL, why, sizeof(why)), -1);
	assert_string_equal(why, "argument 'out=PATH' is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_forgets_what_was_used_least_recently),
		cmocka_unit_test(shapes_are_parsed_or_refused),
		cmocka_unit_test(each_level_holds_what_fits_into_it),
		cmocka_unit_test(a_line_moves_between_cpus_when_both_write_it),
		cmocka_unit_test(code_and_data_share_the_second_level),
		cmocka_unit_test(cycles_follow_their_formula),
		cmocka_unit_test(kernel_symbols_are_found_by_address),
		cmocka_unit_test(a_program_is_recognised_by_its_bytes),
		cmocka_unit_test(wrong_symbols_name_their_line),
		cmocka_unit_test(a_window_is_a_difference_for_each_cpu),
		cmocka_unit_test(misplaced_marks_are_said),
		cmocka_unit_test(arguments_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
