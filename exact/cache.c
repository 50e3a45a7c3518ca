/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set is an array in order of use; a hit moves its line to the front. With 8 ways and the locality of real code most hits are in
 * the first place, so this beats age counters, and the order is the whole state (no pseudo-LRU to describe).
 *
 * The last-level caches are not inclusive: nothing leaves an L2 because the last level dropped it. That keeps the presets independent of one
 * another, so that one pass serves all three. Write-backs are not counted; both would need a state for every line and change no sign.
 */
#include "cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CACHE_OWNED 0x80
#define TLB_WAYS 12
#define TLB_SETS 128

const char *const cache_event_names[CACHE_EVENTS] = {
	[CACHE_L1D_REFS] = "l1d_refs",
	[CACHE_L1D_MISSES] = "l1d_misses",
	[CACHE_L1I_REFS] = "l1i_refs",
	[CACHE_L1I_MISSES] = "l1i_misses",
	[CACHE_L2_REFS] = "l2_refs",
	[CACHE_L2_MISSES] = "llc_refs",
	[CACHE_LLC_MISSES] = "llc_misses",
	[CACHE_LLC_MISSES_1M] = "llc_misses_1M",
	[CACHE_LLC_MISSES_8M] = "llc_misses_8M",
	[CACHE_LLC_MISSES_32M] = "llc_misses_32M",
	[CACHE_WALKS] = "walks",
	[CACHE_CROSS] = "cross_lines",
};

struct cache_config cache_config_default(void)
{
	return (struct cache_config){
		.l1d = { 32 << 10, 8 },
		.l1i = { 32 << 10, 8 },
		.l2 = { 1 << 20, 16 },
		.llc = { 8 << 20, 16 },
	};
}

/* "48K/12"; NULL or what is wrong. *ret_end is behind it. */
static const char *parse_shape(const char *text, const char **ret_end, struct cache_shape *ret)
{
	char *end;
	uint64_t size = strtoull(text, &end, 10), ways, sets;

	if (*text < '0' || *text > '9')
		return "a size is wanted, like 32K or 8M";
	if (*end == 'K')
		size <<= 10, end++;
	else if (*end == 'M')
		size <<= 20, end++;
	if (*end != '/' || end[1] < '0' || end[1] > '9')
		return "a size is followed by its ways: 32K/8";
	ways = strtoull(end + 1, &end, 10);
	if (size > UINT64_C(1) << 32 || ways < 1 || ways > 64)
		return "at most 4096M and 1 to 64 ways";
	sets = size / ((UINT64_C(1) << CACHE_LINE_SHIFT) * ways);
	if (!sets || (sets & (sets - 1)) || sets * ways << CACHE_LINE_SHIFT != size)
		return "size / (64 * ways) must be a power of two";
	*ret = (struct cache_shape){ size, (uint32_t)ways };
	*ret_end = end;
	return NULL;
}

const char *cache_config_parse(struct cache_config *c, const char *spec)
{
	const struct {
		const char *name;
		struct cache_shape *shape;
	} parts[] = {
		{ "l1d:", &c->l1d }, { "l1i:", &c->l1i }, { "l2:", &c->l2 }, { "llc:", &c->llc }
	};

	if (!strcmp(spec, "default"))
		return NULL;
	for (;;) {
		size_t i = 0;
		const char *wrong;

		while (i < 4 && strncmp(spec, parts[i].name, strlen(parts[i].name)))
			i++;
		if (i == 4)
			return "parts are l1d, l1i, l2 and llc, as in 'l1d:48K/12+llc:32M/16'";
		wrong = parse_shape(spec + strlen(parts[i].name), &spec, parts[i].shape);
		if (wrong)
			return wrong;
		if (!*spec)
			return NULL;
		if (*spec++ != '+')
			return "parts are joined by '+'";
	}
}

bool cache_init(struct cache *c, struct cache_shape shape)
{
	uint64_t places = shape.size >> CACHE_LINE_SHIFT;

	c->ways = shape.ways;
	c->mask = (uint32_t)(places / shape.ways - 1);
	c->lines = malloc(places * sizeof(*c->lines));
	if (!c->lines)
		return false;
	memset(c->lines, 0xff, places * sizeof(*c->lines));
	return true;
}

void cache_done(struct cache *c)
{
	free(c->lines);
	c->lines = NULL;
}

/* The line is not in the first place. */
static bool touch_deeper(uint64_t *set, uint32_t ways, uint64_t line)
{
	uint32_t i = 1;
	bool hit;

	while (i < ways && set[i] != line)
		i++;
	hit = i < ways;
	if (!hit)
		i = ways - 1;
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = line;
	return hit;
}

bool cache_touch(struct cache *c, uint64_t line)
{
	uint64_t *set = c->lines + (size_t)(line & c->mask) * c->ways;

	return set[0] == line || touch_deeper(set, c->ways, line);
}

void cache_drop(struct cache *c, uint64_t line)
{
	uint64_t *set = c->lines + (size_t)(line & c->mask) * c->ways;
	uint32_t i = 0;

	while (i < c->ways && set[i] != line)
		i++;
	if (i == c->ways)
		return;
	memmove(set + i, set + i + 1, (c->ways - i - 1) * sizeof(*set));
	set[c->ways - 1] = CACHE_FREE;
}

static bool cpu_init(struct cache_cpu *p, const struct cache_config *config)
{
	const struct cache_shape tlb = { (uint64_t)TLB_SETS * TLB_WAYS << CACHE_LINE_SHIFT,
					 TLB_WAYS };

	p->last_data = p->last_fetch = CACHE_FREE;
	return cache_init(&p->l1d, config->l1d) && cache_init(&p->l1i, config->l1i) &&
	       cache_init(&p->l2, config->l2) && cache_init(&p->tlb, tlb);
}

bool cache_model_init(struct cache_model *m, const struct cache_config *config, uint32_t cpus,
		      uint64_t memory)
{
	const struct cache_shape shapes[CACHE_LLCS] = {
		config->llc, { 1 << 20, 16 }, { 8 << 20, 16 }, { 32 << 20, 16 }
	};
	bool fine = true;

	memset(m, 0, sizeof(*m));
	m->config = *config;
	m->cpus = cpus;
	m->cpu = calloc(cpus, sizeof(*m->cpu));
	fine = m->cpu != NULL;
	for (uint32_t i = 0; fine && i < cpus; i++)
		fine = cpu_init(&m->cpu[i], config);
	for (int i = 0; fine && i < CACHE_LLCS; i++)
		fine = cache_init(&m->llc[i], shapes[i]);
	if (fine && cpus > 1 && memory) {
		m->owner_lines = memory >> CACHE_LINE_SHIFT;
		m->owner = mmap(NULL, m->owner_lines, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (m->owner == MAP_FAILED)
			m->owner = NULL;
		fine = m->owner != NULL;
	}
	if (!fine)
		cache_model_done(m);
	return fine;
}

void cache_model_done(struct cache_model *m)
{
	for (uint32_t i = 0; m->cpu && i < m->cpus; i++) {
		cache_done(&m->cpu[i].l1d);
		cache_done(&m->cpu[i].l1i);
		cache_done(&m->cpu[i].l2);
		cache_done(&m->cpu[i].tlb);
	}
	for (int i = 0; i < CACHE_LLCS; i++)
		cache_done(&m->llc[i]);
	free(m->cpu);
	if (m->owner)
		munmap(m->owner, m->owner_lines);
	memset(m, 0, sizeof(*m));
}

/* From the L2 on: data and code alike. */
static enum cache_level beyond_l1(struct cache_model *m, struct cache_cpu *p, uint64_t line)
{
	bool hit;

	p->event[CACHE_L2_REFS]++;
	if (cache_touch(&p->l2, line))
		return CACHE_L2;
	p->event[CACHE_L2_MISSES]++;
	if (m->owner && line < m->owner_lines) {
		uint8_t writer = m->owner[line] & (uint8_t)~CACHE_OWNED;

		if (writer && writer != (p - m->cpu) + 1)
			p->event[CACHE_CROSS]++;
		m->owner[line] = writer;
	}
	hit = cache_touch(&m->llc[0], line);
	p->event[CACHE_LLC_MISSES] += !hit;
	for (int i = 1; i < CACHE_LLCS; i++)
		p->event[CACHE_LLC_MISSES + i] += !cache_touch(&m->llc[i], line);
	return hit ? CACHE_LLC : CACHE_MEMORY;
}

/* A store: from here on the line is this CPU's alone. */
static void own(struct cache_model *m, uint32_t cpu, uint64_t line)
{
	uint8_t mine = (uint8_t)((cpu + 1) | CACHE_OWNED);

	if (line >= m->owner_lines || m->owner[line] == mine)
		return;
	m->owner[line] = mine;
	for (uint32_t i = 0; i < m->cpus; i++) {
		struct cache_cpu *other = &m->cpu[i];

		if (i == cpu)
			continue;
		cache_drop(&other->l1d, line);
		cache_drop(&other->l2, line);
		if (other->last_data == line)
			other->last_data = CACHE_FREE;
	}
}

enum cache_level cache_data(struct cache_model *m, uint32_t cpu, uint64_t line, bool store)
{
	struct cache_cpu *p = &m->cpu[cpu];
	enum cache_level level = CACHE_L1;

	p->event[CACHE_L1D_REFS]++;
	if (line != p->last_data) {
		p->last_data = line;
		if (!cache_touch(&p->l1d, line)) {
			p->event[CACHE_L1D_MISSES]++;
			level = beyond_l1(m, p, line);
		}
	}
	if (store && m->owner)
		own(m, cpu, line);
	return level;
}

enum cache_level cache_fetch(struct cache_model *m, uint32_t cpu, uint64_t line)
{
	struct cache_cpu *p = &m->cpu[cpu];

	p->event[CACHE_L1I_REFS]++;
	if (line == p->last_fetch)
		return CACHE_L1;
	p->last_fetch = line;
	if (cache_touch(&p->l1i, line))
		return CACHE_L1;
	p->event[CACHE_L1I_MISSES]++;
	return beyond_l1(m, p, line);
}

void cache_page(struct cache_model *m, uint32_t cpu, uint64_t page)
{
	struct cache_cpu *p = &m->cpu[cpu];

	p->event[CACHE_WALKS] += !cache_touch(&p->tlb, page);
}

uint64_t cache_cycles(uint64_t instructions, uint64_t rep_bytes, const uint64_t event[CACHE_EVENTS],
		      unsigned preset)
{
	uint64_t misses = event[CACHE_LLC_MISSES_1M + preset];

	return instructions + rep_bytes / CACHE_REP_BYTES_PER_CYCLE +
	       (event[CACHE_L2_REFS] - event[CACHE_L2_MISSES]) * CACHE_L2_CYCLES +
	       (event[CACHE_L2_MISSES] - misses) * CACHE_LLC_CYCLES + misses * CACHE_MEMORY_CYCLES +
	       event[CACHE_WALKS] * CACHE_WALK_CYCLES;
}
