/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place - where the user's repository and culprit's own are; what the files of this folder share. Private to src/repo.
 */
#pragma once

#include "repo/git.h"
#include "repo/oidmap.h"

#include <pthread.h>

struct commit_text {
	char *oid, *abbrev, *subject, *author, *tree;
	int64_t time;
};
struct repo {
	char *start;	  /* the folder from which it was found, absolute */
	char *git_dir;	  /* of the user's (a linked worktree's own) */
	char *common_dir; /* that of all its worktrees */
	char *objects;
	char *top, *prefix, *default_store;
	char *format; /* "sha1", "sha256" */
	bool bare, shallow, partial;
	struct str notes;
	struct strvec safe_dirs;
	char *store_git; /* STORE/repo.git; NULL before repo_prepare */
	struct str
		refs; /* "OBJECT REFNAME\n" of heads, tags and remotes, sorted by name; as of repo_prepare */
	bool refs_known;
	struct {
		struct commit_text *v;
		size_t n, cap;
	} commits;
	struct strvec commit_oids;
	struct oidmap commit_map;
	pthread_mutex_t lock;	  /* of the commits: builds run side by side */
	_Atomic unsigned scratch; /* numbers the scratch index files */
};

/* In the user's repository, from where the user stands: found by git itself each time, GIT_DIR and the like honoured. */
struct git_at repo_user_at(const struct repo *r);
/* In STORE/repo.git. */
struct git_at repo_store_at(const struct repo *r);
/* Fills r->refs once. */
int repo_load_refs(struct repo *r, struct err *e) MUST_USE;
/* Object name of the empty tree, which git knows without storing it. */
const char *repo_empty_tree(const struct repo *r);
/* Puts '?' for control characters: text of others goes to terminals and logs. */
void repo_clean_text(char *s);
