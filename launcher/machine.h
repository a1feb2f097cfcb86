/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds out by trying what this machine lets a program count. The facts (probe) and what follows from them (diagnose)
 * are separate, so that the second part can be tested for machines that are not at hand.
 */
#ifndef EVPROF_LAUNCHER_MACHINE_H
#define EVPROF_LAUNCHER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/events/event.h"

#define EP_PARANOID_UNKNOWN (-100)
#define EP_TRY_DID_NOT_RUN (-1)

/* The result for one event that was opened and run for a moment. 0: it counted. EP_TRY_DID_NOT_RUN: it opened, but its
 * running time stayed 0. Other values: the errno of opening it. */
struct ep_try {
	int both; /* counting user and kernel mode */
	int user; /* counting user mode only */
};

struct ep_machine {
	/* The errno of a call of perf_event_open with wrong flags, which the kernel itself answers with EINVAL. If the
	 * answer is another one, it comes from a filter in front of the kernel (or is ENOSYS from a kernel without
	 * perf events). */
	int syscall_errno;
	/* a filter kills a process that calls perf_event_open: it is never called, syscall_errno is ENOSYS */
	bool is_deadly;
	int seccomp_mode;   /* from /proc/self/status; 2: a filter; -1: unknown */
	int paranoid;       /* perf_event_paranoid, or EP_PARANOID_UNKNOWN */
	bool is_privileged; /* CAP_PERFMON or CAP_SYS_ADMIN is effective, for the whole machine */
	/* CAP_PERFMON without CAP_SYS_ADMIN: not enough if Debian's and Ubuntu's kernels have paranoid above 2 */
	bool has_only_perfmon;
	/* has these rights in a user namespace only, where they do not help */
	bool is_root_of_namespace;
	/* so few files may be open that evprof leaves them to the program and opens no perf event */
	bool is_short_of_fds;
	char container[64];  /* the sign that this is a container; empty: none */
	char hypervisor[64]; /* the sign that this is a virtual machine; empty: none */
	/* the part of the CPUs' busy time that the host took; 0: none is reported */
	double stolen_share;
	bool has_sysfs;      /* the kernel's list of PMUs can be read */
	char core_pmus[160]; /* names of the PMUs of CPU cores in that list */
	struct ep_try cycles, task_clock;

	unsigned n_counters; /* the size of the largest group that was found to run */
	/* the events of that group: "4 branch-instructions, 1 cpu-cycles" */
	char counter_events[256];
	/* 1: the watchdog may hold a counter; 0: it is off; -1: not known, or it does not use the PMU */
	int nmi_watchdog;
	bool has_rdpmc; /* user space may read counters without a system call */
	/* signals that task-clock sent while it was tried, and that it should have sent */
	unsigned n_clock_signals, n_clock_expected;
	bool clock_is_user_only;
	bool counters_interrupt; /* counters signal when they overflow, so they can end slices */
	bool cycles_interrupt;   /* the counter of cycles signals when it overflows */
};

/* Keeps this process on cores whose PMU counts generic events, if the machine has several kinds of cores. Commands that
 * start no program call it. */
void ep_machine_settle(void);

/* Fills every field; takes some 100 ms. Single-threaded. */
void ep_machine_probe(struct ep_machine *out_machine);

/* Opens and runs an event by its encoding, twice: in the modes that the event names (both if it names none), and in
 * user mode only. */
struct ep_try ep_machine_try(const struct ep_event *event);
/* Tells whether an event counts here, by its name. Returns false if the name has no encoding here. */
bool ep_machine_counts(const char *name);

enum ep_verdict {
	EP_VERDICT_COUNTS,        /* hardware events count */
	EP_VERDICT_NO_PMU,        /* the kernel has no hardware PMU */
	EP_VERDICT_NOT_PERMITTED, /* hardware events may be there, but are refused */
	EP_VERDICT_NO_PERF,       /* perf_event_open does not exist or is filtered */
	EP_VERDICT_DOES_NOT_RUN,  /* hardware events can be opened, but never count */
};

struct ep_diagnosis {
	enum ep_verdict verdict;
	char reason[512]; /* one sentence; it names no cause that the facts do not prove */
	/* lines, each with an exact command or something to ask for; may be empty */
	char remedy[1024];
};

void ep_machine_diagnose(const struct ep_machine *machine, struct ep_diagnosis *out_diagnosis);

#endif
