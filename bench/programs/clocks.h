/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf events and timers of whoever is preloaded, to be switched off and on in turns. */
#ifndef EVPROF_BENCH_PROGRAMS_CLOCKS_H
#define EVPROF_BENCH_PROGRAMS_CLOCKS_H

#include <stdbool.h>
#include <time.h>

#define CLOCKS_MAX 16
#define EMPTY_SIGNAL 5 /* above SIGRTMIN: the empty handler's */

struct clocks {
	int fds[CLOCKS_MAX];
	unsigned n_fds;
	struct {
		int id;
		struct itimerspec time; /* when it was switched off */
	} timers[CLOCKS_MAX];
	unsigned n_timers;
};

/* This process's that send the signal, or (is_other) any other. They are taken to be on. */
void clocks_find(struct clocks *out, int signal, bool is_other);

/* A clock that its owner has stopped meanwhile stays stopped. */
void clocks_switch(struct clocks *clocks, bool on);

#endif
