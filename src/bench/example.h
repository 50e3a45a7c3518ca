/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * example - text made from the table of keys: the example file that shows every key, and the comments of `culprit init`.
 */
#pragma once

#include "base/str.h"
#include "text/keys.h"

/* A YAML scalar for any text: plain where that is safe, else quoted; several lines as a block under `indent` spaces. */
void example_scalar(struct str *out, const char *value, unsigned indent);
/* `text` as comment lines "INDENT# text", broken at 100 columns. */
void example_comment(struct str *out, unsigned indent, const char *text);
/* One key, its help above it: "key: value", commented out if `commented`. */
void example_key(struct str *out, const struct conf_key *k, unsigned indent, bool commented);
/* The whole example: every key of the table with its example or default, which a test parses. */
void example_file(struct str *out);
