// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tries what perf_event_open does here. An event that the kernel accepts may still never run: its group may be too
 * large for the PMU, or another program may hold a counter. So every event is run for a moment and must show a running
 * time. Used by the launcher only.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "counters/events/perf_attr.h"
#include "counters/events/perf_door.h"
#include "counters/events/perf_overflow.h"
#include "counters/events/perf_sysfs.h"
#include "counters/plan/cores.h"
#include "counters/plan/general.h"
#include "machine_facts.h"

#define CLOCK_PERIOD_NS 1000000
#define CLOCK_RUN_NS 30000000

static int perf_open(struct perf_event_attr *attr, int group_fd)
{
	attr->size = sizeof(*attr);
	int fd = ep_perf_door_open(attr, 0, -1, group_fd);

	if (fd < 0)
		errno = -fd;
	return fd < 0 ? -1 : fd;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void work(uint64_t duration_ns)
{
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns < duration_ns)
		for (unsigned i = 0; i < 10000; i++)
			__asm__ volatile(""); /* the compiler keeps the loop because of this */
}

/* ---- single events ---- */

/* Runs the event, opened with PERF_FORMAT_TOTAL_TIME_*: the counts are value, time enabled, time running. */
static int run_for_a_moment(int fd)
{
	uint64_t counts[3] = { 0, 0, 0 };

	ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	work(200000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (read(fd, counts, sizeof(counts)) != sizeof(counts))
		return EP_TRY_DID_NOT_RUN;
	return counts[2] > 0 ? 0 : EP_TRY_DID_NOT_RUN;
}

static void set_attr(const struct ep_event *event, struct perf_event_attr *out_attr)
{
	*out_attr = ep_perf_attr_of(event);
	out_attr->disabled = 1;
	out_attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

static int try_attr(struct perf_event_attr attr)
{
	int fd = perf_open(&attr, -1), result;

	if (fd < 0 && errno == EINVAL && attr.exclude_guest) {
		/* the PMU has PERF_PMU_CAP_NO_EXCLUDE, as RISC-V's without Sscofpmf */
		attr.exclude_guest = 0;
		fd = perf_open(&attr, -1);
	}
	if (fd < 0)
		return errno;
	result = run_for_a_moment(fd);
	close(fd);
	return result;
}

struct ep_try ep_machine_try(const struct ep_event *event)
{
	struct perf_event_attr attr;
	struct ep_try result;

	set_attr(event, &attr);
	result.both = try_attr(attr);
	attr.exclude_kernel = attr.exclude_hv = 1;
	result.user = try_attr(attr);
	return result;
}

/* Tells whether an event happens inside the kernel. Such events open and run in user mode only, too, but stay 0. */
static bool is_kernel_event(const struct ep_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		       event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		       event->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

bool ep_machine_counts(const char *name)
{
	struct ep_event event;

	if (ep_perf_encode(name, &event, NULL))
		return false;
	struct ep_try result = ep_machine_try(&event);
	return !result.both || (!result.user && !is_kernel_event(&event));
}

static struct ep_try try_name(const char *name)
{
	struct ep_event event;

	if (ep_perf_encode(name, &event, NULL))
		return (struct ep_try){ ENOENT, ENOENT };
	return ep_machine_try(&event);
}

/* ---- how many counters ---- */

/* Adds the event to the group again and again, as long as the group still runs. Returns how often it was added. */
static unsigned fill_group(
	struct perf_event_attr attrs[EP_GROUP_ATTRS_MAX], unsigned n_events, const char *name)
{
	struct ep_event event;
	unsigned n_added = 0;

	if (ep_perf_encode(name, &event, NULL))
		return 0;
	for (; n_events + n_added < EP_GROUP_ATTRS_MAX; n_added++) {
		struct perf_event_attr *attr = &attrs[n_events + n_added];

		set_attr(&event, attr);
		attr->exclude_kernel = attr->exclude_hv = 1;
		if (!ep_group_runs(attrs, n_events + n_added + 1))
			break;
	}
	return n_added;
}

/*
 * Finds the largest group that runs, by adding one event after another. Events that need a general counter come first;
 * those for which some CPUs have fixed counters come last. Several events are tried, because some CPUs (POWER) can
 * count an event only on one certain counter.
 */
static void count_counters(struct ep_machine *machine)
{
	static const char *const names[] = { "branch-instructions", "branch-misses",
		"cache-references", "cache-misses", "stalled-cycles-frontend",
		"stalled-cycles-backend", "instructions", "cpu-cycles", "ref-cycles" };
	struct perf_event_attr attrs[EP_GROUP_ATTRS_MAX];
	size_t used = 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++) {
		unsigned n_added = fill_group(attrs, machine->n_counters, names[i]);

		if (!n_added || used >= sizeof(machine->counter_events))
			continue;
		used += (size_t)snprintf(machine->counter_events + used,
			sizeof(machine->counter_events) - used, "%s%u %s", used ? ", " : "",
			n_added, names[i]);
		machine->n_counters += n_added;
	}
}

static void probe_rdpmc(struct ep_machine *machine)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1 };
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	EP_AUTOCLOSE int fd = perf_open(&attr, -1);

	if (fd < 0)
		return;
	struct perf_event_mmap_page *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return;
	machine->has_rdpmc = page->cap_user_rdpmc;
	munmap(page, size);
}

/* ---- the slice clock ---- */

static volatile sig_atomic_t n_signals;

static void count_signal(int signal)
{
	n_signals++;
}

/* Returns the number of signals that task-clock sends in CLOCK_RUN_NS of work; -1: it cannot be set up. */
static int run_clock(bool user_only)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = CLOCK_PERIOD_NS,
		.wakeup_events = 1,
		.exclude_kernel = user_only,
		.exclude_hv = user_only };
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART }, old;
	EP_AUTOCLOSE int fd = perf_open(&attr, -1);

	if (fd < 0 || fcntl(fd, F_SETFL, O_ASYNC) || fcntl(fd, F_SETSIG, SIGRTMIN + 5) ||
		fcntl(fd, F_SETOWN_EX, &owner) || sigaction(SIGRTMIN + 5, &action, &old))
		return -1;
	n_signals = 0;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(CLOCK_RUN_NS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	sigaction(SIGRTMIN + 5, &old, NULL);
	return (int)n_signals;
}

static void probe_clock(struct ep_machine *machine)
{
	int n = run_clock(false);

	machine->clock_is_user_only = n < 0;
	if (n < 0)
		n = run_clock(true);
	machine->n_clock_signals = n < 0 ? 0 : (unsigned)n;
	machine->n_clock_expected = CLOCK_RUN_NS / CLOCK_PERIOD_NS;
}

void ep_machine_settle(void)
{
	struct ep_cores_stay stay;
	struct ep_cores cores;

	ep_cores_find(EP_PERF_SYSFS, &cores);
	ep_cores_enter(&cores, &stay);
}

void ep_machine_probe(struct ep_machine *out_machine)
{
	*out_machine = (struct ep_machine){ .seccomp_mode = -1 };
	/* Every kernel checks the flags before the event's description, so wrong flags give EINVAL. */
	out_machine->is_deadly = ep_perf_door_kills();
	if (!out_machine->is_deadly)
		syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0UL);
	out_machine->syscall_errno = out_machine->is_deadly ? ENOSYS : errno;
	ep_machine_read_facts(out_machine);
	ep_fds_init();
	out_machine->is_short_of_fds = ep_fds_are_scarce();
	out_machine->cycles = try_name("cycles");
	out_machine->task_clock = try_name("task-clock");
	count_counters(out_machine);
	probe_rdpmc(out_machine);
	probe_clock(out_machine);
	if (!out_machine->n_counters)
		return;
	out_machine->counters_interrupt =
		ep_perf_overflow_try_name("instructions") == EP_OVERFLOW_INTERRUPTS;
	out_machine->cycles_interrupt =
		ep_perf_overflow_try_name("cycles") == EP_OVERFLOW_INTERRUPTS;
}
