/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steadier - would CPU time have told the ends apart more easily than wall time?
 *
 * On a machine that does other work a short run's wall time is mostly waiting for a processor. CPU time is in the journal anyway, so
 * what it would have shown is known, not guessed.
 */
#pragma once

#include "hunt/session.h"

/* One sentence with the figures and the option, or NULL. NULL as well if the metric is not wall time or the runs are too few to say. */
char *steadier_metric(struct session *s, const struct observations *obs, const char *old_node,
		      const char *new_node);
