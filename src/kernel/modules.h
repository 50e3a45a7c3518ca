/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules - kernel modules by name, with what they need, in the order of loading.
 *
 * Reads a folder lib/modules/RELEASE as a package or `make modules_install` leaves it, before depmod: dependencies come from each module's own
 * .modinfo (`depends=`, `softdep=pre:`), not from modules.dep, which Debian's packages make only when installed.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct kernel_module {
	char *name;	  /* with '_' for '-' */
	char *path;	  /* on the host, maybe compressed */
	char *args;	  /* "queue_mode=2 irqmode=0", or "" */
	struct str bytes; /* uncompressed */
};
struct kernel_modules {
	struct kernel_module *v;
	size_t n, cap;
};
void kernel_modules_done(struct kernel_modules *m);

/*
 * `wanted` is NULL-terminated: "NAME" or "NAME ARGUMENTS". With '?' before it, a module that is not there is passed over. What modules.builtin lists is left out.
 * A module that is neither: ERR_MISSING. `folder` NULL = the kernel has no modules beside it: nothing is found, nothing is missed.
 */
int kernel_modules_find(const char *folder, const char *const *wanted, struct kernel_modules *ret,
			struct err *e) MUST_USE;
