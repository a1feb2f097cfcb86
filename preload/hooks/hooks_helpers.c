// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks of calls for which glibc creates helper threads. When glibc creates the first thread of a process, it installs
 * its own handler for the signal that the ticks use; after these calls evprof's handler is set again. The helper
 * threads belong to libc and are not profiled.
 */
/* This file defines the plain names and those that end in 64; _FILE_OFFSET_BITS would turn the first into the
 * second. */
#undef _FILE_OFFSET_BITS

#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <time.h>

#include "hooks.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"

/* Defines the hook of a function that returns int. */
#define HELPER_HOOK(name, parameters, arguments)                                                   \
	EP_REAL(name)                                                                              \
	EP_HOOK int name parameters                                                                \
	{                                                                                          \
		int rc = find_##name() arguments;                                                  \
                                                                                                   \
		if (ep_recording.is_on)                                                            \
			ep_signals_around_thread_create();                                         \
		return rc;                                                                         \
	}

HELPER_HOOK(timer_create, (clockid_t clock, struct sigevent *event, timer_t *out_timer),
	(clock, event, out_timer))
HELPER_HOOK(mq_notify, (mqd_t queue, const struct sigevent *event), (queue, event))
HELPER_HOOK(getaddrinfo_a, (int mode, struct gaicb *list[], int n, struct sigevent *event),
	(mode, list, n, event))
HELPER_HOOK(aio_read, (struct aiocb * block), (block))
HELPER_HOOK(aio_write, (struct aiocb * block), (block))
HELPER_HOOK(aio_fsync, (int operation, struct aiocb *block), (operation, block))
HELPER_HOOK(lio_listio, (int mode, struct aiocb *const list[], int n, struct sigevent *event),
	(mode, list, n, event))
HELPER_HOOK(aio_read64, (struct aiocb64 * block), (block))
HELPER_HOOK(aio_write64, (struct aiocb64 * block), (block))
HELPER_HOOK(aio_fsync64, (int operation, struct aiocb64 *block), (operation, block))
HELPER_HOOK(lio_listio64, (int mode, struct aiocb64 *const list[], int n, struct sigevent *event),
	(mode, list, n, event))
