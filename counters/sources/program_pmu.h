/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PMU that the profiled program drives: it adds to counters as it works, so that a test knows what
 * each of its procedures caused. A program that exports ep_program_counters (-rdynamic) has one.
 */
#ifndef EVPROF_COUNTERS_SOURCES_PROGRAM_PMU_H
#define EVPROF_COUNTERS_SOURCES_PROGRAM_PMU_H

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EP_PROGRAM_EVENTS 8
#define EP_PROGRAM_FIRST_FD (-1000) /* si_fd of event 0's overflow: no descriptor has it */

struct ep_program_counters {
	uint64_t counts[EP_PROGRAM_EVENTS];
	uint64_t limits[EP_PROGRAM_EVENTS]; /* a count that reaches its limit overflows */
	int signal;                         /* sent to the thread then; 0: not profiled */
	int pid, tid;
};

/* The calling thread's. */
struct ep_program_counters *ep_program_counters(void);

/* The system call stands in the procedure that counts, as an interrupt's address would. */
static inline __attribute__((always_inline)) void ep_program_overflow(
	struct ep_program_counters *counters, int event)
{
	/* the kernel's siginfo_t: signal, errno, code POLL_IN; band, descriptor */
	int info[32] = { counters->signal, 0, 1, 0, 0, 0, EP_PROGRAM_FIRST_FD - event };

	counters->limits[event] = UINT64_MAX;
#if defined(__x86_64__)
	long rc = SYS_rt_tgsigqueueinfo;
	register long r10 __asm__("r10") = (long)info;

	__asm__ volatile("syscall"
			 : "+a"(rc)
			 : "D"((long)counters->pid), "S"((long)counters->tid),
			 "d"((long)counters->signal), "r"(r10)
			 : "rcx", "r11", "memory");
#else
	syscall(SYS_rt_tgsigqueueinfo, counters->pid, counters->tid, counters->signal, info);
#endif
}

/* For the program: n occurrences of an event. */
static inline __attribute__((always_inline)) void ep_program_add(
	struct ep_program_counters *counters, int event, uint64_t n)
{
	counters->counts[event] += n;
	if (counters->signal && counters->counts[event] >= counters->limits[event])
		ep_program_overflow(counters, event);
}

#endif
