/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct - commands that need no shell.
 */
#pragma once

#include "base/str.h"

/*
 * The words of `command` if a shell would only start that program with them: then true, and they are put into `ret`, which is empty. Quotes that hold
 * nothing special are taken off. False for all else: expansions, lists, redirections, assignments, and what a shell does itself.
 */
bool direct_words(const char *command, struct strvec *ret) MUST_USE;
/* The words that give it to a shell: added. "--", since a command may begin with a dash. */
void direct_shell(const char *command, struct strvec *ret);
/*
 * Is the program that is found in PATH from here the one that a shell in the run's folder would find? False where PATH has a folder relative to that, or one in the
 * `tree` (absolute folders, NULL-terminated after two), which is somewhere else until the child has its own view of it.
 */
bool direct_is_found(const char *name, const char *const *env, const char *const tree[3]);
