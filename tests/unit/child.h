/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiled process for a test: a child that begins by hand, with a trace of its own that is read
 * back when it has ended.
 */
#ifndef EVPROF_TESTS_UNIT_CHILD_H
#define EVPROF_TESTS_UNIT_CHILD_H

#include "tests/unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/trace.h"
#include "preload/process/process.h"

static char folder[] = "/tmp/evprof-test-XXXXXX";
static char trace_path[64], errors_path[64];
static int stderr_of_child = -1; /* in place of the file at errors_path; -1: that */

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
	uint32_t n_final_threads; /* whose last TOTALS are there */
};

/* Blocks of one process image. */
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

static void take_totals(struct read_back *back, const struct ep_block *block)
{
	struct ep_totals totals;

	CHECK_INT(ep_totals_decode(block, &totals), 0);
	back->n_final_threads += totals.final;
	free(totals.groups);
	free(totals.counts);
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
		if (block.type == EP_BLOCK_TOTALS)
			take_totals(back, &block);
	}
}

__attribute__((unused)) static void read_trace(struct read_back *back)
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

/* The first of two settings of a name counts. They stay where they are, as the environment does. */
static void begin(const char *setting)
{
	static char output[100];
	char *env[] = { (char *)setting, output, (char *)"EVPROF_SOURCE=rusage",
		(char *)"EVPROF_PERIOD=1s", NULL };

	snprintf(output, sizeof(output), "EVPROF_OUTPUT=%s", trace_path);
	ep_process_begin(0, NULL, setting ? env : env + 1);
}

#define LONGEST_S 300 /* a busy machine takes seconds */

static void show_file(const char *folder_of_thread, const char *name)
{
	char path[128], text[512];
	EP_AUTOCLOSE int fd = -1;
	ssize_t size;

	snprintf(path, sizeof(path), "%s/%s", folder_of_thread, name);
	fd = open(path, O_RDONLY);
	size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	text[size > 0 ? size : 0] = '\0';
	printf(" %s: %s", name, strtok(text, "\n") ? text : "?");
}

/* Shows where each of a child's threads stands. */
static void show_threads(pid_t pid)
{
	char tasks[64], path[96];
	struct dirent *entry;
	DIR *dir;

	snprintf(tasks, sizeof(tasks), "/proc/%d/task", pid);
	dir = opendir(tasks);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%.16s", tasks, entry->d_name);
		printf("# thread %s", entry->d_name);
		show_file(path, "wchan");
		show_file(path, "syscall");
		printf("\n");
	}
	if (dir)
		closedir(dir);
	fflush(stdout);
}

/* Waits for the child, and ends one that hangs. Returns its status of wait(2). */
static int wait_for(pid_t pid)
{
	int status = -1;

	for (int ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms++) {
		usleep(1000);
		if (ms != LONGEST_S * 1000)
			continue;
		show_threads(pid);
		kill(pid, SIGKILL);
	}
	return status;
}

/* run's value is the exit status; what it said on stderr is in errors_path. */
static int in_child(int (*run)(void), const char *setting)
{
	pid_t pid;
	int status;

	if (!trace_path[0]) {
		CHECK(mkdtemp(folder) != NULL);
		snprintf(trace_path, sizeof(trace_path), "%s/trace.gz", folder);
		snprintf(errors_path, sizeof(errors_path), "%s/errors", folder);
	}
	unlink(trace_path);
	pid = fork();
	if (!pid) {
		int fd = open(errors_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(stderr_of_child >= 0 ? stderr_of_child : fd, 2);
		close(fd);
		begin(setting);
		_exit(run());
	}
	status = wait_for(pid);
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

__attribute__((unused)) static const char *errors(void)
{
	static char text[2048];
	EP_AUTOCLOSE int fd = open(errors_path, O_RDONLY);
	ssize_t size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	text[size > 0 ? size : 0] = '\0';
	return text;
}

/* Fails where something else was left in the folder. */
static void clean_up(void)
{
	unlink(trace_path);
	unlink(errors_path);
	CHECK_INT(rmdir(folder), 0);
}

#endif
