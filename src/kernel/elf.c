/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf - see elf.h.
 *
 * Running the loader (`ld.so --list`, which ldd does) would be shorter, but it executes the program's own interpreter: no good idea for an artefact
 * that a build just made, and impossible for another machine's. The search order is that of ld.so(8), without LD_LIBRARY_PATH, which
 * is the user's shell's and not the guest's. ld.so.cache is read in its "new" format (glibc 2.2 and later; elf/cache.c, dl-cache.h).
 */
#include "kernel/elf.h"

#include "sys/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

void elf_info_done(struct elf_info *x)
{
	free(x->interp);
	free(x->soname);
	strvec_done(&x->needed);
	strvec_done(&x->rpath);
	strvec_done(&x->runpath);
	*x = (struct elf_info){ 0 };
}

void elf_libraries_done(struct elf_libraries *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].path);
	}
	free(l->v);
	*l = (struct elf_libraries){ 0 };
}

static void split_folders(const char *text, struct strvec *ret)
{
	while (*text) {
		size_t n = strcspn(text, ":");

		if (n)
			strvec_take(ret, xstrndup(text, n));
		text += n;
		text += *text == ':';
	}
}

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct elf_info *x)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Dyn d;
		const char *text;

		if (!gelf_getdyn(data, (int)i, &d) || d.d_tag == DT_NULL)
			break;
		if (d.d_tag != DT_NEEDED && d.d_tag != DT_RPATH && d.d_tag != DT_RUNPATH &&
		    d.d_tag != DT_SONAME)
			continue;
		text = elf_strptr(elf, head->sh_link, d.d_un.d_val);
		if (!text)
			continue;
		if (d.d_tag == DT_NEEDED)
			strvec_add(&x->needed, text);
		else if (d.d_tag == DT_RPATH)
			split_folders(text, &x->rpath);
		else if (d.d_tag == DT_RUNPATH)
			split_folders(text, &x->runpath);
		else if (!x->soname)
			x->soname = xstrdup(text);
	}
}

static int read_interp(const char *path, Elf *elf, struct elf_info *x, struct err *e)
{
	size_t n = 0, size = 0;
	const char *raw = elf_rawfile(elf, &size);

	if (elf_getphdrnum(elf, &n) < 0)
		return err_set(e, ERR_USAGE, "'%s' is a broken ELF file: %s", path, elf_errmsg(-1));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			return err_set(e, ERR_USAGE, "'%s' is a broken ELF file: %s", path,
				       elf_errmsg(-1));
		if (ph.p_type != PT_INTERP)
			continue;
		if (!raw || ph.p_filesz == 0 || ph.p_filesz > size ||
		    ph.p_offset > size - ph.p_filesz)
			return err_set(
				e, ERR_USAGE,
				"'%s' is a broken ELF file: it ends before its interpreter's name",
				path);
		free(x->interp);
		x->interp = xstrndup(raw + ph.p_offset, ph.p_filesz);
	}
	return 0;
}

static int read_elf(const char *path, Elf *elf, struct elf_info *x, bool *ret_is_elf, struct err *e)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr head;
	int r;

	if (elf_kind(elf) != ELF_K_ELF)
		return 0;
	if (!gelf_getehdr(elf, &head))
		return err_set(e, ERR_USAGE, "'%s' is a broken ELF file: %s", path, elf_errmsg(-1));
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		return 0;
	x->machine = head.e_machine;
	x->is_64 = gelf_getclass(elf) == ELFCLASS64;
	r = read_interp(path, elf, x, e);
	if (r < 0)
		return r;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr sh;

		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_DYNAMIC)
			read_dynamic(elf, section, &sh, x);
	}
	*ret_is_elf = true;
	return 0;
}

int elf_read(const char *path, struct elf_info *ret, bool *ret_is_elf, struct err *e)
{
	AUTO(elf_info) struct elf_info x = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	bool is_elf = false;
	Elf *elf;

	if (fd < 0 && errno == ENOENT)
		return err_set(e, ERR_MISSING, "'%s' does not exist", path);
	if (fd < 0)
		return err_errno(e, "opening '%s'", path);
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	r = elf ? read_elf(path, elf, &x, &is_elf, e) : 0;
	elf_end(elf);
	close(fd);
	if (r < 0)
		return r;
	*ret_is_elf = is_elf;
	*ret = x;
	x = (struct elf_info){ 0 };
	return 0;
}

static int find_section(Elf *elf, const char *section, const char *what, struct str *ret,
			struct err *e)
{
	Elf_Scn *s = NULL;
	size_t names = 0;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) < 0)
		return err_set(e, ERR_USAGE, "%s is not an ELF file", what);
	while ((s = elf_nextscn(elf, s))) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(s, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		Elf_Data *data;

		if (!name || strcmp(name, section) != 0)
			continue;
		data = elf_rawdata(s, NULL);
		if (!data)
			return err_set(e, ERR_USAGE, "%s is a broken ELF file: %s", what,
				       elf_errmsg(-1));
		if (data->d_buf)
			str_add(ret, data->d_buf, data->d_size);
		return 0;
	}
	return err_set(e, ERR_MISSING, "%s has no section %s", what, section);
}

int elf_section(const char *bytes, size_t n, const char *section, const char *what, struct str *ret,
		struct err *e)
{
	AUTO_FREE char *copy = xmemdup(n ? bytes : "", n ? n : 1); /* elf_memory takes no const */
	Elf *elf;
	int r;

	(void)elf_version(EV_CURRENT);
	elf = elf_memory(copy, n);
	r = find_section(elf, section, what, ret, e);
	elf_end(elf);
	return r;
}

/* ---- where a library is ---- */

/* ld.so.cache: a header, then entries, then their strings; all numbers of the host's order. */
struct cache_head {
	char magic[20]; /* "glibc-ld.so.cache1.1" */
	uint32_t n_libs, n_strings;
	uint8_t flags, unused_a[3];
	uint32_t extension, unused_b[3];
};
struct cache_entry {
	int32_t flags; /* 3 = glibc's ELF; of the second byte: 3 = x86-64 */
	uint32_t key, value, osversion;
	uint64_t hwcap;
};
enum { CACHE_LIBC6 = 3, CACHE_X86_64 = 0x0300, CACHE_TYPE = 0x00ff, CACHE_MACHINE = 0xff00 };

static bool same_machine(const char *path, bool is_64, unsigned machine)
{
	AUTO(elf_info) struct elf_info x = { 0 };
	bool is_elf = false;

	return elf_read(path, &x, &is_elf, NULL) == 0 && is_elf && x.is_64 == is_64 &&
	       x.machine == machine;
}

static char *find_in_cache(const char *name, bool is_64, unsigned machine)
{
	AUTO(str) struct str cache = STR_INIT;
	struct cache_head head;

	if (fs_read("/etc/ld.so.cache", 64 << 20, &cache, NULL) < 0 || cache.n < sizeof(head))
		return NULL;
	memcpy(&head, cache.p, sizeof(head));
	if (memcmp(head.magic, "glibc-ld.so.cache1.1", sizeof(head.magic)) != 0)
		return NULL;
	for (size_t i = 0; i < head.n_libs; i++) {
		size_t at = sizeof(head) + i * sizeof(struct cache_entry);
		struct cache_entry x;

		if (at + sizeof(x) > cache.n)
			break;
		memcpy(&x, cache.p + at, sizeof(x));
		if ((x.flags & CACHE_TYPE) != CACHE_LIBC6 || x.hwcap || x.key >= cache.n ||
		    x.value >= cache.n || strcmp(cache.p + x.key, name) != 0)
			continue;
		if (same_machine(cache.p + x.value, is_64, machine))
			return xstrdup(cache.p + x.value);
	}
	return NULL;
}

static char *find_in(const char *folder, const char *name, bool is_64, unsigned machine)
{
	AUTO_FREE char *path = fs_join(folder, name);

	return same_machine(path, is_64, machine) ? TAKE_PTR(path) : NULL;
}

char *elf_find_library(const char *name, bool is_64, unsigned machine)
{
	static const char *const folders[] = { "/lib/x86_64-linux-gnu",
					       "/usr/lib/x86_64-linux-gnu",
					       "/lib64",
					       "/usr/lib64",
					       "/lib",
					       "/usr/lib" };
	char *found = find_in_cache(name, is_64, machine);

	for (size_t i = 0; i < ARRAY_LEN(folders) && !found; i++)
		found = find_in(folders[i], name, is_64, machine);
	return found;
}

/* "$ORIGIN/../lib" with the folder put in. */
static char *with_origin(const char *folder, const char *origin)
{
	static const char *const words[] = { "${ORIGIN}", "$ORIGIN" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const char *at = strstr(folder, words[i]);

		if (at)
			return xasprintf("%.*s%s%s", (int)(at - folder), folder, origin,
					 at + strlen(words[i]));
	}
	return xstrdup(folder);
}

static char *find_in_list(const struct strvec *folders, const char *origin, const char *name,
			  const struct elf_info *x)
{
	for (size_t i = 0; i < folders->n; i++) {
		AUTO_FREE char *as_written = with_origin(folders->v[i], origin), *real = NULL;
		struct err ignored = ERR_INIT;
		/* "$ORIGIN/../lib": a guest's path has no ".." in it */
		bool goes_up = strstr(as_written, "/..");
		const char *folder = goes_up && fs_realpath(as_written, &real, &ignored) == 0
					     ? real
					     : as_written;
		char *found = find_in(folder, name, x->is_64, x->machine);

		if (found)
			return found;
	}
	return NULL;
}

/* Who asks: its own folders, then those of whom it was asked by. */
struct asker {
	const struct asker *up;
	const char *path, *origin;
	const struct elf_info *info;
};

static char *find_needed(const char *name, const struct asker *by)
{
	char *found = NULL;

	if (strchr(name, '/'))
		return fs_exists(name) ? xstrdup(name) : NULL;
	if (by->info->runpath.n)
		found = find_in_list(&by->info->runpath, by->origin, name, by->info);
	else
		for (const struct asker *a = by; a && !found; a = a->up)
			found = find_in_list(&a->info->rpath, a->origin, name, by->info);
	return found ? found : elf_find_library(name, by->info->is_64, by->info->machine);
}

static bool have(const struct elf_libraries *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return true;
	return false;
}

static int close_over(const struct asker *by, struct elf_libraries *l, struct err *e);

static int add_library(const char *name, char *path, const struct asker *by,
		       struct elf_libraries *l, struct err *e)
{
	AUTO(elf_info) struct elf_info x = { 0 };
	AUTO_FREE char *origin = fs_dirname(path);
	struct asker me = { by, path, origin, &x };
	bool is_elf = false;
	int r;

	*ARRAY_GROW(l) = (struct elf_library){ xstrdup(name), path };
	r = elf_read(path, &x, &is_elf, e);
	return r < 0 || !is_elf ? r : close_over(&me, l, e);
}

static int close_over(const struct asker *by, struct elf_libraries *l, struct err *e)
{
	for (size_t i = 0; i < by->info->needed.n; i++) {
		const char *name = by->info->needed.v[i];
		char *path;
		int r;

		if (have(l, name))
			continue;
		path = find_needed(name, by);
		if (!path)
			return err_set(e, ERR_ENV,
				       "'%s' needs the library %s, which is not on this machine",
				       by->path, name);
		r = add_library(name, path, by, l, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int elf_closure(const char *program, const char *origin, struct elf_libraries *l, struct err *e)
{
	AUTO(elf_info) struct elf_info x = { 0 };
	AUTO_FREE char *own = fs_dirname(program);
	struct asker me = { NULL, program, origin ? origin : own, &x };
	bool is_elf = false;
	int r = elf_read(program, &x, &is_elf, e);

	if (r < 0 || !is_elf)
		return r;
	if (x.interp && !have(l, x.interp)) {
		if (!fs_exists(x.interp))
			return err_set(e, ERR_ENV,
				       "'%s' needs the loader %s, which is not on this machine",
				       program, x.interp);
		*ARRAY_GROW(l) = (struct elf_library){ xstrdup(x.interp), xstrdup(x.interp) };
	}
	return close_over(&me, l, e);
}
