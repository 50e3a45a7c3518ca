/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term - all that reaches the user: the answer on stdout, the conversation on stderr, one progress
 * line.
 *
 * Colour only on a terminal, without NO_COLOR, unless --color says otherwise. The progress line is
 * drawn at most four times a second, only when stderr is a terminal that we are in the foreground
 * of, and is erased before anything else is written.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

enum term_color { TERM_COLOR_AUTO, TERM_COLOR_ALWAYS, TERM_COLOR_NEVER };

/* Called once the options are known; before it everything is plain. */
void term_setup(enum term_color color);
/* For tables on stdout: may they be coloured, and how wide may they be (0 = no limit: not a
 * terminal). */
bool term_stdout_color(void);
unsigned term_stdout_width(void);
bool term_stderr_color(void);

/* The answer, to stdout. */
void term_print(const struct str *text);
/* "culprit: MESSAGE" on stderr, whatever the level. */
void term_error(const struct err *e);
/* "culprit: warning: MESSAGE"; not with -q. */
void term_warn(const char *fmt, ...) PRINTF(1, 2);
/* "culprit: MESSAGE"; not with -q. */
void term_note(const char *fmt, ...) PRINTF(1, 2);
/* A finished step, one line on stderr: with -v only. */
void term_step(const char *fmt, ...) PRINTF(1, 2);
/* Any text to stderr as it is (the live lines of a hunt): not with -q. */
void term_say(const struct str *text);

/* Replaces the progress line; silent unless shown (see above). The text is cut to the width. */
void term_progress(const char *fmt, ...) PRINTF(1, 2);
/* Erases it; what comes next may be drawn at once. */
void term_progress_end(void);
/* Would term_progress draw? */
bool term_progress_shown(void);

/* The arithmetic of the above, without a terminal, for the tests: is it time to draw at `now_ns`,
 * and the text cut to columns. */
struct term_pace {
	int64_t next_ns;
};
bool term_pace_due(struct term_pace *p, int64_t now_ns);
void term_cut(struct str *text, size_t columns);
