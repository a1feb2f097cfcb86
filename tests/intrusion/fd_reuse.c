/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After closing all descriptors, the program opens many files, which get the numbers that a profiler's descriptors had.
 * The files must stay empty. The same is then done with a pipe, whose reader must see the end of file.
 */
#include "probe.h"

static void open_many(int n_files)
{
	char name[32];

	for (int i = 0; i < n_files; i++) {
		snprintf(name, sizeof(name), "own%04d", i);
		if (open(name, O_RDWR | O_CREAT | O_TRUNC, 0600) < 0)
			break;
	}
}

static void drop_empty(int n_files)
{
	char name[32];

	for (int i = 0; i < n_files; i++) {
		int fd;
		off_t size;

		snprintf(name, sizeof(name), "own%04d", i);
		fd = open(name, O_RDONLY);
		if (fd < 0)
			continue;
		size = lseek(fd, 0, SEEK_END);
		EXPECT_MSG(size == 0, "%s has %lld foreign bytes", name, (long long)size);
		close(fd);
		if (size == 0)
			unlink(name);
	}
}

/* Duplicates the child's end of the pipe to all free numbers, among them those that a profiler's descriptors had. */
static void fill_pipe(int reader)
{
	close(reader);
	closefrom(4);
	while (dup(3) >= 0)
		;
	burn_ms(1200);
	exit(0);
}

static void check_pipe(void)
{
	int pair[2];
	char byte;
	pid_t pid;

	closefrom(3);
	EXPECT_INT(pipe(pair), 0);
	dup2(pair[1], 5);
	dup2(pair[0], 4);
	dup2(5, 3);
	close(5);
	pid = probe_fork();
	if (pid == 0)
		fill_pipe(4);
	close(3);
	EXPECT_INT(read(4, &byte, 1), 0);
	probe_print_status("writer", probe_wait(pid));
}

int main(void)
{
	int n_files = 1500;

	burn_ms(5);
	closefrom(3);
	open_many(n_files);
	burn_ms(1200);
	closefrom(3);
	drop_empty(n_files);
	check_pipe();
	return probe_end();
}
