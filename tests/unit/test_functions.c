/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of functions: callgrind's files, the plug-in's windows, ELF symbols, and the section that all of it becomes. */
#include "scratch.h"

#include "bench/callgrind_cost.h"
#include "bench/section.h"
#include "kernel/elf_functions.h"
#include "target/window.h"

static int read_cost(const char *text, struct str *out, struct err *e)
{
	AUTO(function_costs) struct function_costs c = { 0 };
	AUTO_FREE char *path = xasprintf("%s/callgrind.out.1", scratch);

	assert_int_equal(fs_write_atomic(path, text, strlen(text), e), 0);
	int r = callgrind_cost_read(path, &c, e);

	if (r == 0)
		callgrind_cost_put(&c, out);
	return r;
}

static void own_cost_of_each_function(void **state)
{
	static const struct {
		const char *what, *text, *expected;
	} rows[] = {
		{ "nothing", "version: 1\nevents: Ir\n\nsummary: 0\n", "" },
		{ "names once, then numbers",
		  "events: Ir\nob=(1) /usr/bin/prog\nfl=(1) a.c\nfn=(1) main\n16 400\n+1 2\n-3 1\n* 7\nfn=(2) f\n1 5\nfn=(1)\n2 90\n",
		  "5 0 0 0 prog:f\n500 0 0 0 prog:main\n" },
		{ "the line after calls= is the callee's",
		  "ob=(1) p\nfn=(1) main\n16 400\ncfn=(2) f\ncalls=1 50\n16 1000\n17 3\nfn=(2)\n50 1000\n",
		  "1000 0 0 0 p:f\n403 0 0 0 p:main\n" },
		{ "what was inlined belongs to where it is",
		  "ob=(1) p\nfn=(1) main\n1 10\nfi=(2) b.h\n7 20\nfe=(1)\n2 30\n",
		  "60 0 0 0 p:main\n" },
		{ "objects apart, by their last part",
		  "ob=(1) /a/p\nfn=(1) f\n1 10\nob=(2) /lib/libc.so.6\nfn=(2) malloc\n1 7\ncob=(3) /x/q\ncfn=(3) g\ncalls=1 1\n1 99\nob=(3)\nfn=(3)\n1 99\n",
		  "7 0 0 0 libc.so.6:malloc\n10 0 0 0 p:f\n99 0 0 0 q:g\n" },
		{ "levels of recursion are one function",
		  "ob=(1) p\nfn=(1) walk\n1 10\nfn=(2) walk'2\n1 20\n", "30 0 0 0 p:walk\n" },
		{ "no name", "ob=(1) p\nfn=(1) 0x0000000000001040\n1 10\nfn=(2) 0x1050\n1 1\n",
		  "11 0 0 0 p:?\n" },
		{ "two positions",
		  "positions: instr line\nob=(1) p\nfn=(1) f\n0x1000 16 5\n+3 +1 6\n",
		  "11 0 0 0 p:f\n" },
		{ "names with blanks", "ob=(1) p\nfn=(1) operator new(unsigned long)\n1 10\n",
		  "10 0 0 0 p:operator new(unsigned long)\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT;
		struct err e = ERR_INIT;
		const char *body;

		assert_int_equal(read_cost(rows[i].text, &out, &e), 0);
		body = section_find(out.p, SECTION_FUNCTIONS);
		assert_non_null(body);
		if (strcmp(body, rows[i].expected))
			fail_msg("%s: '%s', expected '%s'", rows[i].what, body, rows[i].expected);
	}
}

static void a_broken_file_is_named_with_its_line(void **state)
{
	AUTO(str) struct str out = STR_INIT;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(read_cost("ob=(1) p\nfn=(1) f\n1 ten\n", &out, &e), -ERR_BROKEN);
	assert_non_null(strstr(e.msg, "line 3"));
	assert_int_equal(read_cost("fn=(99999999999) f\n1 10\n", &out, &e), 0);
}

static void the_last_section_of_a_title_counts(void **state)
{
	AUTO(str) struct str out = STR_INIT;
	const char *at, *line;
	size_t n;

	(void)state;
	str_puts(&out, "[" SECTION_EVENTS "]\nnot this\n");
	section_begin(&out, SECTION_EVENTS);
	str_puts(&out, "stat.ctxt 1 2\nstat.intr 3 4\n");
	section_begin(&out, SECTION_FUNCTIONS);
	section_put_function(&out, "f g", (const int64_t[4]){ 1, -2, 3, 4 });
	at = section_find(out.p, SECTION_EVENTS);
	assert_true(section_line(&at, &line, &n));
	assert_int_equal(n, 13);
	assert_true(section_line(&at, &line, &n));
	assert_false(section_line(&at, &line, &n)); /* not into the next section */
	at = section_find(out.p, SECTION_FUNCTIONS);
	assert_true(section_line(&at, &line, &n));
	struct section_function f;

	assert_true(section_function(line, n, &f));
	assert_int_equal(f.name_n, 3);
	assert_memory_equal(f.name, "f g", 3);
	assert_double(f.instructions, 1, 0);
	assert_double(f.misses[0], -2, 0);
	assert_double(f.misses[2], 4, 0);
	assert_null(section_find("nothing here", SECTION_EVENTS));
}

static void what_is_no_function_s_line(void **state)
{
	static const char *const rows[] = { "", "f", "1 2 3 f", "1 2 3 4", "1 2 3 4 ", "1 2 3 4f" };
	struct section_function f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (section_function(rows[i], strlen(rows[i]), &f))
			fail_msg("'%s' was taken", rows[i]);
}

static void functions_of_a_window(void **state)
{
	static const char line[] =
		"{\"run\":0,\"instructions\":7,\"symbols\":[[\"copy_process\",5,1,2,3],[\"libc.so.6:malloc\",2,0,0,0]]}";
	AUTO(str) struct str out = STR_INIT;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(window_functions(line, &out, &e), 0);
	assert_string_equal(out.p, "5 1 2 3 copy_process\n2 0 0 0 libc.so.6:malloc\n");
	assert_int_equal(window_functions("{\"run\":0}", &out, &e), 0);
	assert_int_equal(window_functions("{\"symbols\":[[\"f\",1]]}", &out, &e), -ERR_BROKEN);
}

/* Known by its name in the ELF file of this very program. */
int elf_functions_sees_this(int x);
int elf_functions_sees_this(int x)
{
	return x + 1;
}

static void functions_of_a_program(void **state)
{
	AUTO(str) struct str out = STR_INIT;
	AUTO_FREE char *text = xasprintf("%s/text", scratch);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(elf_functions("/proc/self/exe", "me:", &out, &e), 0);
	assert_true(starts_with(out.p, "0 me:?\n"));
	assert_non_null(strstr(out.p, " me:elf_functions_sees_this\n"));
	assert_null(strstr(out.p, " elf_functions"));
	unsigned long last = 0;

	for (const char *p = out.p; *p; p = strchr(p, '\n') + 1) {
		unsigned long at = strtoul(p, NULL, 16);

		assert_true(at > last || p == out.p);
		last = at;
	}
	str_clear(&out);
	assert_int_equal(fs_write_atomic(text, "#!/bin/sh\n", 10, &e), 0);
	assert_int_equal(elf_functions(text, "", &out, &e), 0);
	assert_int_equal(out.n, 0);
	assert_int_equal(elf_functions("/nonexistent", "", &out, &e) < 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_cost_of_each_function),
		cmocka_unit_test(a_broken_file_is_named_with_its_line),
		cmocka_unit_test(the_last_section_of_a_title_counts),
		cmocka_unit_test(what_is_no_function_s_line),
		cmocka_unit_test(functions_of_a_window),
		cmocka_unit_test(functions_of_a_program),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
