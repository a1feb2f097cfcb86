/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupts a writer of files in the midst of its work. */
#ifndef EVPROF_TESTS_UNIT_INTERRUPTED_H
#define EVPROF_TESTS_UNIT_INTERRUPTED_H

#include "tests/unit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child's write_all is to write more than 64 KiB to a file named temporary first. That one is a pipe here which is never
 * read, so that the child stands still when SIGINT comes. Fails unless the signal ends the child, and takes temporary
 * away. */
static void interrupt(void (*write_all)(void), const char *temporary)
{
	int status = 0, fd;
	pid_t pid;

	CHECK_INT(mkfifo(temporary, 0600), 0);
	pid = fork();
	if (!pid) {
		write_all();
		_exit(7);
	}
	fd = open(temporary, O_RDONLY | O_CLOEXEC); /* returns as the child opens it */
	CHECK_INT(kill(pid, SIGINT), 0);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	close(fd);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	CHECK(access(temporary, F_OK));
}

#endif
