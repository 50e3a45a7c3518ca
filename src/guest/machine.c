/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/machine.h"

#include "guest/file.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>

/* A file's content on one line. */
static void put_file(struct str *out, const char *group, const char *name, const char *path)
{
	AUTO(str) struct str text = STR_INIT_MAX(4096);

	if (!file_read(path, &text))
		return;
	str_trim_end(&text);
	for (char *c = text.p; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	str_addf(out, "%s %s %s\n", group, name, text.p);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_folder(const char *path, struct strvec *names)
{
	DIR *d = opendir(path);
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			strvec_add(names, entry->d_name);
	if (d)
		closedir(d);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_name);
}

static void put_folder(struct str *out, const char *group, const char *path)
{
	struct strvec names = STRVEC_INIT;

	list_folder(path, &names);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *file = xasprintf("%s/%s", path, names.v[i]);

		put_file(out, group, names.v[i], file);
	}
	strvec_done(&names);
}

/* The files from `path` on, as entries of a group; `name` is the dotted name, empty for the root. */
static void put_tree(struct str *out, const char *group, const char *path, const char *name,
		     int depth)
{
	struct strvec names = STRVEC_INIT;

	list_folder(path, &names);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *below = xasprintf("%s/%s", path, names.v[i]);
		AUTO_FREE char *dotted = xasprintf("%s%s%s", name, *name ? "." : "", names.v[i]);
		struct stat st;

		if (lstat(below, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < 16)
			put_tree(out, group, below, dotted, depth + 1);
		else if (S_ISREG(st.st_mode) && (st.st_mode & 0400))
			put_file(out, group, dotted, below);
	}
	strvec_done(&names);
}

/* The first processor's entry of /proc/cpuinfo, without what changes by itself. */
static void put_cpu(struct str *out)
{
	AUTO(str) struct str text = STR_INIT_MAX(1 << 20);

	if (!file_read("/proc/cpuinfo", &text))
		return;
	for (const char *line = text.p; *line && *line != '\n';) {
		int n = (int)strcspn(line, "\n"), key = (int)strcspn(line, "\t:\n");
		const char *value = memchr(line, ':', (size_t)n);

		if (value && strncmp(line, "cpu MHz", 7) && strncmp(line, "bogomips", 8)) {
			value += value[1] == ' ' ? 2 : 1;
			str_puts(out, "cpu ");
			for (int i = 0; i < key; i++)
				str_putc(out, line[i] == ' ' ? '_' : line[i]);
			str_addf(out, " %.*s\n", (int)(line + n - value), value);
		}
		line += n + (line[n] == '\n');
	}
}

/* What is loaded, by name; sizes and addresses say nothing. */
static void put_modules(struct str *out)
{
	AUTO(str) struct str text = STR_INIT_MAX(1 << 20);

	if (!file_read("/proc/modules", &text))
		return;
	for (const char *line = text.p; *line;) {
		str_addf(out, "module %.*s loaded\n", (int)strcspn(line, " \n"), line);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

/* Sizes of the kernel's objects: "slab task_struct 9792 3 8" (bytes, objects of a slab, pages of a slab). How many there are is a counter. */
static void put_slabs(struct str *out)
{
	AUTO(str) struct str text = STR_INIT_MAX(1 << 20);

	if (!file_read("/proc/slabinfo", &text))
		return;
	for (const char *line = text.p; *line;) {
		char name[64];
		unsigned size, objects, pages;

		if (sscanf(line, "%63s %*u %*u %u %u %u", name, &size, &objects, &pages) == 4)
			str_addf(out, "slab %s %u %u %u\n", name, size, objects, pages);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

static void put_dmesg(struct str *out)
{
	int size = klogctl(10, NULL, 0), got; /* SYSLOG_ACTION_SIZE_BUFFER */
	AUTO_FREE char *text = size > 0 ? xmalloc((size_t)size + 1) : NULL;

	got = text ? klogctl(3, text, size) : -1; /* SYSLOG_ACTION_READ_ALL */
	if (got < 0)
		return;
	text[got] = '\0';
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");

		str_addf(out, "dmesg %.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

void machine_describe(struct str *out)
{
	put_file(out, "kernel", "version", "/proc/version");
	put_file(out, "kernel", "cmdline", "/proc/cmdline");
	put_file(out, "clock", "source",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	put_cpu(out);
	put_folder(out, "vulnerability", "/sys/devices/system/cpu/vulnerabilities");
	put_tree(out, "sysctl", "/proc/sys", "", 0);
	put_tree(out, "mm", "/sys/kernel/mm", "", 0);
	put_modules(out);
	put_slabs(out);
	put_dmesg(out);
}

bool machine_symbols(struct str *out)
{
	AUTO(str) struct str text = STR_INIT_MAX(64 << 20);
	bool any = false;

	file_write("/proc/sys/kernel/kptr_restrict", "0");
	if (!file_read("/proc/kallsyms", &text))
		return false;
	for (const char *line = text.p; *line;) {
		size_t n = strcspn(line, "\n");

		if (n > 19 && strchr("tTwW", line[17]) && strncmp(line, "0000000000000000", 16)) {
			str_add(out, line, n);
			str_putc(out, '\n');
			any = true;
		}
		line += n + (line[n] == '\n');
	}
	return any;
}
