/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kbuild_work - one build under way. Private to the kbuild_*.c of this folder.
 */
#pragma once

#include "bench/making.h"
#include "kernel/config.h"

#include <pthread.h>

struct kbuild {
	char *store;	   /* absolute */
	char *base_target; /* tinyconfig, ...; NULL: base is a whole .config */
	struct kconfig base, fragments;
	struct change *fixups;
	size_t n_fixups;
	char *text; /* kbuild_describe */
	char *recipe, identity[65];
	struct build_maker maker;
	pthread_mutex_t lock; /* of STORE/kernel: held while a build is made */
};

struct work {
	struct kbuild *k;
	const struct build_request *q;
	struct build_result *ret;
	const char *dir;	      /* trees/KEY, absolute */
	char *top, *src, *conf, *out; /* STORE/kernel and its folders */
	char *linker;
	struct strvec env;
};

/*
 * make ARGS in the source tree with O=`out`. Its output goes to the log, and with `capture` the last line that is not empty is put there. How it failed, if it did,
 * is in w->ret then; a caller goes on only while w->ret->reason is NULL.
 */
int kbuild_make(struct work *w, const char *out, const char *const *args, struct str *capture,
		struct err *e) MUST_USE;
/* Puts the .config of this commit into w->out, untouched if it is the same as before. */
int kbuild_configure(struct work *w, struct err *e) MUST_USE;
/* Copies what was made to w->dir and fills artefact. */
int kbuild_save(struct work *w, struct err *e) MUST_USE;
/* Tracked files of `src` that the build in `out` read, sorted and NULL-terminated; see kbuild_inputs.c for how that is known. */
int kbuild_inputs(const char *src, const char *out, char ***ret, struct err *e) MUST_USE;
/* Options for a code layout n > 0, besides its symbol of Kconfig: "" or more KCFLAGS. */
const char *kbuild_layout_flags(unsigned layout);
