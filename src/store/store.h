/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store - the journal: one SQLite file, append-only, in which everything observed is written before it is used.
 *
 * Nothing is ever updated or deleted: the end of a run, the removal of a tree, a hunt's state and an undo are rows of their own, and
 * triggers refuse everything else. Every call survives kill -9 once it has returned, so that a kill loses at most the run in
 * flight; a power failure loses at most about the last second of runs (docs/design/015-journal.md). Strings returned are
 * owned by the record, freed by its _done.
 *
 * Order: each observation of a hunt has a `seq`, increasing over builds, boots, runs and marks together, given when the observation was
 * complete; replaying them in that order through the brain gives the same actions (resume, verify).
 *
 * Errors of every function, each one line: ERR_ENV (no space, read-only), ERR_BUSY (another program holds the file for over 10 s),
 * ERR_BROKEN (damaged), ERR_MISSING (the hunt, build, boot or run does not exist). Results are untouched on failure.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"

struct store;

enum store_mode { STORE_READ, STORE_WRITE };
/*
 * Opens DIR/culprit.db, creating DIR, its .gitignore and the schema for STORE_WRITE. Refuses a newer schema (ERR_BROKEN), a corrupt file
 * (ERR_BROKEN, says how to go on), a full disk and a read-only place (ERR_ENV), in words. STORE_READ works in a read-only place, and is
 * ERR_MISSING where no hunt was ever begun.
 */
int store_open(const char *dir, enum store_mode mode, struct store **ret, struct err *e) MUST_USE;
void store_close(struct store *st);
const char *store_dir(const struct store *st);

/*
 * One measuring culprit a store: a lock on DIR/lock that names its holder and ends with it. Waits up to `wait_ns` (tick is called about
 * 4 times a second with the holder's text; to be able to stop, ask for a quarter of a second at a time); ERR_BUSY names pid, command and
 * since when. Holding it already is fine. What changes a hunt under a living one (undo, mark, clean) takes it too.
 * `tick` returns false to give up: ERR_STOPPED.
 */
int store_lock(struct store *st, const char *command, int64_t wait_ns,
	       bool (*tick)(void *, const char *holder), void *arg, struct err *e) MUST_USE;
void store_unlock(struct store *st);
/* Did the one who held the lock before us die without letting it go? */
bool store_was_abandoned(const struct store *st);
/* Is the store of this folder held, by whom? `out` gets "'culprit bisect v1 v2' (pid 17, since 2026-11-30 21:05)". Takes no lock. *ret_since_ns: realtime; -1 if that is not known. */
bool store_holder(const char *dir, struct str *out, int64_t *ret_since_ns);

/* --- hunts ------------------------------------------------------------------------------------------------------ */

struct hunt_row {
	int64_t id;
	char *kind; /* "run", "compare", "bisect", "calibrate", ... */
	char *key; /* hash of the question: same key = same hunt, resumed or answered from the store */
	char *question; /* JSON: variants, range, benchmark, metrics, settings */
	char *graph; /* the range as text (see hunt/range): NULL if none; zstd inside the database */
	uint64_t seed;
	int64_t began_ns; /* realtime */
	char *version;	  /* of culprit */
	char *host;	  /* JSON: host facts */
	char *status;	  /* "open", "answered", "stopped", "failed" */
	char *answer;	  /* JSON, NULL while open */
	int64_t ended_ns; /* when it got this status; 0 while open */
};
void hunt_row_done(struct hunt_row *h);

/* The status is "open"; began_ns 0 means now. id, status, answer and ended_ns of `h` are not read. */
int store_hunt_begin(struct store *st, const struct hunt_row *h, int64_t *ret_id,
		     struct err *e) MUST_USE;
/* The newest hunt with this key; ERR_MISSING if there is none. */
int store_hunt_find(struct store *st, const char *key, struct hunt_row *ret,
		    struct err *e) MUST_USE;
/* By number; 0 = the newest. */
int store_hunt_get(struct store *st, int64_t id, struct hunt_row *ret, struct err *e) MUST_USE;
/*
 * Appends a status: "answered", "stopped" and "failed", and "open" again when a hunt is resumed. The newest counts; `answer` may be NULL.
 */
int store_hunt_end(struct store *st, int64_t id, const char *status, const char *answer,
		   struct err *e) MUST_USE;
struct hunt_rows {
	struct hunt_row *v;
	size_t n, cap;
};
/* All, newest first, without their graphs (NULL). */
int store_hunts(struct store *st, struct hunt_rows *ret, struct err *e) MUST_USE;
void hunt_rows_done(struct hunt_rows *r);

/* --- observations ------------------------------------------------------------------------------------------------ */

/* Builds are shared by hunts: a cached build is written once and *used* by a hunt, which is its observation. */
struct build_row {
	int64_t id;
	char *key;     /* tree id + changes + recipe + toolchain (+ layout) */
	char *variant; /* as the user wrote it, canonical */
	char *commit;  /* full object name, or "" for an artefact that exists */
	char *tree;
	char *path; /* where the kept tree is, relative to the store's folder; "" once cleaned */
	char *artefact; /* hash over the declared artefacts; "" unless ok */
	char *toolchain;
	int layout; /* 0, or the number of a re-layout build */
	enum outcome outcome;
	char *reason; /* why not ok, one line */
	double seconds;
	int64_t at_ns;
};
void build_row_done(struct build_row *b);
/* `log` may be NULL; kept compressed. */
int store_build_add(struct store *st, const struct build_row *b, const char *log, size_t log_n,
		    int64_t *ret_id, struct err *e) MUST_USE;
/*
 * The newest usable build with this key: outcome ok and its tree kept, or, where it was never built well, a failure that is a property of
 * the commit (failed, skipped; a timeout or a crash may be the machine's and is to be tried again). ERR_MISSING if there is none.
 */
int store_build_find(struct store *st, const char *key, struct build_row *ret,
		     struct err *e) MUST_USE;
int store_build_get(struct store *st, int64_t id, struct build_row *ret, struct err *e) MUST_USE;
/* Appended to `out`; empty if none was kept. */
int store_build_log(struct store *st, int64_t id, struct str *out, struct err *e) MUST_USE;
/* The tree was removed by `clean`: path reads as "" from now on. Twice is fine. */
int store_build_cleaned(struct store *st, int64_t id, struct err *e) MUST_USE;
struct build_rows {
	struct build_row *v;
	size_t n, cap;
};
int store_builds(struct store *st, struct build_rows *ret, struct err *e) MUST_USE;
void build_rows_done(struct build_rows *r);

/* What a hunt observed, in order. */
enum observation_kind { OBS_BUILD, OBS_BOOT, OBS_RUN, OBS_MARK, OBS_ACTION, OBS_NOTE };
struct observation {
	int64_t seq;
	enum observation_kind kind;
	bool withdrawn;
	int64_t withdrawn_at; /* seq of the undo that withdrew it, 0 = it stands: actions between the two still rested on it */
	/* OBS_BUILD: the hunt uses build `build` for node `node` */
	int64_t build; /* also of a boot and of a run: what was booted */
	char *node;    /* commit name, or the variant's text; of a mark too */
	/* OBS_BOOT; also of a run */
	int64_t boot;
	/* OBS_RUN */
	int64_t run;
	char *benchmark;
	int index; /* counted position in the boot; -1 - k for the k-th discarded warm-up */
	struct readings readings;
	/* OBS_BUILD, OBS_BOOT, OBS_RUN */
	enum outcome outcome;
	char *reason;
	double seconds;
	int64_t at_ns; /* realtime; of a run: when it began */
	/* OBS_MARK: "good", "bad", "skip", "suspect"; OBS_ACTION, OBS_NOTE: text (JSON for actions) */
	char *text;
};
void observation_done(struct observation *o);
struct observations {
	struct observation *v;
	size_t n, cap;
};
/* Everything of a hunt in order of seq, withdrawn ones flagged. Unfinished runs (in flight at a crash) are not returned. */
int store_observations(struct store *st, int64_t hunt, struct observations *ret,
		       struct err *e) MUST_USE;
void observations_done(struct observations *o);

int store_use_build(struct store *st, int64_t hunt, int64_t build, const char *node,
		    struct err *e) MUST_USE;
/* `context` is JSON: environment size, seed, pinning, load at the start. */
int store_boot_add(struct store *st, int64_t hunt, int64_t build, const char *context,
		   enum outcome outcome, const char *reason, double seconds, int64_t *ret_boot,
		   struct err *e) MUST_USE;
/* Begin: a row without an end, so that a crash shows what was in flight. */
int store_run_begin(struct store *st, int64_t hunt, int64_t boot, const char *benchmark, int index,
		    int64_t *ret_run, struct err *e) MUST_USE;
/*
 * From now on the end of a run, boots, actions and notes are committed together with the next store_run_begin (or anything that is
 * forced), in its transaction: one commit a run instead of three. A kill before that loses the run that has just ended, as it loses one in
 * flight. So before anything that takes time and is no run, store_settle. Reading through the same store sees what is held.
 */
void store_hold(struct store *st);
int store_settle(struct store *st, struct err *e) MUST_USE;
/*
 * While runs are short (50 ms) all of that, beginnings too, waits for the database for a second at most, in a file beside it: a kill loses no more than
 * it would otherwise, but other processes see it so much later. For the midst of a run that turns out long: they see all of it when this returns. What fails
 * is the next call's to tell.
 */
void store_show(struct store *st);
/* End: outcome, readings and output (compressed) in one transaction. */
int store_run_end(struct store *st, int64_t run, enum outcome outcome, const char *reason,
		  double seconds, const struct readings *readings, const char *output,
		  size_t output_n, struct err *e) MUST_USE;
int store_run_output(struct store *st, int64_t run, struct str *out, struct err *e) MUST_USE;
int store_mark(struct store *st, int64_t hunt, const char *node, const char *mark,
	       struct err *e) MUST_USE;
int store_action(struct store *st, int64_t hunt, const char *json, struct err *e) MUST_USE;
int store_note(struct store *st, int64_t hunt, const char *text, struct err *e) MUST_USE;
/*
 * Append a withdrawal of the newest `count` not-withdrawn observations of kind run, boot or mark (so a boot goes after all its runs);
 * how many in *ret. A hunt that was answered is open again.
 */
int store_undo(struct store *st, int64_t hunt, unsigned count, unsigned *ret,
	       struct err *e) MUST_USE;
/* The same, giving the seqs, newest first. */
struct undone {
	int64_t *v;
	size_t n, cap;
};
int store_undo_list(struct store *st, int64_t hunt, unsigned count, struct undone *ret,
		    struct err *e) MUST_USE;
void undone_done(struct undone *u);

/* Frozen benchmark files: content-addressed (SHA-256), kept compressed; the hash is checked on reading. */
int store_blob_put(struct store *st, const char *bytes, size_t n, char ret_hash[65],
		   struct err *e) MUST_USE;
int store_blob_get(struct store *st, const char *hash, struct str *out, struct err *e) MUST_USE;
