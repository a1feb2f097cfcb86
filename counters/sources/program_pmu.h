/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PMU that the profiled program simulates: the program adds to counters as it works, so that a test knows what each
 * of its procedures caused. A program that exports ep_program_counters (-rdynamic) has such a PMU.
 */
#ifndef EVPROF_COUNTERS_SOURCES_PROGRAM_PMU_H
#define EVPROF_COUNTERS_SOURCES_PROGRAM_PMU_H

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EP_PROGRAM_EVENTS 8
/* si_fd for the overflow of event 0; no descriptor has this number */
#define EP_PROGRAM_FIRST_FD (-1000)

struct ep_program_counters {
	uint64_t counts[EP_PROGRAM_EVENTS];
	uint64_t limits[EP_PROGRAM_EVENTS]; /* a count that reaches its limit overflows */
	/* the signal for an overflow; 0: the thread is not profiled */
	int signal;
	int pid, tid;
};

/* Returns the counters of the calling thread. */
struct ep_program_counters *ep_program_counters(void);

/* The following are macros, so that the signal interrupts the procedure that counts, as a counter's overflow would. An
 * inlined function would have a row of its own in tables by debug information. */
#if defined(__x86_64__)
#define EP_PROGRAM_SEND(counters, info)                                                            \
	do {                                                                                       \
		long rc_ = SYS_rt_tgsigqueueinfo;                                                  \
		register long r10_ __asm__("r10") = (long)(info);                                  \
                                                                                                   \
		__asm__ volatile("syscall"                                                         \
				 : "+a"(rc_)                                                       \
				 : "D"((long)(counters)->pid), "S"((long)(counters)->tid),         \
				 "d"((long)(counters)->signal), "r"(r10_)                          \
				 : "rcx", "r11", "memory");                                        \
	} while (0)
#else
#define EP_PROGRAM_SEND(counters, info)                                                            \
	syscall(SYS_rt_tgsigqueueinfo, (counters)->pid, (counters)->tid, (counters)->signal, info)
#endif

/* Sends a siginfo_t like the kernel's for an overflow. Its integers are the signal, errno, the code POLL_IN, padding,
 * the band (2 integers) and the descriptor. */
#define EP_PROGRAM_OVERFLOW(counters, event)                                                       \
	do {                                                                                       \
		int info_[32] = { (counters)->signal, 0, 1, 0, 0, 0,                               \
			EP_PROGRAM_FIRST_FD - (event) };                                           \
                                                                                                   \
		(counters)->limits[event] = UINT64_MAX;                                            \
		EP_PROGRAM_SEND(counters, info_);                                                  \
	} while (0)

/* Counts n occurrences of an event. The program calls this. */
#define EP_PROGRAM_ADD(counters, event, n)                                                         \
	do {                                                                                       \
		(counters)->counts[event] += (n);                                                  \
		if ((counters)->signal && (counters)->counts[event] >= (counters)->limits[event])  \
			EP_PROGRAM_OVERFLOW(counters, event);                                      \
	} while (0)

#endif
