/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target - where runs happen: one struct target_ops each, one table (targets.c).
 *
 * A boot is one start of the thing measured. For `local` it is a visit: an environment size and address layout drawn from the seed and
 * kept for the runs of that visit.
 */
#pragma once

#include "bench/benchmark.h"
#include "bench/run.h"

struct sim_target;

/* What it points to must outlive the boot. */
struct boot_request {
	const char *store_dir;
	const char *
		tree; /* "trees/KEY", relative to the store; NULL = no tree (commands in the current folder) */
	const char *data_dir;	    /* $CULPRIT_DATA: frozen benchmark files */
	const char *const *protect; /* folders that runs shall not write to; may be NULL */
	const struct config *config;
	const struct benchmark *benchmark;
	const char *const *env; /* of the variant: NAME=VALUE, NULL-terminated, may be NULL */
	unsigned jobs;
	uint64_t seed; /* of this boot */
	/* For guests: how the kernel under test, or the one under the program, is started. Lists may be NULL. */
	const char *
		kernel; /* "kernels/KEY", relative to the store: under what is no kernel itself; NULL = none */
	const char *const *sysctl; /* KEY=VALUE */
	const char *cmdline;	   /* added to the kernel's; may be NULL */
	unsigned
		runs; /* that the boot will make at least: a guest begins them without being asked */
	struct boot *started; /* by start(): boot() goes on with it and owns it */
	/* For explain. */
	bool functions; /* runs say what their functions cost, behind their output (bench/section.h), where that is counted */
	bool describe;	/* the boot is for describe() alone */
	const char
		*symbols; /* a file of what describe() gave: for a guest's functions; may be NULL */
	const char *
		model; /* of caches, where the configuration names none (culprit-exact(7)); may be NULL */
	/* For the simulator alone; the others look at the tree. */
	struct sim_target *sim;
	const char *commit; /* full object name */
	uint64_t hunt_seed;
	unsigned layout;
	bool first_visit; /* of this build by this process */
	void (*tick)(void *);
	void *tick_arg;
	bool (*stop)(void);
};
struct boot;

struct target_ops {
	const char *name;
	const char *help;
	/* NULL if usable here, else why not and what to install. `reason` is a buffer of 200. */
	const char *(*unusable)(char *reason);
	/* The same, when it takes seconds to find out: asked before the first use. NULL if there is nothing to try. */
	const char *(*probe)(char *reason);
	/*
	 * Starts a boot and does not wait for it, so that several run side by side; boot() with `started` takes it, shutdown() ends it.
	 * NULL where boots must not run beside each other.
	 */
	int (*start)(const struct boot_request *q, struct boot **ret, struct err *e);
	/* *ret_boot is NULL unless *ret_outcome is ok. `context` gets JSON about the boot. */
	int (*boot)(const struct boot_request *q, struct boot **ret_boot, enum outcome *ret_outcome,
		    struct str *context, struct str *reason, struct err *e);
	int (*run)(struct boot *b, struct run_result *ret, struct err *e);
	/*
	 * Of a boot with `describe`, which makes no run: `machine` gets lines `GROUP KEY VALUE` (guest/machine.h, and "config" of the kernel's), `symbols` the
	 * text that later boots read as `symbols`. NULL where runs happen on this machine.
	 */
	int (*describe)(struct boot *b, struct str *machine, struct str *symbols, struct err *e);
	void (*shutdown)(struct boot *b);
	bool boots_at_once; /* a boot takes no time to speak of */
};
const struct target_ops *target_find(const char *name);
extern const struct target_ops *const targets[]; /* NULL-terminated */
