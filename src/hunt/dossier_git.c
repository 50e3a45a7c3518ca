/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of people and releases, for a letter's head. Only lists are taken from get_maintainer.pl, and only the culprit's own author is
 * added: whoever else touched the file is innocent. What comes back is somebody's text: an address that is no plain one is dropped.
 */
#include "hunt/dossier.h"

#include "repo/repo.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <ctype.h>
#include <string.h>

enum { TAGS_MOST = 12, CHANGED_MOST = 12, LISTS_MOST = 20 };
#define MAINTAINER "scripts/get_maintainer.pl"

/* One line of git's answer, or NULL. */
static char *ask_line(struct repo *repo, const char *const *args)
{
	AUTO(str) struct str out = STR_INIT_MAX(1 << 16);

	if (repo_git_args(repo, args, &out, NULL) < 0)
		return NULL;
	str_cut(&out, strcspn(out.p, "\n"));
	return out.n ? str_take(&out) : NULL;
}

static unsigned ask_list(struct repo *repo, const char *const *args, size_t most,
			 struct strvec *ret)
{
	AUTO(str) struct str out = STR_INIT_MAX(16 << 20);
	unsigned more = 0;

	if (repo_git_args(repo, args, &out, NULL) < 0)
		return 0;
	for (const char *p = out.p; *p;) {
		size_t n = strcspn(p, "\n");

		if (n && ret->n < most)
			strvec_take(ret, xstrndup(p, n));
		else
			more += n > 0;
		p += n + (p[n] == '\n');
	}
	return more;
}

static bool has_file(struct repo *repo, const char *commit, const char *path)
{
	AUTO_FREE char *name = xasprintf("%s:%s", commit, path);
	AUTO(str) struct str out = STR_INIT_MAX(64);

	return repo_git(repo, &out, NULL, "cat-file", "-e", name, NULL) == 0;
}

/* ada@example.org: nothing in it that a header could be broken with. */
static bool is_address(const char *s)
{
	const char *at = strchr(s, '@');

	if (!at || at == s || !strchr(at, '.') || strchr(at + 1, '@') || strlen(s) > 100)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(".-_+@", *s))
			return false;
	return true;
}

static void ask_author(struct repo *repo, const char *commit, struct dossier_git *ret)
{
	AUTO_FREE char *name =
		ask_line(repo, (const char *const[]){ "show", "-s", "--format=%an", commit, NULL });
	AUTO_FREE char *mail =
		ask_line(repo, (const char *const[]){ "show", "-s", "--format=%ae", commit, NULL });

	if (mail && is_address(mail))
		ret->author = name ? xasprintf("%s <%s>", name, mail) : xstrdup(mail);
}

/* The tree's own script, in the user's checkout, fed with the commit as a patch. It reads MAINTAINERS and the patch only. */
static void ask_lists(struct repo *repo, const char *commit, struct dossier_git *ret)
{
	AUTO_FREE char *script = fs_join(repo_top(repo), MAINTAINER);
	AUTO(str) struct str patch = STR_INIT_MAX(64 << 20), out = STR_INIT_MAX(1 << 20);
	const char *const argv[] = { "perl",	"scripts/get_maintainer.pl",
				     "--nogit", "--nogit-fallback",
				     "--nom",	"--nor",
				     "--l",	"--norolestats",
				     NULL };
	struct proc_spec spec = { .argv = argv,
				  .cwd = repo_top(repo),
				  .timeout_ns = INT64_C(60) * 1000000000,
				  .output_max = 1 << 20 };
	struct proc_result res;

	if (!fs_exists(script) || repo_git(repo, &patch, NULL, "format-patch", "-1", "--stdout",
					   "--no-signature", commit, NULL) < 0)
		return;
	spec.stdin_bytes = patch.p;
	spec.stdin_n = patch.n;
	if (proc_run(&spec, &out, NULL, &res, NULL) < 0 || res.end != PROC_EXITED || res.status)
		return;
	for (const char *p = out.p; *p;) {
		size_t n = strcspn(p, "\n");
		AUTO_FREE char *line = xstrndup(p, strcspn(p, " \n"));

		if (is_address(line) && ret->lists.n < LISTS_MOST)
			strvec_add(&ret->lists, line);
		p += n + (p[n] == '\n');
	}
}

void dossier_ask_git(struct repo *repo, const char *culprit, struct dossier_git *ret)
{
	AUTO_FREE char *before = xasprintf("%s^", culprit);
	char oid[65];

	if (strspn(culprit, "0123456789abcdef") != strlen(culprit) ||
	    repo_resolve(repo, culprit, oid, NULL) < 0)
		return;
	ret->known = true;
	ret->parent = ask_line(
		repo, (const char *const[]){ "rev-parse", "--verify", "-q", before, NULL });
	ret->contained = ask_line(repo, (const char *const[]){ "describe", "--contains",
							       "--match=*[0-9]*", culprit, NULL });
	ask_list(repo,
		 (const char *const[]){ "tag", "--contains", culprit, "--sort=v:refname", NULL },
		 TAGS_MOST, &ret->tags);
	ret->changed_more =
		ask_list(repo,
			 (const char *const[]){ "diff-tree", "--no-commit-id", "--name-only", "-r",
						"-m", "--first-parent", culprit, NULL },
			 CHANGED_MOST, &ret->changed);
	ask_author(repo, culprit, ret);
	ret->is_kernel = has_file(repo, culprit, "MAINTAINERS") &&
			 has_file(repo, culprit, "Kbuild") &&
			 has_file(repo, culprit, "include/linux/kernel.h");
	if (has_file(repo, culprit, MAINTAINER))
		ask_lists(repo, culprit, ret);
}
