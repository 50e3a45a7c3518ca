/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log - debug lines for -v and one JSON object per event for CULPRIT_TRACE.
 *
 * Library code never prints for the user: it returns errors and data. What it may do is log_debug (seen with -vv)
 * and trace events, which tests read. The level is the only global besides the stop flag.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>

enum log_level { LOG_QUIET = -1, LOG_NORMAL = 0, LOG_VERBOSE = 1, LOG_DEBUG = 2 };

void log_set_level(enum log_level level);
enum log_level log_level(void);
/* To stderr, prefixed "culprit: debug: ", only at LOG_DEBUG. */
void log_debug(const char *fmt, ...) PRINTF(1, 2);

/* Open the trace file (append, close-on-exec) that CULPRIT_TRACE names; does nothing without it. */
void log_trace_open(const char *path);
bool log_tracing(void);
/* Writes {"event":"NAME",...}; `fmt` gives the members after it, already JSON: "\"pid\":%d". One write per line. */
void log_trace(const char *event, const char *fmt, ...) PRINTF(2, 3);
