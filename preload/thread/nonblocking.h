/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that never make a thread wait: sockets, pipes and the kernel's own kinds (eventfd) that are
 * O_NONBLOCK, as servers with an event loop have them. Their calls pay for a look at a bit.
 *
 * A bit is learned by asking the kernel, and forgotten when the program closes the number or changes its flags
 * by way of a hook. It may do both unseen (inside libc, or by another process that has the same pipe): so all are
 * forgotten with each block that is written, a second or less of a thread that runs. A wrong bit hides waits until
 * then; nothing else depends on it. Any thread, signal handlers.
 */
#ifndef EVPROF_PRELOAD_THREAD_NONBLOCKING_H
#define EVPROF_PRELOAD_THREAD_NONBLOCKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/recording/hot.h"

#define EP_NONBLOCKING_CALLS 16

/* Decides when a thread asks the kernel: with each 16th call that came back soon, and more seldom each time that
 * it learned nothing. A connection that serves one request is not worth a question of its own. */
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

/* Tells whether it is time to ask, after a call on a descriptor without a bit came back soon. */
static inline bool ep_nonblocking_is_due(struct ep_nonblocking_turn *turn)
{
	return ++turn->n_calls >> turn->n_failed >= EP_NONBLOCKING_CALLS;
}

/* Asks the kernel about a descriptor. Keeps errno. */
void ep_nonblocking_learn(struct ep_nonblocking_turn *turn, int fd);

#endif
