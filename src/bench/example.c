/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/example.h"

#include "bench/benchmark.h"
#include "text/json.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH = 100 };

/* No character that YAML gives a meaning, no word that a person would take for a number or truth value. */
static bool is_plain(const char *s)
{
	if (!isalnum((unsigned char)*s) && *s != '.' && *s != '/' && *s != '_' && *s != '$')
		return false;
	for (const char *p = s; *p; p++) {
		if ((p[0] == ':' && (p[1] == ' ' || !p[1])) ||
		    (p[0] == ' ' && (p[1] == '#' || !p[1])))
			return false;
		if ((unsigned char)*p < 0x20 || strchr("[]{},&*!|>'\"%@`", *p))
			return false;
	}
	return true;
}

void example_scalar(struct str *out, const char *value, unsigned indent)
{
	size_t n = strlen(value);

	if (is_plain(value)) {
		str_puts(out, value);
		return;
	}
	if (!strchr(value, '\n') || value[0] == ' ' || (n && value[n - 1] != '\n')) {
		json_quote(out, value);
		return;
	}
	str_putc(out, '|');
	for (const char *p = value; *p;) {
		size_t line = strcspn(p, "\n");

		str_putc(out, '\n');
		str_pad(out, ' ', indent);
		str_add(out, p, line);
		p += line + (p[line] == '\n');
	}
}

void example_comment(struct str *out, unsigned indent, const char *text)
{
	while (*text) {
		size_t room = WIDTH - indent - 2, n = strlen(text);

		if (n > room) {
			n = room;
			while (n && text[n] != ' ')
				n--;
			if (!n)
				n = strcspn(text, " ");
		}
		str_pad(out, ' ', indent);
		str_puts(out, "# ");
		str_add(out, text, n);
		str_putc(out, '\n');
		text += n;
		while (*text == ' ')
			text++;
	}
}

static void describe(struct str *out, const struct conf_key *k)
{
	str_puts(out, k->help);
	if (k->type == CONF_CHOICE) {
		str_puts(out, " (");
		for (const struct conf_choice *c = k->choices; c->name; c++)
			str_addf(out, "%s%s",
				 c == k->choices ? ""
				 : c[1].name	 ? ", "
						 : " or ",
				 c->name);
		str_puts(out, ")");
	}
	if (k->def && k->example)
		str_addf(out, "; default: %s", k->def);
}

void example_key(struct str *out, const struct conf_key *k, unsigned indent, bool commented)
{
	AUTO(str) struct str help = STR_INIT;

	describe(&help, k);
	example_comment(out, indent, help.p);
	str_pad(out, ' ', indent);
	str_addf(out, "%s%s: %s\n", commented ? "#" : "", strrchr(k->path, '.') + 1,
		 k->example ? k->example
		 : k->def   ? k->def
			    : "");
}

static void section(struct str *out, const char *prefix, unsigned indent, const char *skip)
{
	for (const struct conf_key *k = config_keys; k->path; k++)
		if (starts_with(k->path, prefix) && !(skip && starts_with(k->path, skip)))
			example_key(out, k, indent, false);
}

void example_file(struct str *out)
{
	str_puts(
		out,
		"# Every key of culprit.yaml, each with what it means; see culprit.yaml(5). Not one of them is needed:\n"
		"#   culprit bisect v1.2 HEAD --build 'make -j2' --bench './bench.sh'\n"
		"# works without a file. 'culprit init' writes one for the tree at hand.\n\nproject:\n");
	section(out, "project.", 2, NULL);
	str_puts(out,
		 "\nbenchmarks:\n"
		 "  # Any name. Wall, user and system time and peak memory are measured anyway.\n"
		 "  deflate:\n");
	section(out, "benchmarks.*.", 4, "benchmarks.*.regex");
	str_puts(
		out,
		"  # A second one: its value is picked out of the output by an expression.\n"
		"  startup:\n    command: |\n      ./server --check &\n      ./client --wait-for-server\n");
	section(out, "benchmarks.*.regex", 4, NULL);
	str_puts(out, "\nmetrics:\n"
		      "  # Any metric that a benchmark gives, or a new one with a formula.\n"
		      "  cpu_per_gbit:\n");
	section(out, "metrics.*.", 4, NULL);
	str_puts(out, "\nkernel:\n");
	section(out, "kernel.", 2, NULL);
	str_puts(out, "\ntargets:\n  # local, vm, exact, sim\n  exact:\n");
	section(out, "targets.*.", 4, NULL);
}
