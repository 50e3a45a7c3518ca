/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon leaves its parent, its group and its session; what it was started with stays, in /proc/PID/environ, unless it
 * cleans that up too. Only the owner may read it, so other users' processes are never touched.
 */
#include "sys/sweep.h"

#include "base/str.h"
#include "sys/fs.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_marked(const char *pid, const char *with, const char *without)
{
	AUTO_FREE char *path = xasprintf("/proc/%s/environ", pid);
	AUTO(str) struct str env = STR_INIT;
	struct err ignored = ERR_INIT;
	bool found = false;

	if (fs_read(path, INT64_C(4) << 20, &env, &ignored) < 0)
		return false;
	for (const char *p = env.p; p < env.p + env.n; p += strlen(p) + 1) {
		found = found || !strcmp(p, with);
		if (starts_with(p, without))
			return false;
	}
	return found;
}

unsigned sweep_processes(const char *with, const char *without)
{
	DIR *d = opendir("/proc");
	struct dirent *x;
	unsigned n = 0;

	while (d && (x = readdir(d))) {
		pid_t pid = (pid_t)strtol(x->d_name, NULL, 10);

		if (pid > 0 && pid != getpid() && is_marked(x->d_name, with, without) &&
		    !kill(pid, SIGKILL))
			n++;
	}
	if (d)
		closedir(d);
	return n;
}
