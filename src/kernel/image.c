/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image - see image.h.
 *
 * All fields of a bzImage are little-endian, as is every machine that the exact target runs on; they are read byte by byte all the same. The version
 * string is the one that file(1) shows. Alternatives refused: scripts/extract-vmlinux of the kernel, which tries every offset in the file where a magic number
 * stands: the header says where the payload is (since boot protocol 2.08, 2008).
 */
#include "kernel/image.h"

#include "kernel/decompress.h"
#include "kernel/elf.h"
#include "sys/fs.h"
#include "sys/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IMAGE_MAX = 1 << 30, HEAD_MIN = 0x260, EM_THIS = 62 /* EM_X86_64 */ };

void kernel_image_done(struct kernel_image *k)
{
	free(k->image);
	free(k->modules);
	free(k->config);
	free(k->system_map);
	free(k->release);
	free(k->package);
	*k = (struct kernel_image){ 0 };
}

static uint32_t le(const char *p, unsigned bytes)
{
	uint32_t v = 0;

	for (unsigned i = bytes; i-- > 0;)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

static bool is_bzimage(const char *p, size_t n)
{
	return n >= HEAD_MIN && !memcmp(p + 0x202, "HdrS", 4);
}

static bool is_elf(const char *p, size_t n)
{
	return n >= 64 && !memcmp(p,
				  "\x7f"
				  "ELF",
				  4);
}

/* What a file that is no kernel for us is, as far as its first bytes tell. */
static const char *looks_like(const char *p, size_t n)
{
	if (is_elf(p, n))
		return p[4] != 2		  ? "an ELF file of 32 bits"
		       : le(p + 18, 2) != EM_THIS ? "an ELF file for another architecture"
						  : "an ELF file that is no kernel";
	if (n >= 60 && !memcmp(p + 56, "ARM\x64", 4))
		return "a kernel for arm64";
	if (n >= 60 && !memcmp(p + 56, "RSC\x05", 4))
		return "a kernel for riscv64";
	if (n >= 8 && !memcmp(p, "!<arch>\n", 8))
		return "a Debian package or an archive (a package is named with deb=./FILE)";
	if (packing_of(p, n) != PACKING_NONE)
		return "a compressed file";
	return n ? "something else" : "empty";
}

/* Where the 16-bit code's version string stands: "6.12.117+deb12-amd64 (who@where) #1 SMP ...". */
static char *release_of_bzimage(const char *p, size_t n)
{
	size_t at = le(p + 0x20e, 2) + 0x200U, len;

	if (at <= 0x200 || at >= n)
		return NULL;
	len = strnlen(p + at, n - at);
	len = len < 200 ? len : 200;
	for (size_t i = 0; i < len; i++)
		if (p[at + i] == ' ')
			len = i;
	return len ? xstrndup(p + at, len) : NULL;
}

/* An ELF kernel has "Linux version RELEASE (" among its constants. */
static char *release_of_vmlinux(const char *p, size_t n)
{
	static const char mark[] = "Linux version ";
	const char *end = p + n;

	for (const char *at = p; (at = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1));) {
		size_t len = 0;

		at += sizeof(mark) - 1;
		while (at + len < end && len < 100 && at[len] > ' ' && at[len] < 127)
			len++;
		if (len && len < 100 && at[0] >= '0' && at[0] <= '9' && at + len < end &&
		    at[len] == ' ')
			return xstrndup(at, len);
	}
	return NULL;
}

/* ERR_USAGE unless the bytes are a kernel that we can boot. */
static int identify(const char *path, const struct str *bytes, char **ret_release, struct err *e)
{
	const char *p = bytes->p;

	if (is_bzimage(p, bytes->n)) {
		/* xloadflags bit 0: has a 64-bit entry (protocol 2.12) */
		if (le(p + 0x206, 2) < 0x20c || !(le(p + 0x236, 2) & 1))
			return err_set(e, ERR_USAGE, "'%s' is a kernel for 32-bit x86, not x86-64",
				       path);
		*ret_release = release_of_bzimage(p, bytes->n);
		return 0;
	}
	if (is_elf(p, bytes->n) && p[4] == 2 && le(p + 18, 2) == EM_THIS && le(p + 16, 2) == 2 &&
	    memmem(p, bytes->n, "Linux version ", 14)) {
		*ret_release = release_of_vmlinux(p, bytes->n);
		return 0;
	}
	return err_set(e, ERR_USAGE, "'%s' is not a Linux kernel for x86-64: it is %s", path,
		       looks_like(p, bytes->n));
}

/* The first of the paths that is a file. Takes the candidates. */
static char *first_file(char *candidates[], size_t n)
{
	char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (!found && candidates[i] && stat(candidates[i], &st) == 0 && S_ISREG(st.st_mode))
			found = candidates[i];
		else
			free(candidates[i]);
	}
	return found;
}

/* NAME-RELEASE beside the image; NAME in its folder; NAME at the top of the tree of arch/x86/boot/bzImage. */
static char *find_beside(const char *dir, const char *versioned, const char *plain,
			 const char *release)
{
	char *candidates[] = { release ? xasprintf("%s/%s-%s", dir, versioned, release) : NULL,
			       xasprintf("%s/%s", dir, plain),
			       xasprintf("%s/../../../%s", dir, plain) };

	return first_file(candidates, ARRAY_LEN(candidates));
}

/* Debian's System.map is one line that says where the real one is. */
static char *find_system_map(const char *dir, const char *release)
{
	AUTO_FREE char *path = find_beside(dir, "System.map", "System.map", release);
	struct stat st;

	return path && stat(path, &st) == 0 && st.st_size > 4096 ? TAKE_PTR(path) : NULL;
}

static bool has_modules(const char *dir)
{
	AUTO_FREE char *builtin = fs_join(dir, "modules.builtin"), *kernel = fs_join(dir, "kernel");

	return fs_exists(builtin) || fs_is_dir(kernel);
}

/* DIR itself and the places within it, or the place beside /boot; `places` are formats for the folder and the release. */
static char *look_for_modules(const char *base, const char *const *places, const char *release)
{
	static const char mark[] = "RELEASE";
	char *found = NULL;

	for (; *places && !found; places++) {
		const char *at = strstr(*places, mark);
		AUTO_FREE char *path = NULL;

		if (at && !release)
			continue;
		path = at ? xasprintf("%s/%.*s%s", base, (int)(at - *places), *places, release)
			  : fs_join(base, *places);
		if (has_modules(path) && fs_realpath(path, &found, NULL) < 0)
			found = NULL;
	}
	return found;
}

static int find_modules(const char *given, const char *dir, const char *release, char **ret,
			struct err *e)
{
	static const char *const within[] = { ".", "RELEASE", "lib/modules/RELEASE",
					      "usr/lib/modules/RELEASE", NULL };
	static const char *const beside[] = { "../lib/modules/RELEASE",
					      "../usr/lib/modules/RELEASE", NULL };

	*ret = look_for_modules(given ? given : dir, given ? within : beside, release);
	if (!*ret && given)
		return err_set(e, ERR_MISSING,
			       "'%s' holds no modules of kernel %s (no kernel/, no lib/modules/%s)",
			       given, release ? release : "(of unknown release)",
			       release ? release : "RELEASE");
	return 0;
}

int kernel_image_open(const char *path, const char *modules, struct kernel_image *ret,
		      struct err *e)
{
	AUTO(kernel_image) struct kernel_image k = { 0 };
	AUTO(str) struct str bytes = STR_INIT;
	AUTO_FREE char *dir = NULL;
	int r = fs_realpath(path, &k.image, e);

	if (r < 0)
		return r;
	if (fs_is_dir(k.image))
		return err_set(
			e, ERR_USAGE,
			"'%s' is a folder; image= wants the kernel itself (vmlinuz, bzImage or vmlinux)",
			path);
	r = fs_read(k.image, IMAGE_MAX, &bytes, e);
	if (r == 0)
		r = identify(path, &bytes, &k.release, e);
	if (r < 0)
		return r;
	dir = fs_dirname(k.image);
	k.config = find_beside(dir, "config", ".config", k.release);
	k.system_map = find_system_map(dir, k.release);
	r = find_modules(modules, dir, k.release, &k.modules, e);
	if (r < 0)
		return r;
	*ret = k;
	k = (struct kernel_image){ 0 };
	return 0;
}

int kernel_image_in_tree(const char *root, struct kernel_image *ret, struct err *e)
{
	static const char *const patterns[] = { "boot/vmlinuz-*", "boot/vmlinux-*",
						"usr/lib/modules/*/vmlinuz",
						"lib/modules/*/vmlinuz" };
	AUTO_FREE char *image = NULL;

	for (size_t i = 0; i < ARRAY_LEN(patterns) && !image; i++) {
		AUTO_FREE char *pattern = fs_join(root, patterns[i]);
		glob_t g;

		if (glob(pattern, 0, NULL, &g) == 0) {
			image = xstrdup(g.gl_pathv[0]);
			globfree(&g);
		}
	}
	if (!image)
		return err_set(e, ERR_MISSING, "'%s' holds no kernel (boot/vmlinuz-*)", root);
	return kernel_image_open(image, NULL, ret, e);
}

/* ---- key ---- */

struct module_list {
	struct strvec lines;
};

static int visit_module(void *arg, const struct walk_entry *w, struct err *e UNUSED)
{
	struct module_list *m = arg;

	if (S_ISREG(w->st->st_mode) && strstr(w->path, ".ko"))
		strvec_addf(&m->lines, "%s %lld", w->path, (long long)w->st->st_size);
	return WALK_ON;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int kernel_image_key(const struct kernel_image *k, char ret[65], struct err *e)
{
	struct module_list m = { STRVEC_INIT };
	struct sha256 *h;
	char image[65];
	int r = sha256_file(k->image, image, e);

	if (r == 0 && k->modules)
		r = walk_tree(k->modules, visit_module, &m, e);
	if (r == 0) {
		if (m.lines.n)
			qsort(m.lines.v, m.lines.n, sizeof(*m.lines.v), by_text);
		h = sha256_new();
		sha256_add(h, image, 64);
		for (size_t i = 0; i < m.lines.n; i++)
			sha256_add(h, m.lines.v[i], strlen(m.lines.v[i]) + 1);
		sha256_finish(h, ret);
	}
	strvec_done(&m.lines);
	return r;
}

/* ---- the kernel within ---- */

static int payload(const struct kernel_image *k, const struct str *image, struct str *ret,
		   struct err *e)
{
	size_t setup = (unsigned char)image->p[0x1f1], at, n;

	at = ((setup ? setup : 4) + 1) * 512 + le(image->p + 0x248, 4);
	n = le(image->p + 0x24c, 4);
	if (n < 4 || at > image->n || n > image->n - at)
		return err_set(e, ERR_USAGE, "'%s' is damaged: it ends before its payload does",
			       k->image);
	return decompress(image->p + at, n, IMAGE_MAX, k->image, ret, e);
}

/* Does a note of Xen's of type 18 (XEN_ELFNOTE_PHYS32_ENTRY) exist? Name size, size, type, then "Xen\0". */
static bool has_pvh_note(const struct str *elf)
{
	static const char note[] = { 4, 0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, 'X', 'e', 'n', 0 };

	for (size_t size = 4; size <= 8; size += 4) {
		char want[sizeof(note)];

		memcpy(want, note, sizeof(note));
		want[4] = (char)size;
		if (memmem(elf->p, elf->n, want, sizeof(want)))
			return true;
	}
	return false;
}

int kernel_image_extract(const struct kernel_image *k, const char *path, bool *ret_pvh,
			 struct err *e)
{
	AUTO(str) struct str image = STR_INIT, elf = STR_INIT;
	int r = fs_read(k->image, IMAGE_MAX, &image, e);

	if (r < 0)
		return r;
	if (is_bzimage(image.p, image.n))
		r = payload(k, &image, &elf, e);
	else
		str_add(&elf, image.p, image.n);
	if (r == 0 && !is_elf(elf.p, elf.n))
		r = err_set(e, ERR_USAGE, "'%s' carries no ELF kernel", k->image);
	if (r == 0)
		r = fs_write_atomic(path, elf.p, elf.n, e);
	if (r == 0)
		*ret_pvh = has_pvh_note(&elf);
	return r;
}
