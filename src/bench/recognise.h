/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recognise - which build system a source tree uses, what to run for it, and why we think so; and the commented culprit.yaml
 * that says it.
 *
 * Reads files, runs nothing. Looks at the top of the tree, then one level down. Every guess carries its reason in words.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct guess {
	char *value; /* NULL = no guess */
	char *why;   /* one line, for a comment */
};

struct recognised {
	const char *
		system; /* "cmake", "make", "meson", "autotools", "cargo", "npm", "kbuild"; NULL = none found */
	char *subdir;	    /* NULL = the top */
	char *why;	    /* what was found: "CMakeLists.txt" */
	struct guess build; /* may be several lines */
	struct strvec artefacts;
	char *artefacts_why;
	struct guess bench;	     /* the command of a benchmark that the tree has */
	struct strvec kernel_config; /* of kbuild */
	struct strvec others;	     /* further build systems or folders that were passed over */
};
void recognised_done(struct recognised *r);

/* `dir` is the top of the tree. A tree of no known kind is not an error: ret->system stays NULL. */
int recognise(const char *dir, struct recognised *ret, struct err *e) MUST_USE;

/* The culprit.yaml for it: what was guessed is set, every other key stands there as a comment with its help. */
void recognise_write(const struct recognised *r, struct str *out);
