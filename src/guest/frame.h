/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame - results on their way out of the guest: `culprit KIND RUN LEN\n`, LEN raw bytes, `\n`.
 *
 * KIND is ready, machine, symbols, result, stdout, stderr, proc, fault or end; RUN counts from 0, warm-ups are negative, and frames that
 * belong to no run have 0. A reader that lost its place finds the next frame by its header alone.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

int frame_write(int fd, const char *kind, int64_t run, const char *bytes, size_t n,
		struct err *e) MUST_USE;
