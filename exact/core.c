/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core - the plug-in itself: what is attached to the guest's code when QEMU translates it.
 *
 * Counting. Each addition is four host instructions in the generated code, so instructions that can neither fault nor touch memory
 * are counted together with the next one that might, at that one: the count is exact at every point where the guest can
 * be interrupted, and there are about half as many additions. Counting whole blocks at their first instruction was refused: a
 * fault in the middle would count what was not executed, so that layout would move the result.
 * Everything is counted from the first instruction on, and a window is a difference: no test for "inside" costs anything.
 *
 * Several CPUs take turns on one thread; a call at each block notices the change (window_switch). With one CPU and no model there
 * are no calls at all.
 *
 * The model needs a call for each data access and each block. They return at once outside a window. Throwing all code away at the
 * window's edges and translating it again without calls was refused: it makes the emulator change CPUs at other
 * instructions, which a guest with two CPUs can see.
 *
 * Nothing here writes to the guest, reads its clock or makes it wait, except for the gate, which stops guest time with it.
 */
#include "cache.h"
#include "host.h"
#include "insn.h"
#include "marks.h"
#include "options.h"
#include "symbols.h"
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSN_MAX 16
#define XLAT_SLOTS 2048
#define PAGE_SHIFT 12

/* Where a page was last found in the guest's memory: asking QEMU costs ten times as much. */
struct xlat {
	uint64_t page, frame;
};

struct translator {
	uint64_t
		space; /* changes when user addresses may mean something else; part of a page's name */
	uint64_t last_page;
	struct xlat slot[XLAT_SLOTS];
};

/* Code that runs as one, for the instruction cache: the lines that it lies in, by their address in this process. */
struct block {
	struct block *next;
	struct symbol *symbol;
	unsigned nlines;
	uint64_t page; /* of its first instruction, as the guest names it */
	uint64_t lines[];
};

static struct {
	struct options options;
	struct window window;
	struct cache_model model;
	struct symbols symbols;
	bool naming; /* symbols are loaded */
	FILE *out;
	int gate;
	struct translator *xlat; /* one a CPU */
	struct block *blocks;	 /* all that generated code may refer to */
	uint64_t code_base;	 /* this process's line that is line 0 of the guest's memory */
	bool code_base_known;
	uint64_t mark_vaddr, mark_haddr; /* of the mark last translated */
} exact;

static _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "culprit-exact: %s\n", why);
	exit(1);
}

/* Waits for the host. A FIFO whose writer is gone means that nobody wants this guest any more. */
static void wait_at_gate(void)
{
	struct pollfd p = { .fd = exact.gate, .events = POLLIN };
	char c = 'q';
	ssize_t n;

	if (exact.gate < 0)
		return;
	do {
		while (poll(&p, 1, -1) < 0 && errno == EINTR)
			;
		n = read(exact.gate, &c, 1);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n == 1 && c == 'r')
		return;
	fflush(exact.out);
	_exit(0);
}

static void on_mark(unsigned int vcpu, void *op)
{
	if (vcpu != exact.window.cpu)
		window_switch(&exact.window, vcpu);
	switch ((enum mark)(uintptr_t)op) {
	case MARK_BEGIN:
		window_begin(&exact.window);
		break;
	case MARK_END:
		window_end(&exact.window, exact.out);
		break;
	case MARK_GATE:
		wait_at_gate();
		break;
	case MARK_NONE:
		break;
	}
}

/* The load behind a mark: the one place where the same byte is known as data and as code. */
static void on_mark_load(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
			 void *unused)
{
	const struct qemu_plugin_hwaddr *hw;

	(void)vcpu, (void)unused;
	if (vaddr != exact.mark_vaddr || exact.code_base_known)
		return;
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	exact.code_base = (exact.mark_haddr - qemu_plugin_hwaddr_phys_addr(hw)) >> CACHE_LINE_SHIFT;
	exact.code_base_known = true;
}

static void on_block(unsigned int vcpu, void *unused)
{
	(void)unused;
	if (__builtin_expect(vcpu != exact.window.cpu, 0))
		window_switch(&exact.window, vcpu);
}

static uint64_t page_name(const struct translator *t, uint64_t vaddr)
{
	return vaddr >> 63 ? vaddr >> PAGE_SHIFT : vaddr >> PAGE_SHIFT ^ t->space << 37;
}

static void page_used(unsigned int vcpu, struct translator *t, uint64_t page)
{
	if (page == t->last_page)
		return;
	t->last_page = page;
	cache_page(&exact.model, vcpu, page);
}

static void on_block_model(unsigned int vcpu, void *udata)
{
	const struct block *b = udata;

	on_block(vcpu, NULL);
	if (!exact.window.open)
		return;
	for (unsigned i = 0; i < b->nlines; i++) {
		enum cache_level level =
			cache_fetch(&exact.model, vcpu, b->lines[i] - exact.code_base);

		if (level != CACHE_L1 && b->symbol) {
			b->symbol->code_misses++;
			b->symbol->memory_misses += level == CACHE_MEMORY;
		}
		if (level != CACHE_L1)
			cache_page(&exact.model, vcpu, page_name(&exact.xlat[vcpu], b->page));
	}
}

/* The line of physical memory behind an address, or CACHE_FREE for a device. */
static uint64_t line_of(struct translator *t, uint64_t page, qemu_plugin_meminfo_t info,
			uint64_t vaddr)
{
	struct xlat *x = &t->slot[page % XLAT_SLOTS];

	if (x->page != page) {
		struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);

		if (!hw || qemu_plugin_hwaddr_is_io(hw))
			return CACHE_FREE;
		x->frame = qemu_plugin_hwaddr_phys_addr(hw) >> PAGE_SHIFT;
		x->page = page;
	}
	return (x->frame << PAGE_SHIFT | (vaddr & ((1 << PAGE_SHIFT) - 1))) >> CACHE_LINE_SHIFT;
}

static void one_line(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, bool store,
		     struct symbol *symbol)
{
	struct translator *t = &exact.xlat[vcpu];
	uint64_t page = page_name(t, vaddr), line = line_of(t, page, info, vaddr);
	enum cache_level level;

	if (line == CACHE_FREE)
		return;
	page_used(vcpu, t, page);
	level = cache_data(&exact.model, vcpu, line, store);
	if (level != CACHE_L1 && symbol) {
		symbol->data_misses++;
		symbol->memory_misses += level == CACHE_MEMORY;
	}
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *symbol)
{
	bool store = qemu_plugin_mem_is_store(info);
	uint64_t last = vaddr + (UINT64_C(1) << qemu_plugin_mem_size_shift(info)) - 1;

	if (!exact.window.open)
		return;
	one_line(vcpu, info, vaddr, store, symbol);
	if ((vaddr ^ last) >> CACHE_LINE_SHIFT && (vaddr ^ last) >> PAGE_SHIFT == 0)
		one_line(vcpu, info, last, store, symbol);
}

/* User addresses mean something else from now on (cr3), or any address may (udata). */
static void on_new_space(unsigned int vcpu, void *all)
{
	struct translator *t = &exact.xlat[vcpu];

	t->space++;
	t->last_page = CACHE_FREE;
	if (all)
		memset(t->slot, 0xff, sizeof(t->slot));
}

/* An instruction whose accesses may be of either kind. */
static void on_mixed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused)
{
	(void)vcpu, (void)vaddr, (void)unused;
	exact.window.shared.v[qemu_plugin_mem_is_store(info) ? TALLY_STORES : TALLY_LOADS]++;
}

/*
 * One repeated string instruction: each iteration was counted as an instruction, and is taken back. For movs, "loads" means one access of
 * its two: QEMU 7.2 takes the stores, others the loads.
 */
static void attach_rep(struct qemu_plugin_insn *q, const struct insn *insn, bool kernel,
		       struct symbol *symbol)
{
	uint64_t *v = exact.window.shared.v;
	enum qemu_plugin_mem_rw rw =
		insn->rep == INSN_REP_MOVE ? QEMU_PLUGIN_MEM_R : QEMU_PLUGIN_MEM_RW;

	if (insn->rep == INSN_REP_PAIR) {
		host_add_accessed(q, rw, &v[kernel ? TALLY_PAIR_KERNEL : TALLY_PAIR_USER], 1);
		host_add_accessed(q, rw, &v[TALLY_PAIR_BYTES], insn->rep_size);
		return;
	}
	host_add_accessed(q, rw, &v[kernel ? TALLY_KERNEL : TALLY_USER], UINT64_MAX);
	host_add_accessed(q, rw, &v[TALLY_REP], 1);
	host_add_accessed(q, rw, &v[TALLY_REP_BYTES], insn->rep_size);
	if (symbol)
		host_add_accessed(q, rw, &symbol->instructions, UINT64_MAX);
}

static void attach_memory(struct qemu_plugin_insn *q, const struct insn *insn, bool kernel,
			  struct symbol *symbol)
{
	static const enum tally_kind kinds[] = {
		[INSN_LOADS] = TALLY_LOADS, [INSN_STORES] = TALLY_STORES, [INSN_BOTH] = TALLY_BOTH
	};

	if (exact.options.model)
		qemu_plugin_register_vcpu_mem_cb(q, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, symbol);
	if (insn->memory == INSN_MIXED)
		qemu_plugin_register_vcpu_mem_cb(q, on_mixed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	else
		host_add_accessed(q, QEMU_PLUGIN_MEM_RW,
				  &exact.window.shared.v[kinds[insn->memory]], 1);
	if (insn->rep)
		attach_rep(q, insn, kernel, symbol);
}

static void attach_mark(struct qemu_plugin_insn *q, enum mark op, struct qemu_plugin_insn *next)
{
	qemu_plugin_register_vcpu_insn_exec_cb(q, on_mark, QEMU_PLUGIN_CB_NO_REGS,
					       (void *)(uintptr_t)op);
	exact.mark_vaddr = qemu_plugin_insn_vaddr(q);
	exact.mark_haddr = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(q);
	if (next && exact.options.model)
		qemu_plugin_register_vcpu_mem_cb(next, on_mark_load, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
}

static struct symbol *symbol_of(const struct qemu_plugin_insn *q)
{
	uintptr_t at = (uintptr_t)qemu_plugin_insn_haddr(q);

	if (!exact.naming)
		return NULL;
	return symbols_find(&exact.symbols, qemu_plugin_insn_vaddr(q),
			    at ? (const uint8_t *)(at & ~(uintptr_t)(SYMBOLS_PAGE - 1)) : NULL);
}

static void attach_block(struct qemu_plugin_tb *tb, size_t n, struct symbol *symbol)
{
	struct block *b;

	if (!exact.options.model) {
		if (exact.window.ncpus > 1 || exact.options.blocks)
			qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
							     NULL);
		return;
	}
	b = calloc(1, sizeof(*b) + (n + 1) * sizeof(b->lines[0]));
	if (!b)
		give_up("out of memory");
	b->symbol = symbol;
	b->page = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(q),
			 last = at + qemu_plugin_insn_size(q) - 1;

		if (!at)
			continue;
		if (!b->nlines || b->lines[b->nlines - 1] != at >> CACHE_LINE_SHIFT)
			b->lines[b->nlines++] = at >> CACHE_LINE_SHIFT;
		if (i + 1 == n && at >> CACHE_LINE_SHIFT != last >> CACHE_LINE_SHIFT &&
		    at >> PAGE_SHIFT == last >> PAGE_SHIFT)
			b->lines[b->nlines++] = last >> CACHE_LINE_SHIFT;
	}
	b->next = exact.blocks;
	exact.blocks = b;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block_model, QEMU_PLUGIN_CB_NO_REGS, b);
}

/* One instruction's share in a block, and what is carried on to the next ones. */
struct walk {
	uint64_t waiting; /* quiet instructions not yet counted */
	struct symbol *symbol;
	uint64_t symbol_page;
};

/* A function of a program does not end inside a block of its code, so a page's bytes are compared once a block. */
static void follow_symbol(struct walk *w, const struct qemu_plugin_insn *q, bool kernel)
{
	uint64_t page = qemu_plugin_insn_vaddr(q) >> PAGE_SHIFT;

	if (!exact.naming || (!kernel && page == w->symbol_page))
		return;
	w->symbol = symbol_of(q);
	w->symbol_page = page;
}

static void attach_count(struct qemu_plugin_insn *q, struct walk *w, bool kernel)
{
	if (!w->waiting)
		return;
	host_add_executed(q, &exact.window.shared.v[kernel ? TALLY_KERNEL : TALLY_USER],
			  w->waiting);
	if (w->symbol)
		host_add_executed(q, &w->symbol->instructions, w->waiting);
	w->waiting = 0;
}

/* A mark counts for nothing, and what stands before it is counted before it. */
static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct walk w = { .symbol_page = UINT64_MAX };
	uint8_t next[INSN_MAX];
	size_t next_size = host_insn_bytes(qemu_plugin_tb_get_insn(tb, 0), next, sizeof(next));

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i),
					*q1 = i + 1 < n ? qemu_plugin_tb_get_insn(tb, i + 1) : NULL;
		bool kernel = qemu_plugin_insn_vaddr(q) >> 63;
		enum mark mark = mark_of(next, next_size);
		struct insn insn = insn_decode(next, next_size);

		next_size = q1 ? host_insn_bytes(q1, next, sizeof(next)) : 0;
		follow_symbol(&w, q, kernel);
		if (i == 0)
			attach_block(tb, n, w.symbol);
		if (mark != MARK_NONE) {
			attach_mark(q, mark, q1);
			continue;
		}
		w.waiting++;
		if (!insn.quiet || !q1 || mark_of(next, next_size) != MARK_NONE)
			attach_count(q, &w, kernel);
		if (insn.atomic)
			host_add_executed(q, &exact.window.shared.v[TALLY_ATOMICS], 1);
		if ((insn.cr3 || insn.flush) && exact.options.model)
			qemu_plugin_register_vcpu_insn_exec_cb(q, on_new_space,
							       QEMU_PLUGIN_CB_NO_REGS,
							       insn.flush ? &exact : NULL);
		if (!insn.quiet)
			attach_memory(q, &insn, kernel, w.symbol);
	}
}

static void on_flush(qemu_plugin_id_t id)
{
	(void)id;
	while (exact.blocks) {
		struct block *b = exact.blocks;

		exact.blocks = b->next;
		free(b);
	}
	host_flushed();
}

static void on_exit_(qemu_plugin_id_t id, void *unused)
{
	(void)id, (void)unused;
	fflush(exact.out);
}

static int prepare(const struct qemu_info_t *info, int argc, char **argv, char *why, size_t size)
{
	uint32_t cpus = (uint32_t)(info->system.max_vcpus > 0 ? info->system.max_vcpus : 1);
	const struct options *o = &exact.options;

	if (options_parse(&exact.options, argc, argv, why, size))
		return -1;
	if (o->symbols && symbols_load(&exact.symbols, o->symbols, why, size))
		return -1;
	exact.naming = o->symbols != NULL;
	exact.xlat = malloc(cpus * sizeof(*exact.xlat));
	if (!exact.xlat ||
	    (o->model && !cache_model_init(&exact.model, &o->cache, cpus, o->memory)) ||
	    !window_init(&exact.window, cpus, -o->warmup, o->model ? &exact.model : NULL,
			 exact.naming ? &exact.symbols : NULL)) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	memset(exact.xlat, 0xff, cpus * sizeof(*exact.xlat));
	exact.out = fopen(o->out, "ae");
	if (!exact.out) {
		snprintf(why, size, "out=%s: %s", o->out, strerror(errno));
		return -1;
	}
	exact.gate = o->gate ? open(o->gate, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (o->gate && exact.gate < 0) {
		snprintf(why, size, "gate=%s: %s", o->gate, strerror(errno));
		return -1;
	}
	return 0;
}

extern int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
			       char **argv);
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
				 char **argv)
{
	char why[512];
	const char *unfit = host_fits(info);

	if (!unfit && strcmp(info->target_name, "x86_64"))
		unfit = "only x86_64 guests can be counted";
	if (!unfit && !info->system_emulation)
		unfit = "only whole machines can be counted, not programs by themselves";
	if (unfit) {
		fprintf(stderr, "culprit-exact: %s\n", unfit);
		return -1;
	}
	if (prepare(info, argc, argv, why, sizeof(why))) {
		fprintf(stderr, "culprit-exact: %s\n", why);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_flush_cb(id, on_flush);
	qemu_plugin_register_atexit_cb(id, on_exit_, NULL);
	return 0;
}
