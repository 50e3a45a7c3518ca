/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place - every tree is built and run at one path, STORE/src.
 *
 * A build that writes its own path into its artefacts would otherwise differ from commit to commit. Where mount namespaces are
 * allowed each child sees its tree bound there, so several can be used at once; where not, the tree is renamed to STORE/src for the
 * time of use, one at a time, with a note STORE/src.tree of where it belongs, so that a crash in between is mended.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct place {
	char *tree;    /* where the tree is kept, absolute */
	char *src;     /* where its children see it, absolute */
	bool is_bound; /* by a mount namespace: pass tree and src as bind_from and bind_to */
	struct strvec read_only, writable; /* for the same namespace; see place_protect */
};
/* `tree` is relative to the store ("trees/KEY") and must exist. */
int place_take(const char *store_dir, const char *tree, struct place *ret, struct err *e) MUST_USE;
/* As place_take with the way given: bound by a mount namespace, or moved. */
int place_take_by(const char *store_dir, const char *tree, bool bind, struct place *ret,
		  struct err *e) MUST_USE;
/*
 * What runs here shall not write to these folders (the user's checkout and .git; NULL-terminated, NULL = none) nor to the rest of the
 * store; to its own tree, to ccache's cache and to TMPDIR it may. Without a namespace nothing holds it back.
 */
void place_protect(struct place *p, const char *const *folders);
/*
 * The same rules for what works elsewhere in the store and mounts its own folder (kernel/kbuild.h): `store` is absolute, the lists are added to, for
 * struct proc_spec.
 */
void place_rules(const char *store, const char *const *folders, struct strvec *read_only,
		 struct strvec *writable);
/* A reason that is about a write which place_protect forbids gets a word on that. */
void place_explain(struct str *reason);
/* Where this process itself can reach the tree's files meanwhile. */
const char *place_files(const struct place *p);
/* A tree that a killed culprit left at STORE/src goes back to where it belongs. Called by place_take, too. */
int place_mend(const char *store_dir, struct err *e) MUST_USE;
void place_done(struct place *p);
