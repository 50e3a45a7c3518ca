/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV is for spreadsheets and R: one row a value, CRLF as RFC 4180 says, numbers with all their digits. Go's text is for benchstat: one line
 * a run; its format knows only good runs, so a failed one has no line. A metric's unit there must tell it from the
 * others of the line ("user-s"), but for `wall`, which is what benchstat calls ns/op.
 */
#include "cli/export_rows.h"

#include "base/num.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* As short as reads back to the same number. */
static void put_number(struct str *out, double v)
{
	for (int digits = 15; digits <= 17; digits++) {
		AUTO_FREE char *text = xasprintf("%.*g", digits, v);

		if (digits == 17 || strtod(text, NULL) == v) {
			str_puts(out, text);
			return;
		}
	}
}

/* "2026-11-30T21:05:01.123456Z" */
static void put_time(struct str *out, int64_t ns)
{
	time_t s = (time_t)(ns / NS_PER_S);
	struct tm tm;
	char buf[40];

	gmtime_r(&s, &tm);
	strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%S", &tm);
	str_addf(out, "%s.%06lldZ", buf, (long long)(ns % NS_PER_S / 1000));
}

void export_csv_field(const char *text, struct str *out)
{
	if (!strpbrk(text, ",\"\r\n")) {
		str_puts(out, text);
		return;
	}
	str_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			str_putc(out, '"');
		str_putc(out, *text);
	}
	str_putc(out, '"');
}

/* A variant's canonical text has a line for each change; lines inside a field are legal and a nuisance. */
static char *node_name(const struct sample_row *s)
{
	AUTO(str) struct str name = STR_INIT;

	str_puts(&name, s->node);
	str_trim_end(&name);
	for (char *p = strchr(name.p, '\n'); p; p = strchr(p, '\n'))
		*p = ':';
	return str_take(&name);
}

static void csv_row(struct str *out, const struct sample_row *s)
{
	AUTO_FREE char *node = node_name(s);
	const char *const texts[] = { node, s->variant, s->commit };

	str_addf(out, "%lld", (long long)s->hunt);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		str_putc(out, ',');
		export_csv_field(texts[i], out);
	}
	str_addf(out, ",%lld,%lld,%lld,%d,%lld,", (long long)s->build, (long long)s->boot,
		 (long long)s->run, s->index, (long long)s->order);
	put_time(out, s->began_ns);
	str_putc(out, ',');
	put_number(out, s->seconds);
	str_addf(out, ",%s,", outcome_name(s->outcome));
	export_csv_field(s->reason, out);
	str_puts(out, s->withdrawn ? ",1," : ",0,");
	export_csv_field(s->benchmark, out);
	str_putc(out, ',');
	export_csv_field(s->metric ? s->metric : "", out);
	str_putc(out, ',');
	export_csv_field(s->unit, out);
	str_addf(out, ",%s,", s->metric ? better_name(s->better) : "");
	if (s->metric)
		put_number(out, s->value);
	str_putc(out, ',');
	if (s->metric && s->resolution > 0)
		put_number(out, s->resolution);
	str_puts(out, "\r\n");
}

static void json_row(struct json_out *w, const struct sample_row *s)
{
	AUTO_FREE char *node = node_name(s);

	json_out_object(w, NULL);
	json_out_text(w, "node", node);
	json_out_text(w, "variant", s->variant);
	json_out_text(w, "commit", s->commit);
	json_out_int(w, "build", s->build);
	json_out_int(w, "boot", s->boot);
	json_out_int(w, "run", s->run);
	json_out_int(w, "index", s->index);
	json_out_int(w, "order", s->order);
	json_out_number(w, "began", (double)s->began_ns / 1e9);
	json_out_number(w, "seconds", s->seconds);
	json_out_text(w, "outcome", outcome_name(s->outcome));
	if (*s->reason)
		json_out_text(w, "reason", s->reason);
	if (s->withdrawn)
		json_out_bool(w, "withdrawn", true);
	json_out_text(w, "benchmark", s->benchmark);
	if (s->metric) {
		json_out_text(w, "metric", s->metric);
		json_out_text(w, "unit", s->unit);
		json_out_text(w, "better", better_name(s->better));
		json_out_number(w, "value", s->value);
		json_out_number(w, "resolution", s->resolution);
	}
	json_out_close(w);
}

/* --- Go ----------------------------------------------------------------------------------------------------------- */

void export_go_name(const char *name, bool upper, struct str *out)
{
	size_t before = out->n;

	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (isspace(c) || iscntrl(c))
			c = '_';
		else if (upper && out->n == before)
			c = (unsigned char)toupper(c);
		str_putc(out, (char)c);
	}
	if (out->n == before)
		str_putc(out, '_');
}

/*
 * What a person calls it: the build's name where the hunt has the bare commit's; else the hunt's, because variants that differ in
 * their environment share a build.
 */
static char *go_variant(const struct sample_row *s)
{
	AUTO_FREE char *node = node_name(s);
	const char *name = starts_with(node, "commit=") ? node + strlen("commit=") : node;

	return strcmp(name, s->commit) ? TAKE_PTR(node) : xstrdup(s->variant);
}

static void go_value(struct str *out, const struct sample_row *s)
{
	str_putc(out, ' ');
	if (!strcmp(s->metric, "wall") && !strcmp(s->unit, "s")) {
		/* 0.1 s has no exact form, and its 1e9-fold would show that */
		str_addf(out, "%.15g", s->value * 1e9);
		str_puts(out, " ns/op");
		return;
	}
	put_number(out, s->value);
	str_putc(out, ' ');
	export_go_name(s->metric, false, out);
	if (*s->unit) {
		str_putc(out, '-');
		export_go_name(s->unit, false, out);
	}
}

static void go_row(struct exporter *x, const struct sample_row *s)
{
	if (!s->metric)
		return;
	if (s->run != x->run) {
		if (x->run)
			str_putc(x->out, '\n');
		AUTO_FREE char *variant = go_variant(s);

		if (!x->variant || strcmp(x->variant, variant)) {
			free(x->variant);
			x->variant = TAKE_PTR(variant);
			str_puts(x->out, "variant: ");
			export_go_name(x->variant, false, x->out);
			str_putc(x->out, '\n');
		}
		str_puts(x->out, "Benchmark");
		export_go_name(s->benchmark, true, x->out);
		str_puts(x->out, " 1");
		x->run = s->run;
	}
	go_value(x->out, s);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

void export_begin(struct exporter *x, enum export_format format, int64_t hunt, struct str *out)
{
	*x = (struct exporter){ .format = format,
				.out = out,
				.json = JSON_OUT_INIT(out, JSON_STYLE_PRETTY) };
	switch (format) {
	case EXPORT_CSV:
		str_puts(
			out,
			"hunt,node,variant,commit,build,boot,run,index,order,began,seconds,outcome,reason,"
			"withdrawn,benchmark,metric,unit,better,value,resolution\r\n");
		break;
	case EXPORT_JSON:
		json_out_object(&x->json, NULL);
		json_out_int(&x->json, "schema", 1);
		json_out_text(&x->json, "command", "export");
		json_out_int(&x->json, "hunt", hunt);
		json_out_array(&x->json, "samples");
		break;
	case EXPORT_GO:
		str_addf(out, "culprit-hunt: %lld\n", (long long)hunt);
		break;
	}
}

void export_row(struct exporter *x, const struct sample_row *s)
{
	switch (x->format) {
	case EXPORT_CSV:
		csv_row(x->out, s);
		break;
	case EXPORT_JSON:
		json_row(&x->json, s);
		break;
	case EXPORT_GO:
		go_row(x, s);
		break;
	}
}

void export_end(struct exporter *x)
{
	if (x->format == EXPORT_JSON) {
		json_out_close(&x->json);
		json_out_close(&x->json);
	}
	if (x->format == EXPORT_GO && x->run)
		str_putc(x->out, '\n');
	free(x->variant);
	x->variant = NULL;
}
