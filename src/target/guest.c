/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files instead of pipes or sockets for the guest's two ports: a file never blocks QEMU, so how fast we read cannot change what the guest
 * does, and after a crash of either side everything that was said is there. They are read as they grow, a few hundred times a
 * second; inotify would save nothing that is measurable beside an emulator.
 *
 * The gate is a FIFO that we hold open for reading and writing, so that opening it waits for nobody; the plug-in takes a byte at each
 * gate. Bytes may lie in it before the guest comes there: then it does not stop at all. Either way the guest's clock,
 * which counts instructions, stands still meanwhile.
 */
#include "target/guest.h"

#include "base/num.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "sys/proc.h"
#include "sys/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS (5 * NS_PER_MS)
#define TICK_NS (250 * NS_PER_MS)
#define END_NS (NS_PER_S / 2) /* for QEMU to leave by itself when the gate says so */
#define CONSOLE_MAX ((size_t)4 << 20)
#define RESULTS_MAX ((size_t)256 << 20)
#define WINDOWS_MAX ((size_t)256 << 20)

/* A file that grows, read from where we were. */
struct tail {
	char *path;
	struct str text;
	int fd; /* -1 until it is there */
};

struct guest {
	char *folder;
	struct strvec argv;
	struct tail console, results, windows;
	struct console fate;
	size_t at; /* in results: the next frame */
	int gate;  /* -1 without a plug-in */
	unsigned granted;
	int64_t started_ns;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows */
	bool ended, quit;
	int r;
	struct err e;
	struct proc_result result;
	struct str said; /* by QEMU, on stderr; not touched by the thread once it has ended */
};

/* --- the process ------------------------------------------------------------------------------------------ */

static bool wants_quit(void *guest)
{
	struct guest *g = guest;

	pthread_mutex_lock(&g->lock);
	bool quit = g->quit;

	pthread_mutex_unlock(&g->lock);
	return quit;
}

static void *run_qemu(void *guest)
{
	struct guest *g = guest;
	struct proc_spec spec = {
		.argv = (const char *const *)g->argv.v,
		.cwd = g->folder,
		.output_max = 64 << 10,
		.halt = wants_quit,
		.halt_arg = g,
		.grace_ns = NS_PER_S,
	};
	struct proc_result result = { 0 };
	struct err e = ERR_INIT;
	int r = proc_run(&spec, NULL, &g->said, &result, &e);

	pthread_mutex_lock(&g->lock);
	g->r = r;
	g->e = e;
	g->result = result;
	g->ended = true;
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

static bool has_ended(struct guest *g)
{
	pthread_mutex_lock(&g->lock);
	bool ended = g->ended;

	pthread_mutex_unlock(&g->lock);
	return ended;
}

/* --- its folder ------------------------------------------------------------------------------------------- */

static int make_folder(struct guest *g, const char *parent, struct err *e)
{
	int r = fs_mkdirs(parent, e);

	if (r < 0)
		return r;
	g->folder = xasprintf("%s/guest-XXXXXX", parent);
	if (mkdtemp(g->folder))
		return 0;
	r = err_errno(e, "creating '%s'", g->folder);
	free(TAKE_PTR(g->folder));
	return r;
}

static int make_gate(struct guest *g, char **ret_path, struct err *e)
{
	*ret_path = fs_join(g->folder, "gate");
	if (mkfifo(*ret_path, 0600) < 0)
		return err_errno(e, "creating '%s'", *ret_path);
	g->gate = open(*ret_path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return g->gate < 0 ? err_errno(e, "opening '%s'", *ret_path) : 0;
}

static void tail_init(struct tail *t, char *path, size_t max)
{
	*t = (struct tail){ .path = path, .text = STR_INIT_MAX(max), .fd = -1 };
}

static void tail_done(struct tail *t)
{
	if (t->fd >= 0)
		close(t->fd);
	str_done(&t->text);
	free(t->path);
}

/* True if something new was there. */
static bool tail_read(struct tail *t)
{
	char buf[16384];
	bool any = false;
	ssize_t n;

	if (t->fd < 0)
		t->fd = open(t->path, O_RDONLY | O_CLOEXEC);
	while (t->fd >= 0 && (n = read(t->fd, buf, sizeof(buf))) > 0) {
		str_add(&t->text, buf, (size_t)n);
		any = true;
	}
	return any;
}

/* --- start and end ---------------------------------------------------------------------------------------- */

static int start(struct guest *g, const struct guest_setting *s, struct err *e)
{
	struct qemu_guest q = s->guest;
	AUTO_FREE char *plugin = NULL;
	AUTO_FREE char *gate = NULL;
	int r = make_folder(g, s->folder, e);

	if (r < 0)
		return r;
	tail_init(&g->console, fs_join(g->folder, "console"), CONSOLE_MAX);
	tail_init(&g->results, fs_join(g->folder, "results"), RESULTS_MAX);
	tail_init(&g->windows, fs_join(g->folder, "windows"), WINDOWS_MAX);
	if (s->plugin) {
		if ((r = make_gate(g, &gate, e)) < 0)
			return r;
		plugin = xasprintf("%s,out=%s,gate=%s%s", s->plugin, g->windows.path, gate,
				   s->plugin_args ? s->plugin_args : "");
	}
	q.console = g->console.path;
	q.results = g->results.path;
	q.plugin = plugin;
	qemu_argv(s->qemu, &q, &g->argv);
	while (g->granted < s->granted)
		guest_grant(g);
	/* children are made by a helper that the main thread has to have forked */
	spawn_prepare();
	g->started_ns = clock_monotonic_ns();
	errno = pthread_create(&g->thread, NULL, run_qemu, g);
	g->has_thread = !errno;
	return errno ? err_errno(e, "a thread for a guest") : 0;
}

int guest_start(const struct guest_setting *s, struct guest **ret, struct err *e)
{
	struct guest *g = xcalloc(1, sizeof(*g));

	g->gate = -1;
	g->said = (struct str)STR_INIT;
	pthread_mutex_init(&g->lock, NULL);
	int r = start(g, s, e);

	if (r < 0)
		guest_end(g);
	else
		*ret = g;
	return r;
}

static void let_leave(struct guest *g)
{
	int64_t until = clock_monotonic_ns() + END_NS;

	if (g->gate >= 0 && write(g->gate, "q", 1) == 1)
		while (!has_ended(g) && clock_monotonic_ns() < until)
			nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
	pthread_mutex_lock(&g->lock);
	g->quit = true;
	pthread_mutex_unlock(&g->lock);
}

void guest_end(struct guest *g)
{
	struct err ignored = ERR_INIT;

	if (!g)
		return;
	if (g->has_thread) {
		let_leave(g);
		pthread_join(g->thread, NULL);
	}
	if (g->gate >= 0)
		close(g->gate);
	if (g->folder) {
		tail_done(&g->console);
		tail_done(&g->results);
		tail_done(&g->windows);
		if (fs_remove_tree(g->folder, &ignored) < 0)
			errno = 0; /* swept with the store's other leftovers */
	}
	pthread_mutex_destroy(&g->lock);
	str_done(&g->said);
	strvec_done(&g->argv);
	free(g->folder);
	free(g);
}

void guest_grant(struct guest *g)
{
	if (g->gate < 0 || write(g->gate, "r", 1) == 1)
		g->granted++;
}

unsigned guest_granted(const struct guest *g)
{
	return g->granted;
}

/* --- what it says ----------------------------------------------------------------------------------------- */

enum guest_news guest_next(struct guest *g, const struct guest_wait *w, struct frame *ret)
{
	int64_t next_tick = clock_monotonic_ns() + TICK_NS;

	for (;;) {
		bool broken, ended = has_ended(g); /* first: what is read below is then all of it */

		tail_read(&g->console);
		console_look(&g->fate, g->console.text.p, g->console.text.n);
		tail_read(&g->results);
		if (frame_next(&g->results.text, &g->at, ret, &broken))
			return GUEST_FRAME;
		if (g->fate.fate != CONSOLE_FINE)
			return GUEST_TROUBLE;
		if (broken)
			return GUEST_BROKEN;
		if (ended) {
			console_look_at_emulator(&g->fate, g->said.p);
			return g->fate.fate != CONSOLE_FINE ? GUEST_TROUBLE : GUEST_ENDED;
		}
		if (w->stop && w->stop())
			return GUEST_STOPPED;
		int64_t now = clock_monotonic_ns();

		if (w->deadline_ns && now >= w->deadline_ns)
			return GUEST_LATE;
		if (w->tick && now >= next_tick) {
			w->tick(w->tick_arg);
			next_tick = now + TICK_NS;
		}
		nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
	}
}

const struct console *guest_console(const struct guest *g)
{
	return &g->fate;
}

void guest_last_words(const struct guest *g, struct str *out)
{
	console_tail(g->console.text.p, g->console.text.n, CONSOLE_LINES, out);
	console_tail(g->said.p, g->ended ? g->said.n : 0, 10, out);
}

void guest_why_ended(const struct guest *g, struct str *out)
{
	AUTO(str) struct str last = STR_INIT;

	if (g->r < 0) {
		str_puts(out, g->e.msg);
		return;
	}
	str_puts(out, "QEMU ended with ");
	proc_describe(&g->result, 0, out);
	console_tail(g->said.p, g->said.n, 1, &last);
	str_trim_end(&last);
	if (last.n)
		str_addf(out, ": '%.200s'", last.p);
}

char *guest_window(struct guest *g, unsigned run)
{
	const char *p;

	tail_read(&g->windows);
	p = g->windows.text.p;
	for (unsigned i = 0; i < run && p; i++) {
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	const char *end = p ? strchr(p, '\n') : NULL;

	return end ? xstrndup(p, (size_t)(end - p)) : NULL;
}

int64_t guest_started_ns(const struct guest *g)
{
	return g->started_ns;
}
