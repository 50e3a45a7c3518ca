/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml - XML in, element by element. Nothing outside of the text is ever read (no external entities), and what its entities expand to is bounded.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct xml_reader {
	/* An element begins; `attributes` is name, value, name, value, ..., NULL. */
	void (*begin)(void *arg, const char *name, const char **attributes);
	/* It ends; `text` is what stood directly in it since its beginning or its last child's end, blanks at both ends removed. */
	void (*end)(void *arg, const char *name, const char *text);
};
/* `name` stands in messages. ERR_USAGE with NAME:LINE:COLUMN when it is no XML. */
int xml_parse(const char *text, size_t n, const char *name, const struct xml_reader *r, void *arg,
	      struct err *e) MUST_USE;
/* The value of an attribute, or NULL. */
const char *xml_attribute(const char **attributes, const char *name);
