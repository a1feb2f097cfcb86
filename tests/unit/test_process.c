// SPDX-License-Identifier: BSD-3-Clause
/*
 * A process's beginning and fork, and what turns it off. Each case is a child of its own with a
 * trace of its own, read back here.
 */
#include "tests/unit/child.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "preload/process/signals.h"
#include "preload/thread/thread.h"

/* ---- fork ---- */

static int fork_once(void)
{
	struct ep_process_key parent = ep_recording.key;
	int status;
	pid_t pid = fork();

	if (!pid) {
		ep_process_after_fork();
		if (ep_process.born != EP_BORN_FORK || ep_process.parent.pid != parent.pid ||
			ep_process.parent.birth_ns != parent.birth_ns ||
			ep_recording.key.pid != (uint32_t)getpid() || ep_recording.n_threads != 1 ||
			!ep_self || ep_self->tid != getpid())
			_exit(1);
		ep_process_end(EP_END_EXIT_NOW, 3, "");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ep_process_end(EP_END_EXIT, 0, "");
	return WEXITSTATUS(status);
}

TEST(a_fork_is_a_process_of_its_own_in_the_same_tree)
{
	struct read_back back;
	char parent[64];

	CHECK_INT(in_child(fork_once, NULL), 0);
	read_trace(&back);
	CHECK_INT(back.n_images, 2);
	CHECK_STR(back.images[1].born, "fork");
	CHECK_STR(back.images[1].run, back.images[0].run);
	snprintf(parent, sizeof(parent), "%u", back.images[0].key.pid);
	CHECK_MSG(!strncmp(back.images[1].parent, parent, strlen(parent)), "parent is %s, not %s",
		back.images[1].parent, parent);
	CHECK_INT(back.images[1].how, EP_END_EXIT_NOW);
	CHECK_INT(back.images[1].status, 3);
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_INT(back.n_end_marks, 1); /* the root closes the file */
}

/* ---- what turns it off ---- */

static int is_off(void)
{
	struct sigaction action;

	sigaction(SIGTERM, NULL, &action);
	ep_process_end(EP_END_EXIT, 0, "");
	return ep_recording.is_on || action.sa_handler != SIG_DFL;
}

TEST(settings_that_are_wrong_are_said_and_nothing_is_done)
{
	CHECK_INT(in_child(is_off, "EVPROF_PERIOD=never"), 0);
	CHECK(strstr(
		errors(), "evprof: a setting is wrong; the program runs without being measured: "));
	CHECK(access(trace_path, F_OK) == -1);
}

TEST(programs_that_are_not_wanted_are_left_alone)
{
	static const struct {
		const char *setting;
		bool is_wanted;
	} rows[] = { { "EVPROF_INCLUDE=other,nobody", false },
		{ "EVPROF_INCLUDE=other,test_proc*", true },
		{ "EVPROF_EXCLUDE=test_process", false },
		{ "EVPROF_EXCLUDE=other,test_p?", true } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_INT(in_child(is_off, rows[i].setting), rows[i].is_wanted);
		CHECK_MSG(!access(trace_path, F_OK) == rows[i].is_wanted, "%s", rows[i].setting);
		CHECK_STR(errors(), "");
	}
}

TEST(an_output_that_cannot_be_written_is_said_in_one_line)
{
	CHECK_INT(in_child(is_off, "EVPROF_OUTPUT=/proc/no/such/trace"), 0);
	CHECK(strstr(errors(), "evprof: the program runs without being measured: "));
	CHECK(strchr(errors(), '\n') == strrchr(errors(), '\n'));
}

static int give_up_twice(void)
{
	ep_hot.notes_waits = true;
	ep_recording_give_up("the reason", -ENOSPC);
	ep_recording_give_up("again", -ENOSPC);
	return ep_recording.is_on || ep_hot.notes_waits;
}

/* Both ends of a pseudo terminal; false: there are none. */
static bool open_terminal(int *out_master, int *out_end)
{
	*out_master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (*out_master < 0)
		return false;
	*out_end = grantpt(*out_master) || unlockpt(*out_master)
			   ? -1
			   : open(ptsname(*out_master), O_RDWR | O_NOCTTY);
	if (*out_end < 0)
		close(*out_master);
	return *out_end >= 0;
}

/* Another program may read or compare what this one writes to a file. */
TEST(giving_up_is_not_said_to_a_file)
{
	CHECK_INT(in_child(give_up_twice, NULL), 0);
	CHECK_STR(errors(), "");
}

TEST(giving_up_is_said_once_to_a_terminal)
{
	char text[256];
	ssize_t size;
	int master, end;

	if (!open_terminal(&master, &end))
		SKIP("there are no pseudo terminals");
	stderr_of_child = end;
	CHECK_INT(in_child(give_up_twice, "EVPROF_QUIET=1"), 0);
	CHECK_INT(in_child(give_up_twice, NULL), 0);
	stderr_of_child = -1;
	size = read(master, text, sizeof(text) - 1);
	text[size > 0 ? size : 0] = '\0';
	CHECK_STR(text, "evprof: the reason: No space left on device\r\n");
	close(master);
	close(end);
}

/* ---- saying something ---- */

static int say_lines(void)
{
	ep_recording_say("two\nlines", "and\na detail");
	return 0;
}

static int say_to_another_file(void)
{
	int fd = open("/dev/null", O_WRONLY);

	if (dup2(fd, 2) != 2)
		return 1;
	ep_recording_say("to whom?", "");
	close(2);
	ep_recording_say("to whom?", "");
	return 0;
}

TEST(it_speaks_in_single_lines_and_to_the_stderr_of_the_start_only)
{
	CHECK_INT(in_child(say_lines, NULL), 0);
	CHECK_STR(errors(), "evprof: two; lines: and; a detail\n");
	CHECK_INT(in_child(say_to_another_file, NULL), 0);
	CHECK_STR(errors(), "");
	clean_up();
}
