/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both texts become sorted lists of entries, which are merged. Lists in one value (flags of a processor, words of a command line) become an
 * entry for each word first, so that one flag more is one line. A line of dmesg is an entry without a value, its numbers replaced, so that times and
 * addresses do not make it another line.
 *
 * Noise is a table of keys, not a measurement: two boots of one kernel differ in less than two of different kernels do, and an allocation
 * counter that happened to be equal would pass for a setting.
 */
#include "hunt/surroundings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *group, *key, *value, *shown; /* shown: of dmesg, the line as it was */
};
struct entries {
	struct entry *v;
	size_t n, cap;
	struct arena *arena;
};

/* --- reading -------------------------------------------------------------------------------------------------------- */

static void push(struct entries *to, const char *group, const char *key, const char *value,
		 const char *shown)
{
	ARRAY_PUSH(to,
		   ((struct entry){ arena_strdup(to->arena, group), arena_strdup(to->arena, key),
				    arena_strdup(to->arena, value),
				    shown ? arena_strdup(to->arena, shown) : NULL }));
}

/* "quiet", "panic=-1": entries of their own; what culprit itself put there is no setting. */
static void push_words(struct entries *to, const char *group, const char *value, bool is_flags)
{
	while (*value) {
		size_t n = strcspn(value, " ");
		AUTO_FREE char *word = xstrndup(value, n);
		char *equals = strchr(word, '=');

		value += n + strspn(value + n, " ");
		if (!*word || starts_with(word, "culprit."))
			continue;
		if (equals && !is_flags)
			*equals++ = '\0';
		push(to, group, word, equals && !is_flags ? equals : "given", NULL);
	}
}

/* "[    0.012345] Memory: 999128K/1048056K": the time goes, each number becomes '#'. */
static void push_message(struct entries *to, const char *line)
{
	AUTO(str) struct str key = STR_INIT;
	const char *text = line;

	if (*text == '<')
		text += strcspn(text, ">") + (strchr(text, '>') != NULL);
	if (*text == '[')
		text += strcspn(text, "]") + (strchr(text, ']') != NULL);
	text += strspn(text, " ");
	for (const char *p = text; *p;) {
		bool is_word = p > text && isalnum((unsigned char)p[-1]);
		size_t hex = strspn(p, "0123456789abcdefABCDEFx");
		size_t digits = strspn(p, "0123456789");

		if (!is_word && digits && hex > digits)
			digits = hex;
		else if (!is_word && hex >= 8)
			digits = hex;
		if (digits)
			str_putc(&key, '#');
		else
			str_putc(&key, *p);
		p += digits ? digits : 1;
	}
	/* what it was started with is an entry already, word by word */
	if (!strstr(text, "ommand line"))
		push(to, "dmesg", key.p, "", text);
}

static void read_line(struct entries *to, const char *line)
{
	AUTO_FREE char *copy = xstrdup(line);
	char *key = strchr(copy, ' '), *value;

	if (!key)
		return;
	*key++ = '\0';
	if (!strcmp(copy, "dmesg")) {
		push_message(to, key);
		return;
	}
	value = strchr(key, ' ');
	if (value)
		*value++ = '\0';
	if (!strcmp(copy, "kernel") && !strcmp(key, "cmdline"))
		push_words(to, "cmdline", value ? value : "", false);
	else if (!strcmp(copy, "cpu") && !strcmp(key, "flags"))
		push_words(to, "cpu-flag", value ? value : "", true);
	else if (*key)
		push(to, copy, key, value ? value : "", NULL);
}

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	if (!order)
		order = strcmp(x->key, y->key);
	return order ? order : strcmp(x->value, y->value);
}

/* Sorted, each key once: the first of several. */
static void read_all(const char *text, struct entries *to)
{
	size_t kept = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		AUTO_FREE char *line = xstrndup(text, n);

		read_line(to, line);
		text += n + (text[n] == '\n');
	}
	if (to->n)
		qsort(to->v, to->n, sizeof(*to->v), by_key);
	for (size_t i = 0; i < to->n; i++)
		if (!kept || strcmp(to->v[i].group, to->v[kept - 1].group) ||
		    strcmp(to->v[i].key, to->v[kept - 1].key))
			to->v[kept++] = to->v[i];
	to->n = kept;
}

/* --- what says nothing ---------------------------------------------------------------------------------------------- */

/* Counters, random numbers, versions and what adapts itself. A '*' at the end stands for any rest. */
static const char *const noisy_keys[] = {
	"sysctl dev.cdrom.info",
	"sysctl fs.aio-nr",
	"sysctl fs.dentry-state",
	"sysctl fs.file-nr",
	"sysctl fs.inode-nr",
	"sysctl fs.inode-state",
	"sysctl fs.quota.*",
	"sysctl kernel.bootloader_*",
	"sysctl kernel.cad_pid",
	"sysctl kernel.ns_last_pid",
	"sysctl kernel.osrelease",
	"sysctl kernel.perf_event_max_sample_rate",
	"sysctl kernel.pty.nr",
	"sysctl kernel.random.*",
	"sysctl kernel.tainted",
	"sysctl kernel.version",
	"sysctl net.ipv4.tcp_fastopen_key",
	"sysctl net.netfilter.nf_conntrack_count",
	"sysctl vm.stat_refresh",
	"mm ksm.full_scans",
	"mm ksm.pages_*",
	"mm ksm.general_profit",
	"mm ksm.stable_node_*",
	"mm page_idle.*",
	"mm *free_hugepages",
	"kernel version",
	"config *_VERSION",
	"config *_VERSION_TEXT",
	"config *VERSION_SIGNATURE",
	"config *BUILD_SALT",
	"sysctl crypto.fips_version",
	"cpu bogomips",
};

static bool matches(const char *pattern, const char *text)
{
	const char *star = strchr(pattern, '*');

	if (!star)
		return !strcmp(pattern, text);
	size_t n = (size_t)(star - pattern);

	return !strncmp(pattern, text, n) && strlen(text) >= n + strlen(star + 1) &&
	       ends_with(text, star + 1);
}

static bool is_noise(const char *group, const char *key)
{
	AUTO_FREE char *text = xasprintf("%s %s", group, key);

	for (size_t i = 0; i < ARRAY_LEN(noisy_keys); i++)
		if (matches(noisy_keys[i], text))
			return true;
	return false;
}

/* Large numbers, all of them within 2 %: sized by what memory is left, which a larger kernel changes. */
static bool follows_memory(const char *a, const char *b)
{
	bool differ = false;

	while (*a && *b) {
		char *enda, *endb;
		double x = strtod(a, &enda), y = strtod(b, &endb);

		if (enda == a || endb == b)
			return false;
		if (x != y &&
		    (fmax(fabs(x), fabs(y)) < 1000 || fabs(x - y) > 0.02 * fmax(fabs(x), fabs(y))))
			return false;
		differ = differ || x != y;
		a = enda + strspn(enda, " \t");
		b = endb + strspn(endb, " \t");
	}
	return differ && !*a && !*b;
}

/* --- rank ----------------------------------------------------------------------------------------------------------- */

/* What is known to cost or spare work at run time, most of all others. */
static const char *const costly_configs[] = {
	"AUDIT",
	"BASE_FULL",
	"BPF_JIT",
	"CALL_DEPTH",
	"CC_OPTIMIZE",
	"CGROUP",
	"COMPACTION",
	"CPU_MITIGATIONS",
	"CPU_SRSO",
	"CPU_UNRET",
	"CPU_IBPB",
	"CPU_IBRS",
	"DEBUG_",
	"DEFAULT_",
	"DYNAMIC_FTRACE",
	"FAIR_GROUP",
	"FORTIFY",
	"FTRACE",
	"FUNCTION_",
	"HARDENED",
	"HIGH_RES",
	"HUGETLB",
	"HZ",
	"INIT_ON_",
	"INIT_STACK",
	"IOMMU_DEFAULT",
	"KASAN",
	"KCSAN",
	"KFENCE",
	"KMSAN",
	"LOCKDEP",
	"LOCK_",
	"LRU_GEN",
	"MEMCG",
	"MITIGATION",
	"NO_HZ",
	"NR_CPUS",
	"NUMA",
	"PAGE_TABLE_",
	"PARAVIRT",
	"PER_VMA",
	"PREEMPT",
	"PROVE_",
	"PSI",
	"RANDOMIZE",
	"RANDSTRUCT",
	"RCU_",
	"RETHUNK",
	"RETPOLINE",
	"RT_GROUP",
	"RUST",
	"SCHED",
	"SECURITY",
	"SHADOW_",
	"SHUFFLE_PAGE",
	"SLAB",
	"SLS",
	"SLUB",
	"SPECULATION",
	"STACKPROTECTOR",
	"STACK_VALIDATION",
	"TCP_CONG",
	"TICK_CPU",
	"TRANSPARENT_",
	"UBSAN",
	"UCLAMP",
	"VIRT_CPU_",
	"VMAP_STACK",
	"ZERO_CALL",
	"ZSWAP",
};

static bool is_costly_config(const char *key)
{
	key += starts_with(key, "CONFIG_") ? strlen("CONFIG_") : 0;
	if (starts_with(key, "DEBUG_INFO")) /* of the files, not of what runs */
		return false;
	for (size_t i = 0; i < ARRAY_LEN(costly_configs); i++)
		if (starts_with(key, costly_configs[i]))
			return true;
	return false;
}

static bool is_costly_sysctl(const char *key)
{
	static const char *const heads[] = { "vm.",	  "kernel.sched",  "kernel.numa",
					     "net.core.", "net.ipv4.tcp_", "net.ipv4.udp_" };

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (starts_with(key, heads[i]))
			return true;
	return false;
}

/* A message that tells of trouble or of a choice. */
static bool is_telling(const char *line)
{
	static const char *const words[] = { "warn",	 "error",    "fail",	"bug",
					     "disable",	 "enable",   "mitigat", "vulnerab",
					     "deprecat", "fallback", "unstable" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasestr(line, words[i]))
			return true;
	return false;
}

static unsigned rank_of(const struct surrounding *s)
{
	static const struct {
		const char *group;
		unsigned changed, only; /* another value; there on one side alone */
	} ranks[] = {
		{ "sysctl", 1, 12 },  { "mm", 2, 11 },	    { "vulnerability", 3, 3 },
		{ "cmdline", 4, 4 },  { "clock", 4, 4 },    { "build", 5, 5 },
		{ "config", 10, 20 }, { "module", 7, 7 },   { "slab", 9, 13 },
		{ "cpu", 8, 8 },      { "cpu-flag", 8, 8 }, { "kernel", 15, 15 },
		{ "dmesg", 16, 16 },
	};
	bool is_changed = s->before && s->after;

	if (!strcmp(s->group, "sysctl") && is_changed && is_costly_sysctl(s->key))
		return 0;
	if (!strcmp(s->group, "config") && is_costly_config(s->key))
		return is_changed ? 6 : 8;
	if (!strcmp(s->group, "dmesg"))
		return is_telling(s->before ? s->before : s->after) ? 14 : 21;
	for (size_t i = 0; i < ARRAY_LEN(ranks); i++)
		if (!strcmp(ranks[i].group, s->group))
			return is_changed ? ranks[i].changed : ranks[i].only;
	return 18;
}

static int by_rank(const void *a, const void *b)
{
	const struct surrounding *x = a, *y = b;
	int order;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	order = strcmp(x->group, y->group);
	return order ? order : strcmp(x->key, y->key);
}

static void differ(struct surroundings *s, const struct entry *a, const struct entry *b)
{
	const struct entry *any = a ? a : b;
	struct surrounding x = {
		.group = any->group,
		.key = any->key,
		.before = a ? a->shown ? a->shown : a->value : NULL,
		.after = b ? b->shown ? b->shown : b->value : NULL,
	};

	if (is_noise(x.group, x.key)) {
		s->noise++;
		return;
	}
	if (x.before && x.after && follows_memory(x.before, x.after)) {
		s->follow_memory++;
		return;
	}
	x.rank = rank_of(&x);
	ARRAY_PUSH(s, x);
}

void surroundings_compare(const char *before, const char *after, struct surroundings *ret)
{
	*ret = (struct surroundings){ 0 };
	struct entries a = { .arena = &ret->arena }, b = { .arena = &ret->arena };
	size_t i = 0, k = 0;

	read_all(before, &a);
	read_all(after, &b);
	while (i < a.n || k < b.n) {
		struct entry *x = i < a.n ? &a.v[i] : NULL, *y = k < b.n ? &b.v[k] : NULL;
		int order = !x ? 1 : !y ? -1 : strcmp(x->group, y->group);

		if (x && y && !order)
			order = strcmp(x->key, y->key);
		if (order || strcmp(x->value, y->value))
			differ(ret, order <= 0 ? x : NULL, order >= 0 ? y : NULL);
		i += order <= 0;
		k += order >= 0;
	}
	free(a.v);
	free(b.v);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_rank);
}

void surroundings_done(struct surroundings *s)
{
	free(s->v);
	arena_done(&s->arena);
	*s = (struct surroundings){ 0 };
}
