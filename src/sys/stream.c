/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void stream_keep(struct stream *s, int64_t max, int64_t tail, struct str *keep)
{
	s->keep = keep;
	s->ring_size = tail > 0 && tail < max ? (size_t)tail : 0;
	s->head_max = (size_t)max - s->ring_size;
}

int stream_open(struct stream *s, int64_t max, int64_t tail, struct str *keep, int *ret_child_fd,
		struct err *e)
{
	int p[2];

	if (!keep) {
		*ret_child_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
		return *ret_child_fd < 0 ? err_errno(e, "opening /dev/null") : 0;
	}
	if (pipe2(p, O_CLOEXEC) < 0)
		return err_errno(e, "making a pipe");
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	s->fd = p[0];
	*ret_child_fd = p[1];
	stream_keep(s, max, tail, keep);
	return 0;
}

static void ring_add(struct stream *s, const char *p, size_t n)
{
	if (!s->ring_size)
		return;
	if (!s->ring)
		s->ring = xmalloc(s->ring_size);
	uint64_t at = s->over;

	if (n > s->ring_size) {
		at += n - s->ring_size;
		p += n - s->ring_size;
		n = s->ring_size;
	}
	size_t pos = (size_t)(at % s->ring_size), first = s->ring_size - pos;

	if (first > n)
		first = n;
	memcpy(s->ring + pos, p, first);
	memcpy(s->ring, p + first, n - first);
}

void stream_add(struct stream *s, const char *p, size_t n)
{
	if (!s->keep)
		return;
	size_t room = s->keep->n < s->head_max ? s->head_max - s->keep->n : 0;
	size_t head = s->over ? 0 : n < room ? n : room;

	str_add(s->keep, p, head);
	if (n > head) {
		ring_add(s, p + head, n - head);
		s->over += n - head;
	}
}

void stream_close(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void stream_drain(struct stream *s, size_t max)
{
	static _Thread_local char buf[65536];

	while (s->fd >= 0 && max) {
		ssize_t n = read(s->fd, buf, sizeof(buf));

		if (n > 0) {
			if (s->sink)
				s->sink(s->sink_arg, buf, (size_t)n);
			else
				stream_add(s, buf, (size_t)n);
			max -= (size_t)n < max ? (size_t)n : max;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			stream_close(s);
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

void stream_finish(struct stream *s)
{
	if (!s->keep || !s->over)
		return;
	size_t have = s->over < s->ring_size ? (size_t)s->over : s->ring_size;
	uint64_t dropped = s->over - have;

	if (have) {
		size_t pos = s->over < s->ring_size ? 0 : (size_t)(s->over % s->ring_size);

		if (dropped)
			str_addf(s->keep, "\n[... %llu bytes dropped ...]\n",
				 (unsigned long long)dropped);
		str_add(s->keep, s->ring + pos, have - pos);
		str_add(s->keep, s->ring, pos);
	}
	s->keep->truncated |= dropped > 0;
}

void stream_done(struct stream *s)
{
	stream_close(s);
	free(s->ring);
	*s = (struct stream){ .fd = -1 };
}
