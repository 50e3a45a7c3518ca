/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure - builds, visits and runs, each journaled before anybody uses it.
 */
#pragma once

#include "hunt/session.h"

/*
 * The variant's build: from this session, from the store's cache, or made now. *ret is never NULL on success; its outcome
 * may be anything. `node` is what the observation is filed under (a full object name, or the variant's text).
 */
int measure_build(struct session *s, const struct variant *v, const char *node, unsigned layout,
		  bool learn_inputs, struct mbuild **ret, struct err *e) MUST_USE;

/* The request for a variant's build, without inputs and progress. Borrows from the session and the variant. */
void measure_request(struct session *s, const struct variant *v, unsigned layout,
		     struct build_request *ret);
/* A build of this key that can be used as it is; ERR_MISSING if there is none. */
int measure_cached(struct session *s, const char *key, struct build_row *ret,
		   struct err *e) MUST_USE;
/* Journal what a build came to. */
int measure_store_build(struct session *s, const struct variant *v, const char *key,
			const struct build_result *res, unsigned layout, struct build_row *ret_row,
			struct err *e) MUST_USE;

/* A build that the journal says this hunt uses: into the session, once. */
int measure_adopt(struct session *s, int64_t build, const char *node, struct mbuild **ret,
		  struct err *e) MUST_USE;
/* Is the tree of an ok build still on disk? If not it is made again (same key, same journal rules), in place. */
int measure_ensure(struct session *s, struct mbuild *b, const struct variant *v,
		   struct err *e) MUST_USE;

/*
 * Boots and makes the benchmark's warm-up runs (journaled with negative index). A boot that fails is a visit whose outcome says so.
 */
int visit_begin(struct session *s, struct mbuild *b, struct visit **ret, struct err *e) MUST_USE;
/* The visit that is open on this build, or NULL. */
struct visit *visit_open(struct session *s, const struct mbuild *b);
/* One counted run. Any outcome is a result. The caller owns *ret (run_result_done). */
int visit_run(struct session *s, struct visit *v, struct run_result *ret, struct err *e) MUST_USE;
/* A run that ended well says nothing after all (measure_reading): in the node's tally it is a failed one. */
void visit_refuse(struct session *s, const struct visit *v, const char *reason);
/* How the runs of one node went so far in this session. */
struct run_tally {
	unsigned ok, failed;
	int64_t last_run;	 /* journal id of the last failed one */
	const char *last_reason; /* borrowed from the session */
};
/* Count a run of an earlier process in the session's totals. */
void measure_count(struct session *s, enum outcome outcome, double seconds);
/* The node that a journaled build was filed under in this hunt; "" if it is not in the session. */
const char *measure_node(const struct session *s, int64_t build);
/* The medians of the primary metric at two nodes, from the journal. */
struct metric_levels {
	char *unit;
	enum better better;
	double median[2]; /* NaN where nothing was measured */
	size_t n[2];
};
int measure_levels(struct session *s, const char *node0, const char *node1,
		   struct metric_levels *ret, struct err *e) MUST_USE;
void metric_levels_done(struct metric_levels *m);

void measure_tally(const struct session *s, const char *node, struct run_tally *ret);

/* A run that is journaled and not counted: it tells what a run costs and whether the benchmark works at all. */
int visit_probe(struct session *s, struct visit *v, struct run_result *ret, struct err *e) MUST_USE;

/*
 * The primary metric, decided once and kept for the hunt: --metric, else the benchmark's first `primary`, else the reader's first metric
 * when a reader was asked for or the whole output is `name: value unit` lines, else "wall". `first` is an ok run.
 * The choice is journaled as a note, so that a resumed hunt keeps it.
 */
int measure_choose_metric(struct session *s, const struct run_result *first,
			  struct err *e) MUST_USE;
/*
 * The primary metric of a run, or NULL where it is missing or its unit is not that of the hunt's first one: values in other units must not
 * be mixed. Then *ret_why (the caller's to free) says so in one line.
 */
const struct reading *measure_reading(struct session *s, const struct readings *readings,
				      char **ret_why);
/* Takes the choice from the notes of an earlier process. */
void measure_replay_metrics(struct session *s, const struct observations *obs);
/* The direction of a reading: benchmark's, else its own, else guessed; ERR_USAGE that says how to set it if unknown. */
int measure_direction(const struct session *s, const struct reading *r, enum better *ret,
		      struct err *e) MUST_USE;
