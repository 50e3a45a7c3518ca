/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "base/num.h"
#include "sys/apart.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The first round of the facts: what proc_run promises, apart_run does. */
static bool is_apart;

/* Without a folder or an environment it would be this process's business: then they are said. */
static int run_spec(const struct proc_spec *spec, struct str *out, struct str *err_out,
		    struct proc_result *r, struct err *e)
{
	struct proc_spec s = *spec;
	char here[4096];

	if (!is_apart)
		return proc_run(&s, out, err_out, r, e);
	if (!s.cwd)
		s.cwd = getcwd(here, sizeof(here));
	if (!s.env)
		s.env = (const char *const *)environ;
	return apart_run(&s, out, err_out, r, e);
}

/* sh -c TEXT; the rest of the spec as given. */
static struct proc_result sh(const char *text, struct proc_spec spec, struct str *out,
			     struct str *err_out)
{
	const char *argv[] = { "sh", "-c", text, NULL };
	struct proc_result r;
	struct err e = ERR_INIT;

	spec.argv = argv;
	if (run_spec(&spec, out, err_out, &r, &e) < 0)
		fail_msg("proc_run: %s", e.msg);
	return r;
}

/* Of the main thread: besides what a test makes there is only the helper that starts children. */
static int count_children(void)
{
	AUTO_FREE char *path = xasprintf("/proc/self/task/%d/children", (int)getpid());
	AUTO(str) struct str text = STR_INIT;
	struct err e = ERR_INIT;
	int n = 0;

	assert_int_equal(fs_read(path, 65536, &text, &e), 0);
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == ' ';
	return n;
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

static void ends_are_told_apart(void **state UNUSED)
{
	static const struct {
		const char *text;
		enum proc_end end;
		int status;
		const char *words;
	} rows[] = {
		{ "true", PROC_EXITED, 0, "exit status 0" },
		{ "exit 3", PROC_EXITED, 3, "exit status 3" },
		{ "kill -SEGV $$", PROC_SIGNALLED, SIGSEGV, "signal 11 (Segmentation fault)" },
		{ "kill -KILL $$", PROC_SIGNALLED, SIGKILL, "signal 9 (Killed)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str words = STR_INIT;
		struct proc_result r = sh(rows[i].text, (struct proc_spec){ 0 }, NULL, NULL);

		assert_int_equal(r.end, rows[i].end);
		assert_int_equal(r.status, rows[i].status);
		assert_int_equal(r.orphans, 0);
		assert_int_equal(r.suspended_ns, 0);
		assert_true(r.wall_ns > 0);
		assert_true(r.max_rss_bytes > 0);
		proc_describe(&r, 0, &words);
		assert_string_equal(words.p, rows[i].words);
	}
}

static void streams_and_stdin(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT, err_out = STR_INIT;

	sh("cat; echo oops >&2", (struct proc_spec){ .stdin_bytes = "a\0b", .stdin_n = 3 }, &out,
	   &err_out);
	assert_int_equal(out.n, 3);
	assert_memory_equal(out.p, "a\0b", 3);
	assert_string_equal(err_out.p, "oops\n");
	str_clear(&out);
	sh("echo 1; echo 2 >&2; echo 3", (struct proc_spec){ .merge_stderr = true }, &out, NULL);
	assert_string_equal(out.p, "1\n2\n3\n");
	str_clear(&out);
	sh("cat; readlink /proc/self/fd/0", (struct proc_spec){ 0 }, &out, NULL);
	assert_string_equal(out.p, "/dev/null\n");
}

static void what_cannot_start_says_why(void **state UNUSED)
{
	AUTO_FREE char *plain = xasprintf("%s/plain", scratch);
	AUTO_FREE char *interpreter = xasprintf("%s/interpreter", scratch);
	const struct {
		const char *argv0, *cwd, *words;
	} rows[] = {
		{ "culprit-no-such-program", NULL, "no such program in PATH" },
		{ "/nowhere/at/all", NULL, "No such file or directory" },
		{ plain, NULL, "Permission denied" },
		{ scratch, NULL, "Permission denied" },
		{ interpreter, NULL, "its interpreter" },
		{ "true", "/nowhere", "in '/nowhere'" },
		{ "", NULL, "cannot start ''" },
	};
	struct err e = ERR_INIT;

	assert_int_equal(fs_write_atomic(plain, "x", 1, &e), 0);
	assert_int_equal(fs_write_atomic(interpreter, "#!/nowhere/sh\n", 14, &e), 0);
	assert_int_equal(chmod(interpreter, 0755), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT, why = STR_INIT;
		const char *argv[] = { rows[i].argv0, NULL };
		struct proc_spec spec = { .argv = argv, .cwd = rows[i].cwd };
		struct proc_result r;

		assert_int_equal(run_spec(&spec, &out, &why, &r, &e), 0);
		assert_int_equal(r.end, PROC_NOT_STARTED);
		if (!strstr(why.p, rows[i].words))
			fail_msg("'%s' lacks '%s'", why.p, rows[i].words);
	}
}

static void floods_are_cut_and_never_block(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;
	struct proc_result r = sh("head -c 1000000000 /dev/zero; echo end",
				  (struct proc_spec){ .output_max = 100000 }, &out, NULL);

	assert_int_equal(r.end, PROC_EXITED);
	assert_int_equal(out.n, 100000);
	assert_true(r.out_truncated);
	str_clear(&out);
	r = sh("yes | head -c 1000000; echo end",
	       (struct proc_spec){ .output_max = 10000, .output_tail = 1000 }, &out, NULL);
	assert_true(r.out_truncated);
	assert_true(out.n < 10100);
	assert_non_null(strstr(out.p, "[... 990004 bytes dropped ...]"));
	assert_true(ends_with(out.p, "y\ny\nend\n"));
	str_clear(&out);
	r = sh("printf 0123456789", (struct proc_spec){ .output_max = 10, .output_tail = 4 }, &out,
	       NULL);
	assert_string_equal(out.p, "0123456789");
	assert_false(r.out_truncated);
}

static void deadlines_end_even_the_stubborn(void **state UNUSED)
{
	static const char *const rows[] = {
		"sleep 100",
		"trap '' TERM; while :; do sleep 100; done",
		"kill -STOP $$",
		"trap '' TERM; (trap '' TERM; sleep 100 & wait) & wait; sleep 100",
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str words = STR_INIT;
		int64_t timeout = 100 * NS_PER_MS;
		struct proc_spec spec = { .timeout_ns = timeout, .grace_ns = 50 * NS_PER_MS };
		int64_t begin = clock_monotonic_ns();
		struct proc_result r = sh(rows[i], spec, NULL, NULL);

		assert_int_equal(r.end, PROC_TIMED_OUT);
		assert_true(clock_monotonic_ns() - begin < 50 * NS_PER_S);
		proc_describe(&r, timeout, &words);
		assert_string_equal(words.p, "deadline of 100 ms passed");
		assert_int_equal(count_children(), 1);
	}
}

static bool stop_now(void)
{
	return true;
}

static void stop_ends_the_child(void **state UNUSED)
{
	struct proc_result r = sh("sleep 100", (struct proc_spec){ .stop = stop_now }, NULL, NULL);

	assert_int_equal(r.end, PROC_STOPPED);
}

/* Text that starts something, writes its number to the file, and ends. */
static void orphans_are_ended(void **state UNUSED)
{
	static const char *const rows[] = {
		"sleep 100 & echo $! > pid",
		"setsid sh -c 'echo $$ > pid; exec sleep 100' & while ! test -s pid; do :; done",
		"(setsid sh -c 'trap \"\" TERM HUP; echo $$ > pid; sleep 100; sleep 100' >/dev/null 2>&1 &) & "
		"while ! test -s pid; do :; done",
		"setsid sh -c 'setsid sh -c \"echo \\$\\$ > pid; sleep 100\" & sleep 100' & "
		"while ! test -s pid; do :; done",
	};
	AUTO_FREE char *path = xasprintf("%s/pid", scratch);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT, text = STR_INIT;
		struct proc_spec spec = { .cwd = scratch, .grace_ns = 50 * NS_PER_MS };
		struct err e = ERR_INIT;

		assert_int_equal(fs_remove_tree(path, &e), 0);
		struct proc_result r = sh(rows[i], spec, &out, NULL);

		assert_int_equal(r.end, PROC_EXITED);
		assert_true(r.orphans >= 1);
		assert_int_equal(fs_read(path, 100, &text, &e), 0);
		assert_true(is_gone((pid_t)strtol(text.p, NULL, 10)));
	}
}

static void time_of_orphans_counts(void **state UNUSED)
{
	/* A detached process burns CPU and ends by itself; only then does the main child end. */
	struct proc_result r = sh(
		"(setsid sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo >done' &); "
		"while ! test -e done; do sleep 0.01; done",
		(struct proc_spec){ .cwd = scratch }, NULL, NULL);

	assert_true(r.user_ns + r.sys_ns > 20 * NS_PER_MS);
}

static void a_callers_own_child_is_left_alone(void **state UNUSED)
{
	pid_t own = fork();

	if (own == 0) {
		pause();
		_exit(0);
	}
	struct proc_result r = sh("sleep 100 &", (struct proc_spec){ 0 }, NULL, NULL);

	assert_int_equal(r.orphans, 1);
	assert_int_equal(waitpid(own, NULL, WNOHANG), 0); /* still there */
	kill(own, SIGKILL);
	assert_int_equal(waitpid(own, NULL, 0), own);
}

static void environment_folder_and_pin(void **state UNUSED)
{
	const char *env[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };
	AUTO(str) struct str out = STR_INIT;
	struct err e = ERR_INIT;

	sh("echo $ONLY-$HOME; pwd", (struct proc_spec){ .env = env, .cwd = "/usr" }, &out, NULL);
	assert_string_equal(out.p, "this-\n/usr\n");
	str_clear(&out);
	sh("grep Cpus_allowed_list /proc/self/status", (struct proc_spec){ .pin = "0" }, &out,
	   NULL);
	assert_string_equal(out.p, "Cpus_allowed_list:\t0\n");
	str_clear(&out);
	sh("ulimit -c; cat /proc/self/personality", (struct proc_spec){ .no_aslr = true }, &out,
	   NULL);
	assert_true(ends_with(out.p, "00040000\n"));
	assert_true(starts_with(out.p, "0\n"));
	assert_int_equal(proc_check_pin("0", &e), 0);
	for (const char **bad =
		     (const char *[]){ "", "x", "1-", "-1", "3-1", "0,", "0x1", "99999", NULL };
	     *bad; bad++)
		assert_int_equal(proc_check_pin(*bad, &e), -ERR_USAGE);
	assert_int_equal(proc_check_pin("8000", &e), -ERR_USAGE);
	const char *argv[] = { "true", NULL };
	struct proc_spec spec = { .argv = argv, .pin = "8000" };
	struct proc_result r;

	assert_int_equal(run_spec(&spec, NULL, NULL, &r, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "8000"));
}

static void no_descriptor_and_no_terminal_leak(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;
	int fd = open("/dev/null",
		      O_RDONLY); /* without close-on-exec, as a careless parent leaves it */

	sh("ls /proc/self/fd | sort -n | tr '\\n' ' '; (: </dev/tty) 2>/dev/null || echo none",
	   (struct proc_spec){ 0 }, &out, NULL);
	close(fd);
	assert_string_equal(out.p, "0 1 2 3 none\n"); /* 3 is ls's own */
}

static void private_bind_mount(void **state UNUSED)
{
	AUTO_FREE char *from = xasprintf("%s/from", scratch);
	AUTO_FREE char *to = xasprintf("%s/to", scratch);
	AUTO_FREE char *file = xasprintf("%s/hello", from);
	AUTO_FREE char *hidden = xasprintf("%s/hello", to);
	AUTO(str) struct str out = STR_INIT;
	struct err e = ERR_INIT;

	if (!proc_can_bind())
		skip(); /* mount namespaces are not allowed here */
	assert_int_equal(fs_mkdirs(from, &e), 0);
	assert_int_equal(fs_mkdirs(to, &e), 0);
	assert_int_equal(fs_write_atomic(file, "hi\n", 3, &e), 0);
	sh("pwd; cat hello", (struct proc_spec){ .cwd = to, .bind_from = from, .bind_to = to },
	   &out, NULL);
	assert_true(starts_with(out.p, to));
	assert_true(ends_with(out.p, "\nhi\n"));
	assert_false(fs_exists(hidden));
}

/* Not in the folder, not in one below; in the exception and in what is bound, yes. Outside nothing has changed. */
static void folders_can_be_read_only(void **state UNUSED)
{
	AUTO_FREE char *from = xasprintf("%s/ro-from", scratch);
	AUTO_FREE char *top = xasprintf("%s/ro", scratch);
	AUTO_FREE char *to = xasprintf("%s/to", top);
	AUTO_FREE char *cache = xasprintf("%s/cache", top);
	AUTO_FREE char *missing = xasprintf("%s/missing", scratch);
	const char *const read_only[] = { missing, top, NULL }, *const writable[] = { cache, NULL };
	AUTO(str) struct str out = STR_INIT;
	struct err e = ERR_INIT;

	if (!proc_can_bind())
		skip(); /* mount namespaces are not allowed here */
	assert_int_equal(fs_mkdirs(from, &e), 0);
	assert_int_equal(fs_mkdirs(to, &e), 0);
	assert_int_equal(fs_mkdirs(cache, &e), 0);
	sh("for f in ../x ../to/in ../cache/x; do (echo 1 >$f) 2>/dev/null && echo $f; done; :",
	   (struct proc_spec){ .cwd = to,
			       .bind_from = from,
			       .bind_to = to,
			       .read_only = read_only,
			       .writable = writable },
	   &out, NULL);
	assert_string_equal(out.p, "../to/in\n../cache/x\n");

	AUTO_FREE char *in = xasprintf("%s/in", from);
	AUTO_FREE char *x = xasprintf("%s/x", top);

	assert_true(fs_exists(in));
	assert_false(fs_exists(x));
	assert_int_equal(fs_write_atomic(x, "", 0, &e), 0);
}

/* A run finds the mounts as a fresh copy of ours has them, though the copy is kept from run to run. */
static void kept_mounts_are_as_fresh_ones(void **state UNUSED)
{
	AUTO_FREE char *from = xasprintf("%s/kept-from", scratch);
	AUTO_FREE char *to = xasprintf("%s/kept-to", scratch);
	AUTO_FREE char *name = xasprintf("%s/name", from);
	struct proc_spec spec = { .cwd = to, .bind_from = from, .bind_to = to };
	AUTO(str) struct str first = STR_INIT, second = STR_INIT, third = STR_INIT, tree = STR_INIT;
	struct err e = ERR_INIT;

	if (!proc_can_bind())
		skip(); /* mount namespaces are not allowed here */
	assert_int_equal(fs_mkdirs(from, &e), 0);
	assert_int_equal(fs_mkdirs(to, &e), 0);
	sh("readlink /proc/self/ns/mnt", spec, &first, NULL);
	sh("readlink /proc/self/ns/mnt", spec, &second, NULL);
	assert_string_equal(first.p, second.p);

	/* what a run mounts is not there for the next one; where it may not mount, nothing changes */
	sh("mkdir d && mount -t tmpfs none d && : >d/f", spec, NULL, NULL);
	sh("test -e d/f && echo left; :", spec, &third, NULL);
	assert_string_equal(third.p, "");

	/* a tree that was made anew is not the old one */
	assert_int_equal(fs_remove_tree(from, &e), 0);
	assert_int_equal(fs_mkdirs(from, &e), 0);
	assert_int_equal(fs_write_atomic(name, "new", 3, &e), 0);
	sh("cat name", spec, &tree, NULL);
	assert_string_equal(tree.p, "new");
}

/* More trees than are kept: each run sees its own. */
static void many_trees_do_not_mix(void **state UNUSED)
{
	AUTO_FREE char *to = xasprintf("%s/many-to", scratch);
	struct err e = ERR_INIT;

	if (!proc_can_bind())
		skip(); /* mount namespaces are not allowed here */
	assert_int_equal(fs_mkdirs(to, &e), 0);
	for (int i = 0; i < 36; i++) {
		AUTO_FREE char *from = xasprintf("%s/many-%d", scratch, i % 12);
		AUTO_FREE char *file = xasprintf("%s/n", from);
		AUTO_FREE char *text = xasprintf("%d", i % 12);
		AUTO(str) struct str out = STR_INIT;

		assert_int_equal(fs_mkdirs(from, &e), 0);
		assert_int_equal(fs_write_atomic(file, text, strlen(text), &e), 0);
		sh("cat n", (struct proc_spec){ .cwd = to, .bind_from = from, .bind_to = to }, &out,
		   NULL);
		assert_string_equal(out.p, text);
	}
}

/* ru_maxrss of a child starts with that of the process that called exec: that must not be ours. */
static void our_own_memory_is_not_the_childs(void **state UNUSED)
{
	size_t n = 100 << 20;
	AUTO_FREE char *big = xmalloc(n);

	memset(big, 1, n);
	assert_int_equal(big[n / 2], 1);
	struct proc_result r = sh("true", (struct proc_spec){ 0 }, NULL, NULL);

	assert_true(r.max_rss_bytes > 0);
	assert_true(r.max_rss_bytes < 60 << 20); /* the sanitizers' shadow memory included */
}

static void relative_names_start_where_we_are_now(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;
	char before[4096];

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir("/usr"), 0);
	sh("pwd", (struct proc_spec){ 0 }, &out, NULL);
	sh("pwd", (struct proc_spec){ .cwd = "bin/.." }, &out, NULL);
	assert_int_equal(chdir(before), 0);
	assert_string_equal(out.p, "/usr\n/usr\n");
}

/* The helper may be ended by anybody; then the next child is started without it, and later ones with a new one. */
static void a_lost_helper_is_replaced(void **state UNUSED)
{
	AUTO_FREE char *path = xasprintf("/proc/self/task/%d/children", (int)getpid());

	for (int i = 0; i < 3; i++) {
		AUTO(str) struct str text = STR_INIT, out = STR_INIT;
		struct err e = ERR_INIT;

		assert_int_equal(fs_read(path, 65536, &text, &e), 0);
		kill((pid_t)strtol(text.p, NULL, 10), SIGKILL);
		sh("echo fine", (struct proc_spec){ 0 }, &out, NULL);
		assert_string_equal(out.p, "fine\n");
		sh("true", (struct proc_spec){ 0 }, NULL, NULL);
		assert_int_equal(count_children(), 1);
	}
}

static void process_numbers_can_be_fresh(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;

	for (int i = 0; i < 2; i++) {
		str_clear(&out);
		sh("echo $$; sh -c 'echo $$ $PPID; cat /proc/self/stat' | cut -c1-4; (setsid sleep 100 &)",
		   (struct proc_spec){ .fresh_pids = true }, &out, NULL);
		if (!starts_with(out.p, "1\n"))
			skip(); /* no namespace of processes can be had */
		assert_true(starts_with(out.p, "1\n2 1\n"));
		assert_int_equal(count_children(), 1);
	}
}

static void *one_thread(void *arg)
{
	AUTO(str) struct str out = STR_INIT;
	const char *text = arg;
	intptr_t bad = 0;

	for (int i = 0; i < 20; i++) {
		str_clear(&out);
		struct proc_result r = sh(text, (struct proc_spec){ 0 }, &out, NULL);

		bad += r.end != PROC_EXITED || strcmp(out.p, "ok\n") != 0;
	}
	return (void *)bad;
}

static void several_threads_do_not_end_each_others(void **state UNUSED)
{
	pthread_t t[3];
	const char *text[] = { "sleep 100 & sleep 0.01; echo ok", "sh -c 'true; true'; echo ok",
			       "setsid sleep 100 & echo ok" };

	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, one_thread, (void *)text[i]);
	for (size_t i = 0; i < 3; i++) {
		void *bad;

		pthread_join(t[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(count_children(), 1);
}

static void children_die_with_us(void **state UNUSED)
{
	AUTO_FREE char *path = xasprintf("%s/orphan", scratch);
	pid_t us = fork();

	if (us == 0) {
		AUTO_FREE char *text = xasprintf("echo $$ > %s.new; mv %s.new %s; exec sleep 100",
						 path, path, path);

		sh(text, (struct proc_spec){ 0 }, NULL, NULL);
		_exit(0);
	}
	while (!fs_exists(path))
		sched_yield();
	AUTO(str) struct str text = STR_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(fs_read(path, 100, &text, &e), 0);
	pid_t child = (pid_t)strtol(text.p, NULL, 10);

	kill(us, SIGKILL);
	assert_int_equal(waitpid(us, NULL, 0), us);
	/* We are the next subreaper, so it is ours to wait for. */
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static pid_t read_pid(const char *path)
{
	AUTO(str) struct str text = STR_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(fs_read(path, 100, &text, &e), 0);
	return (pid_t)strtol(text.p, NULL, 10);
}

/* The number of the process that ran it, which is neither us nor the helper. */
static pid_t apart_pid(void)
{
	AUTO(str) struct str out = STR_INIT;

	sh("cat /proc/$PPID/comm; echo $PPID", (struct proc_spec){ 0 }, &out, NULL);
	assert_true(starts_with(out.p, "culprit-run\n"));
	return (pid_t)strtol(out.p + strlen("culprit-run\n"), NULL, 10);
}

static void it_is_run_apart(void **state UNUSED)
{
	pid_t first = apart_pid();

	assert_int_equal(apart_pid(), first);
}

static void a_lost_process_is_replaced(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;

	for (int i = 0; i < 2; i++) {
		str_clear(&out);
		kill(apart_pid(), SIGKILL);
		sh("echo fine", (struct proc_spec){ 0 }, &out, NULL);
		assert_string_equal(out.p, "fine\n");
	}
	/* by the run itself, in the middle of its output: it is run once more, and none of it comes twice */
	str_clear(&out);
	apart_pid();
	sh("head -c 200000 /dev/zero | tr '\\0' x; grep -q culprit-run /proc/$PPID/comm && kill -9 $PPID; echo",
	   (struct proc_spec){ 0 }, &out, NULL);
	assert_int_equal(out.n, 200001);
	/* the last one too, as a later test ends its parent; what the lost ones were running has become ours */
	kill(apart_pid(), SIGKILL);
	while (count_children() > 1)
		waitpid(-1, NULL, WNOHANG);
}

static void each_question_has_its_own_environment(void **state UNUSED)
{
	static const char *const values[] = { "a", "", "aa", "a", "b", "ab", "b", "bbbbbb" };
	AUTO(str) struct str out = STR_INIT, err_out = STR_INIT;

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			AUTO_FREE char *a = xasprintf("A=%s", values[i]);
			AUTO_FREE char *b = xasprintf("B=%s", values[k]);
			AUTO_FREE char *want = xasprintf("%s-%s\n", values[i], values[k]);
			const char *env[] = { "PATH=/usr/bin:/bin", a, b, NULL };

			str_clear(&out);
			str_clear(&err_out);
			sh("echo $A-$B; echo $B-$A >&2", (struct proc_spec){ .env = env }, &out,
			   &err_out);
			assert_string_equal(out.p, want);
			assert_int_equal(err_out.n, out.n);
		}
}

static void what_is_left_to_run_ends_with_the_next(void **state UNUSED)
{
	AUTO_FREE char *path = xasprintf("%s/left", scratch);

	sh("(setsid sh -c 'echo $$ > left.new; mv left.new left; exec sleep 100' &) ; while ! test -s left; do :; done",
	   (struct proc_spec){ .cwd = scratch, .leave = true }, NULL, NULL);
	pid_t left = read_pid(path);

	assert_int_equal(kill(left, 0), 0);
	struct proc_result r = sh("true", (struct proc_spec){ .leave = true }, NULL, NULL);

	assert_int_equal(r.orphans, 0);
	assert_int_equal(kill(left, 0), 0);
	r = sh("true", (struct proc_spec){ 0 }, NULL, NULL);
	assert_int_equal(r.orphans, 0);
	assert_true(is_gone(left));
}

/* What runs, and a daemon of it in a session of its own. */
static void everything_dies_with_us(void **state UNUSED)
{
	AUTO_FREE char *main_child = xasprintf("%s/main", scratch);
	AUTO_FREE char *daemon = xasprintf("%s/daemon", scratch);
	is_apart = true;
	pid_t us = fork();

	if (us == 0) {
		sh("(setsid sh -c 'echo $$ > d; mv d daemon; exec sleep 100' &); echo $$ > m; mv m main; exec sleep 100",
		   (struct proc_spec){ .cwd = scratch }, NULL, NULL);
		_exit(0);
	}
	while (!fs_exists(main_child) || !fs_exists(daemon))
		sched_yield();
	kill(us, SIGKILL);
	assert_int_equal(waitpid(us, NULL, 0), us);
	while (!is_gone(read_pid(main_child)) || !is_gone(read_pid(daemon)))
		waitpid(-1, NULL, WNOHANG); /* the one who ends them may be ours to wait for now */
}

static int go_apart(void **state)
{
	is_apart = true;
	return scratch_make(state);
}

static int go_on_here(void **state UNUSED)
{
	is_apart = false;
	return mkdir(scratch, 0700); /* again, under its old name */
}

/* What holds for proc_run() and for apart_run(). */
#define EITHER_WAY                                                                                 \
	cmocka_unit_test(ends_are_told_apart), cmocka_unit_test(what_cannot_start_says_why),       \
		cmocka_unit_test(floods_are_cut_and_never_block),                                  \
		cmocka_unit_test(deadlines_end_even_the_stubborn),                                 \
		cmocka_unit_test(stop_ends_the_child), cmocka_unit_test(orphans_are_ended),        \
		cmocka_unit_test(time_of_orphans_counts),                                          \
		cmocka_unit_test(environment_folder_and_pin),                                      \
		cmocka_unit_test(no_descriptor_and_no_terminal_leak),                              \
		cmocka_unit_test(private_bind_mount),                                              \
		cmocka_unit_test(kept_mounts_are_as_fresh_ones),                                   \
		cmocka_unit_test(many_trees_do_not_mix),                                           \
		cmocka_unit_test(folders_can_be_read_only),                                        \
		cmocka_unit_test(our_own_memory_is_not_the_childs)

int main(void)
{
	const struct CMUnitTest apart[] = {
		cmocka_unit_test(it_is_run_apart),
		EITHER_WAY,
		cmocka_unit_test(each_question_has_its_own_environment),
		cmocka_unit_test(what_is_left_to_run_ends_with_the_next),
		cmocka_unit_test(a_lost_process_is_replaced),
	};
	const struct CMUnitTest tests[] = {
		EITHER_WAY,
		cmocka_unit_test(streams_and_stdin),
		cmocka_unit_test(a_callers_own_child_is_left_alone),
		cmocka_unit_test(relative_names_start_where_we_are_now),
		cmocka_unit_test(a_lost_helper_is_replaced),
		cmocka_unit_test(process_numbers_can_be_fresh),
		cmocka_unit_test(several_threads_do_not_end_each_others),
	};
	/* last: the helpers of those who died become ours */
	const struct CMUnitTest deaths[] = {
		cmocka_unit_test(children_die_with_us),
		cmocka_unit_test(everything_dies_with_us),
	};

	int failed = cmocka_run_group_tests(apart, go_apart, scratch_remove);

	if (!failed)
		failed = cmocka_run_group_tests(tests, go_on_here, scratch_remove);
	return failed ? failed : cmocka_run_group_tests(deaths, go_on_here, scratch_remove);
}
