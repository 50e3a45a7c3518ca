/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's folder (kernel/kept.h) is booted itself; any other tree is a program, which is copied into a guest under the kernel that the
 * session has for that. Everything that is the same for all boots of a build goes into the initramfs, everything else on the
 * kernel's command line, so that the initramfs is made once.
 */
#include "target/guest_files.h"

#include "base/num.h"
#include "bench/environ.h"
#include "bench/needs.h"
#include "bench/own.h"
#include "kernel/config.h"
#include "kernel/elf_functions.h"
#include "kernel/initramfs.h"
#include "kernel/kept.h"
#include "sys/fs.h"
#include "target/helpers.h"
#include "text/json.h"

#include <inttypes.h>
#include <string.h>

#define MEMORY_DEFAULT (INT64_C(1) << 30)
#define BOOT_TIMEOUT_DEFAULT (600 * NS_PER_S)
#define OUTPUT_MAX (8 << 20) /* of each stream of a run */
#define CONFIG_MAX (16 << 20)
#define CMDLINE_MAX 2000 /* the kernel takes 2048 (COMMAND_LINE_SIZE on x86) */

void guest_plan_done(struct guest_plan *p)
{
	qemu_done(&p->qemu);
	kernel_image_done(&p->kernel);
	free(p->folder);
	free(p->start);
	free(p->initrd);
	free(p->cmdline);
	free(p->plugin);
	free(p->plugin_args);
	strvec_done(&p->files);
	*p = (struct guest_plan){ 0 };
}

const struct target_config *guest_config(const struct config *c, const char *target)
{
	static const char *nothing[] = { NULL };
	static const struct target_config defaults = {
		.name = "",
		.programs = nothing,
		.cpu = "intel",
		.smp = 1,
		.devices = nothing,
		.modules = nothing,
		.boot_timeout_ns = BOOT_TIMEOUT_DEFAULT,
	};
	const struct target_config *t = c ? config_target(c, target) : NULL;

	return t ? t : &defaults;
}

/* --- the initramfs ---------------------------------------------------------------------------------------- */

/* Where a folder of the host stands in the guest: at its own path, unless the guest mounts something over it. */
static char *guest_place(const char *path, const char *otherwise)
{
	static const char *const mounted[] = { "/tmp/", "/run/", "/dev/", "/proc/", "/sys/" };

	for (size_t i = 0; i < ARRAY_LEN(mounted); i++)
		if (starts_with(path, mounted[i]))
			return xstrdup(otherwise);
	return xstrdup(path);
}

/* One line a variable; a newline would end it. */
static int put_env(struct str *plan, const char *assignment, struct err *e)
{
	if (strchr(assignment, '\n'))
		return err_set(e, ERR_USAGE, "the guest takes no newline in the variable '%.*s'",
			       (int)strcspn(assignment, "="), assignment);
	str_addf(plan, "env %s\n", assignment);
	return 0;
}

static int make_plan(const struct boot_request *q, const char *target, const char *src,
		     const char *cwd, const char *data, struct str *plan, struct err *e)
{
	const struct benchmark *b = q->benchmark;
	int64_t seconds = (b->timeout_ns + NS_PER_S - 1) / NS_PER_S;
	AUTO_FREE char *jobs = xasprintf("JOBS=%u", environ_jobs(q->jobs));
	int r;

	str_addf(plan, "runs 0\nwarmup 0\ntimeout %" PRId64 "\noutput %d\n", seconds, OUTPUT_MAX);
	str_puts(plan, "net loopback\n");
	if (cwd)
		str_addf(plan, "cwd %s\nenv CULPRIT_SRC=%s\n", cwd, src);
	if (data)
		str_addf(plan, "env CULPRIT_DATA=%s\n", data);
	if (own_wanted(b, OWN_TMP))
		str_puts(plan, "scratch " OWN_GUEST_TMP "\nenv " OWN_TMP "=" OWN_GUEST_TMP "\n");
	if (own_wanted(b, OWN_PORT))
		str_addf(plan, "env " OWN_PORT "=%d\n", OWN_GUEST_PORT);
	if (own_wanted(b, OWN_TARGET))
		str_addf(plan, "env " OWN_TARGET "=%s\n", target);
	if ((r = put_env(plan, jobs, e)) < 0)
		return r;
	for (const char **v = b->env; v && *v && r == 0; v++)
		r = put_env(plan, *v, e);
	return r;
}

static void join(struct strvec *out, const char *const *a, const char *const *b)
{
	for (; a && *a; a++)
		strvec_add(out, *a);
	for (; b && *b; b++)
		strvec_add(out, *b);
}

static int make_initrd(const struct boot_request *q, const struct target_config *t,
		       const char *target, const char *tree, struct guest_plan *ret, struct err *e)
{
	const struct benchmark *b = q->benchmark;
	const char *subdir = q->config ? q->config->project.subdir : NULL;
	AUTO_FREE char *guest = helper_find(GUEST_PROGRAM);
	AUTO_FREE char *canonical = tree ? fs_join(q->store_dir, "src") : NULL;
	AUTO_FREE char *src = tree ? guest_place(canonical, "/culprit/src") : NULL;
	AUTO_FREE char *at = q->data_dir ? guest_place(q->data_dir, "/culprit/data") : NULL;
	AUTO_FREE char *cwd = src && subdir ? fs_join(src, subdir) : src ? xstrdup(src) : NULL;
	AUTO(strvec) struct strvec programs = STRVEC_INIT, modules = STRVEC_INIT;
	AUTO(str) struct str plan = STR_INIT;
	struct initramfs_file data = { q->data_dir, at };
	int r = make_plan(q, target, src, cwd, at, &plan, e);

	if (r == 0 && !guest)
		r = err_set(e, ERR_ENV, "the file '%s' of culprit is missing", GUEST_PROGRAM);
	if (r < 0)
		return r;
	join(&programs, (const char *const *)t->programs, (const char *const *)b->programs);
	join(&modules, (const char *const *)t->modules, (const char *const *)b->modules);
	strvec_add(&modules, "?dummy");
	struct initramfs_request i = {
		.store_dir = q->store_dir,
		.guest = guest,
		.programs = (const char *const *)programs.v,
		.files = &data,
		.n_files = q->data_dir && fs_is_dir(q->data_dir),
		.tree = tree,
		.tree_at = src,
		.kernel = &ret->kernel,
		.modules = (const char *const *)modules.v,
		.plan = plan.p,
		.setup = b->setup,
		.prepare = b->prepare,
		.command = b->command,
		.cleanup = b->cleanup,
		.guess = true,
		.ret_files = &ret->files,
	};

	return initramfs_build(&i, &ret->initrd, ret->initrd_key, e);
}

/* --- the kernel ------------------------------------------------------------------------------------------- */

/* *ret_tree stays NULL when the tree is a kernel itself. */
static int find_kernel(const struct boot_request *q, struct guest_plan *ret, char **ret_tree,
		       struct err *e)
{
	AUTO_FREE char *tree = q->tree ? fs_join(q->store_dir, q->tree) : NULL;
	AUTO_FREE char *under = q->kernel ? fs_join(q->store_dir, q->kernel) : NULL;
	int r = tree ? kept_find(tree, &ret->kernel, &ret->start, e) : -ERR_MISSING;

	if (r != -ERR_MISSING)
		return r;
	if (!under)
		return err_set(
			e, ERR_USAGE,
			"a guest needs a kernel: measure deb=PACKAGE or image=PATH, or name one for programs "
			"(-c targets.exact.kernel=deb=linux-image-amd64)");
	r = kept_find(under, &ret->kernel, &ret->start, e);
	if (r < 0)
		return r;
	*ret_tree = TAKE_PTR(tree);
	return 0;
}

static void put_word(struct str *out, const char *fmt, ...) PRINTF(2, 3);
static void put_word(struct str *out, const char *fmt, ...)
{
	AUTO(str) struct str word = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&word, fmt, ap);
	va_end(ap);
	/* the kernel takes quotes around the value alone, or around all of it */
	if (strchr(word.p, ' '))
		str_addf(out, "%s\"%s\"", out->n ? " " : "", word.p);
	else
		str_addf(out, "%s%s", out->n ? " " : "", word.p);
}

static int make_cmdline(const struct boot_request *q, const struct target_config *t,
			const struct perturbation *p, char **ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT;

	if (t->cmdline)
		str_puts(&out, t->cmdline);
	if (q->cmdline)
		str_addf(&out, "%s%s", out.n ? " " : "", q->cmdline);
	for (const char *const *v = q->sysctl; v && *v; v++)
		put_word(&out, "culprit.sysctl=%s", *v);
	for (const char *const *v = q->env; v && *v; v++)
		put_word(&out, "culprit.env.%s", *v);
	put_word(&out, "culprit.offset=%" PRIu64, p->offset);
	put_word(&out, "culprit.env=%u", p->env);
	put_word(&out, "culprit.seed=%" PRIu64, p->seed);
	if (q->describe)
		str_puts(&out, " culprit.describe=yes");
	str_puts(&out, " culprit.pad=");
	str_pad(&out, 'x', p->pad);
	if (out.n > CMDLINE_MAX)
		return err_set(e, ERR_USAGE, "the kernel's command line is longer than %d bytes",
			       CMDLINE_MAX);
	*ret = str_take(&out);
	return 0;
}

/* Version 2 of the interface came with QEMU 9.0, the first with 4.2. */
char *guest_plugin(const struct qemu *q)
{
	return helper_find(q->major < 9 ? "culprit-exact.so" : "culprit-exact-v2.so");
}

/* "" is fine. A boot that describes counts nothing. */
static char *plugin_arguments(const struct boot_request *q, const struct target_config *t)
{
	const char *model = t->model ? t->model : q->model;
	AUTO(str) struct str out = STR_INIT;

	if (model && !q->describe)
		str_addf(&out, ",model=%s,memory=%" PRId64, model,
			 t->memory_bytes ? t->memory_bytes : MEMORY_DEFAULT);
	if (q->symbols && !q->describe)
		str_addf(&out, ",symbols=%s", q->symbols);
	return str_take(&out);
}

int guest_plan_make(const struct boot_request *q, const char *target, const struct perturbation *p,
		    struct guest_plan *ret, struct err *e)
{
	const struct target_config *t = guest_config(q->config, target);
	bool is_vm = !strcmp(target, "vm");
	AUTO_FREE char *tree = NULL;
	int r = needs_check(q->benchmark, false, e);

	if (r < 0)
		return err_wrap(e, "benchmark '%s'", q->benchmark->name);
	r = qemu_find(&ret->qemu, e);
	ret->perturbation = *p;
	ret->boot_timeout_ns = t->boot_timeout_ns;
	if (r < 0 || (r = find_kernel(q, ret, &tree, e)) < 0 ||
	    (r = make_initrd(q, t, target, tree, ret, e)) < 0 ||
	    (r = make_cmdline(q, t, p, &ret->cmdline, e)) < 0)
		return r;
	if (!is_vm)
		ret->plugin = guest_plugin(&ret->qemu);
	ret->plugin_args = plugin_arguments(q, t);
	ret->folder = fs_join(q->store_dir, "guests");
	ret->setting = (struct guest_setting){
		.qemu = &ret->qemu,
		.folder = ret->folder,
		.plugin = ret->plugin,
		.plugin_args = ret->plugin_args,
		.granted = q->runs,
		.guest = {
			.kvm = is_vm,
			.cpu = t->cpu,
			.smp = t->smp,
			.memory_bytes = t->memory_bytes ? t->memory_bytes : MEMORY_DEFAULT,
			.kernel = ret->start,
			.initrd = ret->initrd,
			.cmdline = ret->cmdline,
			.devices = (const char *const *)t->devices,
			.seed = p->seed,
		},
	};
	return 0;
}

void guest_plan_describe(const struct guest_plan *p, struct json_out *w)
{
	const struct qemu_guest *g = &p->setting.guest;
	AUTO_FREE char *cpu = qemu_cpu(g->cpu, g->kvm);

	json_out_text(w, "qemu", p->qemu.version);
	json_out_text(w, "qemu_hash", p->qemu.hash);
	json_out_text(w, "cpu", cpu);
	json_out_int(w, "smp", g->smp);
	json_out_int(w, "memory_bytes", g->memory_bytes);
	json_out_text(w, "kernel", p->kernel.release);
	json_out_text(w, "package", p->kernel.package);
	json_out_text(w, "initramfs", p->initrd_key);
	json_out_text(w, "cmdline", p->cmdline);
	json_out_bool(w, "plugin", p->plugin != NULL);
	json_out_int(w, "offset", (int64_t)p->perturbation.offset);
	json_out_int(w, "environment_bytes", p->perturbation.env);
	json_out_int(w, "pad", p->perturbation.pad);
}

int guest_plan_config(const struct guest_plan *p, struct str *out, struct err *e)
{
	AUTO(kconfig) struct kconfig c = { 0 };
	AUTO(str) struct str text = STR_INIT;

	if (!p->kernel.config || !fs_exists(p->kernel.config))
		return 0;
	int r = fs_read(p->kernel.config, CONFIG_MAX, &text, e);

	if (r < 0)
		return r;
	kconfig_read(text.p, text.n, &c);
	for (size_t i = 0; i < c.n; i++)
		if (strcmp(c.v[i].value, "n")) /* off, and not there, are one thing */
			str_addf(out, "config %s %s\n", c.v[i].name, c.v[i].value);
	return 0;
}

int guest_plan_functions(const struct guest_plan *p, struct str *out, struct err *e)
{
	for (size_t i = 0; i < p->files.n; i++) {
		const char *path = p->files.v[i], *slash = strrchr(path, '/');
		AUTO_FREE char *prefix = xasprintf("%s:", slash ? slash + 1 : path);
		AUTO(str) struct str lines = STR_INIT;
		int r = strpbrk(path, "\n") ? 0 : elf_functions(path, prefix, &lines, e);

		if (r < 0)
			return r;
		if (lines.n)
			str_addf(out, "file %s\n%s", path, lines.p);
	}
	return 0;
}
