/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of a program's code in the guest holds the bytes of that page of its file: position-independent code is not relocated, and a
 * file's page is mapped as it is. So comparing one page with the pages of the files named says which file it is and where in it, whatever
 * the address space, with no help of the guest. Refused: reading cr3 (version 1 of the interface shows no registers) and trusting
 * addresses (without address randomisation every program sits at the same one).
 */
#include "symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct symbol_page {
	uint64_t hash, offset;
	size_t file;
};

static uint64_t hash_page(const uint8_t *bytes)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325), word;

	for (size_t i = 0; i < SYMBOLS_PAGE; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_hash(const void *a, const void *b)
{
	const struct symbol_page *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* The whole file, with zeroes up to a multiple of `unit` and at least one zero byte; NULL: not readable. */
static uint8_t *read_padded(const char *path, size_t unit, size_t *ret_units)
{
	FILE *f = fopen(path, "re");
	uint8_t *bytes = NULL;
	size_t n = 0, cap = 0;

	if (!f)
		return NULL;
	for (;;) {
		size_t got;

		if (cap - n < unit + 1) {
			uint8_t *more = realloc(bytes, cap = cap * 2 + 65536 + unit);

			if (!more)
				break;
			bytes = more;
		}
		got = fread(bytes + n, 1, cap - n - unit, f);
		if (!got)
			break;
		n += got;
	}
	if (bytes)
		memset(bytes + n, 0, unit);
	if (ferror(f) || !bytes) {
		free(bytes);
		bytes = NULL;
	}
	fclose(f);
	*ret_units = (n + unit - 1) / unit;
	return bytes;
}

static int add_file(struct symbols *s, const char *path)
{
	struct symbol_file *more = realloc(s->files, (s->nfiles + 1) * sizeof(*more)), *f;

	if (!more)
		return -1;
	s->files = more;
	f = &more[s->nfiles];
	*f = (struct symbol_file){ .path = path, .first = s->n };
	f->bytes = read_padded(path, SYMBOLS_PAGE, &f->pages);
	if (!f->bytes)
		return -1;
	s->nfiles++;
	return 0;
}

static int add_symbol(struct symbols *s, uint64_t at, const char *name)
{
	if (s->n == s->cap) {
		size_t cap = s->cap * 2 + 1024;
		struct symbol *more = realloc(s->v, cap * sizeof(*more));

		if (!more)
			return -1;
		s->v = more;
		s->cap = cap;
	}
	memset(&s->v[s->n], 0, sizeof(*s->v));
	s->v[s->n].at = at;
	s->v[s->n].name = name;
	s->n++;
	if (s->nfiles)
		s->files[s->nfiles - 1].count++;
	else
		s->kernel++;
	return 0;
}

/* One line, without its newline. Returns what is wrong with it, or NULL. */
static const char *read_line(struct symbols *s, char *line)
{
	char *end, *name;
	uint64_t at;

	if (!strncmp(line, "file ", 5))
		return add_file(s, line + 5) ? "this file cannot be read" : NULL;
	if (!*line)
		return NULL;
	at = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return "expected 'hexaddr name'";
	name = end + 1;
	if (name[0] && name[1] == ' ') {
		if (!strchr("tTwW", name[0]))
			return NULL;
		name += 2;
	}
	name[strcspn(name, " \t")] = '\0';
	for (char *c = name; *c; c++)
		if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
			*c = '?';
	if (!*name)
		return "expected 'hexaddr name'";
	return add_symbol(s, at, name) ? "out of memory" : NULL;
}

static int index_pages(struct symbols *s)
{
	static const uint8_t zeroes[SYMBOLS_PAGE];
	size_t n = 0;

	for (size_t i = 0; i < s->nfiles; i++)
		n += s->files[i].pages;
	s->pages = calloc(n ? n : 1, sizeof(*s->pages));
	if (!s->pages)
		return -1;
	for (size_t i = 0; i < s->nfiles; i++) {
		for (size_t k = 0; k < s->files[i].pages; k++) {
			const uint8_t *bytes = s->files[i].bytes + k * SYMBOLS_PAGE;

			if (memcmp(bytes, zeroes, SYMBOLS_PAGE))
				s->pages[s->npages++] = (struct symbol_page){ hash_page(bytes),
									      k * SYMBOLS_PAGE, i };
		}
	}
	qsort(s->pages, s->npages, sizeof(*s->pages), by_hash);
	return 0;
}

int symbols_load(struct symbols *s, const char *path, char *why, size_t why_size)
{
	size_t units, number = 0;

	memset(s, 0, sizeof(*s));
	s->unknown_kernel.name = "unknown kernel";
	s->unknown_user.name = "unknown user";
	s->text = (char *)read_padded(path, 1, &units);
	if (!s->text) {
		snprintf(why, why_size, "symbols=%s: cannot be read", path);
		return -1;
	}
	for (char *line = s->text, *next; line; line = next) {
		const char *wrong;

		number++;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		wrong = read_line(s, line);
		if (wrong) {
			snprintf(why, why_size, "%s:%zu: %s", path, number, wrong);
			symbols_done(s);
			return -1;
		}
	}
	qsort(s->v, s->kernel, sizeof(*s->v), by_address);
	for (size_t i = 0; i < s->nfiles; i++)
		qsort(s->v + s->files[i].first, s->files[i].count, sizeof(*s->v), by_address);
	if (index_pages(s)) {
		snprintf(why, why_size, "symbols=%s: out of memory", path);
		symbols_done(s);
		return -1;
	}
	return 0;
}

void symbols_done(struct symbols *s)
{
	for (size_t i = 0; i < s->nfiles; i++)
		free(s->files[i].bytes);
	free(s->files);
	free(s->pages);
	free(s->v);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

/* The last of n symbols that is not above `at`, or NULL. */
static struct symbol *below(struct symbol *v, size_t n, uint64_t at)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &v[lo - 1] : NULL;
}

static struct symbol *find_user(struct symbols *s, uint64_t vaddr, const uint8_t *page)
{
	uint64_t hash = hash_page(page);
	size_t lo = 0, hi = s->npages;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->pages[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < s->npages && s->pages[lo].hash == hash; lo++) {
		const struct symbol_file *f = &s->files[s->pages[lo].file];
		uint64_t offset = s->pages[lo].offset;

		if (!memcmp(f->bytes + offset, page, SYMBOLS_PAGE))
			return below(s->v + f->first, f->count, offset + vaddr % SYMBOLS_PAGE);
	}
	return NULL;
}

struct symbol *symbols_find(struct symbols *s, uint64_t vaddr, const uint8_t *page)
{
	struct symbol *found;

	if (vaddr >> 63) {
		found = below(s->v, s->kernel, vaddr);
		return found ? found : &s->unknown_kernel;
	}
	found = page && s->nfiles ? find_user(s, vaddr, page) : NULL;
	return found ? found : &s->unknown_user;
}

static void begin_one(struct symbol *y)
{
	const uint64_t now[4] = { y->instructions, y->data_misses, y->code_misses,
				  y->memory_misses };

	memcpy(y->at_begin, now, sizeof(now));
}

void symbols_begin(struct symbols *s)
{
	for (size_t i = 0; i < s->n; i++)
		begin_one(&s->v[i]);
	begin_one(&s->unknown_kernel);
	begin_one(&s->unknown_user);
}

static void write_one(const struct symbol *y, FILE *out, bool *first)
{
	const uint64_t now[4] = { y->instructions, y->data_misses, y->code_misses,
				  y->memory_misses };

	if (!memcmp(now, y->at_begin, sizeof(now)))
		return;
	fprintf(out, "%s[\"%s\"", *first ? "" : ",", y->name);
	for (int i = 0; i < 4; i++)
		fprintf(out, ",%" PRId64, (int64_t)(now[i] - y->at_begin[i]));
	fputc(']', out);
	*first = false;
}

void symbols_write(struct symbols *s, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < s->n; i++)
		write_one(&s->v[i], out, &first);
	write_one(&s->unknown_kernel, out, &first);
	write_one(&s->unknown_user, out, &first);
}
