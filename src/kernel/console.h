/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console - what a kernel's console says about its life: the first line that means the end of it, by name.
 *
 * Only the text is looked at; who waits how long is the target's affair. What the kernel says is data: a panic is an outcome.
 */
#pragma once

#include "base/str.h"
#include "model/model.h"

enum console_fate {
	CONSOLE_FINE, /* nothing that means trouble */
	CONSOLE_NO_INIT,
	CONSOLE_NO_ROOT,
	CONSOLE_INIT_DIED,
	CONSOLE_OOPS,
	CONSOLE_SOFT_LOCKUP,
	CONSOLE_HARD_LOCKUP,
	CONSOLE_HUNG_TASK,
	CONSOLE_RCU_STALL,
	CONSOLE_OOM_KILL,
	CONSOLE_PANIC, /* a panic that no earlier line explains */
	CONSOLE_WRONG_ARCH,
};
/* "panic", "soft lockup", ...; "" for CONSOLE_FINE. */
const char *console_fate_name(enum console_fate f);
/* crashed; of a kernel that was never right for this machine, failed. */
enum outcome console_fate_outcome(enum console_fate f);

struct console {
	enum console_fate fate; /* of the first line that means trouble */
	char line[200];		/* that line, without its time stamp, printable */
	size_t at;		/* bytes looked at, whole lines only */
};
/* Look at what is new since the last call; `text` holds everything so far. Zero is a console that has said nothing. */
void console_look(struct console *c, const char *text, size_t n);
/* The same for what the emulator itself said ("could not load kernel"). */
void console_look_at_emulator(struct console *c, const char *text);
enum { CONSOLE_LINES = 60 };
/* The last `lines` lines, control characters but tab as '?', carriage returns dropped. */
void console_tail(const char *text, size_t n, unsigned lines, struct str *out);
