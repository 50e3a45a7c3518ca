/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts - the child's view of the mounts, made anew or entered.
 *
 * Making a mount namespace and taking it down costs as much as a small program, and the taking down is in the measured time: the kernel
 * waits for all CPUs at the end of the last process in it. So the helper of spawn.c keeps the last few and lets its children enter
 * them. One is made by a process that shares the helper's memory and descriptors: it opens what names the namespace, and ends.
 *
 * A run must find the mounts as a fresh copy would have them. The kernel tells of every change, ours (a benchmark that mounts) and
 * the user's: then the namespace is made anew. It is a slave, so that what the user unmounts is not held by it.
 */
#include "sys/mounts.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT = 8, STACK_SIZE = 64 * 1024 };

struct kept_mounts {
	char *key; /* what was mounted how, and which folder `from` was; NULL = free */
	size_t key_n;
	uint64_t used;
	int mnt, user; /* namespaces; user = -1 where none was made */
	int watch[2];  /* their mounts and ours: readable as "changed" */
};

static bool put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = write(fd, text, strlen(text));

	close(fd);
	return n == (ssize_t)strlen(text);
}

/* We are ourselves inside the new user namespace: one user, one group, the same numbers as outside.
 */
static bool map_ids(const struct launch *l)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %u 1", l->uid, l->uid);
	if (!put_file("/proc/self/uid_map", text))
		return false;
	put_file("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%u %u 1", l->gid, l->gid);
	return put_file("/proc/self/gid_map", text);
}

/* The flags that a mount has, as a remount must repeat them: in a user namespace none of them may be dropped. */
static unsigned long mount_flags(const char *path)
{
	struct statfs st;
	unsigned long flags;

	if (statfs(path, &st))
		return 0;
	/* ST_ and MS_ agree, but for one */
	flags = (unsigned long)st.f_flags &
		(MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME);
	return flags | ((unsigned long)st.f_flags & ST_RELATIME ? MS_RELATIME : 0);
}

/*
 * First the exceptions become mounts of their own, then the folder is mounted on itself with all of these in it, and that
 * one mount is made read-only.
 */
static void protect(const struct spawn *s)
{
	for (const char *const *w = s->writable; w && *w; w++)
		mount(*w, *w, NULL, MS_BIND | MS_REC, NULL);
	for (const char *const *d = s->read_only; d && *d; d++)
		if (!mount(*d, *d, NULL, MS_BIND | MS_REC, NULL))
			mount(NULL, *d, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | mount_flags(*d),
			      NULL);
	errno = 0;
}

/* Our own view of the mounts: with `from` at `to` if given, and with a /proc of the new process namespace if there is one. */
bool mounts_set(const struct launch *l, const char *from, const char *to)
{
	if (l->how == BIND_UNKNOWN)
		return true;
	if (l->how == BIND_USER_NAMESPACE && !map_ids(l))
		return false;
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) ||
	    (from && mount(from, to, NULL, MS_BIND | MS_REC, NULL)))
		return false;
	protect(&l->s);
	return !l->s.fresh_pids ||
	       !mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

int mounts_flags(enum bind_how how)
{
	switch (how) {
	case BIND_PRIVILEGED:
		return CLONE_NEWNS;
	case BIND_USER_NAMESPACE:
		return CLONE_NEWNS | CLONE_NEWUSER;
	case BIND_UNKNOWN:
	case BIND_NEVER:
		break;
	}
	return 0;
}

/* --- kept ones --------------------------------------------------------------------------------------------------------- */

bool mounts_enter(const struct launch *l)
{
	const struct kept_mounts *k = l->kept;

	if (k->user >= 0 && setns(k->user, CLONE_NEWUSER))
		return false;
	/* the kernel may forget it when the credentials change */
	return !setns(k->mnt, CLONE_NEWNS) && !prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void put_text(struct str *out, const char *s)
{
	str_add(out, s, strlen(s) + 1);
}

static bool put_key(const struct launch *l, struct str *out)
{
	const char *const *const lists[] = { l->s.read_only, l->s.writable };
	struct stat st;

	/* a tree that was removed and built again is another one of the same name */
	if (stat(l->s.bind_from, &st))
		return false;
	str_add(out, (const char *)&st.st_dev, sizeof(st.st_dev));
	str_add(out, (const char *)&st.st_ino, sizeof(st.st_ino));
	put_text(out, l->s.bind_from);
	put_text(out, l->s.bind_to);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		for (const char *const *p = lists[i]; p && *p; p++)
			put_text(out, *p);
		put_text(out, "");
	}
	return true;
}

static void drop(struct kept_mounts *k)
{
	int *const fds[] = { &k->mnt, &k->user, &k->watch[0], &k->watch[1] };

	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	free(TAKE_PTR(k->key));
}

static bool has_changed(const struct kept_mounts *k)
{
	struct pollfd p[2] = { { .fd = k->watch[0], .events = POLLPRI },
			       { .fd = k->watch[1], .events = POLLPRI } };

	return poll(p, 2, 0) != 0;
}

struct making {
	const struct launch *l;
	struct kept_mounts *k;
};

/*
 * In a process that shares memory and descriptors with the helper. Entering takes a process to the root of the namespace, which is not
 * ours after a chroot: then nothing is kept.
 */
static int make_main(void *arg)
{
	struct making *m = arg;
	struct kept_mounts *k = m->k;
	struct stat before, after;
	bool ok = mounts_set(m->l, m->l->s.bind_from, m->l->s.bind_to) && !stat("/", &before);

	if (ok) {
		k->mnt = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
		k->watch[0] = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
		if (m->l->how == BIND_USER_NAMESPACE)
			k->user = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
		ok = k->mnt >= 0 && k->watch[0] >= 0 && !setns(k->mnt, CLONE_NEWNS) &&
		     !stat("/", &after) && before.st_dev == after.st_dev &&
		     before.st_ino == after.st_ino &&
		     (m->l->how != BIND_USER_NAMESPACE || k->user >= 0);
	}
	syscall(SYS_exit_group, ok ? 0 : 1);
	return 1;
}

static bool make(const struct launch *l, struct kept_mounts *k)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	struct making m = { l, k };
	int status = 1;

	child_clean_stack(stack, sizeof(stack));
	k->watch[1] = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	pid_t pid = k->watch[1] < 0 ? -1
				    : clone(make_main, stack + STACK_SIZE,
					    SIGCHLD | CLONE_VM | CLONE_VFORK | CLONE_FILES |
						    mounts_flags(l->how),
					    &m);

	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* valgrind makes a fork of it, which shares nothing: then there is nothing to keep */
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 && k->mnt >= 0;
}

static struct kept_mounts all[KEPT];

void mounts_forget(void)
{
	for (size_t i = 0; i < KEPT; i++)
		if (all[i].key)
			drop(&all[i]);
}

const struct kept_mounts *mounts_keep(const struct launch *l)
{
	static uint64_t uses;
	AUTO(str) struct str key = STR_INIT;
	struct kept_mounts *oldest = &all[0];

	if (!l->s.bind_from || l->s.fresh_pids || !l->s.cwd || l->s.cwd[0] != '/' ||
	    !put_key(l, &key))
		return NULL;
	for (size_t i = 0; i < KEPT; i++) {
		struct kept_mounts *k = &all[i];

		if (k->key && k->key_n == key.n && !memcmp(k->key, key.p, key.n)) {
			oldest = k;
			if (has_changed(k))
				break;
			k->used = ++uses;
			return k;
		}
		if (k->used < oldest->used)
			oldest = k;
	}
	if (oldest->key)
		drop(oldest);
	*oldest = (struct kept_mounts){ .mnt = -1, .user = -1, .watch = { -1, -1 } };
	if (!make(l, oldest)) {
		drop(oldest);
		return NULL;
	}
	oldest->key_n = key.n;
	oldest->key = str_take(&key);
	oldest->used = ++uses;
	return oldest;
}
