/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kbuild - builds of a kernel's source, commit after commit in one work folder.
 *
 * STORE/kernel/src is a checkout and STORE/kernel/out/0 the O= folder of its builds (out/N for code layout N); both move along the search path, so that a neighbouring commit costs
 * what it changes. What a build made is copied to STORE/trees/KEY, laid out as an unpacked package: boot/vmlinuz-RELEASE, boot/System.map-RELEASE,
 * boot/config-RELEASE, lib/modules/RELEASE (kernel/image.h reads it). Builds are reproducible: equal images are one candidate.
 *
 * The configuration is made anew at every commit: a base, then fragments, then the variant's config.X, then olddefconfig of that commit's Kconfig. A
 * symbol that the variant asks for and that does not hold afterwards makes the build skipped, with what it is instead.
 */
#pragma once

#include "bench/build_request.h"

struct kbuild;

/* Is `top` the top of a kernel's tree: Kconfig, and a Makefile with VERSION and PATCHLEVEL? Reads two files, runs nothing. */
bool kbuild_recognise(const char *top);

struct kbuild_request {
	const char *store_dir;
	const char *top; /* the user's checkout: files below start there */
	/*
	 * NULL-terminated: a make target (tinyconfig, defconfig, x86_64_defconfig) or a file with a whole .config, then fragments that are merged into it
	 * in order. "culprit" stands for culprit's own fragment. Empty: TOP/.config if there is one, else tinyconfig and culprit.
	 */
	const char *const *config;
	/* Patch files for old commits that new compilers refuse: each is applied to every commit that takes it, silently left out elsewhere. */
	const char *const *fixups;
};
/*
 * Reads all files now: what is built for hours must not change because a file did. ERR_USAGE for a file that is missing or no configuration, and for a
 * path of the store that make cannot take (blanks, colons).
 */
int kbuild_open(const struct kbuild_request *q, struct kbuild **ret, struct err *e) MUST_USE;
void kbuild_free(struct kbuild *k);
/* Stays valid as long as `k`. Its recipe identifies configuration, fix-ups and flags. */
const struct build_maker *kbuild_maker(const struct kbuild *k);
/* SHA-256 of that recipe. */
const char *kbuild_identity(const struct kbuild *k);
/* "tinyconfig + culprit's fragment", ".config (5832 symbols)": for people. */
const char *kbuild_describe(const struct kbuild *k);
/* The .config of what a build left in `dir`. ERR_MISSING without one. */
int kbuild_config_in(const char *dir, struct str *ret, struct err *e) MUST_USE;
/* Culprit's own fragment, as text. */
extern const char kbuild_fragment[];
