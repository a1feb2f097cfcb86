// SPDX-License-Identifier: BSD-3-Clause
/*
 * The kernel's own event names as a table, and perf's names of its generic cache events. Encodings are those of
 * include/uapi/linux/perf_event.h. Runs at the start; allocates nothing.
 */
#include "perf_names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, "count"
#define SW(id, unit) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, unit

const struct ep_perf_name ep_perf_names[] = {
	{ "task-clock", NULL, SW(TASK_CLOCK, "ns"), "CPU time of the thread" },
	{ "cpu-clock", NULL, SW(CPU_CLOCK, "ns"), "time on the CPU by the CPU's own clock" },
	{ "page-faults", "faults", SW(PAGE_FAULTS, "count"), "page faults, minor and major" },
	{ "minor-faults", "page-faults-min", SW(PAGE_FAULTS_MIN, "count"),
		"page faults without reading from a disk" },
	{ "major-faults", "page-faults-maj", SW(PAGE_FAULTS_MAJ, "count"),
		"page faults that read from a disk" },
	{ "context-switches", "cs", SW(CONTEXT_SWITCHES, "count"),
		"times the thread left its CPU" },
	{ "cpu-migrations", "migrations", SW(CPU_MIGRATIONS, "count"),
		"times the thread came to another CPU" },
	{ "alignment-faults", NULL, SW(ALIGNMENT_FAULTS, "count"),
		"unaligned accesses that the kernel carried out" },
	{ "emulation-faults", NULL, SW(EMULATION_FAULTS, "count"),
		"instructions that the kernel carried out" },
	{ "cgroup-switches", NULL, SW(CGROUP_SWITCHES, "count"),
		"context switches to a task of another control group" },
	{ "dummy", NULL, SW(DUMMY, "count"), "counts nothing" },
	{ "cpu-cycles", "cycles", HW(CPU_CYCLES), "cycles of the clock, whose rate changes" },
	{ "instructions", NULL, HW(INSTRUCTIONS), "instructions retired" },
	{ "cache-references", NULL, HW(CACHE_REFERENCES), "accesses of the last-level cache" },
	{ "cache-misses", NULL, HW(CACHE_MISSES), "misses of the last-level cache" },
	{ "branch-instructions", "branches", HW(BRANCH_INSTRUCTIONS), "branches retired" },
	{ "branch-misses", NULL, HW(BRANCH_MISSES), "branches predicted wrongly" },
	{ "bus-cycles", NULL, HW(BUS_CYCLES), "cycles of the bus" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HW(STALLED_CYCLES_FRONTEND),
		"cycles without instructions from the front end" },
	{ "stalled-cycles-backend", "idle-cycles-backend", HW(STALLED_CYCLES_BACKEND),
		"cycles in which the back end took no instructions" },
	{ "ref-cycles", "ref-cpu-cycles", HW(REF_CPU_CYCLES), "cycles at a constant clock" },
	{ NULL, NULL, 0, 0, NULL, NULL },
};

static const struct {
	const char *name;
	uint64_t id;
	unsigned operations; /* one bit for each row of cache_operations */
} caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D, 7 },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I, 5 },
	{ "LLC", PERF_COUNT_HW_CACHE_LL, 7 },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB, 7 },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB, 1 },
	{ "branch", PERF_COUNT_HW_CACHE_BPU, 1 },
	{ "node", PERF_COUNT_HW_CACHE_NODE, 7 },
};

static const struct {
	const char *accesses, *misses;
	uint64_t id;
} cache_operations[] = {
	{ "loads", "load-misses", PERF_COUNT_HW_CACHE_OP_READ },
	{ "stores", "store-misses", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetches", "prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};

void ep_perf_cache_walk(void (*see)(const char *name, uint64_t config, void *data), void *data)
{
	for (size_t c = 0; c < EP_ARRAY_SIZE(caches); c++)
		for (size_t o = 0; o < EP_ARRAY_SIZE(cache_operations); o++) {
			uint64_t config = caches[c].id | cache_operations[o].id << 8;
			char name[64];

			if (!(caches[c].operations & 1u << o))
				continue;
			snprintf(name, sizeof(name), "%s-%s", caches[c].name,
				cache_operations[o].accesses);
			see(name, config | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16, data);
			snprintf(name, sizeof(name), "%s-%s", caches[c].name,
				cache_operations[o].misses);
			see(name, config | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, data);
		}
}

struct cache_search {
	const char *wanted;
	uint64_t config;
	int found;
};

static void match_cache(const char *name, uint64_t config, void *data)
{
	struct cache_search *search = data;

	if (!ep_name_equal(name, search->wanted))
		return;
	search->config = config;
	search->found = 1;
}

static int find_cache(const char *name, struct ep_event *out_event)
{
	struct cache_search search = { .wanted = name };

	ep_perf_cache_walk(match_cache, &search);
	if (!search.found)
		return -ENOENT;
	out_event->type = PERF_TYPE_HW_CACHE;
	out_event->config = search.config;
	memcpy(out_event->unit, "count", sizeof("count"));
	return 0;
}

static const char *skip_prefix(const char *name)
{
	static const char *const prefixes[] = { "PERF_COUNT_HW_", "PERF_COUNT_SW_" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(prefixes); i++)
		if (!strncasecmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return name;
}

int ep_perf_name_find(const char *name, struct ep_event *out_event)
{
	name = skip_prefix(name);
	for (const struct ep_perf_name *row = ep_perf_names; row->name; row++) {
		if (!ep_name_equal(name, row->name) &&
			!(row->alias && ep_name_equal(name, row->alias)))
			continue;
		out_event->type = row->type;
		out_event->config = row->config;
		snprintf(out_event->unit, sizeof(out_event->unit), "%s", row->unit);
		return 0;
	}
	return find_cache(name, out_event);
}

static void suggest_cache(const char *name, uint64_t config, void *data)
{
	ep_suggest_add(data, name, name);
}

void ep_perf_names_suggest(struct ep_suggest *suggest)
{
	for (const struct ep_perf_name *row = ep_perf_names; row->name; row++) {
		ep_suggest_add(suggest, row->name, row->name);
		if (row->alias)
			ep_suggest_add(suggest, row->alias, row->alias);
	}
	ep_perf_cache_walk(suggest_cache, suggest);
}
