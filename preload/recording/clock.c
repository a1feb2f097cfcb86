// SPDX-License-Identifier: BSD-3-Clause
/* The slice clock. ep_clock_open and the functions that are called at ticks run in the thread to which it sends
 * signals. */
#include "clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "common/os/scheduler.h"
#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "counters/events/perf_door.h"

/* The kernel's struct sigevent with SIGEV_THREAD_ID. */
struct kernel_sigevent {
	void *value;
	int signo;
	int notify;
	int tid;
	int padding[11];
};

const char *ep_clock_name(enum ep_clock_kind kind)
{
	static const char *const names[] = {
		[EP_CLOCK_NONE] = "none",
		[EP_CLOCK_TASK] = "task-clock",
		[EP_CLOCK_TASK_USER] = "task-clock:u",
		[EP_CLOCK_TIMER] = "thread-cputime",
		[EP_CLOCK_MIXED] = "thread-cputime+task-clock:u",
		[EP_CLOCK_PATIENT] = "thread-cputime",
	};

	return names[kind];
}

/* The lengths of slices vary. If they were equal, a program whose steps take as long as some slices would always be
 * sampled at the same places of its steps. In steps of three such slices, a procedure that takes a tenth of each step
 * got from 7.6 to 12.5 % of a thread's 1500 slices. To set another length takes 12 us on a virtual machine, mostly to
 * program the timer. So a length is kept for some slices: a step takes another time, so that their ticks move through
 * the steps. */
#define SLOW_NS 10000000
#define WIDTH 8 /* lengths differ from the period by at most this part of it */

uint64_t ep_clock_next_length(uint64_t period_ns, uint64_t *chance)
{
	uint64_t width_ns = period_ns / WIDTH;

	/* Knuth's MMIX generator, whose upper bits are the good ones. */
	*chance = *chance * 6364136223846793005u + 1442695040888963407u;
	return period_ns - width_ns + (*chance >> 32) * (2 * width_ns) / UINT32_MAX;
}

static uint64_t draw(uint64_t *chance)
{
	*chance = *chance * 6364136223846793005u + 1442695040888963407u;
	return *chance >> 32;
}

/* Draws a length l between 1 - 1/WIDTH and 1 + 1/WIDTH periods with a density that is proportional to l. It is a
 * mixture of two densities over the range, with v from 0 to 1: 1 with probability 1 - 1/WIDTH, and 2v with probability
 * 1/WIDTH. One uniform draw has the first density, and the larger of two draws has the second. */
static uint64_t length_met_ns(uint64_t period_ns, uint64_t *chance)
{
	uint64_t width_ns = period_ns / WIDTH, which = draw(chance), v = draw(chance),
		 other = draw(chance), larger = v > other ? v : other;

	return period_ns - width_ns +
	       (which < UINT32_MAX / WIDTH ? larger : v) * (2 * width_ns) / UINT32_MAX;
}

/* Draws the time before a thread's first tick: at most length_ns, and at least EP_CLOCK_LEAST_NS. */
static uint64_t part_of(uint64_t length_ns, uint64_t *chance)
{
	uint64_t least_ns = length_ns < EP_CLOCK_LEAST_NS ? length_ns : EP_CLOCK_LEAST_NS;

	return least_ns +
	       (uint64_t)((double)draw(chance) / UINT32_MAX * (double)(length_ns - least_ns));
}

uint64_t ep_clock_first_of_varied(uint64_t period_ns, uint64_t *chance, uint64_t *out_length_ns)
{
	*out_length_ns = length_met_ns(period_ns, chance);
	return part_of(*out_length_ns, chance);
}

static uint64_t scheduler_tick_ns(void)
{
	static uint64_t tick_ns;

	if (!tick_ns)
		tick_ns = ep_scheduler_tick_ns();
	return tick_ns;
}

static int open_task_clock(bool user_only, uint64_t length_ns)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = length_ns;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	attr.exclude_kernel = user_only;
	attr.exclude_hv = user_only;
	return ep_perf_door_open(&attr, 0, -1, -1);
}

enum ep_clock_kind ep_clock_probe(bool with_kernel)
{
	static const enum ep_clock_kind kinds[] = { EP_CLOCK_TASK, EP_CLOCK_TASK_USER };

	for (size_t i = !with_kernel; i < EP_ARRAY_SIZE(kinds) && !ep_fds_are_scarce(); i++) {
		int fd = open_task_clock(kinds[i] == EP_CLOCK_TASK_USER, 1000000000);

		if (fd < 0)
			continue;
		ep_sys_close(fd);
		return kinds[i];
	}
	return EP_CLOCK_TIMER;
}

uint64_t ep_clock_mixed_from_ns(enum ep_clock_kind kind)
{
	return kind == EP_CLOCK_TASK_USER ? ep_scheduler_periods_from_ns() : UINT64_MAX;
}

/* ---- open ---- */

static int start_task_clock(struct ep_clock *clock, uint64_t length_ns)
{
	int fd = open_task_clock(clock->kind != EP_CLOCK_TASK, length_ns), rc;

	if (fd < 0)
		return fd;
	fd = ep_fds_lift(fd, &clock->fd);
	if (fd < 0)
		return fd;
	rc = clock->timer < 0 ? ep_perf_door_signal(fd)
			      : ep_perf_door_signal_with_room(fd, clock->tid);
	if (!rc && ep_sys_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		rc = -EIO;
	if (rc)
		ep_fds_close(&clock->fd);
	return rc;
}

static void set_timer_after(int timer, uint64_t first_ns, uint64_t length_ns)
{
	struct itimerspec spec = {
		.it_interval = { length_ns / 1000000000, length_ns % 1000000000 },
		.it_value = { first_ns / 1000000000, first_ns % 1000000000 },
	};

	ep_sys(__NR_timer_settime, timer, 0, &spec, NULL);
}

static void set_timer(int timer, uint64_t length_ns)
{
	set_timer_after(timer, length_ns, length_ns);
}

/* Sets a patient timer: each tick sets the time of the next tick. The next tick comes at the earliest when the program
 * has had PATIENCE times the CPU time that this tick took. If a tick was not handled, the timer was not set again: then
 * its interval (again_ns) brings another tick. */
#define PATIENCE 8
#define LOST_TICK_NS 1000000000u

static void set_patient(int timer, uint64_t length_ns)
{
	uint64_t again_ns = LOST_TICK_NS + 16 * length_ns;
	struct itimerspec spec = {
		.it_interval = { again_ns / 1000000000, again_ns % 1000000000 },
		.it_value = { length_ns / 1000000000, length_ns % 1000000000 },
	};

	ep_sys(__NR_timer_settime, timer, 0, &spec, NULL);
}

static int create_timer(struct ep_clock *clock)
{
	struct kernel_sigevent event = {
		.signo = EP_SLICE_SIGNAL,
		.notify = 4, /* SIGEV_THREAD_ID */
		.tid = clock->tid,
	};
	int rc = (int)ep_sys(__NR_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &clock->timer);

	if (rc)
		clock->timer = -1;
	return rc;
}

/* Sets the first tick of a timer. The kernel sends a timer's signal at the scheduler's first tick after the timer's
 * end, which is up to one scheduler's tick late. So the timer is set to end one scheduler's tick before the time that
 * was drawn. Where that end lies before the thread's beginning, the timer ends at once, and its tick counts only if it
 * comes before the drawn time. Without this, short threads would have too few ticks at their beginning. first: the part
 * of a period that was drawn, from 0 to 1. */
static void set_first(struct ep_clock *clock, double first, uint64_t length_ns)
{
	uint64_t tick_ns = scheduler_tick_ns();
	uint64_t period_ns = length_ns > tick_ns ? length_ns : tick_ns;
	uint64_t first_ns = (uint64_t)(first * (double)period_ns);

	if (first_ns > tick_ns) {
		set_timer_after(clock->timer, first_ns - tick_ns, length_ns);
		return;
	}
	clock->first_before_ns = first_ns + 1;
	clock->second_ns = first_ns + period_ns - tick_ns + 1;
	set_timer_after(clock->timer, 1, clock->second_ns);
}

EP_SLICE_CODE bool ep_clock_first_tick(struct ep_clock *clock, uint64_t gone_ns)
{
	bool is_due = gone_ns < clock->first_before_ns;

	if (!clock->first_before_ns)
		return true;
	clock->first_before_ns = 0;
	set_timer_after(clock->timer, clock->second_ns > gone_ns ? clock->second_ns - gone_ns : 1,
		ep_clock_looks_for_calls(clock) ? clock->calls_ns : clock->period_ns);
	return is_due;
}

static int start_timer(struct ep_clock *clock, uint64_t first_ns)
{
	int rc = create_timer(clock);

	if (rc)
		return rc;
	if (clock->kind == EP_CLOCK_PATIENT)
		set_patient(clock->timer, first_ns);
	else
		set_first(clock, (double)first_ns / (double)clock->period_ns, clock->period_ns);
	return 0;
}

/* Tells whether no descriptor was left: with many threads, each with the descriptors of its groups, the last threads
 * find none. */
static bool is_short(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

/* Periods of CPU time after which a mixed clock decides again whether the timer or the task-clock serves. */
#define LOOK_PERIODS 16

/* Returns how often the thread gave up its CPU by itself. */
static long n_sleeps(void)
{
	struct rusage usage = { .ru_nvcsw = 0 };

	ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Starts the looks for system calls after a random part of their period. This part is drawn independently of the time
 * of the first tick. */
static void start_looks(struct ep_clock *clock)
{
	uint64_t first_ns = part_of(clock->calls_ns, &clock->chance);

	set_first(clock, (double)first_ns / (double)clock->calls_ns, clock->calls_ns);
}

/* Starts the task-clock, and the looks for system calls. Where timers cannot be made, there are no looks. */
static int start_user_clock(struct ep_clock *clock, uint64_t first_ns)
{
	int rc = clock->calls_ns ? create_timer(clock) : -ENOTSUP;

	if (rc)
		clock->calls_ns = 0;
	rc = start_task_clock(clock, first_ns);
	if (clock->calls_ns && rc)
		ep_sys(__NR_timer_delete, clock->timer);
	else if (clock->calls_ns)
		start_looks(clock);
	return rc;
}

/* Starts the mixed clock. The timer looks for system calls until look() lets it serve. */
static int start_mixed(struct ep_clock *clock, uint64_t first_ns)
{
	int rc = create_timer(clock);

	if (rc) {
		clock->kind = EP_CLOCK_TASK_USER;
		clock->calls_ns = 0;
		return start_task_clock(clock, first_ns);
	}
	rc = start_task_clock(clock, first_ns);
	if (rc)
		ep_sys(__NR_timer_delete, clock->timer);
	else if (clock->calls_ns)
		start_looks(clock);
	return rc;
}

static bool is_timer(enum ep_clock_kind kind)
{
	return kind == EP_CLOCK_TIMER || kind == EP_CLOCK_PATIENT;
}

static int start(struct ep_clock *clock, uint64_t first_ns)
{
	if (clock->kind == EP_CLOCK_MIXED)
		return start_mixed(clock, first_ns);
	if (clock->kind == EP_CLOCK_TASK_USER)
		return start_user_clock(clock, first_ns);
	return is_timer(clock->kind) ? start_timer(clock, first_ns)
				     : start_task_clock(clock, first_ns);
}

uint64_t ep_clock_calls_ns(enum ep_clock_kind kind, uint64_t period_ns)
{
	uint64_t tick_ns = scheduler_tick_ns();

	if ((kind != EP_CLOCK_TASK_USER && kind != EP_CLOCK_MIXED) ||
		ep_scheduler_periods_from_ns() == UINT64_MAX)
		return 0;
	return period_ns > tick_ns ? period_ns : tick_ns;
}

int ep_clock_open(
	struct ep_clock *clock, enum ep_clock_kind kind, uint64_t period_ns, uint64_t calls_ns)
{
	uint64_t first_ns;
	int rc;

	*clock = (struct ep_clock){ kind, -1, -1, .period_ns = period_ns, .calls_ns = calls_ns };
	clock->tid = ep_sys_gettid();
	clock->opened_cpu_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID);
	/* threads that end and begin get the same numbers again and again, so the time is added */
	clock->chance = (uint64_t)clock->tid + ep_now_ns(CLOCK_MONOTONIC);
	first_ns = is_timer(kind) ? part_of(period_ns, &clock->chance)
				  : ep_clock_first_of_varied(
					    period_ns, &clock->chance, &clock->second_length_ns);
	rc = start(clock, first_ns);
	if (!is_timer(kind) && is_short(rc)) {
		clock->kind = EP_CLOCK_TIMER;
		clock->calls_ns = 0;
		rc = start_timer(clock, part_of(period_ns, &clock->chance));
	}
	if (rc)
		clock->kind = EP_CLOCK_NONE;
	return rc;
}

/* ---- at a tick ---- */

static void set_task_clock(const struct ep_clock *clock, uint64_t length_ns)
{
	ep_sys_ioctl(clock->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&length_ns);
}

static void vary(struct ep_clock *clock)
{
	uint64_t length_ns = ep_clock_next_length(clock->period_ns, &clock->chance);

	if (clock->kind == EP_CLOCK_TIMER || clock->is_coarse)
		set_timer(clock->timer, length_ns);
	else
		set_task_clock(clock, length_ns);
}

void ep_clock_slow_down(struct ep_clock *clock)
{
	bool is_served = clock->kind == EP_CLOCK_TASK || clock->kind == EP_CLOCK_TASK_USER ||
			 (clock->kind == EP_CLOCK_MIXED && !clock->is_coarse);

	if (!is_served)
		return;
	clock->is_slowed = true;
	set_task_clock(clock, clock->period_ns > SLOW_NS / 4 ? 4 * clock->period_ns : SLOW_NS);
}

static void let_serve(struct ep_clock *clock, bool timer)
{
	clock->is_coarse = timer;
	set_timer(clock->timer, timer ? clock->period_ns : clock->calls_ns);
	set_task_clock(clock, timer ? LOOK_PERIODS * clock->period_ns : clock->period_ns);
}

/* Decides which clock serves: the timer if the thread computes, else the task-clock. The thread computes if it hardly
 * ever gave up its CPU and, while the timer serves, if at least a quarter of the timer's ticks came. The first tick
 * only notes the kernel's count of sleeps, so that threads that end before it need no system call for that. */
static bool look(struct ep_clock *clock, uint64_t cpu_ns)
{
	uint64_t gone_ns = cpu_ns - clock->looked.cpu_ns;
	uint64_t ticked_ns = (clock->n_ticks - clock->looked.n_ticks) * clock->period_ns;
	long n_now;
	bool computes;

	if (!clock->looked.cpu_ns) {
		clock->looked.cpu_ns = cpu_ns;
		clock->looked.n_sleeps = n_sleeps();
		clock->looked.n_ticks = clock->n_ticks;
		return true;
	}
	/* an eighth is allowed for the CPU time of interrupts: the task-clock's tick after LOOK_PERIODS shall decide */
	if (gone_ns < LOOK_PERIODS * clock->period_ns / 8 * 7)
		return false;
	n_now = n_sleeps();
	computes = n_now <= clock->looked.n_sleeps + 1 &&
		   (!clock->is_coarse || ticked_ns >= gone_ns / 4);
	if (computes != clock->is_coarse)
		let_serve(clock, computes);
	clock->looked.cpu_ns = cpu_ns;
	clock->looked.n_ticks = clock->n_ticks;
	clock->looked.n_sleeps = n_now;
	return true;
}

static bool wait_for_next(struct ep_clock *clock, uint64_t cpu_ns)
{
	uint64_t length_ns = ep_clock_next_length(clock->period_ns, &clock->chance);
	uint64_t least_ns = PATIENCE * (ep_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);

	clock->n_ticks++;
	set_patient(clock->timer, length_ns > least_ns ? length_ns : least_ns);
	return true;
}

EP_SLICE_CODE bool ep_clock_tick(struct ep_clock *clock, uint64_t cpu_ns)
{
	bool varies, looks;
	uint32_t n_before;

	if (clock->kind == EP_CLOCK_NONE)
		return false;
	if (clock->kind == EP_CLOCK_PATIENT)
		return wait_for_next(clock, cpu_ns);
	/* up to its first tick a task-clock has the length that was drawn for the first slice */
	n_before = clock->n_ticks++;
	varies = n_before ? n_before % EP_CLOCK_TICKS_OF_A_LENGTH == 0 : !is_timer(clock->kind);
	varies |= clock->is_slowed;
	clock->is_slowed = false;
	if (varies && !n_before)
		set_task_clock(clock, clock->second_length_ns);
	else if (varies)
		vary(clock);
	looks = clock->kind == EP_CLOCK_MIXED && look(clock, cpu_ns);
	return varies || looks;
}

void ep_clock_lose_tick(struct ep_clock *clock)
{
	if (clock->n_ticks || clock->kind == EP_CLOCK_NONE || is_timer(clock->kind))
		return;
	clock->n_ticks = 1;
	set_task_clock(clock, clock->second_length_ns);
}

/* ---- close ---- */

/* Closes the task-clock. It is disabled first, since a child that was just forked may still have a copy of the
 * descriptor, which would keep the event running. */
static void close_task_clock(struct ep_clock *clock)
{
	ep_sys_ioctl(clock->fd, PERF_EVENT_IOC_DISABLE, 0);
	ep_fds_close(&clock->fd);
}

void ep_clock_close(struct ep_clock *clock)
{
	bool has_timer = is_timer(clock->kind) || clock->kind == EP_CLOCK_MIXED || clock->calls_ns;

	if (has_timer)
		ep_sys(__NR_timer_delete, clock->timer);
	if (clock->kind != EP_CLOCK_NONE && !is_timer(clock->kind))
		close_task_clock(clock);
	ep_clock_forget(clock);
}

void ep_clock_forget(struct ep_clock *clock)
{
	clock->kind = EP_CLOCK_NONE;
	clock->fd = clock->timer = -1;
	clock->calls_ns = 0;
	clock->is_coarse = false;
}
