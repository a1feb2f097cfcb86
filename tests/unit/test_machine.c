// SPDX-License-Identifier: BSD-3-Clause
/* Events and modes that count, on PMUs that are not here. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "launcher/machine_facts.h"
#include "tests/unit/pmu_named.h"

bool ep_perf_door_kills(void)
{
	return false;
}

static ssize_t pmu_read(int fd, void *buffer, size_t size)
{
	return ep_sys_read(fd, buffer, size) < 0 ? -1 : (ssize_t)size;
}

#define ioctl(fd, request, argument) ep_sys_ioctl(fd, request, argument)
#define read(fd, buffer, size) pmu_read(fd, buffer, size)
#define close(fd) ep_sys_close(fd)
#include "launcher/machine.c"

TEST(what_counts_in_which_mode)
{
	static const struct {
		const char *what;
		bool user_only, counts_all, wants_no_guest, is_taken;
		struct ep_try expected;
	} rows[] = {
		{ "a server", false, false, false, false, { 0, 0 } },
		{ "perf_event_paranoid 2", true, false, false, false, { EACCES, 0 } },
		{ "RISC-V without Sscofpmf", false, true, false, false, { 0, EINVAL } },
		{ "the same at level 2", true, true, false, false, { EACCES, EINVAL } },
		{ "Apple", false, false, true, false, { 0, 0 } },
		{ "someone holds it", false, false, false, true,
			{ EP_TRY_DID_NOT_RUN, EP_TRY_DID_NOT_RUN } },
	};
	struct ep_event cycles;

	CHECK_INT(ep_perf_encode("cycles", &cycles, NULL), 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_try result;

		memset(&pmu, 0, sizeof(pmu));
		pmu.n_counters = 4;
		pmu.user_only = rows[i].user_only;
		pmu.counts_all = rows[i].counts_all;
		pmu.wants_no_guest = rows[i].wants_no_guest;
		pmu.is_taken = rows[i].is_taken;
		result = ep_machine_try(&cycles);
		CHECK_MSG(result.both == rows[i].expected.both &&
				  result.user == rows[i].expected.user,
			"%s: %d %d", rows[i].what, result.both, result.user);
		CHECK_INT(pmu.n_open, 0);
	}
}
