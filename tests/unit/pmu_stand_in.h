/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PMU for machines that have none: common/os/sys.h's calls for perf events, answered from a model
 * of what the kernel takes and what then runs. Comes before the .c file under test, in place of
 * sys.h.
 *
 * config says what an event is; cycles and instructions have counters of their own.
 */
#ifndef EVPROF_TESTS_UNIT_PMU_STAND_IN_H
#define EVPROF_TESTS_UNIT_PMU_STAND_IN_H

#define EVPROF_COMMON_OS_SYS_H /* these calls are instead of its */

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "counters/sources/perf_plan.h"

enum { PMU_CYCLES = 1, PMU_INSTRUCTIONS = 2, PMU_SLOTS = 3, PMU_TOPDOWN = 4, PMU_FIRST_OTHER = 10 };

/* A machine with two kinds of cores has PMU_ONLY_BIG on the first alone. */
#define PMU_ONLY_BIG 9

#define PMU_FIRST_FD 1000
#define PMU_N_FDS 64

static struct {
	uint32_t n_counters; /* beside those of cycles and instructions */
	uint32_t n_kinds;    /* of cores */
	uint32_t n_counters_of_second;
	uint32_t kind_here;
	bool has_no_fixed;   /* AMD's: cycles and instructions take of them as well */
	bool has_watchdog;   /* on the counter of cycles: whoever wants cycles takes another one */
	uint32_t n_taken;    /* of these by another user, which the kernel's check does not see */
	bool is_taken;       /* all, the fixed ones as well */
	uint64_t free_at_ns; /* when the other user lets go; 0: never */
	uint64_t refused;    /* a config that the kernel does not take; 0: none */
	uint64_t dead;       /* a config that opens and never runs (Arm's CHAIN); 0: none */
	int error;           /* of refused: -errno */
	bool user_only;      /* the kernel's side is not permitted */
	bool wants_no_guest; /* Apple's: takes no event that counts guests */
	bool counts_all;     /* PERF_PMU_CAP_NO_EXCLUDE: nothing can be left out */
	struct {
		bool is_open;
		int leader; /* descriptor */
		uint32_t kind;
		uint64_t config;
		uint64_t running_ns; /* of a leader */
		bool is_on;
	} fds[PMU_N_FDS];
	uint64_t now_ns;
	uint32_t n_open;  /* descriptors */
	uint32_t n_calls; /* of the kernel, those to close among them */
} pmu;

static bool pmu_is_fixed(uint64_t config)
{
	if (pmu.has_no_fixed)
		return false;
	return config == PMU_CYCLES || config == PMU_INSTRUCTIONS || config == PMU_SLOTS ||
	       config == PMU_TOPDOWN;
}

/* Members of the leader's group that need one of the counters, and whether one of them is dead. */
static uint32_t pmu_n_needed(int leader_fd, bool *out_has_dead)
{
	uint32_t n = 0;

	*out_has_dead = false;
	for (int i = 0; i < PMU_N_FDS; i++) {
		if (!pmu.fds[i].is_open || pmu.fds[i].leader != leader_fd)
			continue;
		n += !pmu_is_fixed(pmu.fds[i].config);
		*out_has_dead |= pmu.dead && pmu.fds[i].config == pmu.dead;
	}
	return n;
}

struct ep_cores ep_perf_cores;

void ep_cores_find(const char *root, struct ep_cores *out)
{
	static const struct ep_cores two = { .n_kinds = 2,
		.kinds = { { .name = "cpu_core" }, { .name = "cpu_atom" } } };

	(void)root;
	*out = pmu.n_kinds == 2 ? two : (struct ep_cores){ 0 };
}

int ep_cores_encode(const struct ep_cores *cores, uint32_t kind, const struct ep_event *event,
	struct ep_event *out_event)
{
	*out_event = *event;
	return cores->n_kinds && kind && event->config == PMU_ONLY_BIG ? -ENOENT : 0;
}

void ep_cores_enter(const struct ep_cores *cores, struct ep_cores_stay *out_stay)
{
	out_stay->is_moved = pmu.kind_here != 0 && cores->n_kinds;
	if (out_stay->is_moved)
		pmu.kind_here = 0;
}

void ep_cores_leave(const struct ep_cores_stay *stay)
{
	pmu.kind_here = stay->is_moved;
}

static uint32_t pmu_n_counters(uint32_t kind)
{
	return kind ? pmu.n_counters_of_second : pmu.n_counters;
}

int ep_perf_open(const struct ep_event *event, uint32_t kind, int leader_fd)
{
	struct ep_event here;
	int at = 0, fd;
	bool has_dead;

	pmu.n_calls++;
	if (event->type == PERF_TYPE_HARDWARE && event->config <= PERF_COUNT_HW_INSTRUCTIONS) {
		here = *event;
		here.type = PERF_TYPE_RAW;
		here.config = event->config ? PMU_INSTRUCTIONS : PMU_CYCLES;
		return ep_perf_open(&here, kind, leader_fd);
	}
	if (kind && (kind >= pmu.n_kinds || ep_cores_encode(&ep_perf_cores, kind, event, &here)))
		return -ENOENT;
	if (leader_fd >= 0 && pmu.fds[leader_fd - PMU_FIRST_FD].kind != kind)
		return -EINVAL;
	if (event->type != PERF_TYPE_RAW)
		return -ENOENT;
	if (pmu.refused && event->config == pmu.refused)
		return pmu.error;
	if (pmu.user_only && !event->exclude_kernel)
		return -EACCES;
	if (pmu.wants_no_guest && !event->exclude_guest)
		return -EOPNOTSUPP;
	if (pmu.counts_all && (event->exclude_guest || event->exclude_kernel || event->exclude_hv))
		return -EINVAL;
	if (event->config == PMU_TOPDOWN &&
		(leader_fd < 0 || pmu.fds[leader_fd - PMU_FIRST_FD].config != PMU_SLOTS))
		return -EINVAL;
	while (pmu.fds[at].is_open)
		at++;
	fd = PMU_FIRST_FD + at;
	pmu.fds[at].is_open = true;
	pmu.fds[at].leader = leader_fd < 0 ? fd : leader_fd;
	pmu.fds[at].config = event->config;
	pmu.fds[at].running_ns = 0;
	pmu.fds[at].kind = kind;
	if (pmu_n_needed(pmu.fds[at].leader, &has_dead) > pmu_n_counters(kind)) {
		pmu.fds[at].is_open = false;
		return -EINVAL;
	}
	pmu.n_open++;
	return fd;
}

static inline long ep_sys_close(int fd)
{
	pmu.n_calls++;
	pmu.fds[fd - PMU_FIRST_FD].is_open = false;
	pmu.n_open--;
	return 0;
}

/* The kernel's check, against a PMU without other users, does not see these counters. */
static uint32_t pmu_n_taken(int leader_fd)
{
	uint32_t n = pmu.n_taken;

	for (int i = 0; i < PMU_N_FDS; i++)
		n += pmu.has_watchdog && pmu.fds[i].is_open && pmu.fds[i].leader == leader_fd &&
		     pmu.fds[i].config == PMU_CYCLES;
	return n;
}

static void pmu_pass(int fd)
{
	bool has_dead, is_free = !pmu.is_taken || (pmu.free_at_ns && pmu.now_ns >= pmu.free_at_ns);

	if (pmu.fds[fd - PMU_FIRST_FD].is_on && is_free &&
		pmu.fds[fd - PMU_FIRST_FD].kind == pmu.kind_here &&
		pmu_n_needed(fd, &has_dead) + pmu_n_taken(fd) <= pmu.n_counters && !has_dead)
		pmu.fds[fd - PMU_FIRST_FD].running_ns += 100;
}

static inline long ep_sys_ioctl(int fd, unsigned long request, unsigned long argument)
{
	(void)argument;
	pmu.n_calls++;
	pmu.fds[fd - PMU_FIRST_FD].is_on = request == PERF_EVENT_IOC_ENABLE;
	pmu_pass(fd);
	return 0;
}

static inline long ep_sys_read(int fd, void *buffer, size_t size)
{
	struct ep_perf_reading reading = { 0 };

	pmu.n_calls++;
	pmu_pass(fd);
	reading.running_ns = pmu.fds[fd - PMU_FIRST_FD].running_ns;
	memcpy(buffer, &reading, size < sizeof(reading) ? size : sizeof(reading));
	return sizeof(reading);
}

/* A look takes a millisecond. */
static inline uint64_t ep_now_ns(clockid_t clock)
{
	(void)clock;
	return pmu.now_ns += 1000000;
}

#endif
