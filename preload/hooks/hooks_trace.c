// SPDX-License-Identifier: BSD-3-Clause
/* Stops the ticks of a thread that asks to be traced: it would stop at each tick for a signal that its tracer does not
 * expect. */
#include <stdarg.h>
#include <sys/ptrace.h>

#include "hooks.h"
#include "preload/process/signals.h"

EP_REAL(ptrace)

EP_HOOK long ptrace(enum __ptrace_request request, ...)
{
	void *arguments[3];
	va_list args;
	long rc;

	va_start(args, request);
	for (int i = 0; i < 3; i++)
		arguments[i] = va_arg(args, void *);
	va_end(args);
	if (request == PTRACE_TRACEME)
		ep_signals_before_exec();
	rc = find_ptrace()(request, arguments[0], arguments[1], arguments[2]);
	if (request == PTRACE_TRACEME && rc)
		ep_signals_exec_failed();
	return rc;
}
