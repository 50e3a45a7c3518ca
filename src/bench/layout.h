/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout - the same program with its code placed otherwise: a fresh build whose difference can only be the placement.
 *
 * Where functions and loops fall on cache lines and in the branch predictor changes speed by a few percent for no reason
 * (Mytkowicz et al., ASPLOS 2009); one commit built in several layouts shows how much of a difference that alone makes. Builds
 * are reproducible, so it must be asked for: scripts named cc, gcc, g++, clang ... in a folder that goes first in PATH add
 * alignment options before the project's own and exec the real compiler (or ccache's) behind them.
 *
 * A compiler that is called by its full path is not reached: the artefact then is the same as without, which the caller sees.
 */
#pragma once

#include "base/err.h"

/* Writes the scripts to STORE/layout/N (again, if they are there) and puts the folder first in PATH of env. */
int layout_enter(const char *store_dir, unsigned layout, struct strvec *env,
		 struct err *e) MUST_USE;
/* The options of a layout, for gcc and clang; "" for 0. */
void layout_options(unsigned layout, char ret[200]);
