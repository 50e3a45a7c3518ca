/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/kept.h"

#include "sys/fs.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *key;
	size_t at;
} lines[] = {
#define FIELD(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct kernel_image, name)                                         \
	}
	FIELD(image),	   FIELD(modules), FIELD(config),
	FIELD(system_map), FIELD(release), FIELD(package),
#undef FIELD
};

static char **field(struct kernel_image *k, size_t i)
{
	return (char **)(void *)((char *)k + lines[i].at);
}

static int copy_image(const char *dir, const char *from, char **ret, struct err *e)
{
	AUTO(str) struct str bytes = STR_INIT;
	AUTO_FREE char *to = fs_join(dir, "image");
	int r = fs_read(from, INT64_C(1) << 30, &bytes, e);

	if (r == 0)
		r = fs_write_atomic(to, bytes.p, bytes.n, e);
	if (r == 0)
		*ret = TAKE_PTR(to);
	return r;
}

int kept_write(const char *dir, const struct kernel_image *k, bool copy, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *path = fs_join(dir, "kernel");
	AUTO_FREE char *vmlinux = fs_join(dir, "vmlinux");
	AUTO_FREE char *image = NULL;
	struct kernel_image x = *k;
	struct err unfit = ERR_INIT;
	bool pvh = false;
	int r = fs_mkdirs(dir, e);

	if (r == 0 && copy)
		r = copy_image(dir, k->image, &image, e);
	if (r < 0)
		return r;
	if (image)
		x.image = image;
	/* a kernel that cannot be unpacked here starts by its own decompressor */
	if (kernel_image_extract(&x, vmlinux, &pvh, &unfit) < 0 || !pvh)
		unlink(vmlinux);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (*field(&x, i))
			str_addf(&text, "%s %s\n", lines[i].key, *field(&x, i));
	return fs_write_atomic(path, text.p, text.n, e);
}

static void take_line(struct kernel_image *k, const char *line)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		size_t n = strlen(lines[i].key);

		if (strncmp(line, lines[i].key, n) || line[n] != ' ')
			continue;
		free(*field(k, i));
		*field(k, i) = xstrdup(line + n + 1);
	}
}

int kept_read(const char *dir, struct kernel_image *ret, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *path = fs_join(dir, "kernel");
	struct kernel_image k = { 0 };
	char *save = NULL;

	if (!fs_exists(path))
		return err_set(e, ERR_MISSING, "'%s' holds no kernel", dir);
	int r = fs_read(path, 1 << 16, &text, e);

	if (r < 0)
		return r;
	for (char *p = strtok_r(text.p, "\n", &save); p; p = strtok_r(NULL, "\n", &save))
		take_line(&k, p);
	if (!k.image || !fs_exists(k.image) || (k.modules && !fs_is_dir(k.modules))) {
		r = err_set(e, ERR_MISSING, "the files of the kernel in '%s' are gone", dir);
		kernel_image_done(&k);
		return r;
	}
	*ret = k;
	return 0;
}

char *kept_start(const char *dir, const struct kernel_image *k)
{
	AUTO_FREE char *vmlinux = fs_join(dir, "vmlinux");

	return fs_exists(vmlinux) ? TAKE_PTR(vmlinux) : xstrdup(k->image);
}

int kept_find(const char *dir, struct kernel_image *ret, char **ret_start, struct err *e)
{
	int r = kept_read(dir, ret, e);

	if (r == -ERR_MISSING) {
		r = kernel_image_in_tree(dir, ret, e);
		if (r == 0)
			r = kept_write(dir, ret, false, e);
	}
	if (r == 0)
		*ret_start = kept_start(dir, ret);
	return r;
}
