/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest is QEMU's own firmware without a disk: it runs in all modes of the processor, and ends by saying on its debug port that there is
 * nothing to boot. Under a KVM that works that is a matter of tenths of a second.
 */
#include "target/kvm.h"

#include "base/num.h"
#include "base/str.h"
#include "sys/fs.h"
#include "sys/proc.h"
#include "target/qemu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_NS (8 * NS_PER_S)

static const char the_end[] = "No bootable device";

struct probe {
	const char *path;
	bool reached;
};

static bool has_reached(void *arg)
{
	struct probe *p = arg;
	AUTO(str) struct str text = STR_INIT;
	struct err none = ERR_INIT;

	if (fs_exists(p->path) && fs_read(p->path, 1 << 20, &text, &none) == 0)
		p->reached = strstr(text.p, the_end) != NULL;
	return p->reached;
}

static const char *explain(const struct proc_result *r, const struct str *said, char *reason)
{
	AUTO(str) struct str why = STR_INIT;

	if (r->end == PROC_TIMED_OUT)
		str_puts(&why, "the guest hangs in its firmware");
	else
		proc_describe(r, DEADLINE_NS, &why);
	if (said->n && r->end != PROC_TIMED_OUT)
		str_addf(&why, ": %.*s", (int)strcspn(said->p, "\n"), said->p);
	snprintf(
		reason, 200,
		"/dev/kvm is there, but no guest starts under it (%.90s); --target exact needs none",
		why.p);
	return reason;
}

const char *kvm_probe(char *reason)
{
	AUTO(qemu) struct qemu q = { 0 };
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *dir = xasprintf("%s/culprit-kvm-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	AUTO_FREE char *path = mkdtemp(dir) ? fs_join(dir, "port") : NULL;
	AUTO_FREE char *chardev = xasprintf("file,id=d,path=%s/port", dir);
	struct probe p = { path, false };
	AUTO(str) struct str said = STR_INIT;
	struct proc_result result = { 0 };
	struct err e = ERR_INIT, none = ERR_INIT;
	int r = path ? qemu_find(&q, &e) : err_errno(&e, "creating '%s'", dir);
	const char *argv[] = { q.path,
			       "-nodefaults",
			       "-no-user-config",
			       "-machine",
			       "q35,accel=kvm",
			       "-m",
			       "64M",
			       "-display",
			       "none",
			       "-no-reboot",
			       "-chardev",
			       chardev,
			       "-device",
			       "isa-debugcon,iobase=0x402,chardev=d",
			       NULL };
	struct proc_spec spec = { .argv = argv,
				  .timeout_ns = DEADLINE_NS,
				  .grace_ns = NS_PER_S / 2,
				  .output_max = 4096,
				  .halt = has_reached,
				  .halt_arg = &p };

	if (r == 0)
		r = proc_run(&spec, NULL, &said, &result, &e);
	if (path && fs_remove_tree(dir, &none) < 0)
		none.kind = ERR_NONE; /* a temporary folder */
	if (r < 0)
		snprintf(reason, 200, "%.199s", e.msg);
	else if (!p.reached)
		return explain(&result, &said, reason);
	return r < 0 ? reason : NULL;
}
