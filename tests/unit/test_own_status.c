// SPDX-License-Identifier: BSD-3-Clause
/* Signals and filters as /proc/self/status tells them. */
#include "tests/unit/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/own_status.h"

TEST(a_file_of_status)
{
	static const struct {
		const char *text;
		bool has_filter, has_signals;
		uint64_t ignored, handled;
	} rows[] = {
		{ "Name:\ta\nSigIgn:\t0000000000001000\nSigCgt:\t8000000000004002\nSeccomp:\t0\n",
			false, true, 0x1000, 0x8000000000004002 },
		{ "Name:\ta\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\nSeccomp:\t2\n",
			true, true, 0, 0 },
		{ "Name:\ta\nSigIgn:\t0000000000000000\nSeccomp:\t1\n", false, false, 0, 0 },
		/* cut in the number: one cannot be believed */
		{ "Name:\ta\nSigIgn:\t0000000000000004\nSigCgt:\t00000000", false, false, 4, 0 },
		{ "", false, false, 0, 0 },
	};
	struct ep_own_status status;

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		ep_own_status_parse(rows[i].text, &status);
		CHECK_INT(status.has_filter, rows[i].has_filter);
		CHECK_INT(status.has_signals, rows[i].has_signals);
		CHECK_INT(status.ignored, rows[i].ignored);
		CHECK_INT(status.handled, rows[i].handled);
	}
}

static void handle(int sig)
{
	(void)sig;
}

static int check_own(void)
{
	const struct ep_own_status *status;
	uint64_t winch = 1ull << (SIGWINCH - 1), usr2 = 1ull << (SIGUSR2 - 1);

	signal(SIGWINCH, handle);
	signal(SIGUSR2, SIG_IGN);
	status = ep_own_status_at_start();
	if (!status->has_signals)
		return 0; /* below a simulator, which tells of itself */
	return !(status->handled & winch) || !(status->ignored & usr2) || status->handled & usr2;
}

TEST(of_this_process)
{
	int status = -1;

	if (!fork())
		_exit(check_own());
	wait(&status);
	CHECK_INT(status, 0);
}
