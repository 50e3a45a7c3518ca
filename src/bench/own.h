/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own - what one run has to itself: $CULPRIT_TMP, a folder that is empty when `prepare` begins and is removed after `cleanup`, and $CULPRIT_PORT, a TCP and UDP
 * port that nobody listens on. A server of a benchmark keeps its data, its socket and its log in the one and listens on the other, so that
 * two culprits side by side, or a server of the machine's own, do not meet.
 *
 * $CULPRIT_TARGET says where the run is. Only for a benchmark whose commands name the variable: a folder for each run of a millisecond's benchmark would be a part of the run.
 */
#pragma once

#include "bench/benchmark.h"

#define OWN_TMP "CULPRIT_TMP"
#define OWN_PORT "CULPRIT_PORT"
/* The target's name: an emulator wants less work than a processor. */
#define OWN_TARGET "CULPRIT_TARGET"
extern const char *const own_variables[]; /* all of them, NULL-terminated */
/* In a guest nobody else is there, and the digits shall repeat. */
#define OWN_GUEST_TMP "/tmp/run"
#define OWN_GUEST_PORT 20000

/* Does one of its commands name the variable? */
bool own_wanted(const struct benchmark *b, const char *variable);

struct own {
	char *folder; /* NULL: not wanted */
};
/*
 * Makes what `b` wants and sets the variables in `env`, each always of one length. `seed` draws the port, and the next free one is taken: between here and the
 * server somebody else may take it, then the server says so and the run has failed.
 */
int own_take(const struct benchmark *b, const char *store_dir, uint64_t seed, struct strvec *env,
	     struct own *ret, struct err *e) MUST_USE;
/* Removes the folder; nothing of the run may live any more. */
void own_done(struct own *o);
/* Removes the folders that a killed culprit with this store has left; how many. */
unsigned own_sweep(const char *store_dir);
