/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/frame.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

int frame_write(int fd, const char *kind, int64_t run, const char *bytes, size_t n, struct err *e)
{
	AUTO(str) struct str s = STR_INIT;

	str_addf(&s, "culprit %s %" PRId64 " %zu\n", kind, run, n);
	str_add(&s, bytes, n);
	str_putc(&s, '\n');
	for (size_t done = 0; done < s.n;) {
		ssize_t got = write(fd, s.p + done, s.n - done);

		if (got < 0 && errno != EINTR)
			return err_errno(e, "writing a '%s' frame", kind);
		done += got > 0 ? (size_t)got : 0;
	}
	return 0;
}
