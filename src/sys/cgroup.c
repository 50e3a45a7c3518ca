/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup - found through /proc/self/cgroup and /proc/self/mounts; nothing is configured, nothing of others is changed.
 *
 * v2 gives a group the memory controller only if its parent hands it down (cgroup.subtree_control), which the kernel refuses
 * while the parent has processes of its own, as ours does unless it is the root. So in practice v2 works for root in the root group
 * and in a delegated, prepared tree.
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

/* Can groups be made there, and do they have a peak? */
static bool is_usable(const char *parent)
{
	AUTO_FREE char *dir = NULL;

	sweep(parent);
	dir = cgroup_make(parent);
	bool ok = dir && cgroup_peak(dir) >= 0;

	cgroup_remove(dir);
	return ok;
}

char *cgroup_parent(void)
{
	AUTO(str) struct str mounts = STR_INIT, groups = STR_INIT;
	struct err e = ERR_INIT;

	if (fs_read("/proc/self/mounts", 4 << 20, &mounts, &e) < 0 ||
	    fs_read("/proc/self/cgroup", 1 << 20, &groups, &e) < 0)
		return NULL;
	for (int v = 1; v <= 2; v++) {
		AUTO_FREE char *mount = v == 1 ? find_mount(mounts.p, "cgroup", "memory")
					       : find_mount(mounts.p, "cgroup2", NULL);
		AUTO_FREE char *own = find_own(groups.p, v == 1 ? "memory" : "");
		AUTO_FREE char *parent =
			mount && own ? xasprintf("%s%s", mount, strcmp(own, "/") ? own : "") : NULL;

		if (parent && is_usable(parent))
			return TAKE_PTR(parent);
	}
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
