/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opening - how a session begins: everything found, checked, locked and frozen in the right order. */
#pragma once

#include "hunt/session.h"

/*
 * Opens repository (from the current folder), store (locked: one measuring culprit a store; waits while the ui says so), configuration
 * and target. On failure nothing is left open.
 */
int session_open(const struct session_options *opt, const struct hunt_ui *ui, const char *command,
		 struct session *ret, struct err *e) MUST_USE;
