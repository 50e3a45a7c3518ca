/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_unit - a store in a folder of its own for each test, and short ways to fill it.
 */
#pragma once

#include "unit.h"

#include "store/store.h"
#include "sys/fs.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Each test has a folder of its own, removed after it. */
struct place {
	char dir[64];
	char *store; /* does not exist yet */
	char *file;  /* the journal in it */
};

static inline int setup(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/culprit-test-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	chmod(p->dir, 0755);
	p->store = fs_join(p->dir, "store");
	p->file = fs_join(p->store, "culprit.db");
	*state = p;
	return 0;
}

static inline int teardown(void **state)
{
	struct place *p = *state;

	assert_int_equal(fs_remove_tree(p->dir, NULL), 0);
	free(p->store);
	free(p->file);
	free(p);
	return 0;
}

static inline struct store *open_store(const struct place *p, enum store_mode mode)
{
	struct err e = ERR_INIT;
	struct store *st = NULL;

	if (store_open(p->store, mode, &st, &e) < 0)
		fail_msg("store_open: %s", e.msg);
	return st;
}

static struct err oops UNUSED;
#define OK(call)                                                                                   \
	do {                                                                                       \
		if ((call) < 0)                                                                    \
			fail_msg("%s: %s", #call, oops.msg);                                       \
	} while (0)

static inline int64_t begin_hunt(struct store *st, const char *key)
{
	int64_t id = 0;
	struct hunt_row h = { .kind = (char *)"compare",
			      .key = (char *)key,
			      .question = (char *)"{\"a\":1}",
			      .graph = (char *)"0 1 2\n",
			      .seed = UINT64_MAX - 6,
			      .version = (char *)"0.1.0",
			      .host = (char *)"{}" };

	OK(store_hunt_begin(st, &h, &id, &oops));
	return id;
}

static inline int64_t add_build(struct store *st, const char *key, enum outcome outcome,
				const char *path)
{
	int64_t id = 0;
	struct build_row b = { .key = (char *)key,
			       .variant = (char *)"v1:revert=ab",
			       .commit = (char *)"abcd",
			       .tree = (char *)"1234",
			       .path = (char *)path,
			       .artefact = (char *)"ff",
			       .toolchain = (char *)"gcc 12",
			       .layout = 3,
			       .outcome = outcome,
			       .reason = (char *)"none",
			       .seconds = 1.25 };

	OK(store_build_add(st, &b, "log text", 8, &id, &oops));
	return id;
}

static inline int64_t run_once(struct store *st, int64_t hunt, int64_t boot, int index,
			       double value)
{
	struct readings r = { 0 };
	int64_t run = 0;

	readings_add(&r, "wall", "s", value, 0, BETTER_LOWER, false);
	readings_add(&r, "ops", "ops/s", 1 / value, 0.01, BETTER_HIGHER, false);
	OK(store_run_begin(st, hunt, boot, "bench", index, &run, &oops));
	OK(store_run_end(st, run, OUTCOME_OK, NULL, value, &r, "out", 3, &oops));
	readings_done(&r);
	return run;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
