/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder is in $TMPDIR and not in the store, since the path of a Unix socket has 108 bytes at most and since a server that drops its
 * rights must be able to go there. Its name has the store's hash, so that who owns the store's lock may remove what is left.
 *
 * Ports are below those that the kernel gives to clients (32768 and up on Linux): a client of the benchmark cannot sit on its server's.
 */
#include "bench/own.h"

#include "bench/environ.h"
#include "sys/fs.h"

#include <errno.h>
#include <glob.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const own_variables[] = { OWN_TMP, OWN_PORT, OWN_TARGET, NULL };

enum { PORT_FIRST = 20000, PORTS = 12000, PORT_TRIES = 200 };

static bool names(const char *text, const char *variable)
{
	return text && strstr(text, variable);
}

bool own_wanted(const struct benchmark *b, const char *variable)
{
	return names(b->command, variable) || names(b->prepare, variable) ||
	       names(b->cleanup, variable) || names(b->setup, variable);
}

static char *pattern(const char *store_dir, const char *rest)
{
	const char *tmp = getenv("TMPDIR");
	uint32_t hash = 2166136261u; /* FNV-1a: only to tell a machine's few stores apart */

	for (const char *p = store_dir; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	return xasprintf("%s/culprit-run-%08x-%s", tmp && *tmp ? tmp : "/tmp", hash, rest);
}

static bool is_free(unsigned port, int type)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	bool good = fd >= 0 && !bind(fd, (const struct sockaddr *)&a, sizeof(a));

	if (fd >= 0)
		close(fd);
	return good;
}

static int take_port(uint64_t seed, struct strvec *env, struct err *e)
{
	for (unsigned i = 0; i < PORT_TRIES; i++) {
		unsigned port = PORT_FIRST + (unsigned)((seed + i * 7) % PORTS);

		if (!is_free(port, SOCK_STREAM) || !is_free(port, SOCK_DGRAM))
			continue;
		AUTO_FREE char *text = xasprintf("%u", port);

		environ_set(env, OWN_PORT, text);
		return 0;
	}
	return err_set(e, ERR_ENV, "no free port for $" OWN_PORT " among %d that were tried",
		       PORT_TRIES);
}

int own_take(const struct benchmark *b, const char *store_dir, uint64_t seed, struct strvec *env,
	     struct own *ret, struct err *e)
{
	int r = 0;

	*ret = (struct own){ NULL };
	if (own_wanted(b, OWN_PORT))
		r = take_port(seed, env, e);
	if (r < 0 || !own_wanted(b, OWN_TMP))
		return r;
	ret->folder = pattern(store_dir, "XXXXXX");
	if (!mkdtemp(ret->folder)) {
		r = err_errno(e, "creating '%s'", ret->folder);
		free(TAKE_PTR(ret->folder));
		return r;
	}
	environ_set(env, OWN_TMP, ret->folder);
	return 0;
}

void own_done(struct own *o)
{
	struct err ignored = ERR_INIT;

	if (o->folder && fs_remove_tree(o->folder, &ignored) < 0)
		errno = 0; /* the next culprit with this store sweeps, if this one is killed */
	free(o->folder);
	*o = (struct own){ NULL };
}

unsigned own_sweep(const char *store_dir)
{
	AUTO_FREE char *all = pattern(store_dir, "*");
	struct err ignored = ERR_INIT;
	unsigned n = 0;
	glob_t g;

	if (glob(all, GLOB_NOSORT, NULL, &g) != 0)
		return 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct stat st;

		n += !lstat(g.gl_pathv[i], &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
		     fs_remove_tree(g.gl_pathv[i], &ignored) == 0;
	}
	globfree(&g);
	return n;
}
