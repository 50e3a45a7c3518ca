/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest - one QEMU from its start to its end: its folder, its process, its gate, what it says on its two serial ports.
 *
 * The process runs beside us in a thread that waits for it (sys/proc.h), so that several guests can run at once; the helper of
 * sys/spawn.h ends it if we die, whatever kills us. Everything else is called from one thread.
 */
#pragma once

#include "kernel/console.h"
#include "target/frames.h"
#include "target/qemu.h"

struct guest_setting {
	const struct qemu *qemu;
	const char *folder;	 /* where guests have their folders; made if it is not there */
	struct qemu_guest guest; /* console, results and plugin are filled in here */
	const char *plugin;	 /* path of the plug-in, or NULL: no counters and no gate */
	const char *plugin_args; /* ",model=...", or NULL */
	unsigned granted;	 /* runs that may begin without being asked for */
};
struct guest;

/* Starts it and returns at once. ERR_ENV for what the host refuses (no space, no thread). */
int guest_start(const struct guest_setting *s, struct guest **ret, struct err *e) MUST_USE;
/* Ends it and removes its folder. NULL is fine. */
void guest_end(struct guest *g);

/* Lets one more run begin, beyond those granted already. */
void guest_grant(struct guest *g);
unsigned guest_granted(const struct guest *g);

enum guest_news {
	GUEST_FRAME,   /* the next frame is in *ret */
	GUEST_ENDED,   /* the process ended, all frames have been read */
	GUEST_TROUBLE, /* the console says that the kernel is in trouble */
	GUEST_BROKEN,  /* the second port carries something else */
	GUEST_LATE,    /* the deadline passed */
	GUEST_STOPPED, /* the user wants to stop */
};
struct guest_wait {
	int64_t deadline_ns; /* CLOCK_MONOTONIC; 0 = none */
	void (*tick)(void *);
	void *tick_arg;
	bool (*stop)(void);
};
/* What comes next. A frame's body is valid until the next call. */
enum guest_news guest_next(struct guest *g, const struct guest_wait *w, struct frame *ret);

const struct console *guest_console(const struct guest *g);
/* The last lines of the console, and behind them what QEMU itself said. */
void guest_last_words(const struct guest *g, struct str *out);
/* "QEMU ended with exit status 1: 'qemu: could not ...'"; after GUEST_ENDED. */
void guest_why_ended(const struct guest *g, struct str *out);
/* The plug-in's line for window `run` (0-based), or NULL if it wrote none; the caller frees. */
char *guest_window(struct guest *g, unsigned run) MUST_USE;
int64_t guest_started_ns(const struct guest *g);
