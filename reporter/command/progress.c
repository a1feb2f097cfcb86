// SPDX-License-Identifier: BSD-3-Clause
/* Shows progress (progress.h). Only one thread at a time may call these functions, since they share one state and
 * stderr. */
#include "reporter/command/progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER_S 1.0
#define EVERY_S 0.1

static struct {
	const char *doing;
	double start_s, shown_s;
	bool is_shown;
} progress;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void ep_progress_start(const char *doing)
{
	progress.doing = doing;
	progress.start_s = now_s();
	progress.shown_s = 0;
}

void ep_progress_show(uint64_t n_done, uint64_t n_all)
{
	double now = now_s();

	if (!progress.doing || now - progress.start_s < FIRST_AFTER_S ||
		now - progress.shown_s < EVERY_S || !isatty(STDERR_FILENO))
		return;
	progress.shown_s = now;
	progress.is_shown = true;
	if (n_all)
		fprintf(stderr, "\r%s: %3.0f %% ", progress.doing,
			100 * (double)n_done / (double)n_all);
	else
		fprintf(stderr, "\r%s: %" PRIu64 " MB ", progress.doing, n_done / 1000000);
}

void ep_progress_stop(void)
{
	if (progress.is_shown)
		fputs("\r\033[K", stderr);
	progress.is_shown = false;
	progress.doing = NULL;
}
