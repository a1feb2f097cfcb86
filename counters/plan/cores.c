// SPDX-License-Identifier: BSD-3-Clause
/* Finds kinds of cores in the kernel's list of PMUs. Runs at the start; ep_cores_kind_of() runs in the signal handler,
 * too. */
#include "cores.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/os/sys.h"

/* The upper half of a generic event's config has the type of its PMU: PERF_PMU_TYPE_SHIFT, since Linux 5.13 on x86 and
 * 6.0 on Arm. */
#define TYPE_SHIFT 32

struct folder_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static long read_file(const char *root, const char *pmu, const char *file, char *text, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", root, pmu, file);
	return ep_sys_read_file(path, text, size);
}

/* Reads a list such as "0-7,16". */
static void read_cpus(const char *text, uint64_t cpus[EP_CORES_MAX_CPUS / 64])
{
	char *end;

	for (; *text >= '0' && *text <= '9'; text = *end == ',' ? end + 1 : "") {
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && first < EP_CORES_MAX_CPUS; first++)
			cpus[first / 64] |= 1ull << first % 64;
	}
}

/* Adds a PMU if it belongs to cores. Such PMUs have a file "cpus", while PMUs of devices have a "cpumask". x86's PMU
 * "cpu" has neither. */
static void add_kind(const char *root, const char *pmu, struct ep_cores *cores)
{
	struct ep_core_kind kind = { .type = 0 };
	char text[1024];

	if (cores->n_kinds == EP_CORES_MAX_KINDS || strlen(pmu) >= sizeof(kind.name) ||
		read_file(root, pmu, "cpus", text, sizeof(text)) <= 0)
		return;
	read_cpus(text, kind.cpus);
	if (read_file(root, pmu, "type", text, sizeof(text)) <= 0)
		return;
	kind.type = (uint32_t)strtoul(text, NULL, 10);
	memcpy(kind.name, pmu, strlen(pmu) + 1);
	cores->kinds[cores->n_kinds++] = kind;
}

static bool may_use(const struct ep_core_kind *kind, const uint64_t *allowed)
{
	for (size_t i = 0; i < EP_CORES_MAX_CPUS / 64; i++)
		if (kind->cpus[i] & allowed[i])
			return true;
	return false;
}

static bool is_before(
	const struct ep_core_kind *a, const struct ep_core_kind *b, const uint64_t *allowed)
{
	bool may_use_a = may_use(a, allowed), may_use_b = may_use(b, allowed);

	return may_use_a != may_use_b ? may_use_a : a->type < b->type;
}

static long get_allowed(uint64_t allowed[EP_CORES_MAX_CPUS / 64])
{
	memset(allowed, 0, EP_CORES_MAX_CPUS / 8);
	return ep_sys(__NR_sched_getaffinity, 0, EP_CORES_MAX_CPUS / 8, allowed);
}

static void sort_kinds(struct ep_cores *cores)
{
	uint64_t allowed[EP_CORES_MAX_CPUS / 64];

	get_allowed(allowed);
	for (uint32_t i = 1; i < cores->n_kinds; i++)
		for (uint32_t k = i;
			k > 0 && is_before(&cores->kinds[k], &cores->kinds[k - 1], allowed); k--) {
			struct ep_core_kind kind = cores->kinds[k];

			cores->kinds[k] = cores->kinds[k - 1];
			cores->kinds[k - 1] = kind;
		}
}

/* Tells whether the machine has only one kind of cores. If a PMU is called cpu, all cores belong to it. To look for
 * this name first saves reading 100 other PMUs on a server. */
static bool has_one_kind(const char *root)
{
	char text[16];

	return read_file(root, "cpu", "type", text, sizeof(text)) > 0;
}

void ep_cores_find(const char *root, struct ep_cores *out)
{
	char buffer[2048] __attribute__((aligned(8)));
	long size;
	int fd;

	memset(out, 0, sizeof(*out));
	if (has_one_kind(root))
		return;
	fd = ep_sys_open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	while (fd >= 0 && (size = ep_sys(__NR_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < size;) {
			const struct folder_entry *entry = (const void *)(buffer + at);

			if (entry->name[0] != '.')
				add_kind(root, entry->name, out);
			at += entry->size;
		}
	if (fd >= 0)
		ep_sys_close(fd);
	if (out->n_kinds < 2)
		out->n_kinds = 0;
	else
		sort_kinds(out);
}

uint32_t ep_cores_kind_of(const struct ep_cores *cores, unsigned cpu)
{
	for (uint32_t k = 0; cpu < EP_CORES_MAX_CPUS && k < cores->n_kinds; k++)
		if (cores->kinds[k].cpus[cpu / 64] >> cpu % 64 & 1)
			return k;
	return 0;
}

int ep_cores_encode(const struct ep_cores *cores, uint32_t kind, const struct ep_event *event,
	struct ep_event *out_event)
{
	*out_event = *event;
	if (!cores->n_kinds || event->flags & EP_EVENT_SOFTWARE)
		return 0;
	if (event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE) {
		out_event->config |= (uint64_t)cores->kinds[kind].type << TYPE_SHIFT;
		return 0;
	}
#if defined(__aarch64__)
	/* codes that the architecture defines are the same for every kind of core */
	if (event->type == PERF_TYPE_RAW) {
		out_event->type = cores->kinds[kind].type;
		return 0;
	}
#endif
	return kind && event->type != cores->kinds[kind].type ? -ENOENT : 0;
}

void ep_cores_enter(const struct ep_cores *cores, struct ep_cores_stay *out_stay)
{
	uint64_t there[EP_CORES_MAX_CPUS / 64];

	out_stay->is_moved = false;
	if (!cores->n_kinds || get_allowed(out_stay->before) <= 0 ||
		!may_use(&cores->kinds[0], out_stay->before))
		return;
	for (size_t i = 0; i < EP_CORES_MAX_CPUS / 64; i++)
		there[i] = out_stay->before[i] & cores->kinds[0].cpus[i];
	out_stay->is_moved = !ep_sys(__NR_sched_setaffinity, 0, sizeof(there), there);
}

void ep_cores_leave(const struct ep_cores_stay *stay)
{
	if (stay->is_moved)
		ep_sys(__NR_sched_setaffinity, 0, sizeof(stay->before), stay->before);
}
