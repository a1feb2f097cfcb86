/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that never make a thread wait: sockets, pipes and the kernel's own kinds (eventfd) with O_NONBLOCK, as
 * servers with an event loop have them. Each of these descriptors has a bit. A call on it is not looked at, so that it
 * costs only the reading of the bit.
 *
 * The bit is set after the kernel was asked, and cleared when the program closes the number or changes its flags
 * through a hook. The number may also be closed, or the flags changed, without a hook (inside libc, or by another
 * process that shares the pipe). So all bits are cleared with each block that is written, at least once a second in a
 * thread that runs. A wrong bit hides waits until then; nothing else depends on it. Any thread and signal handlers may
 * call these functions.
 */
#ifndef EVPROF_PRELOAD_THREAD_NONBLOCKING_H
#define EVPROF_PRELOAD_THREAD_NONBLOCKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/recording/hot.h"

#define EP_NONBLOCKING_CALLS 16

/* Decides when a thread asks the kernel whether a descriptor never blocks: after 16 calls that returned soon (n_calls).
 * Each answer "no" in a row (n_failed) doubles this number, up to 4096. So a server with one request for each
 * connection does not ask for each connection. */
struct ep_nonblocking_turn {
	uint32_t n_calls, n_failed;
};

static inline bool ep_nonblocking_has(int fd)
{
	uint32_t at = (uint32_t)fd / EP_NONBLOCKING_BITS;

	return (uint32_t)fd < EP_NONBLOCKING_FDS &&
	       atomic_load_explicit(&ep_hot.nonblocking[at], memory_order_relaxed) >>
			       (uint32_t)fd % EP_NONBLOCKING_BITS &
		       1;
}

static inline void ep_nonblocking_forget(int fd)
{
	if (ep_nonblocking_has(fd))
		atomic_fetch_and_explicit(&ep_hot.nonblocking[fd / EP_NONBLOCKING_BITS],
			~(1ull << fd % EP_NONBLOCKING_BITS), memory_order_relaxed);
}

void ep_nonblocking_forget_all(void);

/* Tells whether it is time to ask the kernel. Called when a call on a descriptor whose bit is not set has returned
 * soon. */
static inline bool ep_nonblocking_is_due(struct ep_nonblocking_turn *turn)
{
	return ++turn->n_calls >> turn->n_failed >= EP_NONBLOCKING_CALLS;
}

/* Asks the kernel about a descriptor. Keeps errno. */
void ep_nonblocking_learn(struct ep_nonblocking_turn *turn, int fd);

#endif
