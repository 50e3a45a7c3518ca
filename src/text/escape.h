/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape - text of strangers (subjects, metrics, paths, messages) made harmless for where it goes.
 *
 * In every form alike, a character that steers or hides (C0, C1, DEL, the bidirectional overrides and isolates, zero-width ones, tags)
 * is written as what it is, "<U+202E>"; a tab or line break is a space; a byte that is no UTF-8 is U+FFFD. So what a reader sees is
 * what there is, and a line stays a line.
 */
#pragma once

#include "base/str.h"

/* For terminals, mails and as the first step of the others. */
void escape_plain(struct str *out, const char *text);
/* The same, cut to so many columns, ending in ".." then. */
void escape_plain_cut(struct str *out, const char *text, size_t columns);
/* For text and for attribute values in double quotes. */
void escape_html(struct str *out, const char *text);
/* CommonMark and GitHub's: what could be markup gets a backslash; also inside a table's cell. */
void escape_markdown(struct str *out, const char *text);
/* A header's value after RFC 2047, folded: ASCII as it is, else encoded words. `column` is where it begins. */
void escape_header(struct str *out, const char *text, size_t column);
