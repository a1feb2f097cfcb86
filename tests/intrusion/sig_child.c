/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wait that a handler has interrupted must end, whatever signal the handler is for: shells wait for their children
 * with a handler of SIGCHLD alone. The signal is already pending when the wait begins. If a wait went on after the
 * handler, no other signal would come, and the wait would last until its timeout.
 */
#include "probe.h"

#include <poll.h>

enum { N_ROUNDS = 4000, TIMEOUT_NS = 20000000 };

static atomic_int n_seen;

/* Takes another time in each call, so that a tick may come at any instruction of the handler's end. */
static void note(int sig)
{
	static unsigned n;

	(void)sig;
	n_seen++;
	burn_rounds(n++ * 37 % 4096);
}

static void handle(int sig, const char *way)
{
	struct sigaction own = { .sa_handler = note };

	if (!strcmp(way, "signal")) {
		siginterrupt(sig, 1);
		EXPECT(signal(sig, note) != SIG_ERR);
	} else {
		EXPECT_INT(sigaction(sig, &own, NULL), 0);
	}
}

int main(int n_arguments, char **arguments)
{
	int sig = n_arguments > 1 ? atoi(arguments[1]) : SIGCHLD, n_lost = 0;
	struct timespec timeout = { 0, TIMEOUT_NS };
	sigset_t none, own;

	sigemptyset(&none);
	sigemptyset(&own);
	sigaddset(&own, sig);
	sigprocmask(SIG_BLOCK, &own, NULL);
	handle(sig, n_arguments > 2 ? arguments[2] : "sigaction");
	for (int i = 0; i < N_ROUNDS; i++) {
		raise(sig);
		n_lost += ppoll(NULL, 0, &timeout, &none) != -1 || errno != EINTR;
	}
	EXPECT_INT(n_seen, N_ROUNDS);
	EXPECT_MSG(!n_lost, "%d of %d waits went on behind their handler", n_lost, N_ROUNDS);
	return probe_end();
}
