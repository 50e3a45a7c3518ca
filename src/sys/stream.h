/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream - the reading end of a child's output: a head up to a ceiling, then (if wanted) the newest bytes.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct stream {
	int fd; /* our end; -1 = closed */
	struct str *keep;
	size_t head_max;
	char *ring;
	size_t ring_size;
	uint64_t over; /* bytes that came after the head was full */
	/* if not NULL, gets what is read instead of `keep` */
	void (*sink)(void *arg, const char *bytes, size_t n);
	void *sink_arg;
};

/*
 * A pipe whose output goes to `keep` (NULL: /dev/null instead), at most `max` bytes of which `tail` are for the end. The child's end is the
 * caller's to close.
 */
int stream_open(struct stream *s, int64_t max, int64_t tail, struct str *keep, int *ret_child_fd,
		struct err *e) MUST_USE;
/* The same without a pipe: for bytes that come by stream_add. */
void stream_keep(struct stream *s, int64_t max, int64_t tail, struct str *keep);
void stream_add(struct stream *s, const char *bytes, size_t n);
/* Reads what is there, at most about `max` bytes so that a flood cannot keep us from the clock. */
void stream_drain(struct stream *s, size_t max);
/* Puts the tail behind the head, "[... N bytes dropped ...]" between, and marks what was cut. */
void stream_finish(struct stream *s);
/* Nothing more comes. */
void stream_close(struct stream *s);
void stream_done(struct stream *s);
