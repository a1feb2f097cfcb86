// SPDX-License-Identifier: BSD-3-Clause
/* A signal's handler walks one context twice: by evprof's walker and by libunwind. The code is single-threaded. */
#include "second_opinion.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/unwind/modules.h"
#include "preload/unwind/unwinder.h"

static struct ep_unwind_memory memory;
static struct ep_stack own, theirs;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	/* the environment lies above the main thread's stack */
	const struct ep_stack_bounds bounds = { (uint64_t)__builtin_frame_address(0),
		(uint64_t)environ };

	(void)signal, (void)info;
	ep_unwinder_own.walk(context, bounds, &memory, &own);
	ep_unwinder_libunwind.walk(context, bounds, &memory, &theirs);
}

static int compare_and_raise(const void *a, const void *b)
{
	raise(SIGUSR1);
	return memcmp(a, b, sizeof(int));
}

static void walk_twice(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, before;
	int numbers[] = { 2, 1 };

	ep_modules_refresh();
	sigaction(SIGUSR1, &action, &before);
	qsort(numbers, 2, sizeof(numbers[0]), compare_and_raise);
	sigaction(SIGUSR1, &before, NULL);
}

static unsigned count_alike(void)
{
	unsigned n = 0;

	while (n < own.n_frames && n < theirs.n_frames && own.addresses[n] == theirs.addresses[n])
		n++;
	return n;
}

void ep_second_opinion(char *out_text, size_t size)
{
	struct ep_error err = { .message = "" };
	unsigned n;

	if (ep_unwinder_libunwind.open(&err)) {
		snprintf(out_text, size,
			"by evprof's own walker, which could not be compared with libunwind: %s",
			err.message);
		return;
	}
	walk_twice();
	n = count_alike();
	if (own.n_frames && n == own.n_frames && n == theirs.n_frames)
		snprintf(out_text, size,
			"by evprof's own walker; libunwind finds the same %u frames", n);
	else
		snprintf(out_text, size,
			"by evprof's own walker, which finds %u frames of this process where libunwind finds %u: the first %u are alike; evprof run --unwind libunwind uses libunwind",
			own.n_frames, theirs.n_frames, n);
}
