/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu - the emulator that is installed here, and the command line of one guest.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct qemu {
	char *path;
	char version[32]; /* "7.2.22" */
	unsigned major, minor;
	char hash[65]; /* SHA-256 of the program */
};
void qemu_done(struct qemu *q);
/* ERR_ENV with the package to install where there is none or it is too old. */
int qemu_find(struct qemu *ret, struct err *e) MUST_USE;

/* All paths absolute. What may be NULL says so. */
struct qemu_guest {
	bool kvm; /* else emulated, with the clock that counts instructions */
	const char
		*cpu; /* "intel", "amd", or a model of QEMU's own with features; NULL = "intel" */
	unsigned smp; /* 0 = 1 */
	int64_t memory_bytes;
	const char *kernel, *initrd;
	const char *cmdline; /* behind what every guest gets; may be NULL */
	const char *console, *results;
	const char *plugin;	    /* with its arguments, or NULL */
	const char *const *devices; /* "-device" and "-netdev" words, NULL-terminated, or NULL */
	uint64_t seed;
};
void qemu_argv(const struct qemu *q, const struct qemu_guest *g, struct strvec *ret);
/* The model's full name as QEMU gets it, for the boot's record; the caller frees. */
char *qemu_cpu(const char *cpu, bool kvm) MUST_USE;
/*
 * Words of a device list that repeat exactly (a guest's two network cards on a hub of their own, null block devices ...): NULL, else the
 * first that is not known to (to be tried with `culprit doctor --target exact`).
 */
const char *qemu_doubtful_device(const char *const *devices);
