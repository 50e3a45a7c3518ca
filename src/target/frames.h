/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames - what the guest program writes to its second serial port: "culprit KIND RUN LEN\n", LEN bytes, "\n".
 *
 * Pure: a text that grows at its end, and a place in it.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct frame {
	char kind[24];
	int run;	  /* 0-based; negative: a discarded one */
	const char *body; /* borrowed from the text: valid until it grows */
	size_t n;
};
enum { FRAME_MAX_BYTES = 64 << 20 };

/*
 * The frame that begins at *at: true, and *at is behind it. False: it is not whole yet; or *ret_broken, the text is no frame (the guest
 * or the port is broken, nothing after it can be trusted).
 */
bool frame_next(const struct str *text, size_t *at, struct frame *ret, bool *ret_broken);

/* The value of "key value" among the lines of a body, copied; NULL if there is none. */
char *frame_value(const struct frame *f, const char *key) MUST_USE;
/* The same as a whole number; false if it is missing or none. */
bool frame_int(const struct frame *f, const char *key, int64_t *ret);
