// SPDX-License-Identifier: BSD-3-Clause
/* How processes ended, in words. */
#include <signal.h>

#include "reporter/words/findings.h"

static const char *signal_name(uint32_t number)
{
	const char *name = number < NSIG ? sigabbrev_np((int)number) : NULL;

	return name ? name : "unknown";
}

static const char *end_of(struct ep_builder *b, const struct ep_report_process *process)
{
	uint32_t status = process->end_status;

	if (!process->has_end)
		return "no end recorded";
	switch (process->end_how) {
	case EP_END_EXIT:
		return ep_text(b, "ended with status %u", status);
	case EP_END_EXIT_NOW:
		return ep_text(b, "left by _exit with status %u", status);
	case EP_END_QUICK_EXIT:
		return ep_text(b, "left by quick_exit with status %u", status);
	case EP_END_SIGNAL:
		return ep_text(b, "killed by signal %u (%s)", status, signal_name(status));
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

void ep_say_ends(struct ep_builder *b)
{
	for (uint32_t i = 0; i < b->report->n_processes; i++)
		b->report->processes[i].ended = end_of(b, &b->report->processes[i]);
}
