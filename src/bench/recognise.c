/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row a build system: the file that gives it away and a function that looks closer. The order is by how much the
 * marker says: a kernel tree also has a Makefile, a cargo or meson project often keeps one for convenience, and a
 * hand-written Makefile beside a CMakeLists.txt is mostly a front. Scanning the files for targets is by words, not by parsing them:
 * a guess is written with its reason, for the user to correct.
 */
#include "bench/recognise.h"

#include "bench/benchmark.h"
#include "bench/example.h"
#include "sys/fs.h"
#include "text/json.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

enum { MARKER_MAX = 1 << 20, ARTEFACTS_MAX = 8 };

static void guess_done(struct guess *g)
{
	free(g->value);
	free(g->why);
}

void recognised_done(struct recognised *r)
{
	free(r->subdir);
	free(r->why);
	free(r->artefacts_why);
	guess_done(&r->build);
	guess_done(&r->bench);
	strvec_done(&r->artefacts);
	strvec_done(&r->kernel_config);
	strvec_done(&r->others);
	*r = (struct recognised){ 0 };
}

/* --- looking at files --- */

static bool has(const char *dir, const char *name)
{
	AUTO_FREE char *path = fs_join(dir, name);

	return fs_exists(path);
}

/* The text of a file; empty when it is absent, too large or unreadable: no guess can be made from it then. */
static void text_of(const char *dir, const char *name, struct str *out)
{
	AUTO_FREE char *path = fs_join(dir, name);
	struct err ignored = ERR_INIT;

	str_clear(out);
	if (fs_exists(path) && fs_read(path, MARKER_MAX, out, &ignored) < 0)
		str_clear(out);
	for (size_t i = 0; i < out->n; i++)
		if (!out->p[i])
			out->p[i] = ' ';
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '+';
}

/* Adds the name after each `call`, as in add_executable(NAME or executable('NAME', to the artefacts, below `folder`. */
static void names_after(const char *text, const char *call, const char *folder,
			struct recognised *r)
{
	const char *p = text;

	while ((p = strstr(p, call)) && r->artefacts.n < ARTEFACTS_MAX) {
		size_t n = 0;
		bool whole = p == text || !word_char(p[-1]);

		p += strlen(call);
		p += strspn(p, " \t\n'\"");
		while (word_char(p[n]))
			n++;
		if (whole && n)
			strvec_addf(&r->artefacts, "%s%.*s", folder, (int)n, p);
	}
}

/* Does the makefile have a rule for `target`? */
static bool has_target(const char *text, const char *target)
{
	size_t n = strlen(target);

	for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		if (!strncmp(p, target, n) && p[n + strspn(p + n, " ")] == ':' &&
		    p[n + strspn(p + n, " ") + 1] != '=')
			return true;
	return false;
}

static void guess_set(struct guess *g, const char *value, const char *why)
{
	if (g->value)
		return;
	g->value = xstrdup(value);
	g->why = xstrdup(why);
}

static void artefacts_because(struct recognised *r, const char *why)
{
	if (r->artefacts.n && !r->artefacts_why)
		r->artefacts_why = xstrdup(why);
}

/* A benchmark that any tree may have: a script with a telling name. */
static void find_script(const char *dir, struct recognised *r)
{
	static const char *const names[] = { "bench.sh",	 "benchmark.sh",
					     "bench/run.sh",	 "bench/bench.sh",
					     "benchmark/run.sh", "benchmarks/run.sh",
					     "scripts/bench.sh", "scripts/benchmark.sh",
					     "tests/bench.sh" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *path = fs_join(dir, names[i]);
		AUTO_FREE char *command =
			xasprintf("%s%s", access(path, X_OK) ? "sh " : "./", names[i]);
		AUTO_FREE char *why = xasprintf("%s exists", names[i]);

		if (fs_exists(path))
			guess_set(&r->bench, command, why);
	}
}

static void bench_target(const char *text, const char *file, struct recognised *r)
{
	static const char *const targets[] = { "bench", "benchmark", "perf" };

	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		AUTO_FREE char *command = xasprintf("make -s %s", targets[i]);
		AUTO_FREE char *why = xasprintf("%s has a target '%s'", file, targets[i]);

		if (has_target(text, targets[i]))
			guess_set(&r->bench, command, why);
	}
}

/* --- one function a build system: false = it is not this one after all --- */

static bool look_kbuild(const char *dir, struct recognised *r)
{
	AUTO(str) struct str text = STR_INIT;

	text_of(dir, "Makefile", &text);
	if (has(dir, "Kconfig") && strstr(text.p, "\nPATCHLEVEL =")) {
		strvec_add(&r->kernel_config, has(dir, ".config") ? ".config" : "tinyconfig");
		if (!has(dir, ".config"))
			strvec_add(&r->kernel_config, "culprit");
		return true;
	}
	if (!has(dir, "Kbuild") && !strstr(text.p, "obj-m"))
		return false;
	guess_set(&r->build, "make -j$JOBS -C /lib/modules/$(uname -r)/build M=\"$PWD\" modules\n",
		  "kernel modules outside of the kernel's tree (Kbuild or obj-m)");
	strvec_add(&r->artefacts, "*.ko");
	artefacts_because(r, "modules");
	return true;
}

/* The value of `key = "..."` inside the text; NULL without. To be freed. */
static char *toml_string(const char *text, const char *key)
{
	for (const char *p = strstr(text, key); p; p = strstr(p + 1, key)) {
		const char *q = p + strlen(key);

		if (p != text && p[-1] != '\n')
			continue;
		q += strspn(q, " \t");
		if (*q++ != '=')
			continue;
		q += strspn(q, " \t");
		if (*q == '"')
			return xstrndup(q + 1, strcspn(q + 1, "\"\n"));
	}
	return NULL;
}

static bool look_cargo(const char *dir, struct recognised *r)
{
	AUTO(str) struct str text = STR_INIT;
	bool locked = has(dir, "Cargo.lock");

	text_of(dir, "Cargo.toml", &text);
	guess_set(&r->build, locked ? "cargo build --release --locked" : "cargo build --release",
		  locked ? "Cargo.toml, and Cargo.lock holds the versions" : "Cargo.toml");
	const char *bin = strstr(text.p, "[[bin]]");
	AUTO_FREE char *name = toml_string(bin ? bin : text.p, "name");

	if (name && (bin || has(dir, "src/main.rs"))) {
		strvec_addf(&r->artefacts, "target/release/%s", name);
		artefacts_because(r,
				  bin ? "the first [[bin]] of Cargo.toml"
				      : "the package's name in Cargo.toml, and src/main.rs exists");
	}
	if (has(dir, "benches"))
		guess_set(&r->bench, "cargo bench", "the folder benches exists");
	return true;
}

static bool look_meson(const char *dir, struct recognised *r)
{
	AUTO(str) struct str text = STR_INIT;

	text_of(dir, "meson.build", &text);
	guess_set(
		&r->build,
		"[ -e build/build.ninja ] || meson setup build --buildtype=release\nninja -C build -j$JOBS\n",
		"meson.build");
	names_after(text.p, "executable(", "build/", r);
	artefacts_because(r, "executable() in meson.build");
	if (strstr(text.p, "benchmark("))
		guess_set(&r->bench, "meson test -C build --benchmark --verbose",
			  "benchmark() in meson.build");
	return true;
}

static bool look_cmake(const char *dir, struct recognised *r)
{
	AUTO(str) struct str text = STR_INIT;

	text_of(dir, "CMakeLists.txt", &text);
	guess_set(
		&r->build,
		"cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo\ncmake --build build -j$JOBS\n",
		"CMakeLists.txt");
	names_after(text.p, "add_executable(", "build/", r);
	artefacts_because(r, "add_executable() in CMakeLists.txt");
	return true;
}

static bool look_autotools(const char *dir, struct recognised *r)
{
	AUTO(str) struct str text = STR_INIT;
	bool configure = has(dir, "configure");

	guess_set(&r->build,
		  configure ? "./configure\nmake -j$JOBS\n"
			    : "autoreconf -fi\n./configure\nmake -j$JOBS\n",
		  configure ? "a configure script" : "configure.ac without a configure script");
	text_of(dir, "Makefile.am", &text);
	const char *p = strstr(text.p, "bin_PROGRAMS");

	if (p && (p = strchr(p, '=')) != NULL) {
		for (p += 1; r->artefacts.n < ARTEFACTS_MAX;) {
			size_t n = 0;

			p += strspn(p, " \t");
			while (word_char(p[n]))
				n++;
			if (!n)
				break;
			strvec_addf(&r->artefacts, "%.*s", (int)n, p);
			p += n;
		}
		artefacts_because(r, "bin_PROGRAMS in Makefile.am");
	}
	bench_target(text.p, "Makefile.am", r);
	return true;
}

static bool look_make(const char *dir, struct recognised *r)
{
	static const char *const names[] = { "GNUmakefile", "makefile", "Makefile" };
	AUTO(str) struct str text = STR_INIT;
	const char *file = NULL;

	for (size_t i = 0; i < ARRAY_LEN(names) && !file; i++)
		if (has(dir, names[i]))
			file = names[i];
	if (!file)
		return false;
	text_of(dir, file, &text);
	guess_set(&r->build, "make -j$JOBS", file);
	/* "all: prog1 prog2": plain names that the makefile also has rules for. */
	const char *all = starts_with(text.p, "all:") ? text.p : strstr(text.p, "\nall:");
	const char *p = all ? strchr(all, ':') + 1 : "";

	while (r->artefacts.n < ARTEFACTS_MAX) {
		size_t n = 0;

		p += strspn(p, " \t");
		while (word_char(p[n]))
			n++;
		if (!n)
			break;
		AUTO_FREE char *name = xstrndup(p, n);
		AUTO_FREE char *phony = xasprintf(".PHONY: %s", name);

		if (has_target(text.p, name) && !strstr(text.p, phony))
			strvec_add(&r->artefacts, name);
		p += n;
	}
	artefacts_because(r, "what the target 'all' of the makefile makes");
	bench_target(text.p, file, r);
	return true;
}

static bool look_npm(const char *dir, struct recognised *r)
{
	AUTO(str) struct str text = STR_INIT, build = STR_INIT;
	AUTO(json_root) struct json *root = NULL;
	struct err ignored = ERR_INIT;
	bool locked = has(dir, "package-lock.json");

	text_of(dir, "package.json", &text);
	str_puts(&build, locked ? "npm ci\n" : "npm install\n");
	if (json_parse(text.p, text.n, "package.json", &root, &ignored) == 0) {
		if (json_to_text(root, "scripts.build"))
			str_puts(&build, "npm run build\n");
		if (json_to_text(root, "scripts.bench"))
			guess_set(&r->bench, "npm run --silent bench",
				  "package.json has a script 'bench'");
		if (json_to_text(root, "scripts.benchmark"))
			guess_set(&r->bench, "npm run --silent benchmark",
				  "package.json has a script 'benchmark'");
	}
	guess_set(&r->build, build.p,
		  locked ? "package.json, and package-lock.json holds the versions"
			 : "package.json");
	return true;
}

static const struct {
	const char *system, *marker;
	bool (*look)(const char *dir, struct recognised *r);
} systems[] = {
	{ "kbuild", "Kbuild", look_kbuild },
	{ "kbuild", "Makefile", look_kbuild },
	{ "cargo", "Cargo.toml", look_cargo },
	{ "meson", "meson.build", look_meson },
	{ "cmake", "CMakeLists.txt", look_cmake },
	{ "autotools", "configure.ac", look_autotools },
	{ "autotools", "configure.in", look_autotools },
	{ "autotools", "configure", look_autotools },
	{ "make", "GNUmakefile", look_make },
	{ "make", "makefile", look_make },
	{ "make", "Makefile", look_make },
	{ "npm", "package.json", look_npm },
};

/* Recognises one folder; false if nothing fits. Further markers of other systems go into `others`. */
static bool look(const char *dir, struct recognised *r)
{
	for (size_t i = 0; i < ARRAY_LEN(systems); i++) {
		if (!has(dir, systems[i].marker))
			continue;
		if (!r->system && systems[i].look(dir, r)) {
			r->system = systems[i].system;
			r->why = xstrdup(systems[i].marker);
		} else if (r->system && strcmp(r->system, systems[i].system) &&
			   systems[i].look != look_kbuild && !r->kernel_config.n) {
			strvec_addf(&r->others, "%s (%s)", systems[i].marker, systems[i].system);
		}
	}
	if (r->system)
		find_script(dir, r);
	return r->system;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int subfolders(const char *dir, struct strvec *ret, struct err *e)
{
	DIR *d = opendir(dir);

	if (!d)
		return err_errno(e, "reading the folder '%s'", dir);
	for (const struct dirent *x = readdir(d); x; x = readdir(d)) {
		AUTO_FREE char *path = fs_join(dir, x->d_name);

		if (x->d_name[0] != '.' && fs_is_dir(path))
			strvec_add(ret, x->d_name);
	}
	closedir(d);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_text);
	return 0;
}

int recognise(const char *dir, struct recognised *ret, struct err *e)
{
	AUTO(strvec) struct strvec folders = STRVEC_INIT;
	int r;

	*ret = (struct recognised){ 0 };
	if (look(dir, ret))
		return 0;
	r = subfolders(dir, &folders, e);
	for (size_t i = 0; r == 0 && i < folders.n; i++) {
		AUTO_FREE char *path = fs_join(dir, folders.v[i]);
		struct recognised below = { 0 };

		if (ret->system) {
			if (look(path, &below))
				strvec_addf(&ret->others, "%s/%s (%s)", folders.v[i], below.why,
					    below.system);
			recognised_done(&below);
		} else if (look(path, ret)) {
			ret->subdir = xstrdup(folders.v[i]);
		}
	}
	return r;
}

/* --- the file --- */

static void put_list(struct str *out, const struct strvec *list)
{
	str_putc(out, '[');
	for (size_t i = 0; i < list->n; i++) {
		str_puts(out, i ? ", " : "");
		example_scalar(out, list->v[i], 0);
	}
	str_puts(out, "]\n");
}

/* All keys of the section that were not set, as comments. */
static void put_rest(struct str *out, const char *prefix, unsigned indent, const char *const *set)
{
	for (const struct conf_key *k = config_keys; k->path; k++) {
		bool done = !starts_with(k->path, prefix);

		for (const char *const *s = set; *s && !done; s++)
			done = !strcmp(*s, k->path + strlen(prefix));
		if (!done)
			example_key(out, k, indent, true);
	}
}

/* Several lines are a script, which sh would go on with after a line that failed. */
static void put_script(const char *command, struct str *out)
{
	const char *end = strchr(command, '\n');

	if (!end || !end[1])
		str_add(out, command, strcspn(command, "\n"));
	else
		str_addf(out, "set -e\n%s", command);
}

static void put_project(const struct recognised *r, struct str *out)
{
	AUTO(str) struct str why = STR_INIT;
	const char *set[5] = { NULL };
	size_t n = 0;

	str_puts(out, "project:\n");
	if (r->subdir) {
		example_comment(out, 2, "guessed: nothing to build at the top of the repository");
		str_puts(out, "  subdir: ");
		example_scalar(out, r->subdir, 4);
		str_putc(out, '\n');
		set[n++] = "subdir";
	}
	if (r->build.value) {
		AUTO(str) struct str script = STR_INIT;

		put_script(r->build.value, &script);
		str_addf(&why, "guessed: %s", r->build.why);
		example_comment(out, 2, why.p);
		str_puts(out, "  build: ");
		example_scalar(out, script.p, 4);
		str_putc(out, '\n');
		set[n++] = "build";
	}
	if (r->artefacts.n) {
		str_clear(&why);
		str_addf(&why, "guessed: %s", r->artefacts_why);
		example_comment(out, 2, why.p);
		str_puts(out, "  artefacts: ");
		put_list(out, &r->artefacts);
		set[n++] = "artefacts";
	}
	put_rest(out, "project.", 2, set);
}

/* A kernel's source is built by culprit itself (kernel/kbuild.h): the file says with which configuration. */
static void put_kernel(const struct recognised *r, struct str *out)
{
	static const char *const set[] = { "config", NULL };

	str_puts(out, "kernel:\n");
	example_comment(
		out, 2,
		r->kernel_config.n > 1
			? "a kernel's tree (Kconfig, and a Makefile with PATCHLEVEL) without a .config: the smallest "
			  "kernel, and on it what boots and runs in a guest"
			: "a kernel's tree (Kconfig, and a Makefile with PATCHLEVEL) with your .config");
	example_comment(
		out, 2,
		"culprit builds it with reproducible flags, in one work folder that moves from commit to "
		"commit; 'olddefconfig' follows each commit's Kconfig. Without this file it does the same.");
	str_puts(out, "  config: ");
	put_list(out, &r->kernel_config);
	put_rest(out, "kernel.", 2, set);
	str_puts(out, "\nproject:\n");
	example_comment(out, 2, "a build command here would replace all that");
	put_rest(out, "project.", 2, set + 1);
}

/* A benchmark that nobody named is not invented: its section is a comment, and culprit says what is missing. */
static void put_benchmarks(const struct recognised *r, struct str *out)
{
	static const char *const set[] = { "command", NULL };
	AUTO(str) struct str why = STR_INIT;

	str_puts(out, "\nbenchmarks:\n");
	if (r->bench.value) {
		str_addf(&why, "guessed: %s; is it quick, steady, and what you care about?",
			 r->bench.why);
		example_comment(out, 2, why.p);
		str_puts(out, "  main:\n    command: ");
		example_scalar(out, r->bench.value, 6);
		str_putc(out, '\n');
		put_rest(out, "benchmarks.*.", 4, set);
		return;
	}
	example_comment(
		out, 2,
		"nothing that looks like a benchmark was found: say here what to measure. Wall, user and "
		"system time and peak memory of the command are measured anyway.");
	str_puts(out, "  #main:\n    #command: ./bench.sh\n");
	put_rest(out, "benchmarks.*.", 4, set);
}

void recognise_write(const struct recognised *r, struct str *out)
{
	AUTO(str) struct str line = STR_INIT;

	str_puts(
		out,
		"# What culprit builds and measures here; written by 'culprit init', see culprit.yaml(5).\n"
		"# Lines that begin with '#' and a key show what else there is.\n");
	for (size_t i = 0; i < r->others.n; i++)
		str_addf(&line, "%s%s", i ? ", " : "Passed over: ", r->others.v[i]);
	example_comment(out, 0, line.p);
	str_putc(out, '\n');
	if (r->kernel_config.n)
		put_kernel(r, out);
	else
		put_project(r, out);
	put_benchmarks(r, out);
}
