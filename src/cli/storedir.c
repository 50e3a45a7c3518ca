/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/storedir.h"

#include "base/num.h"
#include "repo/repo.h"
#include "sys/fs.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

/* The specification says that a relative XDG_STATE_HOME is to be ignored. */
static int state_dir(char **ret, struct err *e)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const struct passwd *pw;

	if (xdg && *xdg == '/') {
		*ret = fs_join(xdg, "culprit");
		return 0;
	}
	if (!home || *home != '/') {
		pw = getpwuid(getuid());
		home = pw ? pw->pw_dir : NULL;
	}
	if (!home || *home != '/')
		return err_set(
			e, ERR_ENV,
			"no home folder is known to keep the journal in; give one with --store");
	*ret = xasprintf("%s/.local/state/culprit", strcmp(home, "/") ? home : "");
	return 0;
}

int storedir_find(const char *option, char **ret, struct err *e)
{
	struct repo *repo = NULL;
	int r;

	if (option) {
		if (!*option)
			return err_set(e, ERR_USAGE, "--store wants a folder, not ''");
		*ret = xstrdup(option);
		return 0;
	}
	r = repo_open(NULL, &repo, e);
	if (r == -ERR_USAGE)
		return state_dir(ret, e);
	if (r < 0)
		return r;
	*ret = xstrdup(repo_default_store(repo));
	repo_close(repo);
	return 0;
}

int storedir_open(const char *option, enum store_mode mode, struct store **ret, struct err *e)
{
	AUTO_FREE char *dir = NULL;
	int r = storedir_find(option, &dir, e);

	if (r < 0)
		return r;

	AUTO_FREE char *file = fs_join(dir, "culprit.db");

	r = fs_exists(file) ? store_open(dir, mode, ret, e) : -ERR_MISSING;
	if (r == -ERR_MISSING)
		return err_set(e, ERR_MISSING, "no hunt yet in %s; start with culprit compare A B",
			       dir);
	return r;
}

int storedir_hunt_number(const char *text, int64_t *ret, struct err *e)
{
	return num_parse_int(text, "the number of a hunt", 1, INT64_MAX, ret, e);
}
