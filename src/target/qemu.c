/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every word here was tried for whether two boots print the same bytes. What is left out is left out for that: a default network
 * card, a VGA adapter (its option ROM costs time and nothing reads it), rdrand and rdseed (the host's entropy), erms and fsrm
 * (the kernel would copy by `rep movsb`, of which the emulator counts every byte as an instruction), and devices that take the kernel
 * instructions to find and the benchmark none. The kernel's self tests of its ciphers would run for a thousand million instructions.
 * The translation buffer has a fixed size because QEMU's default depends on the host's memory.
 *
 * `-cpu max` is nobody's processor and another one in each QEMU, so the two models that have short names here are pinned versions of
 * real ones, without the features that QEMU 7.2 cannot emulate (it would warn and drop them).
 */
#include "target/qemu.h"

#include "base/num.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Starts a kernel at once, where SeaBIOS looks for disks first. */
static const char qboot[] = "/usr/share/qemu/qboot.rom";
static const char package[] = "install qemu-system-x86";

static const struct {
	const char *name, *emulated, *native;
} models[] = {
	{ "intel", "Haswell-v4,-pcid,-x2apic,-tsc-deadline,-invpcid,-spec-ctrl", "Haswell-v4" },
	{ "amd",
	  "EPYC-v1,-monitor,-sha-ni,-fxsr-opt,-misalignsse,-3dnowprefetch,-osvw,-topoext,-nrip-save,-xsavec",
	  "EPYC-v1" },
};

void qemu_done(struct qemu *q)
{
	free(q->path);
	*q = (struct qemu){ 0 };
}

int qemu_find(struct qemu *ret, struct err *e)
{
	struct qemu q = { .path = fs_find_program("qemu-system-x86_64", NULL) };
	const char *argv[] = { q.path, "--version", NULL };
	struct proc_spec spec = { .argv = argv, .timeout_ns = 20 * NS_PER_S, .output_max = 4096 };
	AUTO(str) struct str out = STR_INIT;
	struct proc_result result;
	int r;

	if (!q.path)
		return err_set(e, ERR_ENV, "there is no qemu-system-x86_64: %s", package);
	r = proc_run(&spec, &out, NULL, &result, e);
	if (r == 0 && sscanf(out.p, "QEMU emulator version %31[0-9.]", q.version) != 1)
		r = err_set(e, ERR_ENV, "'%s --version' did not say a version: %s", q.path,
			    package);
	if (r == 0 && (sscanf(q.version, "%u.%u", &q.major, &q.minor) != 2 || q.major < 6))
		r = err_set(e, ERR_ENV, "QEMU %s is too old, 7.2 or newer is wanted: %s", q.version,
			    package);
	if (r == 0)
		r = sha256_file(q.path, q.hash, e);
	if (r < 0)
		qemu_done(&q);
	else
		*ret = q;
	return r;
}

char *qemu_cpu(const char *cpu, bool kvm)
{
	for (size_t i = 0; i < ARRAY_LEN(models); i++)
		if (!strcmp(models[i].name, cpu ? cpu : "intel"))
			return kvm ? xstrdup(models[i].native)
				   : xasprintf("%s,-rdrand,-rdseed,-erms,-fsrm",
					       models[i].emulated);
	return xstrdup(cpu);
}

static void add(struct strvec *v, const char *option, const char *value)
{
	strvec_add(v, option);
	strvec_add(v, value);
}

void qemu_argv(const struct qemu *q, const struct qemu_guest *g, struct strvec *ret)
{
	/*
	 * The crypto layer's self tests, the start of its jitter generator and the tables of tracefs are a good half of what a
	 * distribution's kernel does before /init, and nothing that a benchmark uses (docs/results/exact.md).
	 */
	static const char common[] =
		"console=ttyS0 quiet panic=-1 nokaslr norandmaps random.trust_cpu=off nowatchdog "
		"cryptomgr.notests=1 initcall_blacklist=jent_mod_init,trace_eval_init,init_kprobe_trace";
	AUTO_FREE char *cpu = qemu_cpu(g->cpu, g->kvm);
	AUTO_FREE char *cmdline =
		xasprintf("%s%s%s", common, g->cmdline ? " " : "", g->cmdline ? g->cmdline : "");

	strvec_add(ret, q->path);
	strvec_add(ret, "-nodefaults");
	strvec_add(ret, "-no-user-config");
	if (g->kvm) {
		add(ret, "-machine", "q35,accel=kvm");
	} else {
		add(ret, "-machine",
		    "q35,hpet=off,vmport=off,smm=off,sata=off,usb=off,smbus=off,i8042=off");
		add(ret, "-accel", "tcg,tb-size=256");
		if (fs_exists(qboot))
			add(ret, "-bios", qboot);
	}
	add(ret, "-cpu", cpu);
	strvec_add(ret, "-smp");
	strvec_addf(ret, "%u", g->smp ? g->smp : 1);
	strvec_add(ret, "-m");
	strvec_addf(ret, "%" PRId64 "M", g->memory_bytes >> 20);
	if (!g->kvm) {
		add(ret, "-icount", "shift=0,sleep=off");
		add(ret, "-rtc", "base=2024-01-01,clock=vm");
	}
	strvec_add(ret, "-seed");
	strvec_addf(ret, "%u", (unsigned)(g->seed & 0x7fffffff));
	add(ret, "-display", "none");
	add(ret, "-monitor", "none");
	add(ret, "-nic", "none");
	strvec_add(ret, "-no-reboot");
	strvec_add(ret, "-serial");
	strvec_addf(ret, "file:%s", g->console);
	strvec_add(ret, "-serial");
	strvec_addf(ret, "file:%s", g->results);
	add(ret, "-kernel", g->kernel);
	add(ret, "-initrd", g->initrd);
	add(ret, "-append", cmdline);
	for (const char *const *d = g->devices; d && *d; d++)
		strvec_add(ret, *d);
	if (g->plugin)
		add(ret, "-plugin", g->plugin);
}

const char *qemu_doubtful_device(const char *const *devices)
{
	static const char *const known[] = { "-device",	       "-netdev",    "hubport,",
					     "e1000,",	       "e1000e,",    "pci-bridge",
					     "pcie-root-port", "pci-testdev" };

	for (; devices && *devices; devices++) {
		bool found = false;

		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			found = found || starts_with(*devices, known[i]);
		if (!found)
			return *devices;
	}
	return NULL;
}
