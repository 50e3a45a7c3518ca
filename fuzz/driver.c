/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays files through a fuzz entry without clang's fuzzer: DRIVER FILE... ; each file is one input. Exit 0 means that nothing crashed.
 */
#include "base/err.h"
#include "sys/fs.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		AUTO(str) struct str text = STR_INIT;
		struct err e = ERR_INIT;

		if (fs_read(argv[i], 64 << 20, &text, &e) < 0) {
			fprintf(stderr, "%s\n", e.msg);
			return 1;
		}
		LLVMFuzzerTestOneInput((const unsigned char *)text.p, text.n);
	}
	printf("%d inputs\n", argc - 1);
	return 0;
}
