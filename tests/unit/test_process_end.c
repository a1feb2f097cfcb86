// SPDX-License-Identifier: BSD-3-Clause
/* The end of a process image: what is written of it, by whom, and how often. Each case is a child
 * of its own with a trace of its own, read back here. */
#include "tests/unit/child.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "preload/process/process.h"

static int end_three_times(void)
{
	if (!ep_recording.is_on || ep_process.born != EP_BORN_ROOT ||
		ep_recording.key.pid != (uint32_t)getpid() || ep_process.root_pid != getpid() ||
		!ep_recording_is_mine() || ep_recording.n_threads != 1)
		return 1;
	ep_process_end(EP_END_EXIT, 7, "a note");
	ep_process_end(EP_END_EXIT_NOW, 8, "");
	ep_process_end(EP_END_SIGNAL, 9, "");
	return ep_recording.is_on ? 2 : 0;
}

TEST(the_first_end_is_the_one)
{
	struct read_back back;

	CHECK_INT(in_child(end_three_times, NULL), 0);
	read_trace(&back);
	CHECK_INT(back.n_images, 1);
	CHECK_STR(back.images[0].born, "root");
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_INT(back.images[0].how, EP_END_EXIT);
	CHECK_INT(back.images[0].status, 7);
	CHECK_STR(back.images[0].note, "a note");
	CHECK_INT(back.n_end_marks, 1);
	CHECK_STR(errors(), "");
}

static int end_short_of_descriptors(void)
{
	ep_recording.is_short = true;
	ep_process_end(EP_END_EXIT, 0, "");
	return 0;
}

TEST(threads_without_counters_are_named_at_the_end)
{
	struct read_back back;

	CHECK_INT(in_child(end_short_of_descriptors, NULL), 0);
	read_trace(&back);
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_MSG(!strncmp(back.images[0].note, "Some threads found no file descriptor", 37), "%s",
		back.images[0].note);
	CHECK_STR(errors(), "");
}

/* Room for some hundred bytes more, and a block that has more than that. */
static int fail_at_limit(void)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	struct stat st;

	if (stat(trace_path, &st))
		return 1;
	limit.rlim_cur = (rlim_t)st.st_size + 700;
	if (setrlimit(RLIMIT_FSIZE, &limit) || !ep_out_wait_lock(&ep_recording.out))
		return 2;
	srand(1);
	for (int i = 0; i < 4000; i++)
		ep_wire_bytes(&ep_recording.out.raw, &(uint8_t){ (uint8_t)rand() }, 1);
	if (ep_out_flush(&ep_recording.out) != -EFBIG)
		return 3;
	ep_out_unlock(&ep_recording.out);
	return 0;
}

static int end_at_limit(void)
{
	int rc = fail_at_limit();

	ep_process_end(EP_END_EXIT, 3, "");
	return rc;
}

static int fail_and_go_on(void)
{
	int rc = fail_at_limit();

	ep_recording_give_up("", -EFBIG);
	ep_process_leave_off();
	ep_process_leave_off();
	return rc;
}

TEST(a_trace_at_its_limit_says_why_it_ends)
{
	struct read_back back;

	CHECK_INT(in_child(end_at_limit, NULL), 0);
	read_trace(&back);
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_INT(back.images[0].how, EP_END_EXIT);
	CHECK_INT(back.images[0].status, 3);
	CHECK_MSG(strstr(back.images[0].note, "limit on the size of files"), "%s",
		back.images[0].note);
	CHECK_INT(in_child(fail_and_go_on, NULL), 0);
	read_trace(&back);
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_INT(back.images[0].how, EP_END_STOPPED);
	CHECK_MSG(strstr(back.images[0].note, "limit on the size of files"), "%s",
		back.images[0].note);
}

/* A child that shares our memory without being us: libc's vfork, posix_spawn. */
static int end_as_another(void *unused)
{
	if (ep_recording_is_mine())
		return 1;
	ep_process_end(EP_END_EXIT_NOW, 5, "");
	return 0;
}

static int vfork_once(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	int status;
	pid_t pid = clone(
		end_as_another, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	if (!ep_recording.is_on || !ep_recording_is_mine())
		return 2;
	ep_process_end(EP_END_EXIT, 0, "");
	return 0;
}

TEST(a_vfork_child_ends_nothing)
{
	struct read_back back;

	CHECK_INT(in_child(vfork_once, NULL), 0);
	read_trace(&back);
	CHECK_INT(back.n_images, 1);
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_INT(back.images[0].how, EP_END_EXIT);
}

/* ---- exec ---- */

static int exec_that_fails(void)
{
	ep_process_end(EP_END_EXEC, 0, "");
	if (!ep_recording.is_on || ep_process.is_ending)
		return 1;
	ep_process_end(EP_END_EXIT, 2, "");
	return 0;
}

TEST(a_failed_exec_goes_on)
{
	struct read_back back;

	CHECK_INT(in_child(exec_that_fails, NULL), 0);
	read_trace(&back);
	CHECK_INT(back.n_images, 1);
	CHECK_INT(back.images[0].n_ends, 2);
	CHECK_INT(back.images[0].how, EP_END_EXIT); /* the last word */
	CHECK_INT(back.n_end_marks, 1);
}

/* ---- the kernel's account of children ---- */

static void burn(int64_t cpu_ns)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec * 1000000000LL + now.tv_nsec < cpu_ns);
}

/* Grandchildren count when the child has waited for them, nobody before their end. */
TEST(childrens_time_is_the_kernels)
{
	uint64_t before_us = ep_process_children_us(), took_us;
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		pid = fork();
		burn(20000000);
		if (pid)
			wait(NULL);
		_exit(0);
	}
	CHECK_INT(ep_process_children_us(), before_us);
	CHECK_INT(wait4(pid, &status, 0, &usage), pid);
	took_us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
		  (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	CHECK(took_us >= 40000);
	/* each is a sum of times that are rounded down */
	CHECK(llabs((long long)(ep_process_children_us() - before_us - took_us)) <= 4);
	clean_up();
}
