/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child - what a child is to be: the request of spawn.h, and what launch and mounts need besides.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct spawn {
	const char *path;	 /* of the program, looked up already */
	const char *const *argv; /* at least one */
	const char *const *env;
	const char *cwd;       /* NULL = ours */
	int fd[3];	       /* become 0, 1, 2 */
	const cpu_set_t *cpus; /* NULL = ours */
	size_t cpus_size;
	bool no_aslr;
	bool fresh_pids; /* a process namespace of its own, with its own /proc: the child is number 1 */
	bool foreground;       /* our session, group and terminal */
	const char *bind_from; /* NULL = no mount namespace */
	const char *bind_to;
	const char *const *read_only; /* as in proc_spec; with bind_from only */
	const char *const *writable;
	const char *cgroup; /* directory, or NULL */
	/*
	 * Called with the child's number when all but exec is done, then the child goes on (to attach counters); may be NULL. Not called
	 * where the helper cannot be used: spawned.was_at_gate tells.
	 */
	void (*at_gate)(void *arg, pid_t pid);
	void *gate_arg;
};

/* How a mount namespace can be had. */
enum bind_how { BIND_UNKNOWN, BIND_NEVER, BIND_PRIVILEGED, BIND_USER_NAMESPACE };

struct kept_mounts; /* sys/mounts.h */

struct launch {
	struct spawn s;
	pid_t parent;	    /* who will wait for the child */
	bool is_for_parent; /* that is our own parent (CLONE_PARENT) */
	bool is_alone; /* we are a helper process: one thread, one start at a time, no handler that matters */
	int cwd_fd;	   /* where relative names start; -1 = our own folder */
	int gate_fd;	   /* the child writes its pid_t and waits for a byte; -1 = none */
	enum bind_how how; /* BIND_UNKNOWN = no mount namespace */
	const struct kept_mounts *kept; /* to be entered instead of made; launch_child sets it */
	uid_t uid;
	gid_t gid;
	/* set by the child */
	int64_t start_ns;
	const char *stage; /* a string constant, NULL = exec succeeded */
	int error;
};

/*
 * For a stack that a child borrows with our memory. It leaves its frames by exec, not by returning, so under AddressSanitizer their marks stay in the
 * shadow that it shares with us; gcc takes for granted that a new frame lies on unmarked memory. The sanitizer itself cleans only stacks that
 * it knows.
 */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define CHILD_UNDER_ASAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define CHILD_UNDER_ASAN 1
#endif
#ifdef CHILD_UNDER_ASAN
void __asan_unpoison_memory_region(const volatile void *p, size_t n);
#define child_clean_stack(p, n) __asan_unpoison_memory_region(p, n)
#else
#define child_clean_stack(p, n) ((void)(p))
#endif
