/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/exactness.h"

#include "cli/term.h"
#include "hunt/booting.h"
#include "hunt/guesting.h"
#include "hunt/measure.h"
#include "hunt/opening.h"
#include "target/guest_files.h"
#include "text/json.h"

#include <string.h>

static int try(struct session *s, const char *text, struct exactness *ret, struct err *e)
{
	AUTO(variant) struct variant v = { 0 };
	AUTO(str) struct str node = STR_INIT;
	struct mbuild *b;
	int r = variant_parse(s->repo, text, &v, e);

	if (r < 0)
		return r;
	variant_key(&v, &node);
	if ((r = measure_build(s, &v, node.p, 0, false, &b, e)) < 0)
		return r;
	if (b->outcome != OUTCOME_OK)
		return err_set(e, ERR_ENV, "%s does not build: %s", text, b->reason);
	if ((r = measure_ensure(s, b, &v, e)) < 0)
		return r;
	return booting_try_exact(s, b, ret, e);
}

static void show_json(const struct exactness *x, const char *doubtful, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "doctor");
	json_out_text(&w, "mode", "exact");
	json_out_bool(&w, "exact", !x->differs && !x->failure);
	json_out_text(&w, "failure", x->failure);
	json_out_text(&w, "difference", x->differs);
	json_out_int(&w, "readings", (int64_t)x->readings);
	json_out_int(&w, "output_bytes", (int64_t)x->bytes);
	json_out_text(&w, "device_not_known_to_repeat", doubtful);
	json_out_close(&w);
	str_putc(out, '\n');
}

static void show_text(const struct exactness *x, const char *doubtful, struct str *out)
{
	if (x->failure)
		str_addf(out, " not known: %s\n", x->failure);
	else if (x->differs)
		str_addf(out, " not exact: two boots with one seed differ: %s\n", x->differs);
	else
		str_addf(out,
			 " exact: two boots with one seed gave the same %zu readings and %zu bytes "
			 "of output\n",
			 x->readings, x->bytes);
	if (doubtful)
		str_addf(out,
			 " '%s' is no device that is known to repeat: one A/A test is a sign, no "
			 "proof\n",
			 doubtful);
}

int exactness_doctor(const struct measuring_opts *m, const char *variant)
{
	AUTO(exactness) struct exactness x = { 0 };
	AUTO(str) struct str out = STR_INIT;
	struct measuring_opts with = *m;
	struct session s = { 0 };
	struct err e = ERR_INIT;

	with.kernels_only = starts_with(variant, "deb=") || starts_with(variant, "image=");
	with.common.bench = m->common.bench || m->benchmark ? m->common.bench : "true";
	int r = measuring_open(&with, "doctor --target exact", &s, &e);

	if (r == 0) {
		const struct target_config *t = guest_config(&s.config, "exact");
		const char *doubtful = qemu_doubtful_device((const char *const *)t->devices);

		r = try(&s, variant, &x, &e);
		if (r == 0 && m->common.json)
			show_json(&x, doubtful, &out);
		else if (r == 0)
			show_text(&x, doubtful, &out);
		session_close(&s);
	}
	if (r < 0)
		return measuring_fail(&e);
	term_progress_end();
	term_print(&out);
	return x.failure ? CMD_FAILED : x.differs ? CMD_WORSE : CMD_OK;
}
