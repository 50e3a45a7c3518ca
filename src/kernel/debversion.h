/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debversion - which of two Debian versions is the newer: epoch, upstream version, revision, as deb-version(7) orders them ('~' before everything).
 */
#pragma once

/* < 0, 0, > 0 as strcmp. Any text is accepted; what is no version sorts somewhere. */
int debversion_compare(const char *a, const char *b);
