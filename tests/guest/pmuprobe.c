// SPDX-License-Identifier: BSD-3-Clause
/*
 * What this machine's PMU really does with events and groups, found by trying: one fact per line,
 * figures that vary behind '#'. The facts of each guest are kept in expected/; docs/pmu-guests.md
 * tells what they mean.
 */
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "loops.h"
#include "perf.h"

enum { PROBE_ROUNDS = 250000, MAX_PROBED = 24 };

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* How a group's leader is opened; the siblings follow its state. */
struct opening {
	const char *name;
	unsigned disabled : 1, pinned : 1, enable_on_exec : 1;
};

static const struct opening openings[] = {
	{ "off", .disabled = 1 },
	{ "on", .disabled = 0 },
	{ "off-exec", .disabled = 1, .enable_on_exec = 1 },
	{ "pinned", .disabled = 1, .pinned = 1 },
};

struct group {
	int fds[MAX_PROBED];
	int n_fds;
	int error; /* of the open that failed, or 0 */
};

static const char *yes_no(uint64_t value)
{
	return value ? "yes" : "no";
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void close_group(struct group *group)
{
	for (int i = 0; i < group->n_fds; i++)
		close(group->fds[i]);
	group->n_fds = 0;
}

/* Opens attrs[0..n) as one group; stops at the first that is refused. */
static struct group open_group(
	const struct opening *how, const struct perf_event_attr *attrs, int n)
{
	struct group group = { .n_fds = 0 };

	for (int i = 0; i < n; i++) {
		struct perf_event_attr attr = attrs[i];

		attr.disabled = i == 0 && how->disabled;
		attr.pinned = i == 0 && how->pinned;
		attr.enable_on_exec = i == 0 && how->enable_on_exec;
		int fd = perf_open(&attr, 0, -1, i ? group.fds[0] : -1);
		if (fd < 0) {
			group.error = -fd;
			break;
		}
		group.fds[group.n_fds++] = fd;
	}
	return group;
}

/* Enables, runs, stops and reads; returns the bytes that read gave. */
static ssize_t measure(const struct group *group, unsigned long n_rounds, struct group_reading *out)
{
	memset(out, 0, sizeof(*out));
	ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	if (n_rounds)
		run_loop(n_rounds);
	ioctl(group->fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	return read(group->fds[0], out, sizeof(*out));
}

static void fill(struct perf_event_attr *attrs, int n, uint32_t type, uint64_t config)
{
	for (int i = 0; i < n; i++)
		attrs[i] = perf_attr(type, config);
}

/* Opens, enables for an instant and closes: did the group get its counters? */
static bool runs(const struct opening *how, const struct perf_event_attr *attrs, int n)
{
	struct group group = open_group(how, attrs, n);
	struct group_reading reading = { 0 };
	ssize_t size = group.n_fds == n ? measure(&group, 0, &reading) : 0;

	close_group(&group);
	return size > 0 && reading.running_ns > 0;
}

/* How many of the events open as one group, and how many of them run. Returns the latter. */
static int probe_capacity(const char *name, const struct perf_event_attr *attrs)
{
	int n_running = 0;

	for (size_t i = 0; i < ARRAY_SIZE(openings); i++) {
		struct group group = open_group(&openings[i], attrs, MAX_PROBED);
		int n_opened = group.n_fds, error = group.error;

		close_group(&group);
		n_running = 0;
		for (int n = 1; n <= n_opened; n++)
			if (runs(&openings[i], attrs, n))
				n_running = n;
		printf("capacity %s leader %s: %d open, then %s; %d run\n", name, openings[i].name,
			n_opened, error ? strerrorname_np(error) : "-", n_running);
	}
	return n_running;
}

/* One more than fits: refused, or open and what it looks like afterwards? */
static void probe_overcommitted(const struct perf_event_attr *attrs, int n)
{
	for (size_t i = 0; i < ARRAY_SIZE(openings); i++) {
		struct group group = open_group(&openings[i], attrs, n);
		struct group_reading r;

		if (group.n_fds == n) {
			ssize_t size = measure(&group, PROBE_ROUNDS, &r);
			printf("one_too_many leader %s: opens, read gives %s, enabled %s, running "
			       "%s, value %s\n",
				openings[i].name, size ? "values" : "nothing", yes_no(r.enabled_ns),
				yes_no(r.running_ns), r.values[0] ? "counts" : "0");
		} else {
			printf("one_too_many leader %s: %s\n", openings[i].name,
				strerrorname_np(group.error));
		}
		close_group(&group);
	}
}

/* Events that are alone: how many run all the time beside each other. */
static void probe_singles(const char *name, const struct perf_event_attr *attrs)
{
	struct group singles[MAX_PROBED];
	int n_always = 0;

	for (int n = 1; n <= MAX_PROBED && n_always == n - 1; n++) {
		struct group_reading r;
		int n_full = 0;

		for (int i = 0; i < n; i++)
			singles[i] = open_group(&openings[1], &attrs[i], 1);
		run_loop(PROBE_ROUNDS);
		for (int i = 0; i < n; i++)
			n_full += singles[i].n_fds == 1 &&
				  read(singles[i].fds[0], &r, sizeof(r)) > 0 && r.running_ns > 0 &&
				  r.running_ns == r.enabled_ns;
		for (int i = 0; i < n; i++)
			close_group(&singles[i]);
		if (n_full == n)
			n_always = n;
	}
	printf("singles %s: %d run all the time\n", name, n_always);
}

struct named_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

#define CACHE(cache, op, result)                                                                   \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                          \
		PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct named_event events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "stalled-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS) },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS) },
#if defined(__aarch64__)
	{ "raw:0x00:SW_INCR", PERF_TYPE_RAW, 0x00 },
	{ "raw:0x04:L1D_CACHE", PERF_TYPE_RAW, 0x04 },
	{ "raw:0x08:INST_RETIRED", PERF_TYPE_RAW, 0x08 },
	{ "raw:0x11:CPU_CYCLES", PERF_TYPE_RAW, 0x11 },
	{ "raw:0x1b:INST_SPEC", PERF_TYPE_RAW, 0x1b },
	{ "raw:0x1e:CHAIN", PERF_TYPE_RAW, 0x1e },
	{ "raw:0x23:STALL_FRONTEND", PERF_TYPE_RAW, 0x23 },
	{ "raw:0x3f:STALL_SLOT", PERF_TYPE_RAW, 0x3f },
	{ "raw:0x40:L1D_CACHE_RD", PERF_TYPE_RAW, 0x40 },
	{ "raw:0x184", PERF_TYPE_RAW, 0x184 },
	{ "raw:0xffff", PERF_TYPE_RAW, 0xffff },
	{ "raw:0x10000", PERF_TYPE_RAW, 0x10000 },
#elif defined(__powerpc64__)
	{ "raw:0x00002:PM_INST_CMPL", PERF_TYPE_RAW, 0x00002 },
	{ "raw:0x0001e:PM_CYC", PERF_TYPE_RAW, 0x0001e },
	{ "raw:0x10002:PM_INST_CMPL", PERF_TYPE_RAW, 0x10002 },
	{ "raw:0x40002:PM_INST_CMPL", PERF_TYPE_RAW, 0x40002 },
	{ "raw:0x500fa:PM_RUN_INST_CMPL", PERF_TYPE_RAW, 0x500fa },
	{ "raw:0x600f4:PM_RUN_CYC", PERF_TYPE_RAW, 0x600f4 },
	{ "raw:0x400fa:PM_RUN_INST_CMPL_ALT", PERF_TYPE_RAW, 0x400fa },
	{ "raw:0x200f4:PM_RUN_CYC_ALT", PERF_TYPE_RAW, 0x200f4 },
	{ "raw:0x1e054:PM_CMPLU_STALL", PERF_TYPE_RAW, 0x1e054 },
	{ "raw:0x200f2:PM_INST_DISP", PERF_TYPE_RAW, 0x200f2 },
	{ "raw:0x3e054:PM_LD_MISS_L1", PERF_TYPE_RAW, 0x3e054 },
	{ "raw:0x70000", PERF_TYPE_RAW, 0x70000 },
	{ "raw:0xffffffffffff", PERF_TYPE_RAW, 0xffffffffffff },
#endif
};

/* Each event alone: refused, opened and never on, opened and silent, or counting. */
static void probe_events(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct perf_event_attr attr = perf_attr(events[i].type, events[i].config);
		struct group group = open_group(&openings[0], &attr, 1);
		struct group_reading r;

		if (!group.n_fds) {
			printf("event %s: %s\n", events[i].name, strerrorname_np(group.error));
			continue;
		}
		ssize_t size = measure(&group, PROBE_ROUNDS, &r);
		printf("event %s: opens, %s # %llu\n", events[i].name,
			size <= 0 || !r.running_ns   ? "never runs"
			: r.values[0] > PROBE_ROUNDS ? "counts"
						     : "silent",
			(unsigned long long)r.values[0]);
		close_group(&group);
	}
}

/* A group across PMUs: hardware with a software sibling, and the other way round. */
static void probe_mixed(void)
{
	const struct perf_event_attr attrs[2] = {
		perf_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
		perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK),
	};

	for (int leader = 0; leader < 2; leader++) {
		struct perf_event_attr order[2] = { attrs[leader], attrs[!leader] };
		struct group group = open_group(&openings[0], order, 2);
		const char *name = leader ? "software" : "hardware";
		struct group_reading r;

		if (group.n_fds == 2 && measure(&group, PROBE_ROUNDS, &r) > 0)
			printf("mixed %s leads: opens, instructions %s, task-clock %s\n", name,
				yes_no(r.values[leader]), yes_no(r.values[!leader]));
		else
			printf("mixed %s leads: %s\n", name, strerrorname_np(group.error));
		close_group(&group);
	}
}

/* Two events that each open alone: do they open and run together? */
static void probe_pair(const char *name, uint64_t config_a, uint64_t config_b)
{
	struct perf_event_attr pair[2] = { perf_attr(PERF_TYPE_RAW, config_a),
		perf_attr(PERF_TYPE_RAW, config_b) };
	struct group group = open_group(&openings[0], pair, 2);
	bool alone = runs(&openings[0], &pair[0], 1) && runs(&openings[0], &pair[1], 1);

	printf("pair %s: alone %s, together %s\n", name, alone ? "run" : "no",
		group.n_fds == 2 ? "open" : strerrorname_np(group.error));
	close_group(&group);
}

static void probe_pairs(void)
{
#if defined(__powerpc64__)
	probe_pair("PM_INST_CMPL(1) PM_CYC(1)", 0x10002, 0x1001e);
	probe_pair("PM_INST_CMPL(1) PM_CYC(2)", 0x10002, 0x2001e);
	probe_pair("PM_RUN_INST_CMPL(5) PM_RUN_CYC(6)", 0x500fa, 0x600f4);
	probe_pair("PM_RUN_INST_CMPL(5) PM_RUN_INST_CMPL(5)", 0x500fa, 0x500fa);
	probe_pair("PM_CMPLU_STALL(1) PM_CYC(1)", 0x1e054, 0x1001e);
#elif defined(__aarch64__)
	probe_pair("INST_RETIRED INST_RETIRED", 0x08, 0x08);
	probe_pair("CPU_CYCLES CPU_CYCLES", 0x11, 0x11);
	probe_pair("INST_RETIRED CHAIN", 0x08, 0x1e);
#endif
}

/* Another user holds n_taken counters of this CPU for good (needs privilege): what is left? */
static void probe_taken(const struct perf_event_attr *attrs, int n_counters, int n_taken)
{
	struct group holders[MAX_PROBED];
	struct group_reading r;
	int n_held = 0, n_run = 0, n_open;

	for (int i = 0; i < n_taken; i++) {
		struct perf_event_attr attr = attrs[i];

		attr.pinned = 1;
		holders[i].n_fds = 0;
		int fd = perf_open(&attr, -1, 0, -1);
		if (fd < 0) {
			printf("taken %d: %s\n", n_taken, strerrorname_np(-fd));
			n_taken = i;
			break;
		}
		holders[i].fds[holders[i].n_fds++] = fd;
	}
	for (int i = 0; i < n_taken; i++)
		n_held += read(holders[i].fds[0], &r, sizeof(r)) > 0;
	for (int n = 1; n <= n_counters; n++)
		if (runs(&openings[2], attrs, n))
			n_run = n;
	struct group group = open_group(&openings[2], attrs, MAX_PROBED);
	n_open = group.n_fds;
	close_group(&group);
	printf("taken %d of %d wanted: %d open, %d run\n", n_held, n_taken, n_open, n_run);
	for (int i = 0; i < n_taken; i++)
		close_group(&holders[i]);
}

/* Another group of this thread wants all counters too: the kernel gives them in turn. How long
 * until ours is on for the first time, and what share does it get? */
static void probe_shared(const struct perf_event_attr *attrs, int n)
{
	struct group other = open_group(&openings[1], attrs, n);
	struct group ours = open_group(&openings[0], attrs, n);
	uint64_t start_ns = now_ns(), first_ns = 0;
	struct group_reading r = { 0 };

	ioctl(ours.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	read(ours.fds[0], &r, sizeof(r));
	bool at_once = r.running_ns > 0;
	while (now_ns() - start_ns < 200000000) {
		run_loop(1000);
		if (read(ours.fds[0], &r, sizeof(r)) > 0 && r.running_ns && !first_ns)
			first_ns = now_ns() - start_ns;
	}
	double share = (double)r.running_ns / (double)r.enabled_ns;
	printf("shared: at once %s, later %s, share %s # first after %.3f ms, share %.4f\n",
		yes_no(at_once), yes_no(first_ns), share > 0.4 && share < 0.6 ? "half" : "odd",
		first_ns / 1e6, share);
	close_group(&ours);
	close_group(&other);
}

/* The way that evprof may use at start: grow a group one event at a time until it is refused, then
 * look whether it runs. */
static void probe_cost(const struct perf_event_attr *attrs)
{
	uint64_t start_ns = now_ns();
	struct group group = open_group(&openings[2], attrs, MAX_PROBED);
	struct group_reading r = { 0 };
	int n = group.n_fds;

	if (n)
		measure(&group, 0, &r);
	close_group(&group);
	printf("grow until refused: %d run %s # %d system calls, %llu us\n", n,
		yes_no(r.running_ns), 2 * n + 4, (unsigned long long)(now_ns() - start_ns) / 1000);
}

int main(void)
{
	struct perf_event_attr attrs[MAX_PROBED];

	setvbuf(stdout, NULL, _IOLBF, 0);
	probe_events();
	fill(attrs, MAX_PROBED, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int n_counters = probe_capacity("instructions", attrs);
	if (!n_counters)
		return 0;
	probe_singles("instructions", attrs);
	probe_overcommitted(attrs, n_counters + 1);
	for (int n_left = 2; n_left >= 0; n_left--)
		probe_taken(attrs, n_counters, n_counters - n_left);
	probe_shared(attrs, n_counters);
	attrs[0] = perf_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	probe_capacity("cycles+instructions", attrs);
	probe_singles("cycles+instructions", attrs);
	probe_cost(attrs);
	probe_pairs();
	probe_mixed();
	return 0;
}
