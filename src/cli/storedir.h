/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storedir - which store a command works on, and opening one that must exist.
 */
#pragma once

#include "store/store.h"

/*
 * `option` (--store) if given; else the repository's around the current folder; else, outside of any, $XDG_STATE_HOME/culprit or
 * ~/.local/state/culprit. The caller frees *ret. Creates nothing.
 */
int storedir_find(const char *option, char **ret, struct err *e) MUST_USE;
/* Opens the store that is there; ERR_MISSING, with the way to begin, where no hunt was ever begun. STORE_WRITE creates none either. */
int storedir_open(const char *option, enum store_mode mode, struct store **ret,
		  struct err *e) MUST_USE;
static inline void opened_store_done(struct store **st)
{
	store_close(*st);
}

/* "3" -> 3; ERR_USAGE for anything else. */
int storedir_hunt_number(const char *text, int64_t *ret, struct err *e) MUST_USE;
