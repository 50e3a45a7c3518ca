/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relative to the program that runs, so that a tree that was moved or unpacked somewhere works as well as an installed one. */
#include "target/helpers.h"

#include "sys/fs.h"

#include <string.h>
#include <unistd.h>

char *helper_find(const char *name)
{
	static const char *const places[] = { "", "exact/", "src/guest/", "../libexec/culprit/",
					      "../lib/culprit/" };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	/* not its real path: a program that was replaced while it runs is called "... (deleted)" */
	*(strrchr(self, '/') + 1) = '\0';
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		AUTO_FREE char *path = xasprintf("%s%s%s", self, places[i], name);

		if (fs_exists(path))
			return TAKE_PTR(path);
	}
	return NULL;
}
