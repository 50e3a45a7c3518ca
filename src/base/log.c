/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include "base/str.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level level_now = LOG_NORMAL;
static int trace_fd = -1;

void log_set_level(enum log_level level)
{
	level_now = level;
}

enum log_level log_level(void)
{
	return level_now;
}

static void write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t k = write(fd, p, n);

		if (k <= 0)
			return;
		p += k;
		n -= (size_t)k;
	}
}

void log_debug(const char *fmt, ...)
{
	AUTO(str) struct str s = STR_INIT;
	va_list ap;

	if (level_now < LOG_DEBUG)
		return;
	str_puts(&s, "culprit: debug: ");
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	str_putc(&s, '\n');
	write_all(STDERR_FILENO, s.p, s.n);
}

void log_trace_open(const char *path)
{
	if (path && *path && trace_fd < 0)
		trace_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

bool log_tracing(void)
{
	return trace_fd >= 0;
}

void log_trace(const char *event, const char *fmt, ...)
{
	AUTO(str) struct str s = STR_INIT;
	va_list ap;

	if (trace_fd < 0)
		return;
	str_addf(&s, "{\"event\":\"%s\"", event);
	if (fmt && *fmt) {
		str_putc(&s, ',');
		va_start(ap, fmt);
		str_vaddf(&s, fmt, ap);
		va_end(ap);
	}
	str_puts(&s, "}\n");
	write_all(trace_fd, s.p, s.n);
}
