// SPDX-License-Identifier: BSD-3-Clause
/* Descriptors that never make a thread wait. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "preload/thread/nonblocking.h"

static bool learns(int fd)
{
	struct ep_nonblocking_turn turn = { 0 };

	ep_nonblocking_learn(&turn, fd);
	return ep_nonblocking_has(fd);
}

TEST(sockets_and_pipes_that_do_not_block_are_learned)
{
	int pipes[2], sockets[2], event = eventfd(0, EFD_NONBLOCK);

	CHECK(!pipe2(pipes, O_NONBLOCK));
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets));
	CHECK(learns(pipes[0]) && learns(sockets[1]) && learns(event));
	CHECK(!ep_nonblocking_has(pipes[1]));
	ep_nonblocking_forget(pipes[0]);
	CHECK(!ep_nonblocking_has(pipes[0]) && ep_nonblocking_has(sockets[1]));
	ep_nonblocking_forget_all();
	CHECK(!ep_nonblocking_has(sockets[1]) && !ep_nonblocking_has(event));
	for (int i = 0; i < 2; i++) {
		close(pipes[i]);
		close(sockets[i]);
	}
	close(event);
}

TEST(what_may_wait_is_not_learned)
{
	FILE *file = tmpfile();
	int pipes[2];

	CHECK(!pipe(pipes) && file);
	CHECK(!fcntl(fileno(file), F_SETFL, O_NONBLOCK)); /* a disk does not heed it */
	errno = ENOENT;
	CHECK(!learns(pipes[0]) && !learns(fileno(file)));
	CHECK(!learns(-1) && !learns(EP_NONBLOCKING_FDS) && !learns(EP_NONBLOCKING_FDS - 1));
	CHECK_INT(errno, ENOENT);
	ep_nonblocking_forget(-1);
	ep_nonblocking_forget(EP_NONBLOCKING_FDS);
	fclose(file);
	close(pipes[0]);
	close(pipes[1]);
}

/* Returns the number of calls until it is due. */
static int n_calls_until_due(struct ep_nonblocking_turn *turn)
{
	int n = 1;

	while (!ep_nonblocking_is_due(turn))
		n++;
	return n;
}

TEST(what_learns_nothing_is_asked_seldom)
{
	struct ep_nonblocking_turn turn = { 0 };
	int pipes[2];

	CHECK(!pipe2(pipes, O_NONBLOCK));
	for (int i = 0, n = EP_NONBLOCKING_CALLS; i < 20; i++, n = n < 4096 ? 2 * n : n) {
		CHECK_INT(n_calls_until_due(&turn), n);
		ep_nonblocking_learn(&turn, -1);
	}
	CHECK_INT(n_calls_until_due(&turn), 4096);
	ep_nonblocking_learn(&turn, pipes[0]);
	CHECK_INT(n_calls_until_due(&turn), EP_NONBLOCKING_CALLS);
	ep_nonblocking_forget_all();
	close(pipes[0]);
	close(pipes[1]);
}
