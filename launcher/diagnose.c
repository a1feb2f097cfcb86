// SPDX-License-Identifier: BSD-3-Clause
/*
 * Derives a verdict, a reason and a remedy from the facts. No file is read here, so that machines that are not at hand
 * can be tested. A cause is named only when the facts leave no other.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const char *const valgrind_line =
	"evprof run --source valgrind -- PROGRAM    instructions, caches and branches simulated,\n"
	"                                           on any machine, some 40 times slower\n";

static const char *const paranoid_lines =
	"sudo sysctl kernel.perf_event_paranoid=1   until the next start\n"
	"echo 'kernel.perf_event_paranoid = 1' | sudo tee /etc/sysctl.d/90-evprof.conf   for good\n";

static const char *const container_lines =
	"docker run --cap-add PERFMON ...                     where its seccomp profile knows it\n"
	"docker run --security-opt seccomp=unconfined ...     where not\n";

static const char *const service_lines =
	"SystemCallFilter=perf_event_open                     one more line in a unit of systemd\n";

static const char *const descriptor_lines =
	"ulimit -n 4096, as root, or LimitNOFILE=4096 in a unit: each event needs an open file\n";

static void set(struct ep_diagnosis *out, enum ep_verdict verdict, const char *remedy)
{
	out->verdict = verdict;
	snprintf(out->remedy, sizeof(out->remedy), "%s", remedy);
}

static void append(struct ep_diagnosis *out, const char *remedy)
{
	size_t used = strlen(out->remedy);

	snprintf(out->remedy + used, sizeof(out->remedy) - used, "%s", remedy);
}

static void no_perf(const struct ep_machine *machine, struct ep_diagnosis *out)
{
	bool is_filter = machine->seccomp_mode == 2;
	const char *answer = strerror(machine->syscall_errno);

	set(out, EP_VERDICT_NO_PERF, "");
	if (machine->is_deadly)
		snprintf(out->reason, sizeof(out->reason),
			"the active seccomp filter kills a process that calls perf_event_open; evprof does not call it, and samples by a timer instead");
	else if (machine->syscall_errno == ENOSYS && !is_filter)
		snprintf(out->reason, sizeof(out->reason),
			"this kernel has no perf_event_open (built without CONFIG_PERF_EVENTS)");
	else if (machine->syscall_errno == ENOSYS)
		snprintf(out->reason, sizeof(out->reason),
			"perf_event_open answers \"%s\": the kernel lacks it or the active seccomp filter hides it",
			answer);
	else if (is_filter)
		snprintf(out->reason, sizeof(out->reason),
			"a seccomp filter refuses perf_event_open (\"%s\")", answer);
	else
		snprintf(out->reason, sizeof(out->reason),
			"perf_event_open answers \"%s\" before it looks at its arguments; what refuses it is not known",
			answer);
	if (machine->is_deadly)
		append(out, service_lines);
	else if (is_filter && machine->container[0])
		append(out, container_lines);
	append(out, valgrind_line);
}

static void no_pmu(const struct ep_machine *machine, struct ep_diagnosis *out)
{
	set(out, EP_VERDICT_NO_PMU, "");
	snprintf(out->reason, sizeof(out->reason), "the kernel has no hardware PMU here (%s)%s%s%s",
		machine->core_pmus[0] ? "its driver knows no event for cycles"
		: machine->has_sysfs  ? "none in /sys/bus/event_source/devices"
				      : strerror(machine->cycles.user),
		machine->hypervisor[0] ? "; this is a virtual machine (" : "", machine->hypervisor,
		machine->hypervisor[0] ? "), which has a PMU only where its host gives it one"
				       : "");
	if (machine->hypervisor[0])
		append(out,
			"on the host: qemu -cpu host,pmu=on, or libvirt <features><pmu state='on'/></features>; in a cloud: a type with a PMU, mostly the bare-metal ones\n");
	/* Context switches and migrations happen in the kernel, where users may count only at a level of 1 or less. */
	if (machine->paranoid > 1 && !machine->is_privileged)
		append(out, paranoid_lines);
	append(out, valgrind_line);
}

static bool is_refusal(int error)
{
	return error == EACCES || error == EPERM;
}

static void not_permitted(const struct ep_machine *machine, struct ep_diagnosis *out)
{
	bool is_short = machine->has_only_perfmon && machine->paranoid > 2;
	bool by_level = is_short || (machine->paranoid > 2 && !machine->is_privileged);

	set(out, EP_VERDICT_NOT_PERMITTED, by_level ? paranoid_lines : "");
	if (is_short)
		snprintf(out->reason, sizeof(out->reason),
			"not permitted: kernel.perf_event_paranoid is %d, at which Debian's and Ubuntu's kernels ask for CAP_SYS_ADMIN; CAP_PERFMON, which this process has, is not sufficient",
			machine->paranoid);
	else if (by_level)
		snprintf(out->reason, sizeof(out->reason),
			"not permitted: kernel.perf_event_paranoid is %d, and this user has neither CAP_PERFMON nor CAP_SYS_ADMIN%s%s",
			machine->paranoid,
			machine->is_root_of_namespace ? " outside of its namespace" : "",
			machine->core_pmus[0] ? "" : "; whether there is a PMU is not known");
	else
		snprintf(out->reason, sizeof(out->reason),
			"not permitted (\"%s\"), though kernel.perf_event_paranoid (%d) would allow it; what refuses it is not known%s%s",
			strerror(machine->cycles.user), machine->paranoid,
			machine->container[0] ? "; this is a container: " : "", machine->container);
	if (machine->container[0] && !is_short)
		append(out, container_lines);
	append(out, valgrind_line);
}

static void counts(const struct ep_machine *machine, struct ep_diagnosis *out)
{
	set(out, EP_VERDICT_COUNTS, "");
	snprintf(out->reason, sizeof(out->reason), "hardware events count%s%s",
		machine->cycles.both ? ", in user mode only" : "",
		machine->is_short_of_fds ? ", but not where so few files may be open" : "");
	if (machine->cycles.both && machine->paranoid > 1 && !machine->is_privileged)
		append(out, paranoid_lines);
	if (machine->nmi_watchdog == 1)
		append(out, "sudo sysctl kernel.nmi_watchdog=0          may free a counter\n");
}

static void does_not_run(const struct ep_machine *machine, struct ep_diagnosis *out)
{
	set(out, EP_VERDICT_DOES_NOT_RUN, "");
	if (machine->cycles.user == EP_TRY_DID_NOT_RUN)
		snprintf(out->reason, sizeof(out->reason),
			"cycles can be opened, but never runs; what holds the counters is not known");
	else
		snprintf(out->reason, sizeof(out->reason), "cycles cannot be counted: %s",
			strerror(machine->cycles.user));
	append(out, valgrind_line);
}

void ep_machine_diagnose(const struct ep_machine *machine, struct ep_diagnosis *out_diagnosis)
{
	const struct ep_try *cycles = &machine->cycles;
	bool has_no_event = cycles->user == ENOENT || cycles->user == EOPNOTSUPP ||
			    cycles->user == ENODEV || cycles->user == ENXIO;

	*out_diagnosis = (struct ep_diagnosis){ .reason = "" };
	if (machine->syscall_errno != EINVAL)
		no_perf(machine, out_diagnosis);
	else if (!cycles->both || !cycles->user)
		counts(machine, out_diagnosis);
	else if (has_no_event || (machine->has_sysfs && !machine->core_pmus[0]))
		no_pmu(machine, out_diagnosis);
	else if (is_refusal(cycles->user))
		not_permitted(machine, out_diagnosis);
	else
		does_not_run(machine, out_diagnosis);
	if (machine->is_short_of_fds)
		append(out_diagnosis, descriptor_lines);
}
