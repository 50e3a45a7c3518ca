/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/perfevent.h"

#include "base/mem.h"

#include <string.h>

bool perfevent_is_main(const char *name)
{
	static const char *const names[] = { "task-clock", "cpu-clock",	   "cycles",
					     "cpu-cycles", "instructions", "duration_time" };
	size_t n = strcspn(name, ":");

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == n && !strncmp(names[i], name, n))
			return true;
	return false;
}
