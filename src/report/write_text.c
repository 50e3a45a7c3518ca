/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mail, Markdown and the text for a stable release's update. A mail is addressed only where it claims something, to the commit's author and to lists: nobody
 * else did anything.
 */
#include "report/write.h"

#include "report/answer.h"
#include "text/escape.h"
#include "text/json.h"

#include <string.h>

enum { MAIL_WIDTH = 72 };

void letter_sections(const struct letter *l, struct letter_section ret[LETTER_SECTIONS + 1])
{
	const struct letter_section all[LETTER_SECTIONS + 1] = {
		{ "With the commit taken out", &l->revert },
		{ "With patches", &l->patches },
		{ "What differs inside", &l->why },
		{ "Checked, and did not change", &l->unchanged },
		{ "Not claimed", &l->left_out },
		{ "Still open", &l->missing },
		{ "Machine and configuration", &l->setup },
		{ "To reproduce, without culprit", &l->reproduce },
		{ "", &l->hints },
		{ NULL, NULL },
	};

	memcpy(ret, all, sizeof(all));
}

/* --- mail --------------------------------------------------------------------------------------------------------- */

/* A name that is not plain words is quoted or encoded, so that it cannot end the address. */
static void put_address(const char *address, struct str *out)
{
	const char *open = strrchr(address, '<');
	AUTO(str) struct str name = STR_INIT, plain = STR_INIT;
	bool ascii = true, plain_words = true;

	if (!open || open == address) {
		str_puts(out, address);
		return;
	}
	str_add(&name, address, (size_t)(open - address));
	str_trim_end(&name);
	escape_plain(&plain, name.p);
	for (const char *p = plain.p; *p; p++) {
		ascii = ascii && (unsigned char)*p < 0x80;
		plain_words = plain_words && !strchr("()<>[]:;@\\,.\"", *p);
	}
	if (!ascii || plain_words) {
		escape_header(out, plain.p, 4);
	} else {
		str_putc(out, '"');
		for (const char *p = plain.p; *p; p++)
			str_addf(out, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
		str_putc(out, '"');
	}
	str_addf(out, " %s", open);
}

static void put_recipients(const struct dossier *d, const struct letter *l, struct str *out)
{
	bool claims = l->kind == LETTER_REGRESSION || l->kind == LETTER_WORK;
	const char *sep = "";

	if (!claims || strcmp(answer_str(d->main.answer, "verdict"), "named") != 0)
		return;
	if (d->git.author) {
		str_puts(out, "To: ");
		put_address(d->git.author, out);
		str_putc(out, '\n');
	}
	if (!d->git.lists.n && !d->git.is_kernel)
		return;
	str_puts(out, "Cc: ");
	if (d->git.is_kernel && l->kind == LETTER_REGRESSION) {
		str_puts(out, "regressions@lists.linux.dev");
		sep = ",\n ";
	}
	for (size_t i = 0; i < d->git.lists.n; i++) {
		str_addf(out, "%s%s", sep, d->git.lists.v[i]);
		sep = ",\n ";
	}
	str_putc(out, '\n');
}

void write_mail(const struct dossier *d, const struct letter *l, struct str *out)
{
	struct letter_section sections[LETTER_SECTIONS + 1];
	AUTO(str) struct str subject = STR_INIT;
	AUTO(str) struct str cut = STR_INIT;

	str_addf(&subject, "%s ", letter_tag(l));
	escape_plain_cut(&cut, l->subject, 120);
	str_puts(&subject, cut.p);
	str_puts(out, "Subject: ");
	escape_header(out, subject.p, 9);
	str_putc(out, '\n');
	put_recipients(d, l, out);
	str_puts(out, "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
		      "Content-Transfer-Encoding: 8bit\n\n");
	doc_put_plain(&l->lead, MAIL_WIDTH, out);
	letter_sections(l, sections);
	for (const struct letter_section *s = sections; s->heading; s++) {
		AUTO(doc) struct doc head = { 0 };

		if (!s->doc->n)
			continue;
		str_putc(out, '\n');
		if (*s->heading) {
			doc_heading(&head, s->heading);
			doc_put_plain(&head, MAIL_WIDTH, out);
		}
		doc_put_plain(s->doc, MAIL_WIDTH, out);
	}
}

/* --- Markdown ----------------------------------------------------------------------------------------------------- */

void write_markdown(const struct dossier *d, const struct letter *l, struct str *out)
{
	struct letter_section sections[LETTER_SECTIONS + 1];

	(void)d;
	str_puts(out, "# ");
	escape_markdown(out, letter_tag(l));
	str_putc(out, ' ');
	escape_markdown(out, l->subject);
	str_puts(out, "\n\n");
	doc_put_markdown(&l->lead, 2, out);
	letter_sections(l, sections);
	for (const struct letter_section *s = sections; s->heading; s++) {
		if (!s->doc->n)
			continue;
		str_putc(out, '\n');
		if (*s->heading)
			str_addf(out, "## %s\n\n", s->heading);
		doc_put_markdown(s->doc, 2, out);
	}
}

/* --- an update of a stable release -------------------------------------------------------------------------------- */

static void put_section(const char *name, const struct doc *const *docs, size_t n, struct str *out)
{
	bool any = false;

	str_addf(out, "[%s]\n\n", name);
	for (size_t i = 0; i < n; i++) {
		if (!docs[i]->n)
			continue;
		str_puts(out, any ? "\n" : "");
		doc_put_plain(docs[i], MAIL_WIDTH, out);
		any = true;
	}
	str_putc(out, '\n');
}

static bool is_fix(const struct dossier *d)
{
	return !strcmp(answer_str(d->main.answer, "direction"), "fix");
}

static bool is_named(const struct dossier *d)
{
	return !strcmp(answer_str(d->main.answer, "verdict"), "named");
}

static void put_fix(const struct dossier *d, struct doc *to)
{
	const struct json *a = d->main.answer;
	AUTO(str) struct str line = STR_INIT;

	if (!is_named(d)) {
		doc_paragraph(to, "No commit is known by this report that brings or repairs it.");
		return;
	}
	letter_commit(answer_str(a, "culprit"), answer_str(a, "named.subject"), &line);
	if (is_fix(d)) {
		doc_paragraph(to, "This is repaired by:");
		doc_item(to, "%s", line.p);
		return;
	}
	doc_paragraph(to, "No repairing commit is known by this report. It was brought by:");
	doc_item(to, "%s", line.p);
	if (d->confirm.hunt && json_count(json_get(d->confirm.answer, "findings")))
		doc_paragraph(to, "Reverting that commit was measured; see Impact.");
}

static void put_releases(const struct dossier *d, struct doc *to)
{
	AUTO(str) struct str tags = STR_INIT;

	if (!is_named(d))
		return;
	for (size_t i = 0; i < d->git.tags.n; i++)
		str_addf(&tags, "%s%s", i ? ", " : "", d->git.tags.v[i]);
	if (!d->git.known)
		doc_paragraph(
			to,
			"Which releases contain the commit is not known here: no repository was at hand.");
	else if (d->git.contained)
		doc_paragraph(to, "The commit is in %s (git describe --contains).%s%s%s",
			      d->git.contained, tags.n ? " Tags that contain it: " : "", tags.p,
			      tags.n ? "." : "");
	else
		doc_paragraph(to, "No tag contains the commit yet.");
}

static void put_risks(const struct dossier *d, struct doc *to)
{
	AUTO(str) struct str files = STR_INIT;

	for (size_t i = 0; i < d->git.changed.n; i++)
		str_addf(&files, "%s%s", i ? ", " : "", d->git.changed.v[i]);
	if (files.n)
		doc_paragraph(
			to,
			"The commit touches %s%s. Whatever else uses that code is where to look.",
			files.p, d->git.changed_more ? " and more" : "");
	doc_paragraph(
		to,
		"This report measures performance only; what the change could break is for its author to say.");
}

void write_sru(const struct dossier *d, const struct letter *l, struct str *out)
{
	AUTO(doc) struct doc fix = { 0 }, risks = { 0 }, info = { 0 };

	put_fix(d, &fix);
	put_risks(d, &risks);
	put_releases(d, &info);
	str_puts(out, "SRU Justification: ");
	escape_plain_cut(out, l->subject, 120);
	str_puts(out, "\n\n");
	put_section("Impact",
		    (const struct doc *const[]){ &l->lead, &l->revert, &l->patches, &l->left_out },
		    4, out);
	put_section("Fix", (const struct doc *const[]){ &fix }, 1, out);
	put_section("Test Plan", (const struct doc *const[]){ &l->reproduce, &l->setup }, 2, out);
	put_section("Where problems could occur",
		    (const struct doc *const[]){ &risks, &l->unchanged }, 2, out);
	put_section("Other Info", (const struct doc *const[]){ &info, &l->why, &l->missing }, 3,
		    out);
	str_cut(out, out->n - 1);
}
