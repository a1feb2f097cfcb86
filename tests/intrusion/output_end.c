/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output_end WHAT: starts itself with a standard error that is a pipe (nobody) or a socket (socket) without a reader,
 * or a full pipe (full). A message of the library there would cause SIGPIPE, or block for ever. The program itself
 * writes nothing.
 */
#include "probe.h"

#include <sys/socket.h>

static void fill(int fd)
{
	char block[512] = "";
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (write(fd, block, sizeof(block)) > 0)
		;
	EXPECT_INT(errno, EAGAIN);
	fcntl(fd, F_SETFL, flags);
}

static void begin(const char *what)
{
	int ends[2];

	if (!strcmp(what, "socket"))
		EXPECT_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	else
		EXPECT_INT(pipe(ends), 0);
	if (!strcmp(what, "full"))
		fill(ends[1]);
	else
		close(ends[0]);
	EXPECT_INT(dup2(ends[1], 2), 2);
	close(ends[1]);
	setenv("EVPROF_OUTPUT", "/proc/no/such", 1); /* cannot be written: a message is due */
	execl(probe_sibling("output_end"), "output_end", "given", NULL);
}

int main(int argc, char **argv)
{
	if (strcmp(argv[1], "given"))
		begin(argv[1]);
	burn_ms(5);
	return probe_end();
}
