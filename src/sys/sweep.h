/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep - ends processes by what stands in their environment: leftovers of a culprit that was killed. */
#pragma once

/* SIGKILL to every process of ours, but this one, whose environment has the text `with` as a variable and none that begins with `without`. How many. */
unsigned sweep_processes(const char *with, const char *without);
