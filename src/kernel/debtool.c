/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debtool - see debtool.h. */
#include "kernel/debtool.h"

#include "base/num.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <string.h>

int debtool_need(const char *name, struct err *e)
{
	AUTO_FREE char *path = fs_find_program(name, NULL);

	if (!path)
		return err_set(
			e, ERR_ENV,
			"deb= needs %s, which is not here: without apt, unpack the kernel yourself and name it with image=PATH",
			name);
	return 0;
}

int debtool_run(const char *const *argv, const char *cwd, int64_t seconds,
		const struct deb_hooks *h, struct str *out, struct err *e)
{
	static const char *const noise[] = { "E: ", "dpkg-deb: ", "error: " };
	AUTO(str) struct str err_out = STR_INIT;
	struct proc_spec spec = { .argv = argv,
				  .cwd = cwd,
				  .timeout_ns = seconds * NS_PER_S,
				  .tick = h ? h->tick : NULL,
				  .tick_arg = h ? h->tick_arg : NULL,
				  .stop = h ? h->stop : NULL };
	struct proc_result res;
	const char *last;
	int r = proc_run(&spec, out, &err_out, &res, e);

	if (r < 0)
		return r;
	if (res.end == PROC_EXITED && res.status == 0)
		return 0;
	if (res.end == PROC_STOPPED)
		return err_set(e, ERR_STOPPED, "stopped");
	if (res.end == PROC_TIMED_OUT)
		return err_set(e, ERR_ENV, "%s did not end within %d s", argv[0], (int)seconds);
	str_trim_end(&err_out);
	last = strrchr(err_out.p, '\n');
	last = last ? last + 1 : err_out.p;
	for (size_t i = 0; i < ARRAY_LEN(noise); i++)
		if (starts_with(last, noise[i]))
			last += strlen(noise[i]);
	return err_set(e, ERR_ENV, "%s: %s", argv[0], *last ? last : "failed without a word");
}
