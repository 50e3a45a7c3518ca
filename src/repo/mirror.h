/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirror - repositories of culprit's that borrow their objects: STORE/repo.git, and the .git of each checkout.
 *
 * Objects come from another object store through alternates, and what is made (trees of reverted or patched revisions; whatever a build commits) is
 * written here. The lender is only read.
 */
#pragma once

#include "base/err.h"

struct mirror_from {
	const char *objects; /* the lender's object folder, absolute */
	const char *more;    /* further folders, ':' between them, or NULL */
	const char
		*shallow;   /* path of the lender's `shallow` file, which may be missing; or NULL */
	const char *format; /* "sha1" or "sha256" */
	const char *refs;   /* "OBJECT REFNAME\n", sorted by name; or NULL and ... */
	const char *packed_refs; /* ... a packed-refs file that is linked to */
};
/* Creates the bare repository `git_dir` or brings it up to date; writes only files whose content changes. */
int mirror_refresh(const char *git_dir, const struct mirror_from *from, struct err *e) MUST_USE;
/*
 * Makes the new repository WORK_DIR/.git, and the folder if need be, with `oid` as its HEAD. Nothing is checked out. What it leaves on a failure is the
 * caller's to remove.
 */
int mirror_in(const char *work_dir, const struct mirror_from *from, const char *oid,
	      struct err *e) MUST_USE;
