/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings - lists of strings in one run of bytes, as they go to a helper process: each with its zero byte, one behind the other.
 */
#pragma once

#include "base/str.h"

/* Appends the strings of `list` (NULL-terminated; NULL = none); how many. */
size_t strings_put(struct str *out, const char *const *list);
/* The string at *at, which moves behind it. */
const char *strings_next(const char **at);
/* The next `n` of them as a NULL-terminated list in *words, which moves behind that. */
const char *const *strings_next_list(const char **at, size_t n, const char ***words);
