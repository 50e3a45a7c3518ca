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
extern const struct reader reader_iperf3;
extern const struct reader reader_pyperf;
extern const struct reader reader_pytest;
extern const struct reader reader_jmh;
extern const struct reader reader_criterion;
extern const struct reader reader_asv;
extern const struct reader reader_memtier;
extern const struct reader reader_mmtests;
extern const struct reader reader_perf_json;
extern const struct reader reader_flat;
extern const struct reader reader_stress_ng_yaml;
extern const struct reader reader_junit;
extern const struct reader reader_pts;
extern const struct reader reader_netperf;
extern const struct reader reader_ping;
extern const struct reader reader_memaslap;
extern const struct reader reader_sysbench;
extern const struct reader reader_sockperf;
extern const struct reader reader_redis_benchmark;
extern const struct reader reader_wrk;
extern const struct reader reader_pgbench;
extern const struct reader reader_perf_stat;
extern const struct reader reader_perf_bench;
extern const struct reader reader_go;
extern const struct reader reader_fio_terse;
extern const struct reader reader_iperf3_text;
extern const struct reader reader_openssl;
extern const struct reader reader_hackbench;
extern const struct reader reader_time;
extern const struct reader reader_csv;
extern const struct reader reader_ministat;
