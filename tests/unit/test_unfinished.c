// SPDX-License-Identifier: BSD-3-Clause
/* Files that a signal takes away before they are whole. Each case in a child, which the signal ends. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/unfinished.h"

static char unfinished[] = "/tmp/evprof-unfinished-XXXXXX", whole[] = "/tmp/evprof-whole-XXXXXX";

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static void make(char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	CHECK(fd >= 0);
	close(fd);
}

static void take_names(void)
{
	static bool is_named;

	if (!is_named) {
		close(mkstemp(unfinished));
		close(mkstemp(whole));
	}
	is_named = true;
	make(unfinished);
	make(whole);
}

/* Returns how a child ends that has the signal sent to itself while one file is unfinished. */
static int status_after(int signal_number, void (*disposition)(int))
{
	pid_t pid;
	int status = 0;

	take_names();
	pid = fork();
	if (!pid) {
		int second;

		signal(signal_number, disposition);
		ep_unfinished_begin(unfinished);
		second = ep_unfinished_begin(whole);
		ep_unfinished_end(second);
		raise(signal_number);
		_exit(7);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(a_signal_takes_what_is_unfinished)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM };

	for (size_t i = 0; i < EP_ARRAY_SIZE(signals); i++) {
		int status = status_after(signals[i], SIG_DFL);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		CHECK(!is_there(unfinished));
		CHECK(is_there(whole));
	}
	unlink(whole);
}

/* Under nohup, for instance. */
TEST(an_ignored_signal_stays_ignored)
{
	int status = status_after(SIGHUP, SIG_IGN);

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	CHECK(is_there(unfinished));
	unlink(unfinished);
	unlink(whole);
}

/* More than there is room for are written, and stay behind. */
TEST(room_is_given_back)
{
	int last = 0;

	for (int i = 0; i < 1000; i++) {
		last = ep_unfinished_begin("/nonexistent/evprof");
		CHECK(last != 0);
		ep_unfinished_end(last);
	}
	for (int i = 0; i < 1000 && last; i++)
		last = ep_unfinished_begin("/nonexistent/evprof");
	CHECK_INT(last, 0);
	ep_unfinished_end(last);
}
