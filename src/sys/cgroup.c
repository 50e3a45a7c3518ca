/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup - found through /proc/self/cgroup and /proc/self/mounts; nothing is configured, nothing of others is changed.
 *
 * v2 gives a group the memory controller only if its parent hands it down (cgroup.subtree_control), which the kernel refuses
 * while the parent has processes of its own, as ours does unless it is the root. So there the groups are made beside our own, in its
 * parent: that is what a user's session manager delegates (user@.service hands memory down to app.slice). Not where our own group has a
 * limit, which the benchmark would escape. Refused: moving ourselves to a leaf, which would change what others set up.
 *
 * Whether a place really works is tried, by a child that joins a group there: making a group may be allowed where moving into it is not.
 */
#include "sys/cgroup.h"

#include "base/str.h"
#include "sys/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "culprit-"

static int64_t get(const char *dir, const char *file)
{
	AUTO_FREE char *path = fs_join(dir, file);
	char text[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (n <= 0 || text[0] < '0' || text[0] > '9')
		return -1;
	text[n] = '\0';
	return strtoll(text, NULL, 10);
}

static bool has_word(const char *list, const char *word, const char *separators)
{
	size_t n = strlen(word);

	for (const char *p = list; *p; p += strspn(p, separators)) {
		size_t k = strcspn(p, separators);

		if (k == n && !strncmp(p, word, n))
			return true;
		p += k;
	}
	return false;
}

/* Where the file system is mounted: v1 with the memory controller, or v2. */
static char *find_mount(const char *mounts, const char *type, const char *option)
{
	const char *at = mounts;

	while (*at) {
		char point[1024], fs[64], options[1024];

		if (sscanf(at, "%*s %1023s %63s %1023s", point, fs, options) == 3 &&
		    !strcmp(fs, type) && (!option || has_word(options, option, ",")))
			return xstrdup(point);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return NULL;
}

/* "4:memory:/a/b" or "0::/a/b": our own group in that hierarchy. */
static char *find_own(const char *groups, const char *controller)
{
	const char *at = groups;

	while (*at) {
		size_t n = strcspn(at, "\n");
		AUTO_FREE char *line = xstrndup(at, n);
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		if (path) {
			*path = '\0';
			if (*controller ? has_word(list + 1, controller, ",") : !list[1])
				return xstrdup(path + 1);
		}
		at += n + (at[n] == '\n');
	}
	return NULL;
}

/* A file of one line: does it begin with `text`? True if there is no such file. */
static bool begins(const char *dir, const char *file, const char *text)
{
	AUTO_FREE char *path = fs_join(dir, file);
	AUTO(str) struct str s = STR_INIT;
	struct err e = ERR_INIT;

	return fs_read(path, 4096, &s, &e) < 0 || starts_with(s.p, text);
}

/* Where v2 keeps our own group, and beside it. */
static void add_unified(const char *mount, const char *own, struct strvec *ret)
{
	AUTO_FREE char *dir = xasprintf("%s%s", mount, own);
	char *slash;

	strvec_add(ret, dir);
	if (!*own || !begins(dir, "memory.max", "max") || !begins(dir, "memory.high", "max") ||
	    !begins(dir, "cpu.max", "max"))
		return;
	slash = strrchr(dir, '/');
	*slash = '\0';
	strvec_add(ret, dir);
}

void cgroup_folders(const char *mounts, const char *groups, struct strvec *ret)
{
	for (int v = 1; v <= 2; v++) {
		AUTO_FREE char *mount = v == 1 ? find_mount(mounts, "cgroup", "memory")
					       : find_mount(mounts, "cgroup2", NULL);
		AUTO_FREE char *own = find_own(groups, v == 1 ? "memory" : "");

		if (!mount || !own)
			continue;
		if (!strcmp(own, "/"))
			*own = '\0';
		if (v == 2)
			add_unified(mount, own, ret);
		else
			strvec_addf(ret, "%s%s", mount, own);
	}
}

/* Groups "culprit-PID-..." whose maker is gone. */
static void sweep(const char *parent)
{
	DIR *d = opendir(parent);
	struct dirent *x;

	while (d && (x = readdir(d))) {
		int pid;

		if (sscanf(x->d_name, PREFIX "%d-", &pid) == 1 && kill(pid, 0) < 0 &&
		    errno == ESRCH)
			unlinkat(dirfd(d), x->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}

char *cgroup_make(const char *parent)
{
	static atomic_uint count;
	AUTO_FREE char *dir = xasprintf("%s/" PREFIX "%d-%u", parent, (int)getpid(), ++count);

	return mkdir(dir, 0755) < 0 ? NULL : TAKE_PTR(dir);
}

/* A child goes in and ends. */
static bool can_join(const char *dir)
{
	AUTO_FREE char *procs = fs_join(dir, "cgroup.procs");
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(procs, O_WRONLY | O_CLOEXEC);

		_exit(fd >= 0 && write(fd, "0", 1) == 1 ? 0 : 1);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Can groups be made there, have they a peak, and can a process go in? */
static bool is_usable(const char *parent)
{
	AUTO_FREE char *dir = NULL;

	sweep(parent);
	dir = cgroup_make(parent);
	bool ok = dir && cgroup_peak(dir) >= 0 && can_join(dir);

	cgroup_remove(dir);
	return ok;
}

char *cgroup_parent(void)
{
	AUTO(str) struct str mounts = STR_INIT, groups = STR_INIT;
	AUTO(strvec) struct strvec folders = STRVEC_INIT;
	struct err e = ERR_INIT;

	if (fs_read("/proc/self/mounts", 4 << 20, &mounts, &e) < 0 ||
	    fs_read("/proc/self/cgroup", 1 << 20, &groups, &e) < 0)
		return NULL;
	cgroup_folders(mounts.p, groups.p, &folders);
	for (size_t i = 0; i < folders.n; i++)
		if (is_usable(folders.v[i]))
			return xstrdup(folders.v[i]);
	return NULL;
}

int64_t cgroup_peak(const char *dir)
{
	int64_t v = get(dir, "memory.max_usage_in_bytes");

	return v >= 0 ? v : get(dir, "memory.peak");
}

void cgroup_remove(const char *dir)
{
	if (dir)
		rmdir(dir);
}
