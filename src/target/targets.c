/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of targets; a file of its own because each target includes target.h. */
#include "target/target.h"

#include "target/exact.h"
#include "target/local.h"
#include "target/sim_target.h"

#include <string.h>

const struct target_ops *const targets[] = {
	&target_local,
	&target_exact,
	&target_vm,
	&target_sim,
	NULL,
};

const struct target_ops *target_find(const char *name)
{
	for (const struct target_ops *const *t = targets; *t; t++)
		if (!strcmp((*t)->name, name))
			return *t;
	return NULL;
}
