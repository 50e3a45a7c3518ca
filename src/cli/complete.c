/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scripts hold the words themselves and never call culprit: completing must be quick and must work with any version on the
 * PATH. Revisions are asked of git when a completion needs them. Help texts are data inside single quotes; each
 * shell's quoting is one function.
 */
#include "cli/complete.h"

#include "cli/cmd.h"

#include <string.h>

static bool shown(const struct opt *o)
{
	return o->name && !o->hidden;
}

static bool takes_value(const struct opt *o)
{
	AUTO(str) struct str scratch = STR_INIT;

	return opt_value_name(o, &scratch) != NULL;
}

/* Inside '...' of bash and zsh a quote is '\''; fish wants \'. */
static void quoted(struct str *out, const char *text, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			str_puts(out, quote);
		else
			str_putc(out, *text);
	}
}

/* --- bash --- */

static const char bash_begin[] =
	"# Completion of culprit for bash. Made by 'culprit completion bash'.\n"
	"_culprit_revs() {\n"
	"\tcompgen -W \"HEAD $(git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes"
	" 2>/dev/null)\" -- \"$1\"\n"
	"}\n"
	"_culprit() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd= i\n"
	"\tlocal options= values= args=\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t-C) ((i++)) ;;\n"
	"\t\t-*) ;;\n"
	"\t\t*) cmd=${COMP_WORDS[i]}; break ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif [[ -z $cmd ]]; then\n"
	"\t\t[[ $prev == -C ]] && mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") && return\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"";

static const char bash_end[] =
	"\tcase $values in\n"
	"\t\"\") ;;\n"
	"\tfile) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n"
	"\tdir) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;\n"
	"\trev) mapfile -t COMPREPLY < <(_culprit_revs \"$cur\"); return ;;\n"
	"\tnone) return ;;\n"
	"\t*) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\"); return ;;\n"
	"\tesac\n"
	"\tif [[ $cur == -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tcase $args in\n"
	"\tfile) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
	"\tdir) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
	"\trev) mapfile -t COMPREPLY < <(_culprit_revs \"$cur\") ;;\n"
	"\t*) mapfile -t COMPREPLY < <(compgen -W \"$args\" -- \"$cur\") ;;\n"
	"\tesac\n"
	"}\n"
	"complete -F _culprit culprit\n";

static void command_names(struct str *out)
{
	for (const struct cmd *c = cmds; c->name; c++)
		str_addf(out, "%s%s", c == cmds ? "" : " ", c->name);
}

/* A word of what to complete: "file", "rev", or the words themselves. */
static void kind_words(struct str *out, enum opt_complete kind)
{
	switch (kind) {
	case COMPLETE_NONE:
		str_puts(out, "none");
		break;
	case COMPLETE_FILE:
		str_puts(out, "file");
		break;
	case COMPLETE_DIR:
		str_puts(out, "dir");
		break;
	case COMPLETE_REV:
		str_puts(out, "rev");
		break;
	case COMPLETE_COMMAND:
		command_names(out);
		break;
	case COMPLETE_SHELL:
		str_puts(out, "bash zsh fish");
		break;
	}
}

static void choice_words(struct str *out, const struct opt *o)
{
	for (const char *const *c = o->choices; *c; c++)
		str_addf(out, "%s%s", c == o->choices ? "" : " ", *c);
}

static void bash_command(struct str *out, const struct cmd *c)
{
	str_addf(out, "\t%s)\n\t\toptions=\"--help", c->name);
	for (const struct opt *o = c->options; o->type != OPT_LAST; o++)
		if (shown(o))
			str_addf(out, " --%s", o->name);
	str_puts(out, "\"\n\t\targs=\"");
	if (c->args != COMPLETE_NONE)
		kind_words(out, c->args);
	str_puts(out, "\"\n\t\tcase $prev in\n");
	for (const struct opt *o = c->options; o->type != OPT_LAST; o++) {
		if (!shown(o) || !takes_value(o))
			continue;
		str_addf(out, "\t\t--%s", o->name);
		if (o->short_name)
			str_addf(out, " | -%c", o->short_name);
		str_puts(out, ") values=\"");
		if (o->choices)
			choice_words(out, o);
		else
			kind_words(out, o->complete);
		str_puts(out, "\" ;;\n");
	}
	str_puts(out, "\t\tesac\n\t\t;;\n");
}

void complete_bash(struct str *out)
{
	str_puts(out, bash_begin);
	command_names(out);
	str_puts(out, " --help --version -C\" -- \"$cur\")\n\t\treturn\n\tfi\n\tcase $cmd in\n");
	for (const struct cmd *c = cmds; c->name; c++)
		bash_command(out, c);
	str_puts(out, "\tesac\n");
	str_puts(out, bash_end);
}

/* --- zsh --- */

static const char zsh_begin[] =
	"#compdef culprit\n"
	"# Completion of culprit for zsh. Made by 'culprit completion zsh'.\n"
	"_culprit_revs() {\n"
	"\tlocal -a revs\n"
	"\trevs=(HEAD ${(f)\"$(git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes"
	" 2>/dev/null)\"})\n"
	"\t_describe -t revisions revision revs\n"
	"}\n"
	"_culprit() {\n"
	"\tlocal -a commands\n"
	"\tlocal context state line\n"
	"\tcommands=(\n";

static const char *zsh_action(enum opt_complete kind)
{
	switch (kind) {
	case COMPLETE_NONE:
		return " ";
	case COMPLETE_FILE:
		return "_files";
	case COMPLETE_DIR:
		return "_files -/";
	case COMPLETE_REV:
		return "_culprit_revs";
	case COMPLETE_COMMAND:
		return "->command";
	case COMPLETE_SHELL:
		return "(bash zsh fish)";
	}
	return " ";
}

/* '(-n --runs)'{-n+,--runs=}'[measure ...]:N: ' */
static void zsh_option(struct str *out, const struct opt *o)
{
	AUTO(str) struct str scratch = STR_INIT;
	const char *value = opt_value_name(o, &scratch);
	bool many = o->type == OPT_STRINGS || o->type == OPT_COUNT;

	str_puts(out, "\t\t\t\t");
	if (many)
		str_puts(out, "'*'");
	if (o->short_name && !many)
		str_addf(out, "'(-%c --%s)'", o->short_name, o->name);
	if (o->short_name)
		str_addf(out, "{-%c%s,--%s%s}", o->short_name, value ? "+" : "", o->name,
			 value ? "=" : "");
	else
		str_addf(out, "--%s%s", o->name, value ? "=" : "");
	str_puts(out, "'[");
	for (const char *p = o->help; *p; p++) {
		if (*p == '[' || *p == ']' || *p == ':')
			str_putc(out, '\\');
		if (*p == '\'')
			str_puts(out, "'\\''");
		else
			str_putc(out, *p);
	}
	str_putc(out, ']');
	if (value) {
		str_addf(out, ":%s:", o->arg ? o->arg : o->name);
		if (o->choices) {
			str_putc(out, '(');
			choice_words(out, o);
			str_putc(out, ')');
		} else {
			str_puts(out, zsh_action(o->complete));
		}
	}
	str_puts(out, "' \\\n");
}

void complete_zsh(struct str *out)
{
	str_puts(out, zsh_begin);
	for (const struct cmd *c = cmds; c->name; c++) {
		str_addf(out, "\t\t'%s:", c->name);
		quoted(out, c->summary, "'\\''");
		str_puts(out, "'\n");
	}
	str_puts(
		out,
		"\t)\n"
		"\t_arguments -C '-C[go to this folder first]:folder:_files -/' '--version[the version]' \\\n"
		"\t\t'(- *)--help[how to use it]' '1:command:->command' '*::argument:->argument'\n"
		"\tcase $state in\n"
		"\tcommand) _describe -t commands command commands ;;\n"
		"\targument)\n"
		"\t\tcase $words[1] in\n");
	for (const struct cmd *c = cmds; c->name; c++) {
		str_addf(out, "\t\t%s)\n\t\t\t_arguments -s \\\n", c->name);
		for (const struct opt *o = c->options; o->type != OPT_LAST; o++)
			if (shown(o))
				zsh_option(out, o);
		str_addf(
			out,
			"\t\t\t\t'(- *)'{-h,--help}'[how to use it]' \\\n\t\t\t\t'*:argument:%s'\n\t\t\t;;\n",
			zsh_action(c->args));
	}
	str_puts(out, "\t\tesac\n"
		      "\t\t[[ $state == command ]] && _describe -t commands command commands\n"
		      "\t\t;;\n\tesac\n}\n_culprit \"$@\"\n");
}

/* --- fish --- */

static const char fish_begin[] =
	"# Completion of culprit for fish. Made by 'culprit completion fish'.\n"
	"function __culprit_revs\n"
	"    echo HEAD\n"
	"    git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null\n"
	"end\n"
	"complete -c culprit -f\n"
	"complete -c culprit -n __fish_use_subcommand -s C -r -a '(__fish_complete_directories)' -d 'go there first'\n"
	"complete -c culprit -n __fish_use_subcommand -l version -d 'the version'\n"
	"complete -c culprit -s h -l help -d 'how to use it'\n";

/* The arguments of `complete` for a value of this kind. */
static void fish_values(struct str *out, enum opt_complete kind)
{
	switch (kind) {
	case COMPLETE_NONE:
		str_puts(out, " -x");
		return;
	case COMPLETE_FILE:
		str_puts(out, " -r -F");
		return;
	case COMPLETE_DIR:
		str_puts(out, " -x -a '(__fish_complete_directories)'");
		return;
	case COMPLETE_REV:
		str_puts(out, " -x -a '(__culprit_revs)'");
		return;
	case COMPLETE_COMMAND:
	case COMPLETE_SHELL:
		str_puts(out, " -x -a '");
		kind_words(out, kind);
		str_putc(out, '\'');
		return;
	}
}

void complete_fish(struct str *out)
{
	str_puts(out, fish_begin);
	for (const struct cmd *c = cmds; c->name; c++) {
		str_addf(out, "complete -c culprit -n __fish_use_subcommand -a %s -d '", c->name);
		quoted(out, c->summary, "\\'");
		str_puts(out, "'\n");
		if (c->args != COMPLETE_NONE) {
			str_addf(out, "complete -c culprit -n '__fish_seen_subcommand_from %s'",
				 c->name);
			fish_values(out, c->args);
			str_putc(out, '\n');
		}
		for (const struct opt *o = c->options; o->type != OPT_LAST; o++) {
			if (!shown(o))
				continue;
			str_addf(out, "complete -c culprit -n '__fish_seen_subcommand_from %s'",
				 c->name);
			if (o->short_name)
				str_addf(out, " -s %c", o->short_name);
			str_addf(out, " -l %s", o->name);
			if (o->choices) {
				str_puts(out, " -x -a '");
				choice_words(out, o);
				str_putc(out, '\'');
			} else if (takes_value(o)) {
				fish_values(out, o->complete);
			}
			str_puts(out, " -d '");
			quoted(out, o->help, "\\'");
			str_puts(out, "'\n");
		}
	}
}
