/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Started boots are found again by build and number, not by time: a hunt that was killed starts others, and what they give is the same.
 * A boot that fails when its turn comes is journaled then, like any other.
 */
#include "hunt/booting.h"

#include "base/num.h"
#include "hunt/freeze.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <stdio.h>
#include <string.h>

static void free_list(char **list)
{
	for (char **p = list; p && *p; p++)
		free(*p);
	free(list);
}

static char **settings_of(const struct variant *v, enum change_kind kind)
{
	struct strvec list = STRVEC_INIT;

	for (size_t i = 0; i < v->n_changes; i++)
		if (v->changes[i].kind == kind)
			strvec_addf(&list, "%s=%s", v->changes[i].key, v->changes[i].value);
	if (!list.v)
		return xcalloc(1, sizeof(char *));
	return list.v;
}

void booting_settings(struct mbuild *b, const struct variant *v)
{
	AUTO(str) struct str cmdline = STR_INIT;

	for (size_t i = 0; i < v->n_changes; i++)
		if (v->changes[i].kind == CHANGE_CMDLINE)
			str_addf(&cmdline, "%s%s", cmdline.n ? " " : "", v->changes[i].value);
	free_list(b->env);
	free_list(b->sysctl);
	free(b->cmdline);
	b->env = settings_of(v, CHANGE_ENV);
	b->sysctl = settings_of(v, CHANGE_SYSCTL);
	b->cmdline = cmdline.n ? str_take(&cmdline) : NULL;
}

bool booting_side_by_side(const struct session *s)
{
	return s->target && s->target->start;
}

unsigned booting_warmup(const struct session *s, const struct mbuild *b)
{
	/*
	 * cold caches, a first allocation: the first run of a build is another thing. Counts of a program do not care; of a guest every
	 * boot's first run is (hunt/opening.c), and nothing of it outlives the boot.
	 */
	if (!b->visited && !s->bench->warmup && !booting_side_by_side(s) &&
	    s->bench->measure != MEASURE_CALLGRIND)
		return 1;
	return s->bench->warmup;
}

void booting_request(const struct session *s, const struct mbuild *b, uint64_t number,
		     struct boot_request *ret)
{
	*ret = (struct boot_request){
		.store_dir = s->store_dir,
		.tree = *b->path ? b->path : NULL,
		.data_dir = s->data_dir,
		.protect = (const char *const *)s->protect.v,
		.config = &s->config,
		.benchmark = s->bench,
		.env = (const char *const *)b->env,
		.sysctl = (const char *const *)b->sysctl,
		.cmdline = b->cmdline,
		.kernel = s->guest_kernel,
		.runs = s->bench->warmup + (s->bench->runs > 1 ? s->bench->runs : 1),
		.jobs = s->jobs,
		.seed = session_draw(s, number),
		.sim = s->simulated,
		.commit = b->commit,
		.hunt_seed = s->seed,
		.layout = b->layout,
		.first_visit = !b->visited,
		.functions = s->explains,
		.symbols = b->symbols,
		.model = s->explains ? "default" : NULL,
		.tick_arg = NULL,
		.stop = s->ui->stop,
	};
}

static struct boot *take_ahead(struct session *s, const struct mbuild *b, uint64_t number)
{
	struct boot *handle = NULL;

	for (size_t i = s->ahead.n; i-- > 0;) {
		struct boot_ahead *a = &s->ahead.v[i];

		if (a->number > number)
			continue;
		if (a->build == b && a->number == number)
			handle = a->handle;
		else
			s->target->shutdown(a->handle); /* its turn is over: something failed */
		*a = s->ahead.v[--s->ahead.n];
	}
	return handle;
}

static bool has_ahead(const struct session *s, const struct mbuild *b, uint64_t number)
{
	for (size_t i = 0; i < s->ahead.n; i++)
		if (s->ahead.v[i].build == b && s->ahead.v[i].number == number)
			return true;
	return false;
}

/* Files of the benchmark that the revision lacks. A kernel is booted, not stood in. */
static int lay_over(struct session *s, const struct mbuild *b, struct err *e)
{
	AUTO_FREE char *dir = NULL;

	if (!s->data_files.n || !*b->path || starts_with(b->path, "kernels/"))
		return 0;
	dir = fs_join(s->store_dir, b->path);
	return freeze_overlay(s, dir, e);
}

/* --- the first boot, made twice ----------------------------------------------------------------------------------- */

static bool wants_twin(const struct session *s)
{
	return booting_side_by_side(s) && !s->exactness_known;
}

/* Beside the boot that counts where there are CPUs; else it is made when that one's runs are known. */
static int start_twin(struct session *s, const struct boot_request *q, struct boot **ret,
		      struct err *e)
{
	struct boot_request again = *q;

	again.started = NULL;
	again.runs = s->bench->warmup + 1;
	return wants_twin(s) && s->jobs > 1 ? s->target->start(&again, ret, e) : 0;
}

static void keep_twin(struct session *s, const struct boot_request *q, struct boot *of,
		      struct boot *started)
{
	if (!wants_twin(s))
		return;
	session_drop_twin(s);
	s->twin.of = of;
	s->twin.started = started;
	s->twin.request = *q;
	s->twin.request.runs = s->bench->warmup + 1;
	s->twin.output = (struct str)STR_INIT;
}

int booting_now(struct session *s, struct mbuild *b, struct visit *v, struct err *e)
{
	AUTO(str) struct str context = STR_INIT;
	AUTO(str) struct str reason = STR_INIT;
	int64_t t0 = clock_monotonic_ns();
	uint64_t number = s->next_boot++;
	struct boot *twin = NULL;
	struct boot_request q;
	int r;

	/* never where the user stands: that would measure something else */
	if (!s->simulated && !*b->path && *b->artefact)
		return err_set(e, ERR_MISSING,
			       "the built tree of %.40s is gone; start the same command again",
			       b->node);
	if ((r = lay_over(s, b, e)) < 0)
		return r;
	booting_request(s, b, number, &q);
	q.tick = session_tick;
	q.tick_arg = s;
	q.started = take_ahead(s, b, number);
	if (booting_side_by_side(s))
		session_doing(s, "booting", b->node);
	if ((!s->target->boots_at_once && (r = store_settle(s->store, e)) < 0) ||
	    (r = start_twin(s, &q, &twin, e)) < 0) {
		if (q.started)
			s->target->shutdown(q.started);
		return r;
	}
	r = s->target->boot(&q, &v->handle, &v->outcome, &context, &reason, e);
	if (twin && (r < 0 || v->outcome != OUTCOME_OK))
		s->target->shutdown(twin);
	else if (r == 0 && v->outcome == OUTCOME_OK)
		keep_twin(s, &q, v->handle, twin);
	if (r < 0)
		return r;
	/* the clock has no say in a simulated hunt: prices decide what is done next */
	if (!s->simulated)
		v->boot_seconds = (double)(clock_monotonic_ns() - t0) / 1e9;
	s->n_boots++;
	s->boot_seconds += v->boot_seconds;
	s->waited_boots++;
	snprintf(v->reason, sizeof(v->reason), "%.299s", reason.p);
	if (v->outcome != OUTCOME_OK)
		session_note(s, "%.*s: boot %s: %s", (int)strcspn(b->node, "\n"), b->node,
			     outcome_name(v->outcome), reason.p);
	return store_boot_add(s->store, s->hunt, b->id, context.n ? context.p : "{}", v->outcome,
			      reason.p, v->boot_seconds, &v->boot, e);
}

int booting_ahead(struct session *s, struct mbuild *const *builds, size_t n, struct err *e)
{
	/* one that stands at its gate takes no CPU; the one whose turn it is does, and so does the double of the first */
	size_t most = s->jobs > 1 ? s->jobs - wants_twin(s) : 1;

	if (!booting_side_by_side(s) || n < 2 || most < 2)
		return 0;
	for (size_t i = 0; i < n && s->ahead.n < most; i++) {
		uint64_t number = s->next_boot + i;
		struct boot_request q;
		struct boot_ahead a = { .build = builds[i], .number = number };
		int r;

		if (has_ahead(s, builds[i], number))
			continue;
		if ((r = lay_over(s, builds[i], e)) < 0)
			return r;
		booting_request(s, builds[i], number, &q);
		if ((r = s->target->start(&q, &a.handle, e)) < 0)
			return r;
		ARRAY_PUSH(&s->ahead, a);
	}
	return 0;
}

/* --- is it exact? ------------------------------------------------------------------------------------------ */

static const char exact_note[] = "exact: ";

/* What one boot said: the readings and output of its runs. */
struct said {
	struct readings readings;
	struct str output;
	char *failure;
};

static void said_done(struct said *x)
{
	readings_done(&x->readings);
	str_done(&x->output);
	free(x->failure);
}

static int hear_runs(struct session *s, struct boot *handle, struct said *ret, struct err *e)
{
	unsigned runs = s->bench->warmup + 1;

	for (unsigned k = 0; k < runs; k++) {
		struct run_result res = { .output = STR_INIT };
		int r = s->target->run(handle, &res, e);

		if (r < 0)
			return r;
		if (res.outcome != OUTCOME_OK && !ret->failure)
			ret->failure = xstrdup(res.reason ? res.reason : "a run failed");
		for (size_t i = 0; i < res.readings.n; i++)
			readings_add_copy(&ret->readings, &res.readings.v[i]);
		str_add(&ret->output, res.output.p, res.output.n);
		run_result_done(&res);
	}
	return 0;
}

static int hear(struct session *s, struct mbuild *b, struct boot_request *q, struct said *ret,
		struct err *e)
{
	AUTO(str) struct str context = STR_INIT;
	AUTO(str) struct str reason = STR_INIT;
	struct boot *handle = NULL;
	enum outcome outcome;
	int r;

	q->tick = session_tick;
	q->tick_arg = s;
	session_doing(s, "is it exact?", b->node);
	if ((r = store_settle(s->store, e)) < 0)
		return r;
	r = s->target->boot(q, &handle, &outcome, &context, &reason, e);
	if (r < 0)
		return r;
	if (outcome != OUTCOME_OK)
		ret->failure = xasprintf("the boot %s: %s", outcome_name(outcome), reason.p);
	else
		r = hear_runs(s, handle, ret, e);
	s->target->shutdown(handle);
	return r;
}

/* The first thing that differs, or NULL; the caller frees. */
static char *difference(const struct said *a, const struct said *b)
{
	if (a->readings.n != b->readings.n)
		return xasprintf("%zu readings in one boot and %zu in the other", a->readings.n,
				 b->readings.n);
	for (size_t i = 0; i < a->readings.n; i++) {
		const struct reading *x = &a->readings.v[i], *y = &b->readings.v[i];

		if (strcmp(x->metric, y->metric) || memcmp(&x->value, &y->value, sizeof(x->value)))
			return xasprintf("%s is %.17g in one boot and %.17g in the other",
					 x->metric, x->value, y->value);
	}
	if (a->output.n != b->output.n || memcmp(a->output.p, b->output.p, a->output.n))
		return xstrdup("what the benchmark printed");
	return NULL;
}

void exactness_done(struct exactness *x)
{
	free(x->failure);
	free(x->differs);
	*x = (struct exactness){ 0 };
}

int booting_try_exact(struct session *s, struct mbuild *b, struct exactness *ret, struct err *e)
{
	struct said said[2] = { { .output = STR_INIT }, { .output = STR_INIT } };
	struct boot_request q[2];
	int r = lay_over(s, b, e);

	if (r < 0)
		return r;
	for (int i = 0; i < 2; i++) {
		booting_request(s, b, s->next_boot, &q[i]);
		q[i].runs = s->bench->warmup + 1;
	}
	/* side by side where there are CPUs */
	if (s->jobs > 1)
		for (int i = 0; i < 2 && r == 0; i++)
			r = s->target->start(&q[i], &q[i].started, e);
	for (int i = 0; i < 2; i++) {
		if (r == 0)
			r = hear(s, b, &q[i], &said[i], e);
		else
			s->target->shutdown(q[i].started);
	}
	*ret = (struct exactness){ .readings = said[0].readings.n, .bytes = said[0].output.n };
	if (said[0].failure || said[1].failure)
		ret->failure = xstrdup(said[0].failure ? said[0].failure : said[1].failure);
	else
		ret->differs = difference(&said[0], &said[1]);
	said_done(&said[0]);
	said_done(&said[1]);
	return r;
}

void booting_replay(struct session *s, const struct observations *obs)
{
	for (size_t i = 0; i < obs->n; i++)
		if (obs->v[i].kind == OBS_NOTE && starts_with(obs->v[i].text, exact_note))
			s->exactness_known = true;
}

/* The same boot again: what it says is compared with what the one that counted said. */
static int compare_twin(struct session *s, struct mbuild *b, struct exactness *ret, struct err *e)
{
	struct said again = { .output = STR_INIT };
	struct said first = { .readings = s->twin.readings, .output = s->twin.output };

	s->twin.request.started = TAKE_PTR(s->twin.started);
	int r = hear(s, b, &s->twin.request, &again, e);

	*ret = (struct exactness){ .readings = first.readings.n, .bytes = first.output.n };
	if (r == 0 && again.failure)
		ret->differs = xasprintf("the second failed: %s", again.failure);
	else if (r == 0)
		ret->differs = difference(&first, &again);
	said_done(&again);
	return r;
}

static int say_exactness(struct session *s, const struct exactness *x, struct err *e)
{
	AUTO_FREE char *note = NULL;

	if (x->differs) {
		note = xasprintf("%stwo boots with one seed differ: %s", exact_note, x->differs);
		session_warn(
			s,
			"not exact here: two boots with one seed differ (%s); what is measured "
			"is treated as noise",
			x->differs);
	} else {
		note = xasprintf("%sone boot, made twice, gave the same %zu readings and %zu bytes "
				 "of output",
				 exact_note, x->readings, x->bytes);
		session_stage(s,
			      "exact       one boot, made twice: %zu readings and %zu bytes of "
			      "output agree to the last digit",
			      x->readings, x->bytes);
	}
	s->exactness_known = true;
	return store_note(s->store, s->hunt, note, e);
}

int booting_heard(struct session *s, const struct visit *v, const struct run_result *res,
		  struct err *e)
{
	AUTO(exactness) struct exactness x = { 0 };
	int r;

	if (!s->twin.of || s->twin.of != v->handle)
		return 0;
	if (res->outcome != OUTCOME_OK) { /* nothing to compare: the next boot is made twice */
		session_drop_twin(s);
		return 0;
	}
	for (size_t i = 0; i < res->readings.n; i++)
		readings_add_copy(&s->twin.readings, &res->readings.v[i]);
	str_add(&s->twin.output, res->output.p, res->output.n);
	if (++s->twin.runs < s->twin.request.runs)
		return 0;
	r = compare_twin(s, v->build, &x, e);
	session_drop_twin(s);
	return r < 0 ? r : say_exactness(s, &x, e);
}
