/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a journal for t/0700-journal.bats, so that the commands that read one are tested without measuring anything.
 *
 * fill_journal DIR PART...: compare (an answered comparison, with two kept trees and a failed build), bisect OID... (an open search over
 * these commits, the newest hunt), hold (takes the lock with a run in flight, says "held" and keeps it until its input ends).
 */
#include "store/store.h"
#include "sys/fs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define BEGAN (INT64_C(1700000000) * SECOND)

static struct err err;

static void must(int r)
{
	if (r >= 0)
		return;
	fprintf(stderr, "fill_journal: %s\n", err.msg);
	exit(1);
}

static int64_t add_build(struct store *st, const char *name, enum outcome outcome)
{
	AUTO_FREE char *path = outcome == OUTCOME_OK ? xasprintf("trees/%s", name) : xstrdup("");
	AUTO_FREE char *log = xasprintf("building %s\n", name);
	struct build_row b = {
		.key = (char *)name,
		.variant = (char *)name,
		.commit = (char *)"0123456789abcdef0123456789abcdef01234567",
		.path = path,
		.artefact = (char *)"ff",
		.toolchain = (char *)"cc 1",
		.outcome = outcome,
		.reason = (char *)(outcome == OUTCOME_OK ? "" : "exit status 2"),
		.seconds = 2.5,
		.at_ns = BEGAN + SECOND,
	};
	int64_t id = 0;

	must(store_build_add(st, &b, log, strlen(log), &id, &err));
	if (outcome != OUTCOME_OK)
		return id;

	AUTO_FREE char *dir = fs_join(store_dir(st), path);
	AUTO_FREE char *file = fs_join(dir, "program");

	must(fs_mkdirs(dir, &err));
	must(fs_write_atomic(file, log, strlen(log), &err));
	return id;
}

static void add_run(struct store *st, int64_t hunt, int64_t boot, int index, double wall)
{
	struct readings r = { 0 };
	int64_t run = 0;

	readings_add(&r, "wall", "s", wall, 0, BETTER_LOWER, false);
	readings_add(&r, "ops", "ops/s", 1 / wall, 0, BETTER_HIGHER, false);
	must(store_run_begin(st, hunt, boot, "deflate", index, &run, &err));
	if (wall > 0)
		must(store_run_end(st, run, OUTCOME_OK, NULL, wall, &r, "done\n", 5, &err));
	else
		must(store_run_end(st, run, OUTCOME_FAILED, "exit status 3", 0.5, NULL, "oops\n", 5,
				   &err));
	readings_done(&r);
}

static int64_t begin(struct store *st, const char *kind, const char *question, const char *graph)
{
	struct hunt_row h = { .kind = (char *)kind,
			      .key = (char *)kind,
			      .question = (char *)question,
			      .graph = (char *)graph,
			      .seed = 7,
			      .began_ns = BEGAN,
			      .version = (char *)"0.1.0" };
	int64_t id = 0;

	must(store_hunt_begin(st, &h, &id, &err));
	return id;
}

static void compare(struct store *st)
{
	int64_t hunt = begin(
		st, "compare",
		"{\"question\":{\"variants\":[\"v1\",\"v2\"]},\"benchmark\":\"deflate\"}", NULL);
	static const char *const names[] = { "v1", "v2" };

	for (int i = 0; i < 2; i++) {
		int64_t boot = 0, build = add_build(st, names[i], OUTCOME_OK);

		must(store_use_build(st, hunt, build, names[i], &err));
		must(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0.1, &boot, &err));
		add_run(st, hunt, boot, -1, 0.5);
		add_run(st, hunt, boot, 0, 0.25 * (i + 1));
		add_run(st, hunt, boot, 1, 0);
	}
	must(store_use_build(st, hunt, add_build(st, "v3", OUTCOME_FAILED), "v3", &err));
	must(store_note(st, hunt, "escape \x1b[31m", &err));
	must(store_hunt_end(
		st, hunt, "answered",
		"{\"schema\":1,\"command\":\"compare\",\"variants\":[\"v1\",\"v2\"],\"metrics\":[{\"benchmark\":"
		"\"deflate\",\"metric\":\"wall\",\"unit\":\"s\",\"better\":\"lower\",\"variant\":\"v2\","
		"\"baseline\":\"v1\",\"primary\":true,\"n\":[1,1],\"builds\":[1,1],\"boots\":[1,1],"
		"\"evidence\":\"measured\",\"change\":1.0,\"low\":0.9,\"high\":1.1,\"level\":0.95,"
		"\"margin\":0.01,\"verdict\":\"slower\",\"more_runs\":0,\"warnings\":[]}]}",
		&err));
}

static void bisect(struct store *st, char **oids, int n)
{
	AUTO(str) struct str graph = STR_INIT;
	int64_t boot = 0, build = add_build(st, "old", OUTCOME_OK);

	for (int i = 0; i < n; i++)
		str_addf(&graph, "%s\n", oids[i]);

	int64_t hunt =
		begin(st, "bisect",
		      "{\"question\":{\"old\":\"v1\",\"new\":\"v2\"},\"benchmark\":\"default\"}",
		      graph.p);

	must(store_action(st, hunt, "{\"kind\":\"measure\"}", &err));
	must(store_use_build(st, hunt, build, "old", &err));
	must(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0.1, &boot, &err));
	add_run(st, hunt, boot, 0, 0.5);
}

static void hold(struct store *st)
{
	int64_t hunt = begin(st, "run", "{\"question\":{\"variants\":[\"v9\"]}}", NULL), boot = 0,
		run = 0;
	char c;

	must(store_lock(st, "culprit run v9", 0, NULL, NULL, &err));
	must(store_boot_add(st, hunt, add_build(st, "v9", OUTCOME_OK), NULL, OUTCOME_OK, NULL, 0,
			    &boot, &err));
	must(store_run_begin(st, hunt, boot, "deflate", 0, &run, &err));
	puts("held");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		continue;
}

int main(int argc, char **argv)
{
	struct store *st = NULL;

	if (argc < 3) {
		fprintf(stderr, "usage: fill_journal DIR compare|hold|bisect OID...\n");
		return 2;
	}
	must(store_open(argv[1], STORE_WRITE, &st, &err));
	if (!strcmp(argv[2], "compare"))
		compare(st);
	else if (!strcmp(argv[2], "bisect"))
		bisect(st, argv + 3, argc - 3);
	else
		hold(st);
	store_close(st);
	return 0;
}
