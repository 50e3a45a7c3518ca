/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * complete - completion scripts for three shells, made from the tables of commands and options.
 */
#pragma once

#include "base/str.h"

void complete_bash(struct str *out);
void complete_zsh(struct str *out);
void complete_fish(struct str *out);
