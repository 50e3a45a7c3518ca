/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/elf_functions.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function {
	uint64_t at, end; /* in the file */
	const char *name; /* the ELF file's */
};
struct functions {
	struct function *v;
	size_t n, cap;
};

/* From an address to the place in the file, by the segments that hold code. */
static bool to_offset(Elf *elf, uint64_t address, uint64_t *ret)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || address < ph.p_vaddr ||
		    address - ph.p_vaddr >= ph.p_filesz)
			continue;
		*ret = address - ph.p_vaddr + ph.p_offset;
		return true;
	}
	return false;
}

static void read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct functions *ret)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;
		struct function f;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		unsigned char type = GELF_ST_TYPE(sym.st_info);

		/* without a size it is not known what is not it any more */
		if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
		    !sym.st_size)
			continue;
		f.name = elf_strptr(elf, head->sh_link, sym.st_name);
		if (!f.name || !*f.name || !to_offset(elf, sym.st_value, &f.at))
			continue;
		f.end = f.at + sym.st_size;
		ARRAY_PUSH(ret, f);
	}
}

static bool find_table(Elf *elf, GElf_Word type, struct functions *ret)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr sh;

		if (gelf_getshdr(section, &sh) && sh.sh_type == type)
			read_table(elf, section, &sh, ret);
	}
	return ret->n > 0;
}

/* Of several names for one place the plainest: the shortest, then the first in the alphabet. */
static int by_place(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	size_t nx = strlen(x->name), ny = strlen(y->name);

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (nx != ny)
		return nx < ny ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void put(const struct functions *f, const char *prefix, struct str *out)
{
	uint64_t end = 0;

	str_addf(out, "0 %s?\n", prefix);
	for (size_t i = 0; i < f->n; i++) {
		const struct function *x = &f->v[i];

		if (i && x->at == f->v[i - 1].at)
			continue;
		if (end && end < x->at)
			str_addf(out, "%" PRIx64 " %s?\n", end, prefix);
		str_addf(out, "%" PRIx64 " %s%s\n", x->at, prefix, x->name);
		if (x->end > end)
			end = x->end;
	}
	if (end)
		str_addf(out, "%" PRIx64 " %s?\n", end, prefix);
}

int elf_functions(const char *path, const char *prefix, struct str *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct functions f = { 0 };
	GElf_Ehdr head;
	Elf *elf;
	int r = 0;

	if (fd < 0)
		return err_errno(e, "opening '%s'", path);
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		if (!gelf_getehdr(elf, &head)) {
			r = err_set(e, ERR_USAGE, "'%s' is a broken ELF file: %s", path,
				    elf_errmsg(-1));
		} else if (head.e_type == ET_EXEC || head.e_type == ET_DYN) {
			if (!find_table(elf, SHT_SYMTAB, &f))
				find_table(elf, SHT_DYNSYM, &f);
			if (f.n)
				qsort(f.v, f.n, sizeof(*f.v), by_place);
			put(&f, prefix, out);
		}
	}
	free(f.v);
	elf_end(elf);
	close(fd);
	return r;
}
