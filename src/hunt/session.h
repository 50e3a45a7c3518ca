/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session - what every measuring command needs, opened once: repository, journal, configuration, target, budget.
 *
 * A session belongs to one command. It never prints: what a person should hear goes through struct hunt_ui.
 */
#pragma once

#include "bench/benchmark.h"
#include "bench/build.h"
#include "repo/repo.h"
#include "store/store.h"
#include "target/target.h"

struct hunt_ui {
	void *arg;
	void (*note)(void *arg,
		     const char *text); /* something worth a line: a build that failed, a skip */
	void (*warn)(void *arg, const char *text);     /* something that weakens the result */
	void (*stage)(void *arg, const char *text);    /* a step of a long hunt is done */
	void (*progress)(void *arg, const char *text); /* the one progress line; called often */
	bool (*stop)(void);			       /* has the user asked to stop? */
};

struct session_options {
	const char *store_dir;	     /* --store, NULL = the repository's default */
	const char *config_path;     /* --config, NULL = culprit.yaml at the root if there is one */
	const char *const *settings; /* -c KEY=VALUE, NULL-terminated or NULL */
	const char *build;	     /* --build */
	const char *bench;	     /* --bench */
	const char *benchmark;	     /* --benchmark NAME, NULL = the only one */
	const char *workload;	     /* --workload NAME, bench/workload.h; NULL = none */
	const char *target;	     /* NULL = local; sim=FILE: see hunt/simulated.h */
	const char *reader;	     /* --reader NAME, NULL = as configured */
	const char *measure;	     /* wall, perf, callgrind; NULL = as configured */
	const char *metric;	     /* --metric NAME, NULL = the primary one */
	int64_t budget_ns;	     /* 0 = none */
	unsigned jobs;		     /* 0 = configured, else all CPUs */
	unsigned warmup;	     /* runs discarded a visit; UINT_MAX = as configured */
	const char *const
		*argv;	   /* the whole command, for `culprit resume`; NULL-terminated, or NULL */
	int64_t only_hunt; /* resume: go on with this hunt or fail; 0 = any */
	bool keep_failed;  /* a build that fails is made again and its tree kept (shell) */
	bool no_benchmark; /* nothing is run: a benchmark is not needed (shell) */
	bool kernels_only; /* nothing but deb= and image=: a repository is not needed, but store_dir then is */
	bool fresh; /* --new: do not answer from or resume an older hunt */
};

/* A build in use by this hunt. Owned by the session. */
struct mbuild {
	int64_t id;	     /* in the journal */
	int64_t artefact_no; /* equal for identical artefacts */
	enum outcome outcome;
	char *reason, *path, *commit, *artefact, *node;
	double seconds;
	unsigned layout;
	char **env;    /* of the variant, NULL-terminated */
	char **sysctl; /* the same; NULL = none */
	char *cmdline; /* of the variant, NULL = none */
	char *symbols; /* a file for the plug-in, hunt/describing.h; NULL = none */
	char **inputs; /* see build.h; NULL = not known */
	bool cached, visited;
};

/* One boot of a build with its runs. At most one is open in a session; beginning another ends it. */
struct visit {
	int64_t boot; /* in the journal */
	struct mbuild *build;
	enum outcome outcome; /* of the boot */
	double boot_seconds;
	int next_index;
	int64_t last_run; /* journal id */
	struct boot *handle;
	char reason[300]; /* why the boot failed */
};
struct kbuild;

struct session {
	struct repo *repo; /* NULL with kernels_only outside of any */
	struct store *store;
	struct config config;
	const struct benchmark *bench;
	struct benchmark bench_copy; /* with the command line's overrides */
	const char *only_metric[2];  /* --metric, as its `primary` */
	const struct target_ops *target;
	char *target_name;	      /* as the question has it: "local", "sim=HASH" */
	struct kbuild *kbuild;	      /* a kernel's source, see hunt/kernels.h; else NULL */
	struct sim_target *simulated; /* --target sim=FILE: nothing is built or run; else NULL */
	const struct hunt_ui *ui;
	char *top;	 /* of the checkout, or the folder where kernels are measured without one */
	char *store_dir; /* absolute */
	struct strvec protect;	  /* the user's folders: see repo_folders */
	char *data_dir;		  /* frozen benchmark files; "" relative to nothing: absolute */
	struct strvec data_files; /* relative paths below data_dir, laid over each tree */
	size_t n_forced_files; /* the first of them are named by `files:` and win over the tree's own */
	char *data_hash;
	struct strvec metrics; /* primary metrics; empty until known */
	const char *metric;    /* the first of them */
	char *metric_unit;     /* as its first counted run gave it; see measure_reading */
	struct session_options opt;
	unsigned jobs;
	int64_t hunt;
	uint64_t seed;
	bool waited;	       /* for another culprit; said once */
	bool said_drift;       /* of a kernel's configuration; see hunt/kernels.h */
	bool said_incomplete;  /* a checkout had to leave something out; said once a hunt */
	bool journal_only;     /* verify: nothing is built or run, there is no repository */
	int64_t began_ns;      /* monotonic */
	int64_t hunt_began_ns; /* realtime, of a hunt that is gone on with; else 0 */
	int64_t spent_ns;      /* by earlier processes of the same hunt */
	struct {
		struct mbuild **v;
		size_t n, cap;
	} builds;
	struct strvec artefacts;	    /* index = artefact_no */
	unsigned n_builds, n_boots, n_runs; /* that this hunt observed, failed ones included */
	double run_seconds, build_seconds;  /* sums over ok ones, for pricing */
	double boot_seconds;		    /* waited for guests to be ready, by this process */
	unsigned waited_boots;
	unsigned ok_runs, ok_builds;
	struct node_tally {
		char *node, *last_reason;
		unsigned ok, failed;
		int64_t last_run;
	} * tallies;
	size_t n_tallies, cap_tallies;
	uint64_t next_boot; /* counts boots for their seeds */
	struct {
		struct boot_ahead {
			const struct mbuild *build;
			uint64_t number;
			struct boot *handle;
		} * v;
		size_t n, cap;
	} ahead;	    /* boots that were started before their turn: hunt/booting.h */
	char *guest_kernel; /* "kernels/KEY": under what is no kernel; NULL = none */
	struct {
		struct boot *of;      /* a boot that counts, or NULL */
		struct boot *started; /* its double, where that runs beside it */
		struct boot_request request;
		struct readings readings; /* of the runs of `of` so far, and what they printed */
		struct str output;
		unsigned runs;
	} twin;		      /* the first boot of a hunt, made twice: hunt/booting.h */
	bool exactness_known; /* that was done already */
	bool explains; /* runs keep what their functions cost, and caches are modelled (hunt/explain.h) */
	bool goes_on_without; /* a search: a release that cannot be had is skipped, not an error */
	int64_t first_made;   /* the first build that this session made; 0 = none yet */
	bool trees_grew, said_cache; /* see hunt/evict.h */
	struct visit *open_visit;
	struct strvec remarks; /* said already in this hunt */
	char *known; /* the two parts of the progress line: what the hunt knows, what is under way */
	char *doing;
	int64_t doing_since_ns;
	int64_t drawn_ns; /* monotonic time at which the line was handed on last */
};

void session_close(struct session *s);
/* End the visit that is open, if any. */
void visit_end(struct session *s);
/* No comparison with the double of a boot, if one was under way. */
void session_drop_twin(struct session *s);

/*
 * Begin or find the hunt for this question. `question` is canonical JSON without the measuring settings, which are added here.
 * *ret_known: the hunt existed; its row is in *ret_row (status "answered" means its answer stands). Sets s->hunt and s->seed.
 * `seed` 0 = derived from the question.
 */
int session_hunt(struct session *s, const char *kind, const char *question, const char *graph,
		 uint64_t seed, struct hunt_row *ret_row, bool *ret_known, struct err *e) MUST_USE;

/*
 * A hunt that session_hunt knew: is it answered? Then *ret_answer is a copy of its answer; else it is said that it goes on. One that was marked or undone after its answer is
 * open again.
 */
bool session_answered(const struct session *s, const struct hunt_row *row, char **ret_answer);
/* The benchmarks that a command about all of them means: the configuration's, or the one that was asked for. */
void session_benchmarks(const struct session *s, struct strvec *ret);

/* The command line and folder of a hunt, from its notes. False if there is none. */
bool session_command(const struct observations *obs, struct strvec *ret_argv, char **ret_cwd);
/* Forget the hunt (builds in use, metric, counts), so that the session can begin another. */
void session_reset(struct session *s);

/* Are the values a file's (--target sim)? Known to `verify` as well. */
bool session_is_simulated(const struct session *s);
/* Seconds used by this hunt so far, earlier processes included; and whether the budget is spent. */
double session_seconds(const struct session *s);
bool session_over_budget(const struct session *s);
/* ERR_STOPPED if the user asked to stop. */
int session_check_stop(const struct session *s, struct err *e) MUST_USE;
void session_note(const struct session *s, const char *fmt, ...) PRINTF(2, 3);
void session_stage(const struct session *s, const char *fmt, ...) PRINTF(2, 3);
void session_warn(const struct session *s, const char *fmt, ...) PRINTF(2, 3);
void session_progress(const struct session *s, const char *fmt, ...) PRINTF(2, 3);
/*
 * The progress line has two parts, "94 % on 2 commits  9 builds, 31 runs" and "building 41caf6d0  12 s": what is known stays while
 * builds and runs come and go. session_tick() draws both again, with the seconds; it is what a child's wait calls.
 */
void session_known(struct session *s, const char *fmt, ...) PRINTF(2, 3);
void session_doing(struct session *s, const char *what, const char *node);
void session_tick(void *session);
/* A number below 2^64 that depends on the session's seed and `tag` alone (splitmix64). */
uint64_t session_draw(const struct session *s, uint64_t tag);
