/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers - files that belong to culprit beside the program itself: the guest program, the emulator's plug-in. */
#pragma once

#include "base/mem.h"

/*
 * Looked for where it is installed (libexec/culprit beside bin) and where it is built (beside the program). NULL if it is nowhere; the
 * caller frees.
 */
char *helper_find(const char *name) MUST_USE;
