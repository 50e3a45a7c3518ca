/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of phrases that the kernel has used for years (kernel/panic.c, arch/x86/mm/fault.c, kernel/watchdog.c, kernel/hung_task.c,
 * kernel/rcu/tree_stall.h, mm/oom_kill.c, init/main.c), looked for in whole lines, in the order of the console: what comes first
 * is the cause, what follows (an oops that ends in a panic) its consequence. A phrase counts only in a line of the kernel's
 * own, which has a time stamp or stands at the line's beginning, so that a benchmark that prints "Oops:" within a line does no harm.
 */
#include "kernel/console.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *phrase;
	const char *and; /* must follow in the same line, or NULL */
	enum console_fate fate;
} phrases[] = {
	{ "Kernel panic - not syncing: No working init found", NULL, CONSOLE_NO_INIT },
	{ "Kernel panic - not syncing: Requested init", "failed", CONSOLE_NO_INIT },
	{ "Kernel panic - not syncing: VFS: Unable to mount root fs", NULL, CONSOLE_NO_ROOT },
	{ "VFS: Cannot open root device", NULL, CONSOLE_NO_ROOT },
	{ "Kernel panic - not syncing: Attempted to kill init", NULL, CONSOLE_INIT_DIED },
	{ "Kernel panic - not syncing: Attempted to kill the idle task", NULL, CONSOLE_OOPS },
	{ "Kernel panic - not syncing: System is deadlocked on memory", NULL, CONSOLE_OOM_KILL },
	{ "Kernel panic - not syncing", NULL, CONSOLE_PANIC },
	{ "BUG: kernel NULL pointer dereference", NULL, CONSOLE_OOPS },
	{ "BUG: unable to handle", NULL, CONSOLE_OOPS },
	{ "BUG: scheduling while atomic", NULL, CONSOLE_OOPS },
	{ "kernel BUG at ", NULL, CONSOLE_OOPS },
	{ "general protection fault", "[#", CONSOLE_OOPS },
	{ "invalid opcode: ", "[#", CONSOLE_OOPS },
	{ "divide error: ", "[#", CONSOLE_OOPS },
	{ "stack segment: ", "[#", CONSOLE_OOPS },
	{ "double fault: ", "[#", CONSOLE_OOPS },
	{ "Oops: ", NULL, CONSOLE_OOPS },
	{ "Internal error: Oops", NULL, CONSOLE_OOPS },
	{ "watchdog: BUG: soft lockup", NULL, CONSOLE_SOFT_LOCKUP },
	{ "NMI watchdog: BUG: soft lockup", NULL, CONSOLE_SOFT_LOCKUP },
	{ "BUG: soft lockup", NULL, CONSOLE_SOFT_LOCKUP },
	{ "Watchdog detected hard LOCKUP", NULL, CONSOLE_HARD_LOCKUP },
	{ "watchdog: Watchdog detected hard LOCKUP", NULL, CONSOLE_HARD_LOCKUP },
	{ "NMI watchdog: Watchdog detected hard LOCKUP", NULL, CONSOLE_HARD_LOCKUP },
	{ "INFO: task ", " blocked for more than ", CONSOLE_HUNG_TASK },
	{ "rcu: INFO: ", "stall", CONSOLE_RCU_STALL },
	{ "INFO: rcu_", "stall", CONSOLE_RCU_STALL },
	{ "Out of memory: Killed process", NULL, CONSOLE_OOM_KILL },
	{ "Out of memory: Kill process", NULL, CONSOLE_OOM_KILL },
	{ "Memory cgroup out of memory: Killed process", NULL, CONSOLE_OOM_KILL },
	{ "Out of memory and no killable processes", NULL, CONSOLE_OOM_KILL },
	{ "This kernel requires an ", NULL, CONSOLE_WRONG_ARCH },
	{ "This kernel requires the following features", NULL, CONSOLE_WRONG_ARCH },
	{ "Unable to boot - please use a kernel appropriate for your CPU", NULL,
	  CONSOLE_WRONG_ARCH },
};

/* QEMU's own words (hw/i386/x86.c, hw/core/loader.c), which stand on its standard error. */
static const char *const emulator_phrases[] = {
	"could not load kernel", "invalid kernel header", "kernel too old",
	"without PVH ELF Note",	 "Error loading",	  "could not open kernel file",
};

const char *console_fate_name(enum console_fate f)
{
	switch (f) {
	case CONSOLE_FINE:
		return "";
	case CONSOLE_NO_INIT:
		return "no init";
	case CONSOLE_NO_ROOT:
		return "no root file system";
	case CONSOLE_INIT_DIED:
		return "init died";
	case CONSOLE_OOPS:
		return "oops";
	case CONSOLE_SOFT_LOCKUP:
		return "soft lockup";
	case CONSOLE_HARD_LOCKUP:
		return "hard lockup";
	case CONSOLE_HUNG_TASK:
		return "hung task";
	case CONSOLE_RCU_STALL:
		return "RCU stall";
	case CONSOLE_OOM_KILL:
		return "out of memory";
	case CONSOLE_PANIC:
		return "panic";
	case CONSOLE_WRONG_ARCH:
		return "wrong architecture";
	}
	return "";
}

enum outcome console_fate_outcome(enum console_fate f)
{
	if (f == CONSOLE_FINE)
		return OUTCOME_OK;
	return f == CONSOLE_WRONG_ARCH ? OUTCOME_FAILED : OUTCOME_CRASHED;
}

/* Behind "[    1.234567] " and a "[    T1] " of CONFIG_PRINTK_CALLER, if they are there; NULL-free text of one line. */
static const char *without_stamp(const char *line)
{
	for (int i = 0; i < 2 && *line == '['; i++) {
		const char *end = strchr(line, ']');

		if (!end || strspn(line + 1, " .0123456789TC") != (size_t)(end - line - 1))
			break;
		line = end + 1;
		line += strspn(line, " ");
	}
	return line;
}

static void keep_line(struct console *c, enum console_fate fate, const char *line)
{
	c->fate = fate;
	snprintf(c->line, sizeof(c->line), "%.199s", line);
	for (char *p = c->line; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
}

static void look_at_line(struct console *c, const char *line)
{
	const char *text = without_stamp(line);

	for (size_t i = 0; i < ARRAY_LEN(phrases); i++)
		if (starts_with(text, phrases[i].phrase) &&
		    (!phrases[i].and || strstr(text, phrases[i].and))) {
			keep_line(c, phrases[i].fate, text);
			return;
		}
}

void console_look(struct console *c, const char *text, size_t n)
{
	while (c->fate == CONSOLE_FINE && c->at < n) {
		const char *begin = text + c->at, *end = memchr(begin, '\n', n - c->at);
		char line[512];

		if (!end)
			return;
		size_t length = (size_t)(end - begin);

		c->at += length + 1;
		while (length && begin[length - 1] == '\r')
			length--;
		if (length >= sizeof(line))
			length = sizeof(line) - 1;
		memcpy(line, begin, length);
		line[length] = '\0';
		look_at_line(c, line);
	}
}

void console_look_at_emulator(struct console *c, const char *text)
{
	for (size_t i = 0; c->fate == CONSOLE_FINE && i < ARRAY_LEN(emulator_phrases); i++) {
		const char *at = strstr(text, emulator_phrases[i]);

		if (!at)
			continue;
		while (at > text && at[-1] != '\n')
			at--;
		AUTO_FREE char *line = xstrndup(at, strcspn(at, "\n"));

		keep_line(c, CONSOLE_WRONG_ARCH, line);
	}
}

void console_tail(const char *text, size_t n, unsigned lines, struct str *out)
{
	size_t end = n, begin;

	while (end && (text[end - 1] == '\n' || text[end - 1] == '\r'))
		end--;
	for (begin = end; begin && lines; begin--)
		if (text[begin - 1] == '\n' && --lines == 0)
			break;
	for (size_t i = begin; i < end; i++) {
		unsigned char ch = (unsigned char)text[i];

		if (ch == '\r')
			continue;
		str_putc(out,
			 (ch < 0x20 && ch != '\n' && ch != '\t') || ch == 0x7f ? '?' : (char)ch);
	}
	if (end > begin)
		str_putc(out, '\n');
}
