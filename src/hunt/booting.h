/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * booting - the boots of a hunt: what a boot is given, and boots that are started before their turn.
 *
 * The k-th boot of a hunt has the k-th seed, whoever boots when. Where boots do not disturb each other (the exact target) those that will be
 * wanted next run side by side on all CPUs; what is not wanted after all is ended unread.
 */
#pragma once

#include "hunt/session.h"

/* env, sysctl and command line of the variant, into the build. */
void booting_settings(struct mbuild *b, const struct variant *v);
/* What boot `number` of the hunt, of this build, is asked for. Borrows from both. */
void booting_request(const struct session *s, const struct mbuild *b, uint64_t number,
		     struct boot_request *ret);
/* Runs to discard at the start of the next visit of this build. */
unsigned booting_warmup(const struct session *s, const struct mbuild *b);
/* Boots, journals the boot, fills in the visit. */
int booting_now(struct session *s, struct mbuild *b, struct visit *v, struct err *e) MUST_USE;
/* May boots run beside each other? */
bool booting_side_by_side(const struct session *s);
/*
 * builds[i] will be booted i boots from now, as far as is known: start what is not started yet, while CPUs are free. Nothing to do where
 * boots disturb each other.
 */
int booting_ahead(struct session *s, struct mbuild *const *builds, size_t n,
		  struct err *e) MUST_USE;
/* Two boots of one build with one seed. */
struct exactness {
	char *failure; /* a boot or a run failed: nothing is known; else NULL */
	char *differs; /* the first thing that does, or NULL: they agree to the last digit */
	size_t readings, bytes; /* of output; that were compared */
};
void exactness_done(struct exactness *x);
int booting_try_exact(struct session *s, struct mbuild *b, struct exactness *ret,
		      struct err *e) MUST_USE;
/*
 * After a run of the visit that is in the journal. The first boot of a hunt is made twice with one seed, the second time beside it where there are
 * CPUs, and after the first run that counts everything is compared digit by digit: a note says so, once a hunt. The first of the two is a
 * boot like any other, so the check costs one boot. Nothing to do for other targets.
 */
int booting_heard(struct session *s, const struct visit *v, const struct run_result *res,
		  struct err *e) MUST_USE;
/* From the notes of an earlier process: was the first boot repeated already? */
void booting_replay(struct session *s, const struct observations *obs);
