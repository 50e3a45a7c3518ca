/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two places, never mixed: the user's repository, in which questions about names are asked (HEAD, @{u}, the reflog and a worktree's own refs
 * exist only there), and STORE/repo.git, in which everything else happens. git looks for the user's repository anew
 * in every call, from where the user stands, so that GIT_DIR and its like mean what they mean to the user.
 *
 * A repository of another owner is refused by git unless safe.directory allows it. The user's configuration is not read otherwise, so
 * this one key is fetched when git refuses, and handed on.
 */
#include "repo/repo.h"

#include "repo/mirror.h"
#include "repo/place.h"
#include "sys/fs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct git_at repo_user_at(const struct repo *r)
{
	return (struct git_at){ .cwd = r->start, .safe_dirs = (const char *const *)r->safe_dirs.v };
}

struct git_at repo_store_at(const struct repo *r)
{
	return (struct git_at){ .git_dir = r->store_git };
}

const char *repo_empty_tree(const struct repo *r)
{
	return !strcmp(r->format, "sha256")
		       ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
		       : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

void repo_clean_text(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

/* All values of safe.directory in the user's and the system's configuration. No such key is fine. */
static int load_safe_dirs(struct repo *r, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = { .git_dir = "/nonexistent", .cwd = "/", .user_config = true };
	int ret = git_run(&at, GIT_ARGS("config", "-z", "--get-all", "safe.directory"), &g, e);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < g.out.n; i += strlen(g.out.p + i) + 1)
		strvec_add(&r->safe_dirs, g.out.p + i);
	return 0;
}

static int say_not_found(const struct repo *r, struct git_result *g, struct err *e)
{
	const char *why = git_reason(g);

	if (strstr(why, "dubious ownership"))
		return err_set(
			e, ERR_USAGE,
			"the repository of '%s' belongs to another user, and git refuses it; if you "
			"trust it: git config --global --add safe.directory FOLDER (or '*')",
			r->start);
	if (strstr(why, "not a git repository"))
		return err_set(e, ERR_USAGE,
			       "not a git repository (or any parent): '%s'; run culprit inside one",
			       r->start);
	return err_set(e, ERR_ENV, "opening the repository of '%s': git: %s", r->start, why);
}

/* The four plain answers; the paths are asked for one by one, since a path may hold a newline. */
static int ask_kind(struct repo *r, bool *ret_in_tree, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	char bare[8], in_tree[8], shallow[8], format[16];

	for (int tries = 0; tries < 2; tries++) {
		struct git_at at = repo_user_at(r);
		int ret = git_run(&at,
				  GIT_ARGS("rev-parse", "--is-bare-repository",
					   "--is-inside-work-tree", "--is-shallow-repository",
					   "--show-object-format"),
				  &g, e);

		if (ret < 0)
			return ret;
		if (!g.status || tries || !strstr(g.err.p, "dubious ownership"))
			break;
		ret = load_safe_dirs(r, e);
		if (ret < 0)
			return ret;
	}
	if (g.status)
		return say_not_found(r, &g, e);
	if (sscanf(g.out.p, "%7s %7s %7s %15s", bare, in_tree, shallow, format) != 4)
		return err_set(e, ERR_ENV, "git rev-parse answered '%s'", g.out.p);
	r->bare = !strcmp(bare, "true");
	*ret_in_tree = !strcmp(in_tree, "true");
	r->shallow = !strcmp(shallow, "true");
	r->format = xstrdup(format);
	return 0;
}

static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash != path ? xstrndup(path, (size_t)(slash - path)) : xstrdup("/");
}

/*
 * The main worktree of the repository, where the store lies: a linked worktree shares it. NULL if there is none
 * (bare). core.worktree is how a submodule's repository points to its checkout.
 */
static int main_worktree(struct repo *r, char **ret, struct err *e)
{
	AUTO_FREE char *config = fs_join(r->common_dir, "config");
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = { .git_dir = r->common_dir };
	int n = git_run(&at, GIT_ARGS("config", "-f", config, "-z", "--get", "core.worktree"), &g,
			e);

	if (n < 0)
		return n;
	if (!g.status) {
		AUTO_FREE char *there =
			*g.out.p == '/' ? xstrdup(g.out.p) : fs_join(r->common_dir, g.out.p);

		return fs_realpath(there, ret, e);
	}
	*ret = ends_with(r->common_dir, "/.git") ? parent_of(r->common_dir) : NULL;
	return 0;
}

static int find_store(struct repo *r, struct err *e)
{
	AUTO_FREE char *main = NULL;
	int ret = 0;

	if (!r->bare && strcmp(r->git_dir, r->common_dir))
		ret = main_worktree(r, &main, e);
	else if (!r->bare)
		main = xstrdup(r->top);
	if (ret < 0)
		return ret;
	r->default_store = main ? fs_join(main, ".culprit") : fs_join(r->common_dir, "culprit");
	return 0;
}

static int ask_paths(struct repo *r, bool in_tree, struct err *e)
{
	struct git_at at = repo_user_at(r);
	int ret;

	if ((ret = git_line(&at, GIT_ARGS("rev-parse", "--absolute-git-dir"), &r->git_dir, e)) <
		    0 ||
	    (ret = git_line(&at,
			    GIT_ARGS("rev-parse", "--path-format=absolute", "--git-common-dir"),
			    &r->common_dir, e)) < 0 ||
	    (ret = git_line(
		     &at, GIT_ARGS("rev-parse", "--path-format=absolute", "--git-path", "objects"),
		     &r->objects, e)) < 0)
		return ret;
	if (in_tree) {
		if ((ret = git_line(&at, GIT_ARGS("rev-parse", "--show-toplevel"), &r->top, e)) <
			    0 ||
		    (ret = git_line(&at, GIT_ARGS("rev-parse", "--show-prefix"), &r->prefix, e)) <
			    0)
			return ret;
	} else {
		/* Inside .git of a repository that has a checkout, or bare. */
		bool hidden = !r->bare && ends_with(r->git_dir, "/.git");

		r->top = hidden ? parent_of(r->git_dir) : xstrdup(r->git_dir);
		r->prefix = xstrdup("");
	}
	return find_store(r, e);
}

static int take_notes(struct repo *r, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = repo_user_at(r);
	int ret = git_run(&at,
			  GIT_ARGS("config", "--get-regexp",
				   "^(extensions\\.partialclone|remote\\..*\\.promisor)$"),
			  &g, e);

	if (ret < 0)
		return ret;
	r->partial = !g.status;
	if (r->shallow)
		str_puts(&r->notes,
			 "shallow clone: commits older than its cut are not here (git fetch "
			 "--unshallow gets them)");
	if (r->partial)
		str_addf(
			&r->notes,
			"%spartial clone: nothing is fetched; a commit whose files are not here is skipped",
			r->notes.n ? "; " : "");
	return 0;
}

int repo_open(const char *start, struct repo **ret, struct err *e)
{
	struct repo *r = xcalloc(1, sizeof(*r));
	bool in_tree = false;
	int n;

	pthread_mutex_init(&r->lock, NULL);
	r->notes = r->refs = (struct str)STR_INIT;
	n = fs_realpath(start ? start : ".", &r->start, e);
	if (n == 0 && !fs_is_dir(r->start))
		n = err_set(e, ERR_USAGE, "'%s' is not a folder", start);
	if (n == 0)
		n = git_check_version(e);
	if (n == 0)
		n = ask_kind(r, &in_tree, e);
	if (n == 0)
		n = ask_paths(r, in_tree, e);
	if (n == 0)
		n = take_notes(r, e);
	if (n < 0) {
		repo_close(r);
		return n;
	}
	*ret = r;
	return 0;
}

void repo_close(struct repo *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->commits.n; i++) {
		free(r->commits.v[i].abbrev); /* one block holds all the texts */
	}
	free(r->commits.v);
	strvec_done(&r->commit_oids);
	oidmap_done(&r->commit_map);
	strvec_done(&r->safe_dirs);
	str_done(&r->notes);
	str_done(&r->refs);
	free(r->start);
	free(r->git_dir);
	free(r->common_dir);
	free(r->objects);
	free(r->top);
	free(r->prefix);
	free(r->default_store);
	free(r->format);
	free(r->store_git);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

const char *repo_default_store(const struct repo *r)
{
	return r->default_store;
}

const char *repo_top(const struct repo *r)
{
	return r->top;
}

static bool holds_home(const char *folder)
{
	const char *home = getenv("HOME");
	size_t n = strlen(folder);

	return home && !strncmp(home, folder, n) && (home[n] == '/' || !home[n]);
}

void repo_folders(const struct repo *r, struct strvec *ret)
{
	AUTO_FREE char *main = ends_with(r->common_dir, "/.git") ? parent_of(r->common_dir) : NULL;

	strvec_add(ret, r->git_dir);
	strvec_add(ret, r->common_dir);
	if (!holds_home(r->top))
		strvec_add(ret, r->top);
	if (main && !holds_home(main))
		strvec_add(ret, main);
}

const char *repo_prefix(const struct repo *r)
{
	return r->prefix;
}

const char *repo_notes(const struct repo *r)
{
	return r->notes.p;
}

int repo_load_refs(struct repo *r, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = repo_user_at(r);
	int ret;

	if (r->refs_known)
		return 0;
	ret = git_check(&at,
			GIT_ARGS("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads",
				 "refs/remotes", "refs/tags"),
			&g, e);
	if (ret < 0)
		return ret;
	str_add(&r->refs, g.out.p, g.out.n);
	r->refs_known = true;
	return 0;
}

int repo_prepare(struct repo *r, const char *store_dir, struct err *e)
{
	AUTO_FREE char *store = NULL;
	AUTO_FREE char *shallow = fs_join(r->common_dir, "shallow");
	struct mirror_from from = { .objects = r->objects,
				    .more = getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES"),
				    .shallow = shallow,
				    .format = r->format };
	int ret;

	if ((ret = fs_mkdirs(store_dir, e)) < 0 || (ret = fs_realpath(store_dir, &store, e)) < 0)
		return err_wrap(e, "preparing the store");
	if ((ret = repo_load_refs(r, e)) < 0)
		return ret;
	free(r->store_git);
	r->store_git = fs_join(store, "repo.git");
	from.refs = r->refs.p;
	return mirror_refresh(r->store_git, &from, e);
}

/* Fields come one a line, in the order of --format; the subject may be empty. */
static int split_commit(char *text, struct commit_text *c)
{
	char *field[5], *p = text;
	long long time;

	for (size_t i = 0; i < ARRAY_LEN(field); i++) {
		field[i] = p;
		p += strcspn(p, "\n");
		if (*p)
			*p++ = '\0';
	}
	if (sscanf(field[2], "%lld", &time) != 1)
		return -1;
	*c = (struct commit_text){ .abbrev = field[0],
				   .tree = field[1],
				   .time = time,
				   .author = field[3],
				   .subject = field[4] };
	repo_clean_text(c->author);
	repo_clean_text(c->subject);
	return 0;
}

static int load_commit(struct repo *r, const char *oid, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = repo_store_at(r);
	struct commit_text c;
	int ret = git_check(&at,
			    GIT_ARGS("rev-list", "--no-walk", "--no-commit-header", "--abbrev=12",
				     "--encoding=UTF-8", "--format=%h%n%T%n%ct%n%an%n%s",
				     "--end-of-options", oid),
			    &g, e);

	if (ret < 0)
		return err_wrap(e, "reading commit %.12s", oid);
	AUTO_FREE char *text = str_take(&g.out);

	if (split_commit(text, &c) < 0)
		return err_set(e, ERR_ENV, "commit %.12s cannot be read", oid);
	(void)TAKE_PTR(text);
	strvec_add(&r->commit_oids, oid);
	c.oid = r->commit_oids.v[r->commit_oids.n - 1];
	ARRAY_PUSH(&r->commits, c);
	oidmap_add(&r->commit_map, r->commit_oids.v, (uint32_t)(r->commits.n - 1));
	return 0;
}

static int find_commit(struct repo *r, const char *oid, struct commit_info *ret, struct err *e)
{
	int64_t i = oidmap_find(&r->commit_map, r->commit_oids.v, oid);

	if (i < 0) {
		int n = load_commit(r, oid, e);

		if (n < 0)
			return n;
		i = (int64_t)r->commits.n - 1;
	}
	const struct commit_text *c = &r->commits.v[i];

	*ret = (struct commit_info){ .oid = c->oid,
				     .abbrev = c->abbrev,
				     .subject = c->subject,
				     .author = c->author,
				     .tree = c->tree,
				     .time = c->time };
	return 0;
}

int repo_commit(struct repo *r, const char *oid, struct commit_info *ret, struct err *e)
{
	pthread_mutex_lock(&r->lock);
	int n = find_commit(r, oid, ret, e);

	pthread_mutex_unlock(&r->lock);
	return n;
}

int repo_is_untracked(struct repo *r, const char *path, bool *ret, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO_FREE char *spec = xasprintf(":(top,literal)%s", path);
	struct git_at at = repo_user_at(r);

	*ret = false;
	if (r->bare || starts_with(r->start, r->git_dir))
		return 0;      /* no checkout here */
	at.user_config = true; /* the user's own list of ignored files counts */
	int n = git_check(&at,
			  GIT_ARGS("ls-files", "-z", "--full-name", "--others",
				   "--exclude-standard", "--", spec),
			  &g, e);

	if (n < 0)
		return n;
	*ret = g.out.n && !strcmp(g.out.p, path);
	return 0;
}

int repo_git_args(struct repo *r, const char *const *args, struct str *out, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = repo_store_at(r);
	int n = git_check(&at, args, &g, e);

	if (n < 0)
		return n;
	str_add(out, g.out.p, g.out.n);
	return 0;
}

int repo_git(struct repo *r, struct str *out, struct err *e, ...)
{
	AUTO(strvec) struct strvec args = STRVEC_INIT;
	const char *a;
	va_list ap;

	va_start(ap, e);
	while ((a = va_arg(ap, const char *)))
		strvec_add(&args, a);
	va_end(ap);
	return repo_git_args(r, (const char *const *)args.v, out, e);
}
