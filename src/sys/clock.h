/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock - the three clocks, and what each is for. */
#pragma once

#include <stdint.h>

int64_t clock_monotonic_ns(void); /* for differences */
int64_t clock_boottime_ns(void);  /* for noticing a suspended machine */
int64_t clock_realtime_ns(
	void); /* since 1970; for records only, never for differences: it may step back */
/* "2026-11-30 21:05" in local time. */
void clock_format(int64_t realtime_ns, char ret[20]);
