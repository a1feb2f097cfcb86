// SPDX-License-Identifier: BSD-3-Clause
/* Stops the ticks of a thread that asks to be traced (PTRACE_TRACEME). A traced thread stops at each signal, and its
 * tracer does not expect the signal of the tick. */
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
