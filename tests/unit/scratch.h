/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch - a folder for one test program: cmocka_run_group_tests(tests, scratch_make, scratch_remove).
 */
#pragma once

#include "unit.h"

#include "sys/fs.h"

#include <stdlib.h>

static char scratch[] = "/tmp/culprit-unit-XXXXXX";

static int scratch_make(void **state UNUSED)
{
	return mkdtemp(scratch) ? 0 : -1;
}

static int scratch_remove(void **state UNUSED)
{
	return fs_remove_tree(scratch, NULL);
}
