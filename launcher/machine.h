/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this machine lets a program count, found by trying: facts (probe) and what follows from
 * them (diagnose), apart so that the second can be tested on machines that are not at hand.
 */
#ifndef EVPROF_LAUNCHER_MACHINE_H
#define EVPROF_LAUNCHER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/events/event.h"

#define EP_PARANOID_UNKNOWN (-100)
#define EP_TRY_DID_NOT_RUN (-1)

/* One event, opened and run for a moment: 0 it counted; EP_TRY_DID_NOT_RUN it opened, but its
 * running time stayed 0; else the errno of opening it. */
struct ep_try {
	int both; /* user and kernel mode */
	int user; /* user mode only */
};

struct ep_machine {
	/* errno of a call that the kernel itself answers with EINVAL: another answer comes from
	 * a filter in front of it (or ENOSYS from a kernel without perf events). */
	int syscall_errno;
	bool is_deadly;     /* a filter kills who calls it: never called, syscall_errno is ENOSYS */
	int seccomp_mode;   /* of /proc/self/status; 2: a filter; -1 unknown */
	int paranoid;       /* perf_event_paranoid, or EP_PARANOID_UNKNOWN */
	bool is_privileged; /* CAP_PERFMON or CAP_SYS_ADMIN is effective, for the machine */
	bool has_only_perfmon; /* of the two: not enough above level 2 of Debian's and Ubuntu's kernels */
	bool is_root_of_namespace; /* in a user namespace only, which counts for nothing here */
	bool is_short_of_fds; /* so few files may be open that evprof keeps none: no perf event */
	char container[64];   /* the evidence of a container, or empty */
	char hypervisor[64];  /* the evidence of a virtual machine, or empty */
	double stolen_share; /* of what its CPUs worked so far, by its host; 0: none that it tells of */
	bool has_sysfs;      /* the kernel's list of PMUs can be read */
	char core_pmus[160]; /* those of CPU cores in it */
	struct ep_try cycles, task_clock;

	unsigned n_counters;      /* in the largest group that was found to run */
	char counter_events[256]; /* that group: "4 branch-instructions, 1 cpu-cycles" */
	int nmi_watchdog;         /* 1: it may hold a counter; -1 it does not use the PMU */
	bool has_rdpmc;           /* user space may read counters without a system call */
	unsigned n_clock_signals, n_clock_expected; /* task-clock overflow as a signal */
	bool clock_is_user_only;
	bool counters_interrupt; /* at their overflow: they can end slices */
	bool cycles_interrupt;   /* the same of the counter of cycles */
};

/* For commands that start no program: stays on cores whose PMU counts generic events, where a machine
 * has several kinds. */
void ep_machine_settle(void);

/* Fills every field; takes some 100 ms. Single-threaded. */
void ep_machine_probe(struct ep_machine *out_machine);

/* Opens and runs an event by its encoding, in both modes or in the modes it names. */
struct ep_try ep_machine_try(const struct ep_event *event);
/* The same for a name; false when it has no encoding here. */
bool ep_machine_counts(const char *name);

enum ep_verdict {
	EP_VERDICT_COUNTS,        /* hardware events count */
	EP_VERDICT_NO_PMU,        /* the kernel has no hardware PMU */
	EP_VERDICT_NOT_PERMITTED, /* hardware events may be there, but are refused */
	EP_VERDICT_NO_PERF,       /* perf_event_open does not exist or is filtered */
	EP_VERDICT_DOES_NOT_RUN,  /* hardware events open and never count */
};

struct ep_diagnosis {
	enum ep_verdict verdict;
	char reason[512];  /* one sentence; names no cause that the facts do not establish */
	char remedy[1024]; /* lines, each an exact command or a thing to ask for; may be empty */
};

void ep_machine_diagnose(const struct ep_machine *machine, struct ep_diagnosis *out_diagnosis);

#endif
