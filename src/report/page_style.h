/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_style - the style sheet of the HTML report; light and dark by the reader's own setting, black on white in print. */
#pragma once

extern const char page_style[];
