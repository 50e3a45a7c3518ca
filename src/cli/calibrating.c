/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/calibrating.h"

#include "hunt/calibrate.h"
#include "hunt/opening.h"

int calibrating(const struct measuring_opts *m, const char *variant, unsigned runs)
{
	struct calibrate_options o = { .variant = variant,
				       .alpha = m->alpha,
				       .runs = runs,
				       .seed = (uint64_t)m->seed_option };
	AUTO_FREE char *answer = NULL;
	struct session s = { 0 };
	struct err e = ERR_INIT;
	bool stored = false;
	int r = measuring_open(m, "doctor --calibrate", &s, &e);

	if (r == 0) {
		o.margin = measuring_margin(m, &s);
		r = calibrate_hunt(&s, &o, &answer, &stored, &e);
		session_close(&s);
	}
	if (r == 0)
		r = measuring_show(m, answer, stored, &e);
	return r < 0 ? measuring_fail(&e) : CMD_OK;
}
