// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "launcher/machine.h"

/* A row overrides what it is about. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define BARE .syscall_errno = EINVAL, .seccomp_mode = 0, .has_sysfs = true, .nmi_watchdog = 0

static const struct {
	const char *what;
	struct ep_machine machine;
	enum ep_verdict verdict;
	const char *in_reason;
	const char *not_in_reason;
	const char *in_remedy; /* NULL: the remedy is empty */
} rows[] = {
	{ "a server where all is allowed",
		{ BARE, .paranoid = 1, .core_pmus = "cpu", .cycles = { 0, 0 } }, EP_VERDICT_COUNTS,
		"hardware events count", "user mode", NULL },
	{ "its NMI watchdog",
		{ BARE, .paranoid = 1, .core_pmus = "cpu", .cycles = { 0, 0 }, .nmi_watchdog = 1 },
		EP_VERDICT_COUNTS, "hardware events count", "watchdog",
		"sudo sysctl kernel.nmi_watchdog=0" },
	{ "an ordinary user at level 2",
		{ BARE, .paranoid = 2, .core_pmus = "cpu", .cycles = { EACCES, 0 } },
		EP_VERDICT_COUNTS, "in user mode only", "not permitted",
		"sudo sysctl kernel.perf_event_paranoid=1" },
	{ "Debian's level 3",
		{ BARE, .paranoid = 3, .core_pmus = "cpu", .cycles = { EACCES, EACCES } },
		EP_VERDICT_NOT_PERMITTED, "perf_event_paranoid is 3", "no hardware PMU",
		"sudo sysctl kernel.perf_event_paranoid=1" },
	{ "level 3 where no PMU exists: the level is not what is wrong",
		{ BARE, .paranoid = 3, .core_pmus = "", .cycles = { EACCES, EACCES } },
		EP_VERDICT_NO_PMU, "none in /sys/bus/event_source/devices", "paranoid",
		"--source valgrind" },
	{ "level 3 without sysfs: nobody knows",
		{ BARE, .has_sysfs = false, .paranoid = 3, .cycles = { EACCES, EACCES } },
		EP_VERDICT_NOT_PERMITTED, "whether there is a PMU is not known", "no hardware PMU",
		"sudo sysctl kernel.perf_event_paranoid=1" },
	{ "a virtual machine without one",
		{ BARE, .paranoid = 2, .hypervisor = "the CPU's hypervisor flag is set",
			.cycles = { ENOENT, ENOENT } },
		EP_VERDICT_NO_PMU, "virtual machine (the CPU's hypervisor flag is set)",
		"permitted", "pmu=on" },
	{ "a real machine without one is not called virtual",
		{ BARE, .paranoid = 2, .cycles = { ENOENT, ENOENT } }, EP_VERDICT_NO_PMU,
		"no hardware PMU", "virtual", "--source valgrind" },
	{ "docker's seccomp profile",
		{ BARE, .syscall_errno = EPERM, .seccomp_mode = 2,
			.container = "/.dockerenv exists", .paranoid = 2,
			.cycles = { EPERM, EPERM } },
		EP_VERDICT_NO_PERF, "a seccomp filter refuses", "paranoid", "--cap-add PERFMON" },
	{ "a sandbox that is no container gets no docker command",
		{ BARE, .syscall_errno = EPERM, .seccomp_mode = 2, .paranoid = 2,
			.cycles = { EPERM, EPERM } },
		EP_VERDICT_NO_PERF, "a seccomp filter refuses", "container", "--source valgrind" },
	{ "a refusal without a filter",
		{ BARE, .syscall_errno = EPERM, .paranoid = 2, .cycles = { EPERM, EPERM } },
		EP_VERDICT_NO_PERF, "what refuses it is not known", "seccomp",
		"--source valgrind" },
	{ "a kernel without perf events",
		{ BARE, .syscall_errno = ENOSYS, .paranoid = EP_PARANOID_UNKNOWN,
			.cycles = { ENOSYS, ENOSYS } },
		EP_VERDICT_NO_PERF, "CONFIG_PERF_EVENTS", "seccomp", "--source valgrind" },
	{ "a PMU, and 64 open files",
		{ BARE, .paranoid = 1, .core_pmus = "cpu", .is_short_of_fds = true },
		EP_VERDICT_COUNTS, "but not where so few files may be open", "user mode",
		"LimitNOFILE=" },
	{ "root of a container with users of its own, at level 3",
		{ BARE, .paranoid = 3, .core_pmus = "cpu", .is_root_of_namespace = true,
			.cycles = { EACCES, EACCES } },
		EP_VERDICT_NOT_PERMITTED, "CAP_SYS_ADMIN outside of its namespace",
		"no hardware PMU", "sudo sysctl kernel.perf_event_paranoid=1" },
	{ "a service of systemd with SystemCallFilter=",
		{ BARE, .syscall_errno = ENOSYS, .is_deadly = true, .seccomp_mode = 2,
			.paranoid = 2, .cycles = { ENOSYS, ENOSYS } },
		EP_VERDICT_NO_PERF, "filter kills a process that calls", "CONFIG_PERF_EVENTS",
		"SystemCallFilter=perf_event_open" },
	{ "ENOSYS under a filter may be either",
		{ BARE, .syscall_errno = ENOSYS, .seccomp_mode = 2, .paranoid = 2,
			.cycles = { ENOSYS, ENOSYS } },
		EP_VERDICT_NO_PERF, "the kernel lacks it or", "CONFIG", "--source valgrind" },
	{ "a refusal that the level does not explain",
		{ BARE, .paranoid = 1, .core_pmus = "cpu", .cycles = { EACCES, EACCES } },
		EP_VERDICT_NOT_PERMITTED, "what refuses it is not known", "neither",
		"--source valgrind" },
	{ "privileged at level 3, refused all the same",
		{ BARE, .paranoid = 3, .is_privileged = true, .core_pmus = "cpu",
			.cycles = { EACCES, EACCES } },
		EP_VERDICT_NOT_PERMITTED, "what refuses it is not known", "neither",
		"--source valgrind" },
	{ "CAP_PERFMON alone at Debian's level 3",
		{ BARE, .paranoid = 3, .is_privileged = true, .has_only_perfmon = true,
			.core_pmus = "cpu", .container = "/.dockerenv exists",
			.cycles = { EACCES, EACCES } },
		EP_VERDICT_NOT_PERMITTED, "ask for CAP_SYS_ADMIN", "not known",
		"sudo sysctl kernel.perf_event_paranoid=1" },
	{ "counters that someone holds",
		{ BARE, .paranoid = 1, .core_pmus = "cpu",
			.cycles = { EP_TRY_DID_NOT_RUN, EP_TRY_DID_NOT_RUN } },
		EP_VERDICT_DOES_NOT_RUN, "never runs", "watchdog", "--source valgrind" },
	{ "busy", { BARE, .paranoid = 1, .core_pmus = "cpu", .cycles = { EBUSY, EBUSY } },
		EP_VERDICT_DOES_NOT_RUN, "Device or resource busy", "permitted",
		"--source valgrind" },
};

TEST(each_machine_gets_its_verdict_and_no_cause_that_is_not_established)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_diagnosis diagnosis;

		ep_machine_diagnose(&rows[i].machine, &diagnosis);
		CHECK_MSG(diagnosis.verdict == rows[i].verdict, "%s: verdict %d", rows[i].what,
			diagnosis.verdict);
		CHECK_MSG(strstr(diagnosis.reason, rows[i].in_reason), "%s: '%s'", rows[i].what,
			diagnosis.reason);
		CHECK_MSG(!strstr(diagnosis.reason, rows[i].not_in_reason), "%s: '%s'",
			rows[i].what, diagnosis.reason);
		if (rows[i].in_remedy)
			CHECK_MSG(strstr(diagnosis.remedy, rows[i].in_remedy), "%s: '%s'",
				rows[i].what, diagnosis.remedy);
		else
			CHECK_STR(diagnosis.remedy, "");
	}
}
