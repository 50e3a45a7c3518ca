/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guesting - what a session sets up when runs happen in guests (targets exact and vm): which QEMU, under which kernel, and what is counted.
 */
#pragma once

#include "hunt/session.h"

bool guesting(const struct session *s);
/*
 * When the store is open: sweeps what a killed culprit left, finds QEMU and the kernel for programs, and makes both part of the question
 * (target_name), so that nothing is compared across them. The first run of each boot is discarded unless something else was said; the
 * metric that decides is the number of instructions, for each operation where the benchmark says what that is.
 */
int guesting_prepare(struct session *s, struct err *e) MUST_USE;
/* What the benchmark says that an emulator does not see of it, as a member of the open object; nothing elsewhere. */
struct json_out;
void guesting_put_blind(const struct session *s, struct json_out *w);
/* Where a metric's numbers come from, by the target of a hunt's question and the metric's name. */
enum evidence guesting_evidence(const char *target_name, const char *metric);
