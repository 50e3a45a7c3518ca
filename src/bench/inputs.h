/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inputs - which tracked files a build (and a run) reads, learnt from access times.
 *
 * Before the build every file's and folder's access time is set to the first second of 1970; a file system mounted relatime (the
 * default everywhere) then records the first read. Whether it really does is tried first on a file of our own; where it does not
 * (noatime), inputs are not known. ptrace or an LD_PRELOAD library were refused: the first slows the build, the second misses static
 * programs and may change what is built.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct inputs;

/* Does the file system of this folder record reads? */
bool inputs_can_learn(const char *dir);
/* Sets the access times of the tree; what is there now is what is tracked (the tree is fresh from its checkout). */
int inputs_begin(const char *root, struct inputs **ret, struct err *e) MUST_USE;
/* Looks what was read since (again, if called again: reads only add up). A file that is gone or was replaced counts as read. */
int inputs_look(struct inputs *in, const char *root, struct err *e) MUST_USE;
/* Sorted paths that were read, folders that were listed with '/' at the end (the root is "./"); NULL-terminated, the caller frees all. */
char **inputs_list(const struct inputs *in) MUST_USE;
/* Inputs that are known from elsewhere: sorted paths, all of them read. inputs_look changes nothing about them. */
struct inputs *inputs_of_list(char *const *paths) MUST_USE;
int inputs_save(const struct inputs *in, const char *path, struct err *e) MUST_USE;
int inputs_load(const char *path, struct inputs **ret, struct err *e) MUST_USE;
void inputs_free(struct inputs *in);
