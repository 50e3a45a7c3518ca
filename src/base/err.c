/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One line only: a newline inside a message would break "one clear line". */
static void flatten(char *s)
{
	size_t n = strlen(s);

	while (n > 0 && (s[n - 1] == '\n' || s[n - 1] == '\r' || s[n - 1] == ' '))
		s[--n] = '\0';
	for (; *s; s++)
		if ((unsigned char)*s < 0x20)
			*s = ' ';
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -(int)kind;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	e->kind = kind;
	flatten(e->msg);
	return -(int)kind;
}

int err_errno(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	char what[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_ENV, "%s: %s", what, strerror(saved));
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char context[500];
	char old[sizeof(e->msg)];
	va_list ap;

	if (!e)
		return -ERR_ENV;
	if (e->kind == ERR_NONE)
		e->kind = ERR_ENV;
	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	memcpy(old, e->msg, sizeof(old));
	snprintf(e->msg, sizeof(e->msg), "%.450s: %.540s", context, old);
	flatten(e->msg);
	return -(int)e->kind;
}

int err_exit_code(const struct err *e)
{
	return e->kind == ERR_USAGE ? 2 : 4;
}
