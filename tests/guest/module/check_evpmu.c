// SPDX-License-Identifier: BSD-3-Clause
// Runs in the guest: the kernel's counts, refusals and signals must be exactly what this program drove.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "evpmu.h"

static volatile sig_atomic_t n_signals;
static int device, n_failed, n_checks;

static void count_signal(int signal)
{
	(void)signal;
	n_signals++;
}

static void check(const char *what, long value, long truth)
{
	printf("%s - %s: %ld, truth %ld\n", value == truth ? "ok" : "not ok", what, value, truth);
	n_checks++;
	n_failed += value != truth;
}

static int open_event(unsigned type, unsigned long config, unsigned long period, int group)
{
	struct perf_event_attr attr = {
		.size = sizeof attr,
		.type = type,
		.config = config,
		.sample_period = period,
		.disabled = group < 0,
		.exclude_kernel = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

static void drive(int code, unsigned long amount, int times)
{
	for (int i = 0; i < times; i++) {
		struct evpmu_amounts amounts = { .n = 1, .amounts = { { code, amount } } };

		if (ioctl(device, EVPMU_ADD, &amounts) < 0)
			perror("EVPMU_ADD");
	}
}

static void check_count(const char *what, int fd, long truth, int runs)
{
	long values[3] = { -1, -1, -1 };

	if (read(fd, values, sizeof values) < 0)
		perror(what);
	check(what, values[0], truth);
	check(runs ? "  it ran" : "  it never ran", values[2] > 0, runs);
}

static void check_counts(void)
{
	int cycles = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1);
	int misses = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, cycles);
	int l1d = open_event(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_RESULT_MISS << 16, 0, cycles);
	int raw = open_event(PERF_TYPE_RAW, EVPMU_PLAIN_FIRST, 0, cycles);

	ioctl(cycles, PERF_EVENT_IOC_ENABLE, 0);
	drive(EVPMU_CYCLES, 7, 1000);
	drive(EVPMU_CACHE_MISSES, 3, 1000);
	drive(EVPMU_L1D_LOAD_MISSES, 2, 1000);
	drive(EVPMU_PLAIN_FIRST, 11, 1000);
	check_count("generic event, fixed counter", cycles, 7000, 1);
	check_count("generic event", misses, 3000, 1);
	check_count("cache event", l1d, 2000, 1);
	check_count("raw event", raw, 11000, 1);
	close(raw), close(l1d), close(misses), close(cycles);
}

static void check_constraints(void)
{
	int never = open_event(PERF_TYPE_RAW, EVPMU_NEVER, 0, -1), only, group[5];

	ioctl(never, PERF_EVENT_IOC_ENABLE, 0);
	drive(EVPMU_NEVER, 5, 10);
	check_count("event without a counter", never, 0, 0);
	close(never);
	only = open_event(PERF_TYPE_RAW, EVPMU_ONLY_0, 0, -1);
	check("two events of one counter are refused",
		open_event(PERF_TYPE_RAW, EVPMU_ONLY_0_TOO, 0, only), -1);
	close(only);
	for (int i = 0; i < 5; i++)
		group[i] = open_event(PERF_TYPE_RAW, EVPMU_PLAIN_FIRST + i, 0, i ? group[0] : -1);
	check("four counters take four events", group[3] >= 0, 1);
	check("a fifth is refused", group[4], -1);
	for (int i = 3; i >= 0; i--)
		close(group[i]);
}

// The watchdog takes a counter after groups were checked: such a group opens, and never runs.
static void check_stolen(void)
{
	int stolen = open("/sys/module/evpmu/parameters/n_stolen", O_WRONLY), group[4];

	check("the watchdog comes", write(stolen, "1", 1), 1);
	for (int i = 0; i < 4; i++)
		group[i] = open_event(PERF_TYPE_RAW, EVPMU_PLAIN_FIRST + i, 0, i ? group[0] : -1);
	ioctl(group[0], PERF_EVENT_IOC_ENABLE, 0);
	drive(EVPMU_PLAIN_FIRST, 1, 1000);
	check_count("group of all counters beside it", group[0], 0, 0);
	for (int i = 3; i >= 0; i--)
		close(group[i]);
	check("the watchdog goes", write(stolen, "0", 1), 1);
	close(stolen);
}

static void check_signals(void)
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 100, -1);
	struct f_owner_ex owner = { F_OWNER_TID, syscall(SYS_gettid) };
	unsigned long period = 1000;

	fcntl(fd, F_SETFL, O_ASYNC);
	fcntl(fd, F_SETSIG, SIGRTMIN + 3);
	fcntl(fd, F_SETOWN_EX, &owner);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	drive(EVPMU_CACHE_MISSES, 3, 1000);
	check("signals", n_signals, 30);
	n_signals = 0;
	ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
	drive(EVPMU_CACHE_MISSES, 3, 1000);
	check("signals at a new period", n_signals, 3);
	n_signals = 0;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	drive(EVPMU_CACHE_MISSES, 3, 1000);
	check("signals after REFRESH by 1", n_signals, 1);
	check_count("it stops with its last overflow", fd, 7000, 1);
	close(fd);
}

int main(void)
{
	device = open("/dev/evpmu", O_RDWR);
	signal(SIGRTMIN + 3, count_signal);
	check("/dev/evpmu opens", device >= 0, 1);
	check_counts();
	check_constraints();
	check_stolen();
	check_signals();
	printf("1..%d\n", n_checks);
	return n_failed != 0;
}
