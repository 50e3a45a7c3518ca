/* SPDX-License-Identifier: GPL-2.0-or-later */
/* toolchain - the versions of what builds, asked once; part of a build's key, so that an upgrade of the compiler is seen. */
#include "bench/build.h"

#include "base/num.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <pthread.h>
#include <string.h>

static struct str known = STR_INIT;
static pthread_once_t known_once = PTHREAD_ONCE_INIT;

/*
 * What 'javac -version' would print, from the file beside it: a virtual machine that starts costs as much as all other tools together. False where
 * there is no such file (a wrapper, an old JDK).
 */
static bool jdk_release(const char *path, struct str *out)
{
	static const char key[] = "\nJAVA_VERSION=\"";
	AUTO_FREE char *real = NULL;
	AUTO(str) struct str text = STR_INIT;

	if (fs_realpath(path, &real, NULL) < 0 || !ends_with(real, "/bin/javac"))
		return false;
	real[strlen(real) - strlen("bin/javac")] = '\0';

	AUTO_FREE char *file = fs_join(real, "release");

	str_putc(&text, '\n');
	if (fs_read(file, 64 * 1024, &text, NULL) < 0)
		return false;
	const char *at = strstr(text.p, key);

	if (!at)
		return false;
	at += strlen(key);
	str_addf(out, "javac %.*s", (int)strcspn(at, "\"\n"), at);
	return true;
}

static void ask(const char *const *argv)
{
	AUTO(str) struct str out = STR_INIT;
	AUTO_FREE char *path = fs_find_program(argv[0], NULL);
	struct proc_spec spec = { .argv = argv, .timeout_ns = 10 * NS_PER_S, .output_max = 4096 };
	struct proc_result r;
	struct err e = ERR_INIT;

	bool is_known = path && !strcmp(argv[0], "javac") && jdk_release(path, &out);

	if (!path ||
	    (!is_known && (proc_run(&spec, &out, NULL, &r, &e) < 0 || r.end != PROC_EXITED)))
		return;
	str_cut(&out, strcspn(out.p, "\n"));
	str_addf(&known, "%s%s: %s", known.n ? ", " : "", argv[0], out.p);
}

static void ask_all(void)
{
	static const char *const tools[][3] = {
		{ "cc", "--version" },	    { "c++", "--version" },   { "gcc", "--version" },
		{ "g++", "--version" },	    { "clang", "--version" }, { "ld", "--version" },
		{ "rustc", "--version" },   { "go", "version" },      { "node", "--version" },
		{ "python3", "--version" }, { "javac", "-version" },
	};

	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		ask(tools[i]);
}

void build_toolchain(struct str *out)
{
	pthread_once(&known_once, ask_all);
	str_add(out, known.p, known.n);
}
