/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_report - what simulated hunts came to, as tables for people and as JSON (DESIGN section 4).
 *
 * The tables grow row by row, so that a long run can print each scenario's as it ends or all at once.
 */
#pragma once

#include "hunt/sim_ab.h"
#include "hunt/sim_targets.h"
#include "hunt/simulate.h"
#include "text/json.h"
#include "text/table.h"

/* The table of STATISTICS.md 2.1: columns once, then a row for each plan. */
void sim_report_columns(struct table *t);
void sim_report_row(const struct simulate_plan *plan, const struct simulate_tally *tally,
		    struct table *t);
/* Stated confidence against the share that was right, by bins of the stated: a section of rows under the scenario's name. */
void sim_report_bin_columns(struct table *t);
void sim_report_bins(const struct simulate_plan *plan, const struct simulate_tally *tally,
		     struct table *t);
/* One object; `key` is NULL at the top. */
void sim_report_json(const struct simulate_plan *plan, const struct simulate_tally *tally,
		     struct json_out *w, const char *key);
/* Of a history from a file, a line for each different answer: "P4  96 of 100  named c3  P = 98.1 %  7.0 builds, 24.1 runs". */
void sim_report_names(const struct simulate_plan *plan, const struct policy_result *r,
		      struct str *out);
/* The named scenarios with their parameters. */
void sim_report_list(struct table *t);

/* A row for each criterion: what was asked, what was measured, whether it holds. */
void sim_report_target_columns(struct table *t);
void sim_report_targets(const struct target_row *row, uint32_t histories,
			const struct target_result *r, struct table *t);
void sim_report_targets_json(const struct target_row *row, uint32_t histories,
			     const struct target_result *r, struct json_out *w);

/* Three tables: intervals of a fixed size, comparisons with early stopping, families of metrics. */
void sim_report_ab(const struct ab_cell *cells, size_t n, unsigned width, bool color,
		   struct str *out);
void sim_report_ab_json(const struct ab_cell *cells, size_t n, struct json_out *w);
