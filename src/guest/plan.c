/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/plan.h"

#include "base/num.h"

#include <string.h>

void plan_init(struct plan *p)
{
	*p = (struct plan){ .timeout_ns = 60 * NS_PER_S, .runs = 1, .output = 1 << 20 };
	p->cwd = xstrdup("/tmp");
}

void plan_done(struct plan *p)
{
	strvec_done(&p->modules);
	strvec_done(&p->sysctls);
	strvec_done(&p->env);
	free(p->cwd);
	free(p->scratch);
	free(p->seed);
	*p = (struct plan){ 0 };
}

static int add_assignment(struct strvec *to, const char *key, const char *value, struct err *e)
{
	const char *eq = strchr(value, '=');

	if (!eq || eq == value)
		return err_set(e, ERR_USAGE, "'%s' wants NAME=VALUE, not '%s'", key, value);
	strvec_add(to, value);
	return 0;
}

static int set_flag(bool *ret, const char *key, const char *value, const char *word, struct err *e)
{
	if (strcmp(value, word))
		return err_set(e, ERR_USAGE, "'%s' wants '%s', not '%s'", key, word, value);
	*ret = true;
	return 0;
}

static void set_text(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
}

static int set_key(struct plan *p, const char *key, const char *value, struct err *e)
{
	if (!strcmp(key, "module")) {
		strvec_add(&p->modules, value);
		return 0;
	}
	if (!strcmp(key, "sysctl"))
		return add_assignment(&p->sysctls, key, value, e);
	if (!strcmp(key, "env"))
		return add_assignment(&p->env, key, value, e);
	if (!strcmp(key, "cwd")) {
		set_text(&p->cwd, value);
		return 0;
	}
	if (!strcmp(key, "scratch")) {
		set_text(&p->scratch, value);
		return 0;
	}
	if (!strcmp(key, "net"))
		return set_flag(&p->net, key, value, "loopback", e);
	if (!strcmp(key, "machine"))
		return set_flag(&p->machine, key, value, "yes", e);
	if (!strcmp(key, "symbols"))
		return set_flag(&p->symbols, key, value, "yes", e);
	if (!strcmp(key, "timeout"))
		return num_parse_duration(value, key, &p->timeout_ns, e);
	if (!strcmp(key, "warmup"))
		return num_parse_int(value, key, 0, 1000000, &p->warmup, e);
	if (!strcmp(key, "runs"))
		return num_parse_int(value, key, 0, 1000000, &p->runs, e);
	if (!strcmp(key, "output"))
		return num_parse_int(value, key, 0, INT64_C(1) << 30, &p->output, e);
	return err_set(e, ERR_USAGE, "unknown key '%s'", key);
}

int plan_parse(struct plan *p, const char *text, struct err *e)
{
	int number = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		AUTO_FREE char *line = xstrndup(text, n);
		char *value = strchr(line, ' ');

		number++;
		text += n + (text[n] == '\n');
		if (!*line || *line == '#')
			continue;
		if (!value || !value[1])
			return err_set(e, ERR_USAGE, "plan:%d: expected 'key value', not '%s'",
				       number, line);
		*value++ = '\0';
		if (set_key(p, line, value, e) < 0)
			return err_wrap(e, "plan:%d", number);
	}
	return 0;
}

/* One word of the command line; others than culprit's are skipped. */
static int apply_word(struct plan *p, const char *word, struct err *e)
{
	const char *value = strchr(word, '=');

	if (!starts_with(word, "culprit."))
		return 0;
	word += strlen("culprit.");
	if (!value)
		return err_set(e, ERR_USAGE, "'culprit.%s' wants a value", word);
	value++;
	if (starts_with(word, "offset="))
		return num_parse_int(value, "culprit.offset", 0, INT64_C(1) << 40, &p->offset, e);
	if (starts_with(word, "env="))
		return num_parse_int(value, "culprit.env", 0, 1 << 20, &p->env_pad, e);
	if (starts_with(word, "sysctl="))
		return add_assignment(&p->sysctls, "culprit.sysctl", value, e);
	if (starts_with(word, "env.")) {
		strvec_add(&p->env, word + strlen("env."));
		return 0;
	}
	if (starts_with(word, "describe=")) {
		p->machine = p->symbols = true;
		return 0;
	}
	if (starts_with(word, "seed="))
		set_text(&p->seed, value);
	else if (!starts_with(word, "pad="))
		return err_set(e, ERR_USAGE, "unknown word 'culprit.%s'", word);
	return 0;
}

int plan_apply_cmdline(struct plan *p, const char *line, struct err *e)
{
	while (*line) {
		size_t n = strcspn(line, " \t\n");

		if (n) {
			AUTO_FREE char *word = xstrndup(line, n);
			int r = apply_word(p, word, e);

			if (r < 0)
				return err_wrap(e, "kernel command line");
		}
		line += n + (line[n] != '\0');
	}
	return 0;
}
