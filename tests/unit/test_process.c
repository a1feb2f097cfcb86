// SPDX-License-Identifier: BSD-3-Clause
/*
 * A process's beginning, fork, exec and end: what is written of each, by whom, and how often. Each
 * case is a child of its own with a trace of its own, read back here.
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/trace.h"
#include "preload/process.h"
#include "preload/signals.h"
#include "preload/thread.h"

static char folder[] = "/tmp/evprof-test-XXXXXX";
static char trace_path[64], errors_path[64];

/* ---- the trace, read back ---- */

enum { MOST = 16 };

struct image {
	struct ep_process_key key;
	char born[16], parent[64], run[128];
	uint32_t n_ends;
	enum ep_end_how how;
	uint32_t status;
	char note[128];
};

struct read_back {
	struct image images[MOST];
	uint32_t n_images, n_end_marks;
};

static struct image *image_of(struct read_back *back, struct ep_process_key key)
{
	for (uint32_t i = 0; i < back->n_images; i++)
		if (back->images[i].key.pid == key.pid &&
			back->images[i].key.birth_ns == key.birth_ns)
			return &back->images[i];
	back->images[back->n_images].key = key;
	return &back->images[back->n_images++];
}

static void take_meta(struct image *image, const struct ep_block *block)
{
	static const struct {
		const char *key;
		size_t at, size;
	} fields[] = {
		{ "born", offsetof(struct image, born), sizeof(image->born) },
		{ "parent", offsetof(struct image, parent), sizeof(image->parent) },
		{ "run", offsetof(struct image, run), sizeof(image->run) },
	};
	struct ep_meta_line line;
	size_t at = 0;

	while (ep_meta_next(block, &at, &line) == 1)
		for (size_t i = 0; i < EP_ARRAY_SIZE(fields); i++)
			if (line.key_size == strlen(fields[i].key) &&
				!memcmp(line.key, fields[i].key, line.key_size))
				snprintf((char *)image + fields[i].at, fields[i].size, "%.*s",
					(int)line.value_size, line.value);
}

static void take_end(struct image *image, const struct ep_block *block)
{
	struct ep_end end;

	CHECK_INT(ep_end_decode(block, &end), 0);
	image->n_ends++;
	image->how = end.how;
	image->status = end.status;
	snprintf(image->note, sizeof(image->note), "%.*s", (int)end.note_size, end.note);
}

static void take_member(struct read_back *back, const uint8_t *inflated, size_t size)
{
	struct ep_block block;
	size_t at = 0;

	back->n_end_marks += !size;
	while (ep_block_next(inflated, size, &at, &block) == 1) {
		struct image *image = image_of(back, block.key);

		if (block.type == EP_BLOCK_META)
			take_meta(image, &block);
		if (block.type == EP_BLOCK_END)
			take_end(image, &block);
	}
}

static void read_trace(struct read_back *back)
{
	static uint8_t data[1 << 20], inflated[EP_MEMBER_MAX_BYTES];
	struct ep_inflater *inflater = ep_inflater_create();
	EP_AUTOCLOSE int fd = open(trace_path, O_RDONLY);
	ssize_t size = read(fd, data, sizeof(data));
	size_t member_size = 1, inflated_size;
	bool need_more;

	*back = (struct read_back){ 0 };
	for (ssize_t at = 0; at < size && member_size; at += (ssize_t)member_size) {
		member_size = ep_member_size(data + at, size - at, &need_more);
		CHECK_INT(ep_inflater_inflate(
				  inflater, data + at, member_size, inflated, &inflated_size),
			0);
		take_member(back, inflated, inflated_size);
	}
	ep_inflater_destroy(inflater);
}

/* ---- children ---- */

/* Of two settings of a name the first counts. */
static void begin(const char *setting)
{
	char output[100];
	char *env[] = { (char *)setting, output, (char *)"EVPROF_SOURCE=rusage",
		(char *)"EVPROF_PERIOD=1s", NULL };

	snprintf(output, sizeof(output), "EVPROF_OUTPUT=%s", trace_path);
	ep_process_begin(0, NULL, setting ? env : env + 1);
}

/* run's value is the exit status; what it said on stderr is in errors_path. */
static int in_child(int (*run)(void), const char *setting)
{
	pid_t pid;
	int status = -1;

	if (!trace_path[0]) {
		CHECK(mkdtemp(folder) != NULL);
		snprintf(trace_path, sizeof(trace_path), "%s/trace.gz", folder);
		snprintf(errors_path, sizeof(errors_path), "%s/errors", folder);
	}
	unlink(trace_path);
	pid = fork();
	if (!pid) {
		int fd = open(errors_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, 2);
		close(fd);
		begin(setting);
		_exit(run());
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static const char *errors(void)
{
	static char text[2048];
	EP_AUTOCLOSE int fd = open(errors_path, O_RDONLY);
	ssize_t size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	text[size > 0 ? size : 0] = '\0';
	return text;
}

static void clean_up(void)
{
	unlink(trace_path);
	unlink(errors_path);
}

/* ---- beginning and end ---- */

static int end_three_times(void)
{
	if (!ep_process.is_on || ep_process.born != EP_BORN_ROOT ||
		ep_process.key.pid != (uint32_t)getpid() || ep_process.root_pid != getpid() ||
		!ep_process_is_me() || ep_process.n_threads != 1)
		return 1;
	ep_process_end(EP_END_EXIT, 7, "a note");
	ep_process_end(EP_END_EXIT_NOW, 8, "");
	ep_process_end(EP_END_SIGNAL, 9, "");
	return ep_process.is_on ? 2 : 0;
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

/* ---- fork ---- */

static int fork_once(void)
{
	struct ep_process_key parent = ep_process.key;
	int status;
	pid_t pid = fork();

	if (!pid) {
		ep_process_after_fork();
		if (ep_process.born != EP_BORN_FORK || ep_process.parent.pid != parent.pid ||
			ep_process.parent.birth_ns != parent.birth_ns ||
			ep_process.key.pid != (uint32_t)getpid() || ep_process.n_threads != 1 ||
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

/* A child that shares our memory without being us: libc's vfork, posix_spawn. */
static int end_as_another(void *unused)
{
	if (ep_process_is_me())
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
	if (!ep_process.is_on || !ep_process_is_me())
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
	if (!ep_process.is_on || ep_process.is_ending)
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

/* ---- what turns it off ---- */

static int is_off(void)
{
	struct sigaction action;

	sigaction(SIGTERM, NULL, &action);
	ep_process_end(EP_END_EXIT, 0, "");
	return ep_process.is_on || action.sa_handler != SIG_DFL;
}

TEST(settings_that_are_wrong_are_said_and_nothing_is_done)
{
	CHECK_INT(in_child(is_off, "EVPROF_PERIOD=never"), 0);
	CHECK(strstr(errors(), "evprof: a setting is wrong, the program runs unprofiled: "));
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
	CHECK(strstr(errors(), "evprof: the program runs unprofiled: "));
	CHECK(strchr(errors(), '\n') == strrchr(errors(), '\n'));
}

static int give_up_twice(void)
{
	ep_process_give_up("the reason", -ENOSPC);
	ep_process_give_up("again", -ENOSPC);
	return ep_process.is_on;
}

TEST(giving_up_is_said_once)
{
	CHECK_INT(in_child(give_up_twice, NULL), 0);
	CHECK_STR(errors(), "evprof: the reason: No space left on device\n");
	CHECK_INT(in_child(give_up_twice, "EVPROF_QUIET=1"), 0);
	CHECK_STR(errors(), "");
}

/* ---- saying something ---- */

static int say_lines(void)
{
	ep_process_say("two\nlines", "and\na detail");
	return 0;
}

static int say_to_another_file(void)
{
	int fd = open("/dev/null", O_WRONLY);

	if (dup2(fd, 2) != 2)
		return 1;
	ep_process_say("to whom?", "");
	close(2);
	ep_process_say("to whom?", "");
	return 0;
}

TEST(it_speaks_in_single_lines_and_to_the_stderr_of_the_start_only)
{
	CHECK_INT(in_child(say_lines, NULL), 0);
	CHECK_STR(errors(), "evprof: two; lines: and; a detail\n");
	CHECK_INT(in_child(say_to_another_file, NULL), 0);
	CHECK_STR(errors(), "");
	clean_up();
	CHECK_INT(rmdir(folder), 0);
}
