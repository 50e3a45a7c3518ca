/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only file with expat. A tree (libxml2) was refused: what is read from XML are lists of thousands of records of a few fields, which need no tree.
 * expat itself limits what entities may grow to (2.4 and later), and reads none from outside unless it is told how.
 */
#include "text/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 }; /* of one element */

struct parse {
	const struct xml_reader *r;
	void *arg;
	struct str text;
};

static void XMLCALL on_begin(void *arg, const XML_Char *name, const XML_Char **attributes)
{
	struct parse *p = arg;

	str_clear(&p->text);
	p->r->begin(p->arg, name, attributes);
}

static void XMLCALL on_end(void *arg, const XML_Char *name)
{
	struct parse *p = arg;
	const char *text = p->text.p;

	str_trim_end(&p->text);
	text = p->text.p + strspn(p->text.p, " \t\r\n");
	p->r->end(p->arg, name, text);
	str_clear(&p->text);
}

static void XMLCALL on_text(void *arg, const XML_Char *text, int n)
{
	struct parse *p = arg;

	str_add(&p->text, text, (size_t)n);
}

int xml_parse(const char *text, size_t n, const char *name, const struct xml_reader *r, void *arg,
	      struct err *e)
{
	struct parse p = { .r = r, .arg = arg, .text = STR_INIT_MAX(TEXT_MAX) };
	XML_Parser parser = XML_ParserCreate(NULL);
	enum XML_Status status = XML_STATUS_OK;
	int f = 0;

	if (!parser)
		return err_set(e, ERR_ENV, "%s: no memory for XML", name);
	XML_SetUserData(parser, &p);
	XML_SetElementHandler(parser, on_begin, on_end);
	XML_SetCharacterDataHandler(parser, on_text);
	/* expat counts bytes in an int */
	for (size_t at = 0; status == XML_STATUS_OK && at <= n;) {
		size_t part = n - at < INT_MAX / 2 ? n - at : INT_MAX / 2;
		bool last = at + part == n;

		status = XML_Parse(parser, text + at, (int)part, last);
		at += part + last;
	}
	if (status != XML_STATUS_OK)
		f = err_set(e, ERR_USAGE, "%s:%lu:%lu: not XML: %s", name,
			    (unsigned long)XML_GetCurrentLineNumber(parser),
			    (unsigned long)XML_GetCurrentColumnNumber(parser) + 1,
			    XML_ErrorString(XML_GetErrorCode(parser)));
	XML_ParserFree(parser);
	str_done(&p.text);
	return f;
}

const char *xml_attribute(const char **attributes, const char *name)
{
	for (; attributes && *attributes; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1];
	return NULL;
}
