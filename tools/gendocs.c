/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gendocs - the parts of the manual that are made from the tables: options of a command, the list of commands, the formats of
 * readers, keys of culprit.yaml, and the example file. tools/update-docs.sh puts them in their place; a test compares.
 */
#include "bench/benchmark.h"
#include "bench/example.h"
#include "cli/cmd.h"
#include "cli/term.h"
#include "reader/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text for mdoc: backslashes and double minus signs as themselves, a '.' or quote that begins a line protected. */
static void characters(struct str *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\')
			str_puts(out, "\\e");
		else if (*s == '-' && s[1] == '-')
			str_puts(out, "\\-");
		else
			str_putc(out, *s);
	}
}

static void text(struct str *out, const char *s)
{
	if (*s == '.' || *s == '\'')
		str_puts(out, "\\&");
	characters(out, s);
}

/* Help texts begin in lower case and have no full stop; the manual has sentences, in lines below 80 columns. */
static void sentence(struct str *out, const char *s)
{
	AUTO_FREE char *copy = xasprintf("%s.", s);
	size_t column = 0;

	copy[0] = (char)toupper((unsigned char)copy[0]);
	for (const char *p = copy; *p;) {
		size_t n = strcspn(p, " ");
		AUTO_FREE char *word = xstrndup(p, n);

		if (column && column + 1 + n > 76) {
			str_putc(out, '\n');
			column = 0;
		} else if (column) {
			str_putc(out, ' ');
			column++;
		}
		column ? characters(out, word) : text(out, word);
		column += n;
		p += n + (p[n] == ' ');
	}
	str_putc(out, '\n');
}

/* As an argument of a macro: words that mdoc would take for macros or punctuation are protected. */
static void argument(struct str *out, const char *s)
{
	str_puts(out, "\\&");
	text(out, s);
}

static void option(struct str *out, const struct opt *o)
{
	AUTO(str) struct str scratch = STR_INIT;
	const char *value = opt_value_name(o, &scratch);

	str_puts(out, ".It ");
	if (o->short_name)
		str_addf(out, "Fl %c , ", o->short_name);
	str_addf(out, "Fl -%s", o->name);
	if (value) {
		str_puts(out, " Ar ");
		argument(out, value);
	}
	str_putc(out, '\n');
	sentence(out, o->help);
	if (o->choices) {
		str_puts(out, "One of");
		for (const char *const *c = o->choices; *c; c++)
			str_addf(out, "\n.Cm %s%s", *c, c[1] ? " ," : " .");
		str_putc(out, '\n');
	}
}

static void options(struct str *out, const struct cmd *c)
{
	bool open = false;

	for (const struct opt *o = c->options; o->type != OPT_LAST; o++) {
		if (o->hidden)
			continue;
		if (o->type == OPT_HEADING) {
			str_addf(out, "%s.Ss %s\n", open ? ".El\n" : "", o->help);
			open = false;
			continue;
		}
		if (!open)
			str_puts(out, ".Bl -tag -width Ds\n");
		open = true;
		option(out, o);
	}
	if (open)
		str_puts(out, ".El\n");
}

/* "GOOD BAD [-- PATH...]" as mdoc. */
static void synopsis(struct str *out, const struct cmd *c)
{
	AUTO_FREE char *copy = xstrdup(c->synopsis);
	char *save = NULL;

	str_addf(out, ".Nm culprit\n.Cm %s\n.Op Ar options\n", c->name);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		size_t n = strlen(w);

		if (*w == '[') {
			str_puts(out, ".Oo\n");
			w++;
			n--;
		}
		bool close = n && w[n - 1] == ']';

		if (close)
			w[n - 1] = '\0';
		if (!strcmp(w, "--"))
			str_puts(out, ".Fl Fl\n");
		else if (*w == '-')
			str_addf(out, ".Fl %s\n", w + 1);
		else if (*w) {
			str_puts(out, ".Ar ");
			argument(out, w);
			str_putc(out, '\n');
		}
		if (close)
			str_puts(out, ".Oc\n");
	}
}

static void commands(struct str *out)
{
	for (const struct cmd *c = cmds; c->name; c++) {
		str_addf(out, ".It Xr culprit-%s 1\n", c->name);
		sentence(out, c->summary);
	}
}

/* The formats that can be read; a file's is found by looking at it where the format says how. */
static void formats(struct str *out)
{
	for (const struct reader *const *r = readers; *r; r++) {
		str_addf(out, ".It Cm %s\n", (*r)->name);
		sentence(out, (*r)->help);
	}
}

static void keys(struct str *out)
{
	char section[80] = "";

	for (const struct conf_key *k = config_keys; k->path; k++) {
		size_t n = (size_t)(strrchr(k->path, '.') - k->path);

		if (strlen(section) != n || strncmp(section, k->path, n)) {
			if (*section)
				str_puts(out, ".El\n");
			snprintf(section, sizeof(section), "%.*s", (int)n, k->path);
			str_puts(out, ".Ss ");
			for (const char *p = section; *p; p++)
				*p == '*' ? str_puts(out, "NAME") : str_putc(out, *p);
			str_puts(out, "\n.Bl -tag -width Ds\n");
		}
		str_addf(out, ".It Ic %s : Ar ", k->path + n + 1);
		argument(out, conf_type_name(k));
		str_putc(out, '\n');
		sentence(out, k->help);
		if (k->choices) {
			str_puts(out, "One of");
			for (const struct conf_choice *c = k->choices; c->name; c++)
				str_addf(out, "\n.Cm %s%s", c->name, c[1].name ? " ," : " .");
			str_putc(out, '\n');
		}
		if (k->def) {
			str_puts(out, "Default:\n.Ql ");
			argument(out, k->def);
			str_puts(out, " .\n");
		}
	}
	str_puts(out, ".El\n");
}

int main(int argc, char **argv)
{
	AUTO(str) struct str out = STR_INIT;
	const char *what = argc > 1 ? argv[1] : "";
	const struct cmd *c = argc > 2 ? cmd_find(argv[2]) : NULL;

	if (argc == 2 && !strcmp(what, "example"))
		example_file(&out);
	else if (argc == 2 && !strcmp(what, "keys"))
		keys(&out);
	else if (argc == 2 && !strcmp(what, "commands"))
		commands(&out);
	else if (argc == 2 && !strcmp(what, "readers"))
		formats(&out);
	else if (argc == 2 && !strcmp(what, "names"))
		for (const struct cmd *x = cmds; x->name; x++)
			str_addf(&out, "%s\n", x->name);
	else if (argc == 2 && !strcmp(what, "paths"))
		for (const struct conf_key *k = config_keys; k->path; k++)
			str_addf(&out, "%s\n", k->path);
	else if (c && !strcmp(what, "options"))
		options(&out, c);
	else if (c && !strcmp(what, "synopsis"))
		synopsis(&out, c);
	else if (c && !strcmp(what, "summary"))
		str_addf(&out, "%s\n", c->summary);
	else {
		fprintf(stderr,
			"usage: gendocs example|keys|paths|commands|readers|names|options CMD|synopsis CMD|summary CMD\n");
		return 2;
	}
	fwrite(out.p, 1, out.n, stdout);
	return 0;
}
