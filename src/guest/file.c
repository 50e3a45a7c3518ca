/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool file_read(const char *path, struct str *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char bytes[16384];
	ssize_t n = 0;

	str_clear(out);
	if (fd < 0)
		return false;
	while (!out->truncated &&
	       ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR)))
		str_add(out, bytes, n > 0 ? (size_t)n : 0);
	close(fd);
	return out->truncated || n == 0;
}

bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);
	ssize_t got;

	if (fd < 0)
		return false;
	got = write(fd, text, n);
	close(fd);
	return got == (ssize_t)n;
}

static int remove_entry(const char *path, const struct stat *st UNUSED, int type UNUSED,
			struct FTW *where UNUSED)
{
	remove(path);
	return 0;
}

void file_remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
