// SPDX-License-Identifier: BSD-3-Clause
/* Names to events of a PMU that is not here: what is always on, what is refused and why. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/pmu_stand_in.h"

static long ep_sys_read_file(const char *path, char *out_text, size_t capacity);

#include "counters/sources/perf_plan.c"

static const char *level; /* of perf_event_paranoid; NULL: no such file */
static struct ep_plan plan;
static uint32_t n_packed; /* events that were given to ep_perf_pack */
static uint32_t masks[EP_PLAN_MAX_EVENTS];
static enum ep_overflow overflow; /* of instructions */
static uint64_t silent; /* a config whose overflow does not interrupt; 0: as instructions' */
static enum ep_ticks ticks;

static long ep_sys_read_file(const char *path, char *out_text, size_t capacity)
{
	if (!strcmp(path, "/sys/bus/event_source/devices/uncore_imc_0/cpumask"))
		return snprintf(out_text, capacity, "0,28\n");
	if (strcmp(path, "/proc/sys/kernel/perf_event_paranoid") || !level)
		return -ENOENT;
	return snprintf(out_text, capacity, "%s\n", level);
}

/* In place of perf_pack.c: one group of all. */
void ep_perf_pack(struct ep_perf_wanted *wanted)
{
	uint8_t all[EP_GROUP_MAX_EVENTS];
	uint32_t n = 0;

	n_packed = wanted->plan->n_events;
	CHECK_INT(pmu.kind_here, 0);
	memcpy(masks, wanted->group_masks, sizeof(masks));
	while (n < n_packed && n < EP_GROUP_MAX_EVENTS)
		all[n] = (uint8_t)n, n++;
	if (n)
		CHECK_INT(ep_plan_add_group(wanted->plan, all, n), 0);
}

/* In place of perf_overflow.c. */
enum ep_overflow ep_perf_overflow_try(const struct ep_event *event)
{
	if (!silent)
		return overflow;
	return event->config == silent ? EP_OVERFLOW_SILENT : EP_OVERFLOW_INTERRUPTS;
}

enum ep_overflow ep_perf_overflow_try_name(const char *name)
{
	CHECK_STR(name, "instructions");
	return overflow;
}

static int prepare(const char *events, struct ep_error *err)
{
	struct ep_settings settings = { .events = events, .ticks = ticks };

	memset(&plan, 0, sizeof(plan));
	memset(&ep_perf_cores, 0, sizeof(ep_perf_cores));
	n_packed = 0;
	CHECK_INT(pmu.n_open, 0);
	return ep_perf_prepare(&plan, &settings, err);
}

static void start(void)
{
	memset(&pmu, 0, sizeof(pmu));
	pmu.n_counters = 4;
	level = "2";
	overflow = EP_OVERFLOW_INTERRUPTS;
	silent = 0;
	ticks = EP_TICKS_AUTO;
}

TEST(raw_codes_by_group)
{
	struct ep_error err;

	start();
	CHECK_INT(prepare("r10,r11;r11,r12", &err), 0);
	CHECK_INT(n_packed, 3);
	CHECK_STR(plan.events[0].name, "r10");
	CHECK(plan.events[2].config == 0x12);
	CHECK(masks[0] == 1 && masks[1] == 3 && masks[2] == 2);
	CHECK_STR(plan.notes, "");
	CHECK_INT(pmu.n_open, 0);
	CHECK_INT(prepare("r10,r11", &err), 0);
	CHECK(!masks[0] && !masks[1]);
}

/* One event, whatever groups name it, and never by another's code. */
TEST(codes_under_names_by_group)
{
	struct ep_error err;

	start();
	CHECK_INT(prepare("INST_RETIRED:ANY_P=r11,A=r10;INST_RETIRED:ANY_P=r11,A:B=r12", &err), 0);
	CHECK_INT(n_packed, 3);
	CHECK_STR(plan.events[0].name, "INST_RETIRED:ANY_P");
	CHECK_STR(plan.events[1].name, "A");
	CHECK_STR(plan.events[2].name, "A:B");
	CHECK(plan.events[0].config == 0x11 && plan.events[2].config == 0x12);
	CHECK(plan.events[0].flags & EP_EVENT_ALWAYS);
	CHECK(masks[0] == 3 && masks[1] == 1 && masks[2] == 2);
	pmu.refused = 0x10;
	pmu.error = -EINVAL;
	CHECK_INT(prepare("A=r10,B=r11", &err), 0);
	CHECK_STR(plan.notes, "event 'A' is not counted: the kernel does not take its code here");
}

TEST(why_an_event_is_not_counted)
{
	static const struct {
		int error;
		const char *level, *note;
	} rows[] = {
		{ -ENOENT, "2", "event 'r10' is not counted: this machine has no such counter" },
		{ -EOPNOTSUPP, "2",
			"event 'r10' is not counted: this machine has no such counter" },
		{ -EINVAL, "2",
			"event 'r10' is not counted: the kernel does not take its code here" },
		{ -ENXIO, "2",
			"event 'r10' is not counted: this virtual machine lacks a register that "
			"it needs" },
		{ -EBUSY, "2",
			"event 'r10' is not counted: something outside of Linux's perf events "
			"holds the PMU" },
		{ -EMFILE, "2", "event 'r10' is not counted: Too many open files" },
		{ -EPERM, "2", "event 'r10' is not counted: not permitted; see evprof doctor" },
		{ -EACCES, "4",
			"event 'r10' is not counted: not permitted "
			"(kernel.perf_event_paranoid is 4); see evprof doctor" },
		{ -EACCES, NULL, "event 'r10' is not counted: not permitted; see evprof doctor" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_error err;

		start();
		pmu.refused = 0x10;
		pmu.error = rows[i].error;
		level = rows[i].level;
		CHECK_INT(prepare("r10,r11", &err), 0);
		CHECK_STR(plan.notes, rows[i].note);
		CHECK_INT(n_packed, 1);
		CHECK_INT(prepare("r10", &err), -ENOENT);
		CHECK(strstr(err.message, rows[i].note) != NULL);
	}
}

/* -EINVAL of uncore_pmu_event_init(), -EACCES where the kernel's side is not permitted either. */
TEST(what_no_thread_has)
{
	static const int errors[] = { -EINVAL, -EOPNOTSUPP, -EACCES };

	level = "2";
	for (size_t i = 0; i < EP_ARRAY_SIZE(errors); i++) {
		CHECK_STR(explain_open("uncore_imc_0/cas_count_read/", errors[i]),
			"it counts for the whole machine, not for a thread");
		CHECK(strstr(explain_open("cpu/event=0x3c/", errors[i]), "machine,") == NULL);
	}
}

TEST(user_mode_where_the_kernel_is_not_permitted)
{
	struct ep_error err;

	start();
	pmu.user_only = true;
	CHECK_INT(prepare("r10,r11:u", &err), 0);
	CHECK(plan.events[0].exclude_kernel && plan.events[0].exclude_hv);
	CHECK(strstr(plan.notes, "events count user mode only") != NULL);
	/* who asked for no more is not told */
	CHECK_INT(prepare("r11:u", &err), 0);
	CHECK_STR(plan.notes, "");
}

/* Instructions of a guest are left out where the PMU can tell them, which Apple's PMU insists on. */
TEST(guests_are_left_out)
{
	struct ep_error err;

	start();
	pmu.wants_no_guest = true;
	CHECK_INT(prepare("r10", &err), 0);
	CHECK(plan.events[0].exclude_guest);
	start();
	pmu.counts_all = true;
	CHECK_INT(prepare("r10", &err), 0);
	CHECK(!plan.events[0].exclude_guest);
	CHECK_STR(plan.notes, "");
	CHECK_INT(pmu.n_open, 0);
}

/* A start on a core of the other kind: nothing of the first one's runs there, so it is tried where it
 * does, and the thread is where it was before. */
TEST(cores_of_two_kinds)
{
	struct ep_error err;

	start();
	pmu.n_kinds = 2;
	pmu.n_counters_of_second = 2;
	pmu.kind_here = 1;
	CHECK_INT(prepare("r10,r11", &err), 0);
	CHECK_INT(pmu.kind_here, 1);
	CHECK_STR(plan.notes, "");
	CHECK_INT(prepare("r9,r11", &err), 0);
	CHECK_STR(plan.notes,
		"this machine has cores of several kinds (cpu_core, cpu_atom): 'r9' and what "
		"shares its groups is counted on one of them");
	CHECK_INT(pmu.n_open, 0);
}

/* The msr PMU's answer to an ordinary user: the kernel's side is not permitted, and user mode alone
 * is nothing that it can count. It is the permission that is missing. */
TEST(a_pmu_that_counts_all_modes_or_none)
{
	struct ep_error err;

	start();
	pmu.counts_all = pmu.user_only = true;
	CHECK_INT(prepare("r10", &err), -ENOENT);
	CHECK(strstr(err.message, "not permitted (kernel.perf_event_paranoid is 2)") != NULL);
}

TEST(always_on_by_name)
{
	static const struct {
		const char *name;
		bool is_fixed;
	} rows[] = {
		{ "cycles", true },
		{ "cpu-cycles", true },
		{ "instructions:u", true },
		{ "INSTRUCTIONS:uk", true },
		{ "skx::INST_RETIRED:ANY_P", true },
		{ "arm_n1::CPU_CYCLES", true },
		{ "arm_n1::CPU_CYCLES:u", true },
		{ "branches", false },
		{ "skx::INST_RETIRED:PREC_DIST", false },
		{ "INST_RETIRED:uk", true },
		{ "uk", false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_event event;

		snprintf(event.name, sizeof(event.name), "%s", rows[i].name);
		CHECK_MSG(is_fixed_name(&event) == rows[i].is_fixed, "%s", rows[i].name);
	}
}

/* AMD's tables and Skylake's have names of their own, and CPUs that libpfm4 does not know have codes:
 * where the kernel's or a watchdog's needs split a group, each part must have its cycles. */
TEST(always_on_by_code)
{
#if defined(__x86_64__)
	static const char cycles[] = "rc0,r3c,r76;rc0,r3c,r76", other[] = "r1c0,rc1;r1c0,rc1",
			  of_one_group[] = "rc0,r10;r11", list[] = "rc0,r3c";
#elif defined(__aarch64__)
	static const char cycles[] = "r8,r11;r8,r11", other[] = "r10,r12;r10,r12",
			  of_one_group[] = "r8,r10;r21", list[] = "r8,r11";
#else
	static const char cycles[] = "r600f4,r500fa;r600f4,r500fa", other[] = "r100f4;r100f4",
			  of_one_group[] = "r600f4,r10;r11", list[] = "r600f4,r500fa";
#endif
	const char *const not_always[] = { other, of_one_group, list };
	struct ep_error err;

	start();
	CHECK_INT(prepare(cycles, &err), 0);
	for (uint32_t i = 0; i < plan.n_events; i++)
		CHECK_MSG(plan.events[i].flags & EP_EVENT_ALWAYS, "%s", plan.events[i].name);
	for (size_t k = 0; k < EP_ARRAY_SIZE(not_always); k++) {
		CHECK_INT(prepare(not_always[k], &err), 0);
		for (uint32_t i = 0; i < plan.n_events; i++)
			CHECK_MSG(!(plan.events[i].flags & EP_EVENT_ALWAYS), "%s in %s",
				plan.events[i].name, not_always[k]);
	}
}

TEST(unknown_names_do_not_stop_the_others)
{
	struct ep_error err;

	start();
	CHECK_INT(prepare("r10,no-such-event-at-all", &err), 0);
	CHECK_INT(n_packed, 1);
	CHECK(strstr(plan.notes, "'no-such-event-at-all' is not counted") != NULL);
}

TEST(more_than_a_plan_holds)
{
	char events[EP_SETTING_MAX_BYTES] = "";
	struct ep_error err;
	size_t size = 0;

	start();
	for (int i = 0; i < EP_PLAN_MAX_EVENTS + 3; i++)
		size += (size_t)snprintf(events + size, sizeof(events) - size, "r%x,", 0x100 + i);
	CHECK_INT(prepare(events, &err), 0);
	CHECK_INT(plan.n_events, EP_PLAN_MAX_EVENTS);
	CHECK_STR(plan.notes, "event 'r180' is not counted: at most 128 events");
	size = 0;
	for (int i = 0; i < 33; i++)
		size += (size_t)snprintf(
			events + size, sizeof(events) - size, "r10,r%x;", 0x20 + i);
	CHECK_INT(prepare(events, &err), 0);
	CHECK_STR(plan.notes,
		"event 'r40' is not counted: one run takes 32 groups, and its group is a later one");
}

/* The counters of QEMU's POWER9 do not. The default events are told of as well. */
TEST(counters_that_do_not_interrupt)
{
	static const char *const notes[] = {
		"no ticks by hardware events: the counters did not count when it was tried whether they interrupt. Slices end by CPU time alone, and counts of procedures that take turns within slices are mixed",
		"no ticks by hardware events: these counters do not interrupt the program when they overflow. Slices end by CPU time alone, and counts of procedures that take turns within slices are mixed",
		"",
	};
	static const char *const events[] = { "r10", "" };
	struct ep_error err;

	start();
	for (overflow = EP_OVERFLOW_UNKNOWN; overflow <= EP_OVERFLOW_INTERRUPTS; overflow++) {
		for (size_t i = 0; i < EP_ARRAY_SIZE(events); i++) {
			CHECK_INT(prepare(events[i], &err), 0);
			CHECK_STR(plan.notes, notes[overflow]);
			CHECK_INT(ep_plan_has_triggers(&plan), overflow == EP_OVERFLOW_INTERRUPTS);
		}
	}
	overflow = EP_OVERFLOW_SILENT;
	ticks = EP_TICKS_TIME;
	CHECK_INT(prepare("r10", &err), 0);
	CHECK_STR(plan.notes, "");
	CHECK_INT(pmu.n_open, 0);
}

/* QEMU's Arm CPUs: cycles interrupt, other events do not. */
TEST(counters_of_which_some_interrupt)
{
	struct ep_error err;

	start();
	overflow = EP_OVERFLOW_SILENT;
	silent = 0x10;
	CHECK_INT(prepare("r10,r11", &err), 0);
	CHECK(!(plan.events[0].flags & EP_EVENT_TICKS) && plan.events[1].flags & EP_EVENT_TICKS);
	CHECK_STR(plan.notes,
		"ticks by 'r11' alone: the other counters do not interrupt the program when they overflow, and their counts of procedures that take turns within slices are mixed");
	CHECK_INT(prepare("r10,r11,r12", &err), 0);
	CHECK(strstr(plan.notes, "ticks by 'r11' and its like alone:") != NULL);
	CHECK_INT(prepare("r11,r12", &err), 0);
	CHECK_STR(plan.notes, "");
	CHECK_INT(pmu.n_open, 0);
}
