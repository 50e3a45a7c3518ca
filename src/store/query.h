/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query - what commands ask of the journal that is more than one record: raw samples as rows, progress, disk use.
 *
 * Everything here reads only. Samples come in the order in which their runs began, which is the order that statistics of drift need; a run
 * in flight is no sample.
 */
#pragma once

#include "base/err.h"
#include "model/model.h"

struct store;

/* One value of one metric; of a run that gave none, one row without a metric. */
struct sample_row {
	int64_t hunt, build, boot, run;
	const char *
		node; /* what the hunt called it: commit or variant's text; of the newest use of the build before the boot */
	const char *variant; /* the build's own canonical text */
	const char *commit;  /* "" for an artefact that exists */
	const char *benchmark;
	const char *metric; /* NULL: the run gave no value */
	const char *unit;
	enum better better;
	bool counter;
	double value;	   /* NaN without a metric */
	double resolution; /* 0 = not known */
	int index;	   /* position in the boot; negative = discarded warm-up */
	int64_t order; /* 0, 1, ... over the runs that the filter lets through, by their beginnings */
	int64_t began_ns; /* realtime */
	double seconds;	  /* of the run */
	enum outcome outcome;
	const char *reason;
	bool withdrawn;
};

struct sample_filter {
	int64_t hunt;	       /* 0 = the newest */
	const char *variant;   /* equal to the row's node, variant or commit; NULL = all */
	const char *benchmark; /* NULL = all */
	const char *metric;    /* NULL = all */
	bool with_failed;      /* runs that are not ok */
	bool with_warmup;
	bool with_withdrawn;
};

/*
 * Calls `row` for each; a negative return ends it and is returned. The row's strings live for the call only. ERR_MISSING
 * if there is no such hunt.
 */
int query_samples_each(struct store *st, const struct sample_filter *f,
		       int (*row)(void *arg, const struct sample_row *s, struct err *e), void *arg,
		       struct err *e) MUST_USE;

/* The same, kept: strings live in the arena. */
struct samples {
	struct sample_row *v;
	size_t n, cap;
	struct arena arena;
};
int query_samples(struct store *st, const struct sample_filter *f, struct samples *ret,
		  struct err *e) MUST_USE;
void samples_done(struct samples *s);

/* How far a hunt is; withdrawn observations are not counted. */
struct hunt_counts {
	unsigned builds, failed_builds; /* distinct builds that it uses */
	unsigned boots, failed_boots;
	unsigned runs, failed_runs, warmup_runs; /* runs counts neither failures nor warm-up */
	unsigned marks, withdrawn;
	double build_seconds; /* of the builds that it uses, whoever made them */
	double run_seconds;
	int64_t last_ns; /* of the newest observation; 0 = none yet */
};
int query_counts(struct store *st, int64_t hunt, struct hunt_counts *ret, struct err *e) MUST_USE;

/* One run, finished or not. ERR_MISSING if there is none. */
struct run_row {
	int64_t id, hunt, boot, build;
	char *benchmark;
	char *variant; /* of the build */
	int index;
	int64_t began_ns;
	bool ended; /* what follows is meaningless otherwise */
	enum outcome outcome;
	char *reason;
	double seconds;
};
int query_run(struct store *st, int64_t run, struct run_row *ret, struct err *e) MUST_USE;
void run_row_done(struct run_row *r);

/* The run that began last and has no end. False in *ret_any if there is none; true also after a kill, so ask who holds the store. */
struct in_flight {
	int64_t hunt, run, boot;
	char *benchmark;
	char *variant; /* of the build */
	int64_t began_ns;
};
int query_in_flight(struct store *st, struct in_flight *ret, bool *ret_any, struct err *e) MUST_USE;
void in_flight_done(struct in_flight *f);

/* The kept trees, least recently used first: what `clean` may choose from. */
struct tree_row {
	int64_t build;
	char *path; /* relative to the store's folder */
	char *variant;
	int64_t used_ns; /* of the newest use, boot or, unused, the build itself */
	int64_t needed;	 /* number of a hunt that is not answered and uses it; 0 = none */
};
struct tree_rows {
	struct tree_row *v;
	size_t n, cap;
};
int query_trees(struct store *st, struct tree_rows *ret, struct err *e) MUST_USE;
void tree_rows_done(struct tree_rows *r);
