/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_text - hunts and observations in words, for log, show, status and undo. All but journal_readings and journal_put_node put '?' for
 * control characters: what a benchmark printed must not steer a terminal.
 */
#pragma once

#include "store/query.h"
#include "store/store.h"
#include "text/json.h"

/* "v1.2 .. v1.3", "v1 v2": from the question, with the user's own words where the answer has kept them. */
void journal_question(const struct hunt_row *h, struct str *out);
/* "named a1b2c3d4e5f6 (99 %)", "wall +7.1 % slower", "open: 9 builds, 31 runs"; `c` may be NULL. */
void journal_answer(const struct hunt_row *h, const struct hunt_counts *c, struct str *out);
/* "9 builds (1 failed), 12 boots, 31 runs (2 failed)" */
void journal_counts(const struct hunt_counts *c, struct str *out);
/* "wall 12.41 ms, user 11.90 ms": all readings, at most `max` of them. */
void journal_readings(const struct readings *r, size_t max, struct str *out);
/* One line without its newline: "run r17 of b4, #3: ok, wall 12.41 ms". */
void journal_observation(const struct observation *o, struct str *out);
/* A full object name cut to 12 digits, any other name whole; of a variant's canonical text the changes after it. */
void journal_put_node(const char *node, struct str *out);

/* A column that should be JSON: as it is if it is, else as a string. NULL gives null. */
void journal_json(struct json_out *w, const char *key, const char *text);
void journal_json_counts(struct json_out *w, const struct hunt_counts *c);
/* Members hunt, kind, status, began, ended, question, answer of an open object. Times are seconds since 1970. */
void journal_json_hunt(struct json_out *w, const struct hunt_row *h);
