/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * freeze - the benchmark's own files, taken from the invoking checkout once and laid over every tree that is measured.
 *
 * Old commits do not hold today's benchmark script. What `files:` names, and every untracked file of the checkout that
 * the benchmark's command names, is copied to STORE/data/HASH; a tree gets a copy where it has no tracked file of that name.
 */
#pragma once

#include "hunt/session.h"

/* Fills s->data_dir, data_files and data_hash. */
int freeze_files(struct session *s, struct err *e) MUST_USE;
/* Lay the frozen files over the tree at `dir` (absolute). Files that are there with the same content are left alone. */
int freeze_overlay(const struct session *s, const char *dir, struct err *e) MUST_USE;
