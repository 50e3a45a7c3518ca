/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retrace - what a hunt came to, from its journal alone: for verify, and for reports, also of a hunt that has no answer yet.
 *
 * The session has a store, a silent ui and nothing else (no repository, no target).
 */
#pragma once

#include "hunt/bisect.h"

struct json;

/* Builds, metric and direction, as the journal has them; `q` is the hunt's parsed question and must outlive the session. */
int retrace_begin(struct session *s, const struct hunt_row *row, const struct json *q,
		  const struct observations *obs, struct err *e) MUST_USE;
/* After retrace_begin: the search as the journal leaves it. `o` and `b` come zeroed; the caller ends with bisect_done. `verify` as in bisect_replay. */
int retrace_bisect(struct session *s, const struct hunt_row *row, const struct json *q,
		   const struct observations *obs, bool verify, struct bisect_options *o,
		   struct bisect *b, struct err *e) MUST_USE;
/* Both, and the answer as JSON; the caller frees it. Without an answer in the journal it is what is known so far. */
int retrace_answer(struct session *s, const struct hunt_row *row, const struct observations *obs,
		   bool verify, char **ret, struct err *e) MUST_USE;
