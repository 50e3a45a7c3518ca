/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads, not processes: checkouts and children are made for that (repo/, sys/), and the journal stays with the main thread, which
 * writes each result when its build has ended. A worker takes the next item that nobody has taken.
 */
#include "hunt/prebuild.h"

#include "sys/clock.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

struct job {
	struct build_request q;
	char key[65];
	struct build_result res;
	struct err e;
	int r;
	bool done, stored;
};
struct pool {
	pthread_mutex_t lock;
	struct job *jobs;
	size_t n, next, ended;
};

static void *worker(void *arg)
{
	struct pool *p = arg;

	for (;;) {
		pthread_mutex_lock(&p->lock);
		struct job *j = p->next < p->n ? &p->jobs[p->next++] : NULL;

		pthread_mutex_unlock(&p->lock);
		if (!j)
			return NULL;
		j->r = build_run(&j->q, j->key, &j->res, &j->e);
		pthread_mutex_lock(&p->lock);
		j->done = true;
		p->ended++;
		pthread_mutex_unlock(&p->lock);
	}
}

/* Which items have no usable build yet. Equal keys are one job. */
static int collect(struct session *s, const struct prebuild_item *items, size_t n, struct pool *p,
		   struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct job *j = &p->jobs[p->n];
		AUTO(str) struct str why = STR_INIT;
		struct build_row row = { 0 };
		char tree[65];
		bool ok = false, twice = false;
		int r;

		if (items[i].variant->deb || items[i].variant->image)
			continue; /* nothing is built: hunt/prebuilt.h */
		memset(j, 0, sizeof(*j));
		measure_request(s, items[i].variant, items[i].layout, &j->q);
		j->q.learn_inputs = items[i].learn_inputs;
		if ((r = build_key(&j->q, j->key, tree, &ok, &why, e)) < 0)
			return r;
		for (size_t k = 0; k < p->n; k++)
			twice = twice || !strcmp(p->jobs[k].key, j->key);
		if (!ok || twice)
			continue;
		r = measure_cached(s, j->key, &row, e);
		build_row_done(&row);
		if (r == -ERR_MISSING)
			p->n++;
		else if (r < 0)
			return r;
	}
	return 0;
}

static int store_ended(struct session *s, struct pool *p, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		struct job *j = &p->jobs[i];
		struct build_row row = { 0 };
		bool done;
		int r;

		pthread_mutex_lock(&p->lock);
		done = j->done;
		pthread_mutex_unlock(&p->lock);
		if (!done || j->stored)
			continue;
		j->stored = true;
		if (j->r < 0) {
			if (e)
				*e = j->e;
			return j->r;
		}
		r = measure_store_build(s, j->q.variant, j->key, &j->res, j->q.layout, &row, e);
		build_row_done(&row);
		if (r < 0)
			return r;
	}
	return 0;
}

static int run_pool(struct session *s, struct pool *p, size_t workers, struct err *e)
{
	AUTO_FREE pthread_t *threads = xcalloc(workers, sizeof(*threads));
	int64_t began = clock_monotonic_ns();
	size_t started = 0, ended = 0;
	int r = 0;

	while (started < workers && !pthread_create(&threads[started], NULL, worker, p))
		started++;
	if (!started)
		return 0; /* no thread to be had: they are built one by one later */
	while (ended < p->n && r == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
		pthread_mutex_lock(&p->lock);
		ended = p->ended;
		pthread_mutex_unlock(&p->lock);
		session_progress(s, "building, %zu at once: %zu of %zu   %.0f s", workers, ended,
				 p->n, (double)(clock_monotonic_ns() - began) / 1e9);
		r = store_ended(s, p, e);
	}
	/* on an error what is under way ends by itself; nothing new begins */
	pthread_mutex_lock(&p->lock);
	p->next = p->n;
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return r < 0 ? r : store_ended(s, p, e);
}

int prebuild(struct session *s, const struct prebuild_item *items, size_t n, struct err *e)
{
	struct pool p = { .lock = PTHREAD_MUTEX_INITIALIZER, .jobs = xcalloc(n, sizeof(*p.jobs)) };
	size_t workers;
	int r = store_settle(s->store, e);

	if (r == 0)
		r = collect(s, items, n, &p, e);

	workers = p.n < s->jobs ? p.n : s->jobs;
	for (size_t i = 0; i < p.n && workers; i++)
		p.jobs[i].q.jobs = s->jobs / (unsigned)workers;
	if (p.n && p.jobs[0].q.maker && p.jobs[0].q.maker->one_at_a_time)
		workers = 1;
	if (r == 0 && workers > 1)
		r = run_pool(s, &p, workers, e);
	for (size_t i = 0; i < p.n; i++)
		build_result_done(&p.jobs[i].res);
	free(p.jobs);
	pthread_mutex_destroy(&p.lock);
	return r;
}
