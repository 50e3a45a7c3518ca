/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dossier - all that a report of one hunt is written from: its answer, the answers of the confirmations and explanations that belong to it, the
 * samples, the search's posterior, and what git knows of the commits. From the journal alone; git adds names, never numbers.
 *
 * Every text in it has gone through the redactor. Nothing is built or run; git and, for a kernel's tree, its own
 * scripts/get_maintainer.pl are asked, and only if a repository is given.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"

struct json;
struct redactor;
struct repo;
struct store;

/* An answer with its question; both parsed, NULL if there is none. */
struct dossier_part {
	int64_t hunt; /* 0 = there is no such part */
	struct json *answer, *question;
	bool complete; /* else the answer is what was known when the hunt stopped */
	char *status;
};

struct dossier_dot {
	uint32_t side;
	double value;
	int64_t order;	/* over the runs of the hunt */
	double seconds; /* since the hunt's first run began */
};
/* The samples of one metric in one hunt. */
struct dossier_series {
	int64_t hunt;
	char *metric, *unit;
	enum better better;
	struct strvec sides; /* as people read them */
	struct strvec nodes; /* as the journal has them; redacted too */
	struct {
		struct dossier_dot *v;
		size_t n, cap;
	} dots;
};

/* A commit of the range, in an order in which parents come first. */
struct dossier_commit {
	char *name;    /* full object name, or a release */
	char *subject; /* "" if it is not known */
	double p;      /* that the change is here; 0 for what is no candidate */
	unsigned runs;
	double median; /* of the searched metric; NaN without runs */
	char *skipped; /* why it could not be measured, or NULL */
	bool is_end;
};

/* What the repository says; empty without one. */
struct dossier_git {
	bool known;
	bool is_kernel;
	char *parent;	       /* of the culprit, full name */
	char *contained;       /* "v6.10-rc1~12^2": the first tag with the culprit, or NULL */
	char *author;	       /* of the culprit: "Ada <ada@example.org>" */
	struct strvec lists;   /* addresses that get_maintainer.pl names as lists */
	struct strvec tags;    /* that contain the culprit, oldest version first; at most 12 */
	struct strvec changed; /* files that it changed, at most 12 */
	unsigned changed_more;
};

struct dossier {
	char *kind, *version, *project;
	struct dossier_part main, confirm, explain, trial; /* trial: patches that were tried */
	struct json *host;				   /* NULL if not known */
	char *toolchain; /* "cc: gcc 12.2, ld: ..." of the newest build used */
	int64_t began_ns;
	struct {
		struct dossier_series *v;
		size_t n, cap;
	} series;
	struct {
		struct dossier_commit *v;
		size_t n, cap;
	} range; /* of a search; else empty */
	struct dossier_git git;
	struct strvec log;     /* the journal in words; filled by the caller */
	struct strvec missing; /* what an unfinished investigation lacks, a sentence each */
	struct strvec also;    /* what else the whole investigation (hunt) found, a sentence each */
	unsigned builds, boots, runs; /* of all parts together */
};
void dossier_done(struct dossier *d);

/*
 * `hunt` 0 = the newest that a report can be made of. A confirmation, explanation or trial of a search leads to that search, a whole
 * investigation to the search of its first culprit. `repo` may be NULL. ERR_USAGE for a hunt of
 * another kind (a calibration, a series); ERR_MISSING if there is none.
 */
int dossier_gather(struct store *st, int64_t hunt, struct repo *repo, struct redactor *r,
		   struct dossier *ret, struct err *e) MUST_USE;

/* --- pieces, for dossier.c's neighbours --- */
/* The search's posterior and measured commits; also its answer, where the journal has none. */
struct hunt_row;
int dossier_read_search(struct store *st, const struct hunt_row *row, struct repo *repo,
			struct redactor *r, struct dossier *d, struct err *e) MUST_USE;
int dossier_read_samples(struct store *st, struct redactor *r, struct dossier *d,
			 struct err *e) MUST_USE;
/* `culprit`: a full object name. What git does not say stays empty. */
void dossier_ask_git(struct repo *repo, const char *culprit, struct dossier_git *ret);
/* Parse a text of the journal, redacted. NULL gives NULL. */
int dossier_parse(struct redactor *r, const char *json, const char *name, struct json **ret,
		  struct err *e) MUST_USE;
