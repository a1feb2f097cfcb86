// SPDX-License-Identifier: BSD-3-Clause
/* META written and read again; finding the trace of an ancestor or of oneself. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "preload/process/join.h"
#include "preload/process/meta.h"
#include "preload/process/process.h"

static char folder[] = "/tmp/evprof-test-XXXXXX";
static char path[100];

static void set_process(int pid, uint64_t start_ticks)
{
	struct ep_event event = { .name = "skx::X:Y:u",
		.unit = "count",
		.flags = EP_EVENT_ALWAYS,
		.type = 4,
		.config = 0x1c7,
		.config1 = UINT64_MAX,
		.config2 = 9,
		.exclude_kernel = true,
		.exclude_hv = true,
		.exclude_guest = true,
		.column = 12 };

	memset(&ep_process, 0, sizeof(ep_process));
	memset(&ep_recording, 0, sizeof(ep_recording));
	ep_settings_init(&ep_recording.settings);
	ep_recording.settings.output = path;
	ep_recording.key = (struct ep_process_key){ pid, 77 };
	ep_process.born = EP_BORN_ROOT;
	ep_process.root_pid = pid;
	ep_process.start_ticks = ep_process.root_start_ticks = start_ticks;
	ep_recording.source = &ep_source_perf;
	ep_recording.clock_kind = EP_CLOCK_TASK_USER;
	ep_recording.period_ns = 1300000;
	ep_plan_add_event(&ep_recording.plan, &event);
	strcpy(event.name, "page-faults");
	event.flags = EP_EVENT_SOFTWARE;
	event.exclude_user = true;
	event.exclude_kernel = false;
	ep_plan_add_event(&ep_recording.plan, &event);
	CHECK_INT(ep_plan_add_group(&ep_recording.plan, (uint8_t[]){ 1, 0 }, 2), 0);
	CHECK_INT(ep_plan_add_group(&ep_recording.plan, (uint8_t[]){ 0 }, 1), 0);
	ep_plan_note(&ep_recording.plan, "a note\twith tab");
}

/* Leaves the trace open for appending, as a profiled process does. */
static void write_trace(void)
{
	struct ep_error err;

	if (!path[0]) {
		CHECK(mkdtemp(folder) != NULL);
		snprintf(path, sizeof(path), "%s/trace.gz", folder);
		ep_fds_init();
	}
	unlink(path);
	CHECK_INT(ep_out_init(&ep_recording.out, &err), 0);
	CHECK_INT(ep_out_create(&ep_recording.out, path, &err), 0);
	ep_meta_append(&ep_recording.out.raw);
	CHECK(!ep_recording.out.raw.overflow);
	CHECK_INT(ep_out_flush_stored(&ep_recording.out), 0);
}

static void clean_up(void)
{
	ep_fds_close_all_but(NULL);
	unlink(path);
}

TEST(meta_comes_back)
{
	struct ep_plan plan;
	struct ep_meta_root root;
	char pid_ns[32];
	int fd;

	set_process(42, 1234567890123ull);
	write_trace();
	plan = ep_recording.plan;
	fd = open(path, O_RDONLY);
	memset(&ep_recording.plan, 0, sizeof(ep_recording.plan));
	ep_recording.source = NULL;
	ep_recording.period_ns = 0;
	ep_recording.clock_kind = EP_CLOCK_NONE;
	ep_process.root_pid = 0;
	CHECK_INT(ep_meta_read_root(fd, true, &root), 0);
	CHECK_INT(root.pid, 42);
	CHECK_INT(root.start_ticks, 1234567890123ull);
	CHECK_STR(root.output, path);
	ep_meta_pid_ns(pid_ns, sizeof(pid_ns));
	CHECK_STR(root.pid_ns, pid_ns);
	CHECK(strlen(pid_ns) > 4 && strspn(pid_ns, "0123456789") == strlen(pid_ns));
	CHECK(ep_recording.source == &ep_source_perf);
	CHECK_INT(ep_recording.period_ns, 1300000);
	CHECK_INT(ep_recording.clock_kind, EP_CLOCK_TASK_USER);
	CHECK_INT(ep_process.root_pid, 42);
	CHECK_INT(ep_recording.plan.n_events, 2);
	for (uint32_t i = 0; i < 2; i++)
		CHECK_INT(memcmp(&ep_recording.plan.events[i], &plan.events[i],
				  sizeof(plan.events[i])),
			0);
	CHECK_INT(memcmp(ep_recording.plan.groups, plan.groups, sizeof(plan.groups)), 0);
	close(fd);
	clean_up();
}

/* It is read in two steps: with as many events as a plan takes it is longer than the first. */
TEST(a_long_meta_comes_back)
{
	struct ep_event event = { .name = "", .unit = "count", .type = 4 };
	struct ep_meta_root root;
	struct stat st = { .st_size = 0 };
	uint32_t n_events;
	int fd;

	set_process(42, 5);
	do
		snprintf(event.name, sizeof(event.name), "an_event_with_the_number:%u",
			ep_recording.plan.n_events);
	while (ep_plan_add_event(&ep_recording.plan, &event) >= 0 &&
		ep_recording.plan.n_events < EP_PLAN_MAX_EVENTS);
	n_events = ep_recording.plan.n_events;
	write_trace();
	fd = open(path, O_RDONLY);
	CHECK(!fstat(fd, &st) && st.st_size > 5000);
	memset(&ep_recording.plan, 0, sizeof(ep_recording.plan));
	CHECK_INT(ep_meta_read_root(fd, true, &root), 0);
	CHECK_INT(ep_recording.plan.n_events, n_events);
	close(fd);
	clean_up();
}

/* A plan that cannot be ours, with a group of an event that there is not. */
TEST(a_group_of_no_event_is_not_taken_over)
{
	struct ep_meta_root root;
	int fd;

	set_process(42, 5);
	CHECK_INT(ep_plan_add_group(&ep_recording.plan, (uint8_t[]){ 7 }, 1), 0);
	write_trace();
	fd = open(path, O_RDONLY);
	memset(&ep_recording.plan, 0, sizeof(ep_recording.plan));
	CHECK_INT(ep_meta_read_root(fd, true, &root), 0);
	CHECK_INT(ep_recording.plan.n_events, 2);
	CHECK_INT(ep_recording.plan.n_groups, 2);
	close(fd);
	clean_up();
}

TEST(an_empty_group_is_the_plan_of_a_source_that_counts_nothing)
{
	struct ep_meta_root root;
	int fd;

	set_process(42, 5);
	memset(&ep_recording.plan, 0, sizeof(ep_recording.plan));
	CHECK_INT(ep_plan_add_group(&ep_recording.plan, NULL, 0), 0);
	write_trace();
	fd = open(path, O_RDONLY);
	memset(&ep_recording.plan, 0, sizeof(ep_recording.plan));
	CHECK_INT(ep_meta_read_root(fd, true, &root), 0);
	CHECK_INT(ep_recording.plan.n_events, 0);
	CHECK_INT(ep_recording.plan.n_groups, 1);
	close(fd);
	clean_up();
}

TEST(what_is_no_trace_is_refused)
{
	static const char *const texts[] = { "", "text", "\x1f\x8b\x08\x04",
		("\x1f\x8b\x08\x01"
		 "abcdefgh") };
	struct ep_meta_root root;

	for (size_t i = 0; i < EP_ARRAY_SIZE(texts); i++) {
		char name[] = "/tmp/evprof-test-XXXXXX";
		int fd = mkstemp(name);

		CHECK_INT(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
		CHECK_INT(ep_meta_read_root(fd, false, &root), -EBADMSG);
		close(fd);
		unlink(name);
	}
}

/* Cut at every byte: refused, until the first member is whole. */
TEST(a_cut_trace_is_refused)
{
	static uint8_t data[EP_MEMBER_MAX_BYTES];
	char name[] = "/tmp/evprof-test-XXXXXX";
	struct ep_meta_root root;
	int fd, cut;
	ssize_t size;

	set_process(42, 5);
	write_trace();
	fd = open(path, O_RDONLY);
	size = read(fd, data, sizeof(data));
	close(fd);
	cut = mkstemp(name);
	for (ssize_t n = 0; n <= size; n++) {
		CHECK_INT(ftruncate(cut, 0), 0);
		CHECK_INT(pwrite(cut, data, n, 0), n);
		CHECK_INT(ep_meta_read_root(cut, false, &root), n < size ? -EBADMSG : 0);
	}
	close(cut);
	unlink(name);
	clean_up();
}

static void set_age(const char *file, time_t age_s)
{
	const struct timespec times[2] = { { time(NULL) - age_s, 0 }, { time(NULL) - age_s, 0 } };

	CHECK_INT(utimensat(AT_FDCWD, file, times, 0), 0);
}

/* Being written: by a root that runs, or created just now with nothing in it yet. */
TEST(traces_that_others_write)
{
	uint64_t start_ticks;
	int parent;

	CHECK_INT(ep_meta_process_stat(getpid(), &parent, &start_ticks), 0);
	set_process(getpid(), start_ticks);
	write_trace();
	CHECK(ep_join_is_live(path));
	set_age(path, 3600); /* idle for long, but there */
	CHECK(ep_join_is_live(path));
	clean_up();
	set_process(getpid(), start_ticks + 1); /* another process had the number */
	write_trace();
	CHECK(!ep_join_is_live(path));
	CHECK_INT(truncate(path, 0), 0);
	CHECK(ep_join_is_live(path));
	set_age(path, 10);
	CHECK(!ep_join_is_live(path));
	CHECK_INT(truncate(path, 100), 0); /* no trace */
	CHECK(!ep_join_is_live(path));
	clean_up();
	CHECK(!ep_join_is_live(path));
	CHECK(!ep_join_is_live("/dev/null"));
	CHECK(!ep_join_is_live("/"));
}

static int look_for_it(const char *output, int expected)
{
	struct ep_join_point point = { .fd = -1 };
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		ep_recording.settings.output = output;
		ep_recording.key.pid = getpid();
		ep_process.start_ticks = 1;
		close(ep_recording.out.fd); /* an exec would */
		_exit(ep_join_find(&point));
	}
	waitpid(pid, &status, 0);
	return status == expected << 8;
}

TEST(a_child_finds_its_parents_trace)
{
	int parent;
	uint64_t start;

	CHECK_INT(ep_meta_process_stat(getpid(), &parent, &start), 0);
	CHECK_INT(parent, getppid());
	set_process(getpid(), start);
	write_trace();
	CHECK(look_for_it(path, 1));
	CHECK(look_for_it("/tmp/another.gz", 0)); /* other settings: another tree */
	clean_up();
	CHECK(look_for_it(path, 0));
}

enum { REFUSED = 77 };

/* As the first process of a new namespace of process numbers. Its exit status, or REFUSED. */
static int in_namespace(int (*run)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(REFUSED);
		pid = fork();
		if (!pid)
			_exit(run());
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int leave_trace(void)
{
	set_process(42, 5);
	write_trace();
	return 0;
}

static int joins(void)
{
	struct ep_join_point point = { .fd = -1 };

	return ep_join_find(&point);
}

/* Containers of one pod have one host's name and, with a shared volume, one path. The first process of
 * a namespace that the machine's own made is in the trace from there. */
TEST(a_container_beside_is_another_run)
{
	char own[32];
	int rc;

	set_process(42, 5);
	write_trace();
	set_age(path, -3600);
	ep_fds_close_all_but(NULL);
	rc = in_namespace(joins);
	if (rc == REFUSED) {
		puts("# left out: namespaces are refused here");
		clean_up();
		return;
	}
	ep_meta_pid_ns(own, sizeof(own));
	CHECK_INT(rc, !strcmp(own, "4026531836")); /* the kernel's PROC_PID_INIT_INO */
	CHECK_INT(in_namespace(leave_trace), 0);
	set_age(path, -3600);
	CHECK_INT(in_namespace(joins), 0);
	clean_up();
}

/* Anyone may leave a trace that names our ancestor in a folder where all may write. */
TEST(a_trace_of_another_user_is_not_joined)
{
	struct ep_join_point point = { .fd = -1 };
	uint64_t start;
	int parent;

	if (geteuid()) {
		puts("# left out: root alone has another user's file");
		return;
	}
	CHECK_INT(ep_meta_process_stat(getpid(), &parent, &start), 0);
	set_process(getpid(), start);
	write_trace();
	ep_fds_close_all_but(NULL);
	CHECK_INT(chown(path, 65534, 65534), 0);
	CHECK(!ep_join_find(&point));
	CHECK_INT(chown(path, 0, 0), 0);
	CHECK(ep_join_find(&point));
	close(point.fd);
	clean_up();
}

/* A planted trace may ask for a tick every nanosecond. */
TEST(settings_of_a_trace_have_a_range)
{
	struct ep_meta_root root;
	int fd;

	set_process(42, 5);
	ep_recording.period_ns = 1;
	write_trace();
	fd = open(path, O_RDONLY);
	memset(&ep_recording.plan, 0, sizeof(ep_recording.plan));
	CHECK_INT(ep_meta_read_root(fd, true, &root), -EBADMSG);
	close(fd);
	clean_up();
}

TEST(a_root_finds_its_own_trace_after_an_exec)
{
	struct ep_join_point point = { .fd = -1 };
	uint64_t start;
	int parent;

	CHECK_INT(ep_meta_process_stat(getpid(), &parent, &start), 0);
	set_process(getpid(), start);
	write_trace();
	ep_fds_close_all_but(NULL);
	CHECK(ep_join_find(&point));
	close(point.fd);
	set_process(getpid(), start + 1); /* the same pid, but another process */
	write_trace();
	ep_fds_close_all_but(NULL);
	CHECK(!ep_join_find(&point));
	unlink(path);
	rmdir(folder);
}

TEST(stat_of_nobody)
{
	uint64_t start;
	int parent;

	CHECK_INT(ep_meta_process_stat(0x7fffffff, &parent, &start), -ESRCH);
	CHECK_INT(ep_meta_process_stat(1, &parent, &start), 0);
	CHECK_INT(parent, 0);
}
