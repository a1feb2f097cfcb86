// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/error.h"

TEST(places_leave_out_what_is_unknown)
{
	static const struct {
		struct ep_place place;
		const char *where;
	} rows[] = {
		{ { NULL, 3, 4 }, "" },
		{ { "a.tsv", 0, 4 }, "a.tsv" },
		{ { "a.tsv", 7, 0 }, "a.tsv:7" },
		{ { "a.tsv", 7, 9 }, "a.tsv:7:9" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_error err;

		CHECK_INT(ep_fail_at(&err, -EINVAL, rows[i].place, "bad %d", 5), -EINVAL);
		CHECK_STR(err.where, rows[i].where);
		CHECK_STR(err.message, "bad 5");
	}
}

TEST(a_null_error_is_allowed)
{
	CHECK_INT(ep_fail(NULL, -ENOMEM, "x"), -ENOMEM);
}

/* ep_flush_stdout() of a child whose stdout is path, after n characters. */
static int flush_of_child(const char *path, int n)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (!freopen(path, "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(99);
		while (n--)
			putchar('x');
		_exit(ep_flush_stdout("test"));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(what_could_not_be_written_is_told)
{
	CHECK_INT(flush_of_child("/dev/null", 100000), 0);
	CHECK_INT(flush_of_child("/dev/full", 0), 0);
	CHECK_INT(flush_of_child("/dev/full", 10), 1);
	CHECK_INT(flush_of_child("/dev/full", 100000), 1); /* long before the end */
}
