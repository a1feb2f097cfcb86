/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fd_close HOW: the program closes or replaces every descriptor that it did not open, in the way HOW, and opens its own
 * files and sockets with those numbers. Then it works for so long that a profiler would write its data. No byte of them
 * may get into the program's files and sockets.
 */
#include "probe.h"

#include <dirent.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/socket.h>

enum { FIRST = 3, END = 65536 };

static void by_close(void)
{
	for (int fd = FIRST; fd < END; fd++)
		close(fd);
}

static void by_raw_close(void)
{
	for (int fd = FIRST; fd < END; fd++)
		syscall(SYS_close, fd);
}

static void by_closefrom(void)
{
	closefrom(FIRST);
}

static void by_close_range(void)
{
	EXPECT_INT(close_range(FIRST, ~0U, 0), 0);
}

static void by_raw_close_range(void)
{
	EXPECT_INT(syscall(SYS_close_range, FIRST, ~0U, 0), 0);
}

static void by_close_range_unshare(void)
{
	EXPECT_INT(close_range(FIRST, ~0U, CLOSE_RANGE_UNSHARE), 0);
}

/* Closes by the system-call instruction, as assembly code and other runtimes do: no library function is called. */
static void by_instruction(void)
{
	for (long fd = FIRST; fd < END; fd++) {
		long result;

		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(SYS_close), "D"(fd)
				 : "rcx", "r11", "memory");
	}
}

static void by_folder(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while ((entry = readdir(folder)))
		if (atoi(entry->d_name) >= FIRST && atoi(entry->d_name) != dirfd(folder))
			EXPECT_INT(close(atoi(entry->d_name)), 0); /* the folder lists entry */
	closedir(folder);
}

static void by_nothing(void)
{
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "close", by_close },
	{ "raw-close", by_raw_close },
	{ "closefrom", by_closefrom },
	{ "close_range", by_close_range },
	{ "raw-close_range", by_raw_close_range },
	{ "close_range-unshare", by_close_range_unshare },
	{ "instruction", by_instruction },
	{ "folder", by_folder },
	{ "dup2", by_nothing },
};

/* Opens one file and one socket pair, and duplicates the file or a socket to each possible number. Returns the file,
 * and sets *out_socket to the other socket. */
static int put_own_everywhere(int *out_socket)
{
	int pair[2], file = open("own", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600), n_placed = 0;

	EXPECT_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	for (int fd = pair[1] + 1; fd < END; fd++)
		n_placed += dup2(fd % 2 ? file : pair[0], fd) == fd;
	*out_socket = pair[1];
	printf("file %d, socket %d, placed %d\n", file, pair[1], n_placed);
	return file;
}

static void *work(void *unused)
{
	burn_ms(300);
	return NULL;
}

/* Works for longer than a profiler keeps its data before it writes them, with threads that end and a child. */
static void work_on(void)
{
	pthread_t threads[2];
	pid_t pid;

	for (int i = 0; i < 2; i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, work, NULL), 0);
	pid = probe_fork();
	if (pid == 0) {
		burn_ms(20);
		_exit(3);
	}
	burn_ms(1300);
	probe_print_status("child", probe_wait(pid));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	struct pollfd own = { .events = POLLIN };
	int file;

	burn_ms(5);
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		if (!strcmp(ways[w].name, argv[1]))
			ways[w].run();
	file = put_own_everywhere(&own.fd);
	EXPECT_INT(write(file, "mine", 4), 4);
	work_on();
	EXPECT_INT(poll(&own, 1, 0), 0);
	EXPECT_INT(lseek(file, 0, SEEK_END), 4);
	return probe_end();
}
