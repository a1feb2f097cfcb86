// SPDX-License-Identifier: BSD-3-Clause
#include "ended.h"

#include <signal.h>
#include <stdio.h>

static const char *signal_name(uint32_t number)
{
	const char *name = number < NSIG ? sigabbrev_np((int)number) : NULL;

	return name ? name : "unknown";
}

const char *ep_ended_text(const struct ep_report_process *process, char out[EP_ENDED_BYTES])
{
	uint32_t status = process->end_status;

	if (!process->has_end)
		return "no end recorded";
	switch (process->end_how) {
	case EP_END_EXIT:
		snprintf(out, EP_ENDED_BYTES, "ended with status %u", status);
		return out;
	case EP_END_EXIT_NOW:
		snprintf(out, EP_ENDED_BYTES, "left by _exit with status %u", status);
		return out;
	case EP_END_QUICK_EXIT:
		snprintf(out, EP_ENDED_BYTES, "left by quick_exit with status %u", status);
		return out;
	case EP_END_SIGNAL:
		snprintf(out, EP_ENDED_BYTES, "killed by signal %u (%s)", status,
			signal_name(status));
		return out;
	case EP_END_EXEC:
		return "became another program";
	case EP_END_STOPPED:
		return "stopped: measured until then";
	case EP_END_SANDBOX:
		return "closed its sandbox: measured until then";
	default:
		return "measuring failed: measured until then";
	}
}
