/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_target - the simulator as a target: commits of a real repository, values from a file, no builds.
 *
 * A value is a hash of the boot's seed and of its place in the boot, so a resumed hunt sees what the killed one would have. Drift alone
 * follows the order of the runs of this process.
 */
#pragma once

#include "target/sim_file.h"
#include "target/target.h"

struct sim_target {
	struct sim_file file;
	char *path;  /* as the user wrote it, for messages */
	char **oids; /* of the listed commits; NULL-terminated once all are bound */
	char *change_oids[SIM_MAX_CHANGES];
	/* Does `commit` contain `change`? Asked only where the file has changes. */
	bool (*contains)(void *arg, const char *commit, const char *change);
	void *arg;
	struct sim sim; /* one node: the commit of the boot that is open */
};
/* `t` is zeroed memory; call sim_target_free in any case. The caller then fills in oids, change_oids and contains. */
int sim_target_open(struct sim_target *t, const char *path, const char *text, size_t n,
		    struct err *e) MUST_USE;
/* Of one from malloc; NULL is fine. */
void sim_target_free(struct sim_target *t);
/* What a build of the commit comes to: ok, failed (said to be broken), skipped (the file says nothing of it) with its reason. */
enum outcome sim_target_build(const struct sim_target *t, const char *commit, struct str *reason);

extern const struct target_ops target_sim;
