/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/term.h"

#include "base/log.h"
#include "base/num.h"
#include "text/table.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_EVERY_NS (NS_PER_S / 4)

/* What is on the screen is one thing in the process, like the level in log.c. */
static struct {
	bool out_color, err_color;
	bool drawn; /* a progress line stands on the terminal */
	struct term_pace pace;
} term;

static bool color_on(enum term_color color, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");

	if (color != TERM_COLOR_AUTO)
		return color == TERM_COLOR_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && !(kind && !strcmp(kind, "dumb"));
}

void term_setup(enum term_color color)
{
	term.out_color = color_on(color, STDOUT_FILENO);
	term.err_color = color_on(color, STDERR_FILENO);
}

bool term_stdout_color(void)
{
	return term.out_color;
}

bool term_stderr_color(void)
{
	return term.err_color;
}

static unsigned width_of(int fd)
{
	struct winsize size;

	if (!isatty(fd))
		return 0;
	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

unsigned term_stdout_width(void)
{
	return width_of(STDOUT_FILENO);
}

static void erase(void)
{
	if (!term.drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	term.drawn = false;
}

void term_print(const struct str *text)
{
	erase();
	fwrite(text->p, 1, text->n, stdout);
}

/* One write a line, so that lines of several processes do not mix. */
static void say(const char *style, const char *before, const char *text)
{
	AUTO(str) struct str line = STR_INIT;

	erase();
	str_puts(&line, "culprit: ");
	if (*before) {
		str_addf(&line, "%s%s%s ", term.err_color ? style : "", before,
			 term.err_color ? "\033[0m" : "");
	}
	str_addf(&line, "%s\n", text);
	fflush(stdout);
	fwrite(line.p, 1, line.n, stderr);
}

static void vsay(const char *style, const char *before, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
static void vsay(const char *style, const char *before, const char *fmt, va_list ap)
{
	AUTO(str) struct str text = STR_INIT;

	str_vaddf(&text, fmt, ap);
	say(style, before, text.p);
}

void term_error(const struct err *e)
{
	say("", "", e->msg);
}

void term_warn(const char *fmt, ...)
{
	va_list ap;

	if (log_level() <= LOG_QUIET)
		return;
	va_start(ap, fmt);
	vsay("\033[33m", "warning:", fmt, ap);
	va_end(ap);
}

void term_note(const char *fmt, ...)
{
	va_list ap;

	if (log_level() <= LOG_QUIET)
		return;
	va_start(ap, fmt);
	vsay("", "", fmt, ap);
	va_end(ap);
}

void term_step(const char *fmt, ...)
{
	va_list ap;

	if (log_level() < LOG_VERBOSE)
		return;
	va_start(ap, fmt);
	vsay("", "", fmt, ap);
	va_end(ap);
}

void term_say(const struct str *text)
{
	if (log_level() <= LOG_QUIET)
		return;
	erase();
	fflush(stdout);
	fwrite(text->p, 1, text->n, stderr);
}

bool term_pace_due(struct term_pace *p, int64_t now_ns)
{
	if (now_ns < p->next_ns)
		return false;
	p->next_ns = now_ns + PROGRESS_EVERY_NS;
	return true;
}

void term_cut(struct str *text, size_t columns)
{
	str_cut(text, text_fit(text->p, columns));
}

/* A background job must not draw over the shell's line. */
bool term_progress_shown(void)
{
	return log_level() > LOG_QUIET && isatty(STDERR_FILENO) &&
	       tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void term_progress(const char *fmt, ...)
{
	AUTO(str) struct str text = STR_INIT;
	struct timespec now;
	va_list ap;
	unsigned width;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!term_progress_shown() ||
	    !term_pace_due(&term.pace, (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec))
		return;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	width = width_of(STDERR_FILENO);
	term_cut(&text, width > 1 ? width - 1 : 79);
	fprintf(stderr, "\r%s\033[K", text.p);
	fflush(stderr);
	term.drawn = true;
}

void term_progress_end(void)
{
	erase();
	term.pace.next_ns = 0;
}
