/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_files - from a boot's request to what QEMU is started with: kernel, initramfs, command line, plug-in.
 */
#pragma once

#include "kernel/image.h"
#include "target/guest.h"
#include "target/target.h"

#define GUEST_PROGRAM "culprit-guest"

struct json_out;

/* What differs between boots of one build and has no meaning. All zero: nothing. */
struct perturbation {
	uint64_t offset; /* instructions before the first run */
	unsigned env;	 /* bytes of environment */
	uint64_t seed;	 /* of QEMU's and the benchmark's random numbers */
	unsigned pad;	 /* bytes of command line */
};

struct guest_plan {
	struct qemu qemu;
	struct guest_setting setting; /* points into what follows */
	struct kernel_image kernel;
	struct perturbation perturbation;
	char *folder, *start, *initrd, *cmdline, *plugin, *plugin_args;
	struct strvec files; /* of this machine that are in the initramfs */
	char initrd_key[65];
	int64_t boot_timeout_ns;
};
void guest_plan_done(struct guest_plan *p);

/*
 * `target` is the section of the configuration: "exact" or "vm" (which has no plug-in). ERR_USAGE where there is no kernel for what is to
 * run; ERR_MISSING for a program that this machine lacks.
 */
int guest_plan_make(const struct boot_request *q, const char *target, const struct perturbation *p,
		    struct guest_plan *ret, struct err *e) MUST_USE;
/* Members for the boot's record: QEMU's version and hash, processor, memory, kernel, initramfs, what was perturbed. */
void guest_plan_describe(const struct guest_plan *p, struct json_out *w);
/* The kernel's configuration as lines "config NAME VALUE"; nothing where there is none beside it. */
int guest_plan_config(const struct guest_plan *p, struct str *out, struct err *e) MUST_USE;
/* The programs and libraries of the guest with their functions, for the plug-in (exact/symbols.h): behind the kernel's symbols. */
int guest_plan_functions(const struct guest_plan *p, struct str *out, struct err *e) MUST_USE;
/* The plug-in for this QEMU's interface, or NULL; the caller frees. */
char *guest_plugin(const struct qemu *q) MUST_USE;
/* The section of the configuration, or the defaults. */
const struct target_config *guest_config(const struct config *c, const char *target);
