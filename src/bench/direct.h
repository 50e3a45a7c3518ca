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
