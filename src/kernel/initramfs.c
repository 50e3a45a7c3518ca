/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * initramfs - see initramfs.h.
 *
 * A program keeps the path that it has here, so that what it says of itself and $ORIGIN hold; a link of the host (awk -> mawk) stays a link. Libraries go where they were found;
 * one found elsewhere than beside libc (by a run path, by ld.so.conf) stands there too, so that the guest needs no ld.so.cache: the host's
 * would change with every package installed, and with it the instructions that each exec takes to search it.
 *
 * What glibc opens by itself: libgcc_s.so.1 (pthread_cancel, pthread_exit), libnss_files.so.2 (before 2.34; a stub since).
 */
#include "kernel/initramfs.h"

#include "kernel/cpio.h"
#include "kernel/elf.h"
#include "kernel/image.h"
#include "kernel/modules.h"
#include "sys/fs.h"
#include "sys/walk.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCRIPT_DEPTH = 4, LINK_MAX_BYTES = 4096 };

static const struct {
	const char *path, *text;
} etc_files[] = {
	{ "etc/hosts", "127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 guest\n" },
	{ "etc/hostname", "guest\n" },
	{ "etc/host.conf", "multi on\n" },
	{ "etc/resolv.conf", "" },
	{ "etc/nsswitch.conf",
	  "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\n"
	  "protocols: files\nservices: files\nethers: files\nrpc: files\n" },
	{ "etc/passwd",
	  "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n" },
	{ "etc/group", "root:x:0:\ntty:x:5:\nnogroup:x:65534:\n" },
	{ "etc/shells", "/bin/sh\n" },
	/* Numbers of IANA. */
	{ "etc/protocols",
	  "ip 0 IP\nicmp 1 ICMP\nigmp 2 IGMP\nipencap 4 IP-ENCAP\ntcp 6 TCP\nudp 17 UDP\n"
	  "dccp 33 DCCP\nipv6 41 IPv6\ngre 47 GRE\nesp 50 IPSEC-ESP\nipv6-icmp 58 IPv6-ICMP\n"
	  "sctp 132 SCTP\nudplite 136 UDPLite\n" },
	{ "etc/services",
	  "echo 7/tcp\necho 7/udp\ndiscard 9/tcp\ndiscard 9/udp\nftp 21/tcp\nssh 22/tcp\n"
	  "telnet 23/tcp\nsmtp 25/tcp\ndomain 53/tcp\ndomain 53/udp\nhttp 80/tcp\nntp 123/udp\n"
	  "https 443/tcp\nmysql 3306/tcp\niperf 5001/tcp\niperf3 5201/tcp\npostgresql 5432/tcp\n"
	  "redis 6379/tcp\nmemcached 11211/tcp\nmemcached 11211/udp\nnetperf 12865/tcp\n" },
};
static const char *const folders[] = { "dev",	  "proc",      "sys",	  "run",
				       "root",	  "var/tmp",   "usr/bin", "usr/sbin",
				       "usr/lib", "usr/lib64", "etc",	  "culprit" };
static const char *const merged[] = { "bin", "sbin", "lib", "lib64" };

struct build {
	const struct initramfs_request *q;
	struct cpio cpio;
	struct elf_libraries libraries;
};

static void build_done(struct build *b)
{
	cpio_done(&b->cpio);
	elf_libraries_done(&b->libraries);
}

/* "/lib/x" -> "usr/lib/x": the guest's /lib is a link. */
static char *guest_path(const char *path)
{
	path += strspn(path, "/");
	for (size_t i = 0; i < ARRAY_LEN(merged); i++) {
		size_t n = strlen(merged[i]);

		if (!strncmp(path, merged[i], n) && path[n] == '/')
			return xasprintf("usr/%s", path);
	}
	return xstrdup(path);
}

/* Permissions for everybody, whatever the host's umask was. */
static mode_t plain_mode(mode_t mode)
{
	return mode & 0111 ? 0755 : 0644;
}

static int add_host_file(struct build *b, const char *host, const char *guest, struct err *e)
{
	AUTO_FREE char *to = guest_path(guest);
	struct stat st;

	if (stat(host, &st) < 0)
		return err_errno(e, "'%s'", host);
	return cpio_add_file(&b->cpio, to, plain_mode(st.st_mode), host, e);
}

/* At its own path, a link of the host as a link to where it leads in the end. */
static int add_as_here(struct build *b, const char *path, struct err *e)
{
	AUTO_FREE char *real = NULL, *at = guest_path(path), *target = NULL;
	int r = fs_realpath(path, &real, e);

	if (r < 0)
		return r;
	r = add_host_file(b, real, real, e);
	target = guest_path(real);
	if (r == 0 && strcmp(target, at) != 0) {
		AUTO_FREE char *absolute = xasprintf("/%s", target);

		r = cpio_add_link(&b->cpio, at, absolute, e);
	}
	return r;
}

/* ---- programs ---- */

static int add_program(struct build *b, const char *path, unsigned depth, struct err *e);

/* Is this one of the folders where the guest looks for programs? (src/guest) */
static bool in_guest_path(const char *path)
{
	static const char *const dirs[] = { "/bin", "/sbin", "/usr/bin", "/usr/sbin" };
	AUTO_FREE char *dir = fs_dirname(path);

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (!strcmp(dir, dirs[i]))
			return true;
	return false;
}

/* A name's program; one from elsewhere (~/bin, /opt) stands in /usr/bin too, for the guest's PATH is short and its /tmp its own. */
static int add_named(struct build *b, const char *name, unsigned depth, struct err *e)
{
	AUTO_FREE char *path = fs_find_program(name, NULL);
	AUTO_FREE char *sbin =
		path || strchr(name, '/') ? NULL : fs_find_program(name, "/usr/sbin:/sbin");
	int r = 0;

	if (!path && !sbin)
		return err_set(
			e, ERR_MISSING,
			"the guest needs the program '%s', which is not on this machine: install it here, and it is copied in",
			name);
	if (path && !strchr(name, '/') && !in_guest_path(path)) {
		AUTO_FREE char *at = fs_join("/usr/bin", name);

		r = add_host_file(b, path, at, e);
	}
	return r < 0 ? r : add_program(b, path ? path : sbin, depth, e);
}

/* "#!/usr/bin/env python3" and the like: the interpreter, and what env is to start. */
static int add_interpreter(struct build *b, const char *path, unsigned depth, struct err *e)
{
	char head[256] = "", *interp, *arg, *save = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 2 || head[0] != '#' || head[1] != '!' || depth >= SCRIPT_DEPTH)
		return 0;
	head[strcspn(head, "\n")] = 0;
	interp = strtok_r(head + 2, " \t", &save);
	arg = strtok_r(NULL, " \t", &save);
	if (!interp)
		return 0;
	r = add_named(b, interp, depth + 1, e);
	if (r == 0 && arg && ends_with(interp, "/env") && *arg != '-')
		r = add_named(b, arg, depth + 1, e);
	return r < 0 ? err_wrap(e, "'%s'", path) : 0;
}

static int add_program(struct build *b, const char *path, unsigned depth, struct err *e)
{
	AUTO_FREE char *real = NULL;
	int r = add_as_here(b, path, e);

	if (r == 0)
		r = fs_realpath(path, &real, e);
	if (r == 0)
		r = elf_closure(real, NULL, &b->libraries, e);
	return r < 0 ? r : add_interpreter(b, real, depth, e);
}

static int add_tree(struct build *b, const char *from, const char *to, struct err *e);

/* A name, or a path with wildcards whose folders are copied whole. */
static int add_pattern(struct build *b, const char *pattern, struct err *e)
{
	glob_t g;
	int r = 0;

	if (*pattern != '/' || glob(pattern, 0, NULL, &g) != 0)
		return add_named(b, pattern, 0, e);
	for (size_t i = 0; r == 0 && i < g.gl_pathc; i++) { /* glob sorts */
		const char *path = g.gl_pathv[i];

		r = fs_is_dir(path) ? add_tree(b, path, path, e) : add_named(b, path, 0, e);
	}
	globfree(&g);
	return r;
}

static bool seen(const struct strvec *list, const char *word)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], word))
			return true;
	return false;
}

static bool shell_has(const char *word)
{
	static const char *const words[] = {
		"alias",  "bg",	    "break", "case",	"cd",	  "command", "continue", "do",
		"done",	  "echo",   "elif",  "else",	"esac",	  "eval",    "exec",	 "exit",
		"export", "false",  "fg",    "fi",	"for",	  "getopts", "hash",	 "if",
		"in",	  "jobs",   "kill",  "local",	"printf", "pwd",     "read",	 "readonly",
		"return", "set",    "shift", "test",	"then",	  "times",   "trap",	 "true",
		"type",	  "ulimit", "umask", "unalias", "unset",  "until",   "wait",	 "while",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

void initramfs_programs_of(const char *text, struct strvec *ret)
{
	static const char word_bytes[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-/";

	while (*text) {
		size_t n = strspn(text, word_bytes);
		AUTO_FREE char *word = xstrndup(text, n);
		AUTO_FREE char *path = NULL;

		text += n ? n : 1;
		if (!n || *word == '-' || (strchr(word, '/') && *word != '/') || shell_has(word) ||
		    seen(ret, word))
			continue;
		path = fs_find_program(word, NULL);
		if (path && !fs_is_dir(path))
			strvec_take(ret, TAKE_PTR(word));
	}
}

static int add_programs(struct build *b, struct err *e)
{
	const struct initramfs_request *q = b->q;
	const char *const texts[] = { q->setup, q->prepare, q->command, q->cleanup };
	AUTO(strvec) struct strvec guessed = STRVEC_INIT;
	int r = add_named(b, "/bin/sh", 0, e);

	for (size_t i = 0; r == 0 && q->programs && q->programs[i]; i++)
		r = add_pattern(b, q->programs[i], e);
	for (size_t i = 0; q->guess && i < ARRAY_LEN(texts); i++)
		if (texts[i])
			initramfs_programs_of(texts[i], &guessed);
	for (size_t i = 0; r == 0 && i < guessed.n; i++)
		r = add_named(b, guessed.v[i], 0, e);
	return r;
}

/* ---- trees ---- */

struct copying {
	struct build *b;
	const char *from, *to;
};

static int copy_entry(void *arg, const struct walk_entry *w, struct err *e)
{
	struct copying *c = arg;
	AUTO_FREE char *host = fs_join(c->from, w->path),
		       *joined = xasprintf("%s/%s", c->to, w->path);
	AUTO_FREE char *at = guest_path(joined);
	mode_t mode = w->st->st_mode;
	int r = 0;

	if (S_ISDIR(mode)) {
		r = cpio_add_dir(&c->b->cpio, at, 0755, e);
	} else if (S_ISLNK(mode)) {
		char target[LINK_MAX_BYTES];
		ssize_t n = readlink(host, target, sizeof(target) - 1);

		if (n < 0)
			return err_errno(e, "reading the link '%s'", host);
		target[n] = 0;
		r = cpio_add_link(&c->b->cpio, at, target, e);
	} else if (S_ISREG(mode)) {
		r = cpio_add_file(&c->b->cpio, at, plain_mode(mode), host, e);
		if (r == 0 && mode & 0111)
			r = elf_closure(host, NULL, &c->b->libraries, e);
		if (r == 0 && mode & 0111)
			r = add_interpreter(c->b, host, 0, e);
	}
	return r < 0 ? r : WALK_ON; /* sockets and the like are nobody's artefacts */
}

static int add_tree(struct build *b, const char *from, const char *to, struct err *e)
{
	struct copying c = { b, from, to };

	if (!fs_is_dir(from))
		return err_set(e, ERR_MISSING, "'%s' is not a folder", from);
	return walk_tree(from, copy_entry, &c, e);
}

static int add_files(struct build *b, struct err *e)
{
	const struct initramfs_request *q = b->q;
	int r = 0;

	for (size_t i = 0; r == 0 && i < q->n_files; i++) {
		const struct initramfs_file *f = &q->files[i];

		if (fs_is_dir(f->host)) {
			r = add_tree(b, f->host, f->guest, e);
			continue;
		}
		r = add_host_file(b, f->host, f->guest, e);
		if (r == 0 && access(f->host, X_OK) == 0)
			r = elf_closure(f->host, NULL, &b->libraries, e);
	}
	if (r == 0 && q->tree)
		r = add_tree(b, q->tree, q->tree_at ? q->tree_at : q->tree, e);
	return r;
}

/* ---- libraries ---- */

static int what_libc_opens(struct build *b, struct err *e)
{
	static const char *const names[] = { "libgcc_s.so.1", "libnss_files.so.2" };
	size_t n = b->libraries.n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(names) && n; i++) {
		AUTO_FREE char *path = elf_find_library(names[i], true, 62);

		if (path)
			r = elf_closure(path, NULL, &b->libraries, e);
		if (r == 0 && path)
			*ARRAY_GROW(&b->libraries) =
				(struct elf_library){ xstrdup(names[i]), TAKE_PTR(path) };
	}
	return r;
}

static int add_libraries(struct build *b, struct err *e)
{
	AUTO_FREE char *libc_folder = NULL;
	int r = what_libc_opens(b, e);

	for (size_t i = 0; i < b->libraries.n; i++)
		if (!strcmp(b->libraries.v[i].name, "libc.so.6") && !libc_folder) {
			AUTO_FREE char *folder = fs_dirname(b->libraries.v[i].path);

			libc_folder = guest_path(folder);
		}
	for (size_t i = 0; r == 0 && i < b->libraries.n; i++) {
		const struct elf_library *l = &b->libraries.v[i];
		AUTO_FREE char *at = guest_path(l->path);
		AUTO_FREE char *beside = libc_folder ? fs_join(libc_folder, l->name) : NULL;

		r = add_as_here(b, l->path, e);
		if (r == 0 && beside && *l->name != '/' && strcmp(at, beside) != 0)
			r = add_host_file(b, l->path, beside, e);
	}
	return r;
}

/* ---- the rest ---- */

static int add_skeleton(struct build *b, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(folders); i++)
		r = cpio_add_dir(&b->cpio, folders[i], 0755, e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(merged); i++) {
		AUTO_FREE char *target = xasprintf("usr/%s", merged[i]);

		r = cpio_add_link(&b->cpio, merged[i], target, e);
	}
	if (r == 0)
		r = cpio_add_dir(&b->cpio, "tmp", 01777, e);
	/* What the kernel opens as standard input and output of /init. */
	if (r == 0)
		r = cpio_add_device(&b->cpio, "dev/console", 0600, 5, 1, e);
	if (r == 0)
		r = cpio_add_device(&b->cpio, "dev/null", 0666, 1, 3, e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(etc_files); i++)
		r = cpio_add_bytes(&b->cpio, etc_files[i].path, 0644, etc_files[i].text,
				   strlen(etc_files[i].text), e);
	return r;
}

static int add_modules(struct build *b, struct str *plan, struct err *e)
{
	const struct initramfs_request *q = b->q;
	AUTO(kernel_modules) struct kernel_modules m = { 0 };
	int r = q->kernel ? kernel_modules_find(q->kernel->modules, q->modules, &m, e) : 0;

	for (size_t i = 0; r == 0 && i < m.n; i++) {
		AUTO_FREE char *path = xasprintf("/usr/lib/modules/%s.ko", m.v[i].name);

		str_addf(plan, "module %s%s%s\n", path, *m.v[i].args ? " " : "", m.v[i].args);
		r = cpio_add_bytes(&b->cpio, path, 0644, m.v[i].bytes.p, m.v[i].bytes.n, e);
	}
	return r;
}

static int add_culprit(struct build *b, struct err *e)
{
	const struct initramfs_request *q = b->q;
	const struct {
		const char *path, *text;
	} scripts[] = { { "culprit/setup", q->setup },
			{ "culprit/prepare", q->prepare },
			{ "culprit/command", q->command },
			{ "culprit/cleanup", q->cleanup } };
	AUTO(str) struct str plan = STR_INIT;
	int r = add_modules(b, &plan, e);

	if (q->plan)
		str_puts(&plan, q->plan);
	if (r == 0)
		r = cpio_add_bytes(&b->cpio, "culprit/plan", 0644, plan.p, plan.n, e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(scripts); i++)
		if (scripts[i].text)
			r = cpio_add_bytes(&b->cpio, scripts[i].path, 0755, scripts[i].text,
					   strlen(scripts[i].text), e);
	if (r == 0 && q->guest)
		r = cpio_add_file(&b->cpio, "init", 0755, q->guest, e);
	return r;
}

static void list_files(const struct cpio *c, struct strvec *ret)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].host && !seen(ret, c->v[i].host))
			strvec_add(ret, c->v[i].host);
}

int initramfs_build(const struct initramfs_request *q, char **ret_path, char ret_key[65],
		    struct err *e)
{
	AUTO(build) struct build b = { .q = q };
	AUTO_FREE char *folder = fs_join(q->store_dir, "initramfs"), *path = NULL;
	char key[65];
	int r = add_skeleton(&b, e);

	if (r == 0)
		r = add_culprit(&b, e);
	if (r == 0)
		r = add_files(&b, e);
	if (r == 0)
		r = add_programs(&b, e);
	if (r == 0)
		r = add_libraries(&b, e);
	if (r == 0)
		r = cpio_key(&b.cpio, key, e);
	if (r == 0)
		r = fs_mkdirs(folder, e);
	if (r < 0)
		return err_wrap(e, "making the initramfs");
	path = xasprintf("%s/%.32s.cpio", folder, key);
	if (fs_exists(path))
		fs_touch(path);
	else
		r = cpio_write(&b.cpio, path, e);
	if (r < 0)
		return r;
	if (q->ret_files)
		list_files(&b.cpio, q->ret_files);
	memcpy(ret_key, key, sizeof(key));
	*ret_path = TAKE_PTR(path);
	return 0;
}
