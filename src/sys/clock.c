/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/clock.h"

#include <string.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_boottime_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

int64_t clock_realtime_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_format(int64_t realtime_ns, char ret[20])
{
	int64_t s = realtime_ns / 1000000000 - (realtime_ns % 1000000000 < 0);
	time_t t = (time_t)s;
	struct tm tm;

	if (!localtime_r(&t, &tm) || tm.tm_year < -1900 || tm.tm_year > 8099 ||
	    !strftime(ret, 20, "%Y-%m-%d %H:%M", &tm))
		memcpy(ret, "?", 2);
}
