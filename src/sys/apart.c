/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart - the process that runs a benchmark's commands, and the questions to it.
 *
 * A short run costs what its start and end cost, and most of that is processes waking each other. With the helper of spawn.c alone it
 * is asked, answers, and we wait for pipes and a pidfd while the child runs. Here one process starts the child, waits for it and reads its output; we sleep until it answers,
 * so of the three only one is awake at any time. It has no other children, so that "is anything left?" is one system call, and one thread, so that SIGCHLD
 * tells the end: the first pidfd of a process costs the kernel an inode.
 *
 * A question is sent as what differs from the one before, which is a few bytes of the environment. Output goes back in pieces, and what is there at the end with the
 * answer; it is not collected there, since the memory of this process is a floor of what is reported as the child's (spawn.h).
 *
 * When the socket ends, culprit has: the process kills what lives of its children, which all are its descendants however they left
 * their session (it is their subreaper), and ends.
 */
#include "sys/apart.h"

#include "base/log.h"
#include "base/num.h"
#include "sys/reap.h"
#include "sys/spawn.h"
#include "sys/stream.h"
#include "sys/strings.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define OUTPUT_MAX (INT64_C(64) << 20) /* as proc.c */
enum { PIECES = 64 * 1024 };

/* The strings of a question are those of the last one, but for the `n` bytes behind this. */
struct question {
	char mark; /* 'q'; a byte that says stop is a zero */
	uint32_t n, same_begin, same_end;
	uint32_t argc, envc, n_read_only, n_writable;
	bool has_pin, has_cgroup, has_bind, merge_stderr, no_aslr, fresh_pids, leave, has_out,
		has_err;
	int64_t timeout_ns, grace_ns;
};

enum piece_kind { PIECE_OUT, PIECE_ERR, PIECE_ANSWER };
struct piece {
	enum piece_kind kind;
	uint32_t n; /* bytes behind it */
};
struct answer {
	int code; /* of proc_run */
	enum err_kind error;
	struct proc_result result;
	/* the error's text behind it */
};

static bool send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t k = send(fd, p, n, MSG_NOSIGNAL);

		if (k < 0 && errno != EINTR)
			return false;
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
	return true;
}

/* --- the server ------------------------------------------------------------------------------------------------------ */

struct server {
	int in, out;
	bool is_lost; /* nobody is at the other end */
	struct str strings,
		before;	  /* of the last question and the one before, as on the other side */
	struct str input; /* read, and not used yet */
	size_t n_pieces;
	char pieces[PIECES];
	struct proc_spec spec;
};

static void flush_pieces(struct server *v)
{
	v->is_lost = v->is_lost || !send_all(v->out, v->pieces, v->n_pieces);
	v->n_pieces = 0;
}

static void put_piece(struct server *v, enum piece_kind kind, const char *bytes, size_t n)
{
	const size_t most = PIECES - sizeof(struct piece);

	do {
		struct piece p = { .kind = kind, .n = (uint32_t)(n < most ? n : most) };

		if (v->n_pieces + sizeof(p) + p.n > PIECES)
			flush_pieces(v);
		memcpy(v->pieces + v->n_pieces, &p, sizeof(p));
		memcpy(v->pieces + v->n_pieces + sizeof(p), bytes, p.n);
		v->n_pieces += sizeof(p) + p.n;
		bytes += p.n;
		n -= p.n;
	} while (n);
}

static void sink(void *arg, bool is_err, const char *bytes, size_t n)
{
	put_piece(arg, is_err ? PIECE_ERR : PIECE_OUT, bytes, n);
}

/* A byte means stop. The end of the socket means that culprit has died: then without grace. */
static bool halt(void *arg)
{
	struct server *v = arg;
	char c;
	ssize_t n = recv(v->in, &c, 1, MSG_DONTWAIT);

	if (n == 0)
		v->is_lost = true;
	if (v->is_lost)
		v->spec.grace_ns = 1;
	return n > 0 || v->is_lost;
}

/* So that there are `n` bytes; false at the end of the socket. */
static bool fill(struct server *v, size_t n)
{
	char buf[16384];

	while (v->input.n < n) {
		ssize_t k = recv(v->in, buf, sizeof(buf), 0);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		str_add(&v->input, buf, (size_t)k);
	}
	return true;
}

/* They came too late to stop the last one. False if nothing else is there. */
static bool drop_stops(struct str *input)
{
	size_t n = 0;

	while (n < input->n && !input->p[n])
		n++;
	if (n) {
		memmove(input->p, input->p + n, input->n - n);
		str_cut(input, input->n - n);
	}
	return input->n;
}

static bool hear(struct server *v, struct question *ret)
{
	struct str last = v->strings;

	do
		if (!fill(v, 1))
			return false;
	while (!drop_stops(&v->input));
	if (!fill(v, sizeof(*ret)))
		return false;
	memcpy(ret, v->input.p, sizeof(*ret));
	if (!fill(v, sizeof(*ret) + ret->n))
		return false;
	v->strings = v->before;
	v->before = last;
	str_clear(&v->strings);
	str_add(&v->strings, last.p, ret->same_begin);
	str_add(&v->strings, v->input.p + sizeof(*ret), ret->n);
	str_add(&v->strings, last.p + last.n - ret->same_end, ret->same_end);
	str_clear(&v->input); /* culprit asks again when it has the answer */
	return true;
}

/* `words` gets the pointers. */
static void unpack(struct server *v, const struct question *q, const char **words)
{
	const char *at = v->strings.p;
	struct proc_spec *s = &v->spec;

	*s = (struct proc_spec){
		.timeout_ns = q->timeout_ns,
		.grace_ns = q->grace_ns,
		.merge_stderr = q->merge_stderr,
		.no_aslr = q->no_aslr,
		.fresh_pids = q->fresh_pids,
		.leave = q->leave,
		.halt = halt,
		.halt_arg = v,
		.halt_fd = v->in,
		.sink = sink,
		.sink_arg = v,
	};
	s->argv = strings_next_list(&at, q->argc, &words);
	s->cwd = strings_next(&at);
	s->pin = q->has_pin ? strings_next(&at) : NULL;
	s->cgroup = q->has_cgroup ? strings_next(&at) : NULL;
	s->bind_from = q->has_bind ? strings_next(&at) : NULL;
	s->bind_to = q->has_bind ? strings_next(&at) : NULL;
	s->read_only = strings_next_list(&at, q->n_read_only, &words);
	s->writable = strings_next_list(&at, q->n_writable, &words);
	s->env = strings_next_list(&at, q->envc, &words);
}

static void answer(struct server *v, int code, const struct err *e,
		   const struct proc_result *result)
{
	struct answer a = { .code = code, .error = e->kind, .result = *result };
	AUTO(str) struct str text = STR_INIT;

	str_add(&text, (const char *)&a, sizeof(a));
	if (code < 0)
		str_puts(&text, e->msg);
	put_piece(v, PIECE_ANSWER, text.p, text.n);
	flush_pieces(v);
}

static void serve_one(struct server *v, const struct question *q)
{
	AUTO_FREE const char **words =
		xcalloc(q->argc + q->envc + q->n_read_only + q->n_writable + 4, sizeof(*words));
	AUTO(str) struct str out = STR_INIT, why = STR_INIT;
	struct proc_result result = { .end = PROC_NOT_STARTED };
	struct err e = ERR_INIT;

	unpack(v, q, words);
	int code =
		proc_run(&v->spec, q->has_out ? &out : NULL, q->has_err ? &why : NULL, &result, &e);

	if (out.n)
		put_piece(v, PIECE_OUT, out.p, out.n);
	if (why.n)
		put_piece(v, PIECE_ERR, why.p, why.n);
	answer(v, code, &e, &result);
}

static void noted(int sig UNUSED)
{
}

/* SIGCHLD is let in while proc.c waits, only. */
static void prepare_signals(void)
{
	struct sigaction sa = { .sa_handler = noted };
	sigset_t child;

	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
}

/* What was left to run on, by a `leave` with no end after it. */
static void end_the_rest(void)
{
	struct reap r;

	reap_begin(&r);
	reap_started(&r, -1);
	reap_end(&r, 0);
}

static void serve(int in, int out)
{
	static struct server v = { .strings = STR_INIT, .before = STR_INIT, .input = STR_INIT };
	struct question q;

	v.in = in;
	v.out = out;
	prctl(PR_SET_NAME, "culprit-run");
	prepare_signals();
	reap_forget();
	while (!v.is_lost && hear(&v, &q))
		serve_one(&v, &q);
	end_the_rest();
}

/* --- our side ---------------------------------------------------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	pid_t owner; /* whose it is: not a fork's of it */
	pid_t pid;   /* < 0: there can be none */
	int to, from;
	struct str asked;  /* the strings of the last question */
	struct str before; /* those of the one before it: their memory is used again */
	size_t n_input;
	char input[PIECES];
} server = { .lock = PTHREAD_MUTEX_INITIALIZER,
	     .to = -1,
	     .from = -1,
	     .asked = STR_INIT,
	     .before = STR_INIT };

static void lose_server(void)
{
	if (server.to >= 0) {
		close(server.to);
		close(server.from);
	}
	server.to = server.from = -1;
	server.pid = 0;
	server.n_input = 0;
	str_clear(&server.asked);
	str_clear(&server.before);
}

static bool have_server(void)
{
	if (server.owner != getpid()) {
		lose_server();
		server.owner = getpid();
	}
	if (server.pid)
		return server.pid > 0;
	server.pid = spawn_server(serve, &server.to, &server.from);
	if (server.pid < 0)
		return false;
	/* as often as the caller wants to be asked whether to go on (proc.h) */
	setsockopt(server.from, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_usec = 250000 },
		   sizeof(struct timeval));
	return true;
}

static void pack(const struct proc_spec *s, struct question *q, struct str *out)
{
	const char *const more[] = { s->cwd, s->pin, s->cgroup, s->bind_from,
				     s->bind_from ? s->bind_to : NULL };

	q->has_pin = s->pin;
	q->has_cgroup = s->cgroup;
	q->has_bind = s->bind_from;
	q->merge_stderr = s->merge_stderr;
	q->no_aslr = s->no_aslr;
	q->fresh_pids = s->fresh_pids;
	q->leave = s->leave;
	q->timeout_ns = s->timeout_ns;
	q->grace_ns = s->grace_ns;
	q->argc = (uint32_t)strings_put(out, s->argv);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		if (more[i])
			str_add(out, more[i], strlen(more[i]) + 1);
	q->n_read_only = (uint32_t)strings_put(out, s->read_only);
	q->n_writable = (uint32_t)strings_put(out, s->writable);
	/* last, since it is what changes: its seed and its padding are at its end */
	q->envc = (uint32_t)strings_put(out, s->env);
}

static size_t same_begin(const struct str *a, const struct str *b)
{
	size_t n = a->n < b->n ? a->n : b->n, i = 0;

	while (i + 64 <= n && !memcmp(a->p + i, b->p + i, 64))
		i += 64;
	while (i < n && a->p[i] == b->p[i])
		i++;
	return i;
}

static size_t same_end(const struct str *a, const struct str *b, size_t begin)
{
	size_t n = (a->n < b->n ? a->n : b->n) - begin, i = 0;
	const char *x = a->p + a->n, *y = b->p + b->n;

	while (i + 64 <= n && !memcmp(x - i - 64, y - i - 64, 64))
		i += 64;
	while (i < n && x[-1 - (ptrdiff_t)i] == y[-1 - (ptrdiff_t)i])
		i++;
	return i;
}

static bool ask(const struct proc_spec *spec, bool has_out, bool has_err)
{
	struct question q = { .mark = 'q', .has_out = has_out, .has_err = has_err };
	struct str last = server.asked;
	AUTO(str) struct str text = STR_INIT;

	server.asked = server.before;
	server.before = last;
	str_clear(&server.asked);
	pack(spec, &q, &server.asked);
	q.same_begin = (uint32_t)same_begin(&server.asked, &last);
	q.same_end = (uint32_t)same_end(&server.asked, &last, q.same_begin);
	q.n = (uint32_t)(server.asked.n - q.same_begin - q.same_end);
	str_add(&text, (const char *)&q, sizeof(q));
	str_add(&text, server.asked.p + q.same_begin, q.n);
	return send_all(server.to, text.p, text.n);
}

struct hearing {
	const struct proc_spec *spec;
	struct stream out, err;
	struct proc_result *ret;
	struct err *e;
	bool has_stopped, is_done;
	int code;
};

static void hear_answer(struct hearing *h, const char *p, size_t n)
{
	struct answer a;

	memcpy(&a, p, sizeof(a));
	h->is_done = true;
	h->code = a.code;
	if (a.code < 0)
		err_set(h->e, a.error, "%.*s", (int)(n - sizeof(a)), p + sizeof(a));
	else
		*h->ret = a.result;
}

/* Uses the whole pieces in the buffer. */
static void hear_pieces(struct hearing *h)
{
	size_t at = 0;
	struct piece p;

	while (server.n_input - at >= sizeof(p)) {
		memcpy(&p, server.input + at, sizeof(p));
		if (server.n_input - at < sizeof(p) + p.n)
			break;
		const char *bytes = server.input + at + sizeof(p);

		if (p.kind == PIECE_ANSWER)
			hear_answer(h, bytes, p.n);
		else
			stream_add(p.kind == PIECE_ERR ? &h->err : &h->out, bytes, p.n);
		at += sizeof(p) + p.n;
	}
	memmove(server.input, server.input + at, server.n_input - at);
	server.n_input -= at;
}

/* Between two answers: is the caller still interested? */
static void look_around(struct hearing *h)
{
	const struct proc_spec *s = h->spec;

	if (s->tick)
		s->tick(s->tick_arg);
	if (!h->has_stopped && ((s->stop && s->stop()) || (s->halt && s->halt(s->halt_arg)))) {
		h->has_stopped = true;
		send_all(server.to, "", 1);
	}
}

/* False if the server has died. */
static bool hear_all(struct hearing *h)
{
	while (!h->is_done) {
		ssize_t n = recv(server.from, server.input + server.n_input,
				 PIECES - server.n_input, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (n < 0) {
			look_around(h);
			continue;
		}
		server.n_input += (size_t)n;
		hear_pieces(h);
	}
	return true;
}

static bool needs_us(const struct proc_spec *s)
{
	return s->counters || s->foreground || s->stdin_bytes || s->stdin_path || s->sink ||
	       !s->cwd || s->cwd[0] != '/' || !s->env;
}

static bool try_apart(const struct proc_spec *spec, struct str *out, struct str *err_out,
		      struct hearing *h)
{
	int64_t max = spec->output_max > 0 ? spec->output_max : OUTPUT_MAX;

	if (out)
		stream_keep(&h->out, max, spec->output_tail, out);
	if (err_out)
		stream_keep(&h->err, max, spec->output_tail, err_out);
	if (!ask(spec, out, err_out) || !hear_all(h)) {
		log_debug("the process that runs benchmarks is gone");
		lose_server();
		return false;
	}
	stream_finish(&h->out);
	stream_finish(&h->err);
	return true;
}

int apart_run(const struct proc_spec *spec, struct str *out, struct str *err_out,
	      struct proc_result *ret, struct err *e)
{
	struct hearing h = { .spec = spec, .out.fd = -1, .err.fd = -1, .ret = ret, .e = e };
	size_t out_n = out ? out->n : 0, err_n = err_out ? err_out->n : 0;

	if (needs_us(spec) || pthread_mutex_trylock(&server.lock))
		return proc_run(spec, out, err_out, ret, e);
	bool has_run = have_server() && try_apart(spec, out, err_out, &h);

	pthread_mutex_unlock(&server.lock);
	stream_done(&h.out);
	stream_done(&h.err);
	if (!has_run) {
		/* what came of it is not the whole: it has ended with the server, and is run again */
		if (out)
			str_cut(out, out_n);
		if (err_out)
			str_cut(err_out, err_n);
		return proc_run(spec, out, err_out, ret, e);
	}
	if (h.code < 0)
		return h.code;
	ret->out_truncated = out && out->truncated;
	ret->err_truncated = err_out && err_out->truncated;
	log_trace("spawn", "\"pid\":%d", ret->pid);
	log_trace("exit", "\"pid\":%d,\"status\":%d,\"orphans\":%u", ret->pid, ret->status,
		  ret->orphans);
	return 0;
}
