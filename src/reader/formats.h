/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formats - one declaration for each output format's file; the table in reader.c lists them. */
#pragma once

struct reader;

extern const struct reader reader_lines;
extern const struct reader reader_regex;
extern const struct reader reader_exit_status;
extern const struct reader reader_stress_ng;
extern const struct reader reader_hyperfine;
extern const struct reader reader_google_benchmark;
extern const struct reader reader_fio;
