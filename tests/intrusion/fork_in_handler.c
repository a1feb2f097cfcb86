/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal handler forks while its thread is inside fork. Each child must end with its own status. Signals that were
 * blocked during the fork must not be blocked afterwards, in the parent or the child.
 */
#include "probe.h"

#include <sys/time.h>

enum { N_FORKS = 400, PERIOD_US = 300 };

static atomic_bool may_fork; /* the handler may fork: once for each fork in main */

static void fork_again(int sig)
{
	int saved_errno = errno;
	pid_t pid;

	(void)sig;
	if (!may_fork)
		return;
	may_fork = false;
	pid = fork();
	if (!pid) {
		burn_us(50);
		_exit(7);
	}
	if (pid > 0)
		EXPECT_INT(WEXITSTATUS(probe_wait(pid)), 7);
	errno = saved_errno;
}

static void wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	EXPECT_INT(WIFEXITED(status) && WEXITSTATUS(status) == 5, 1);
}

/* Returns the thread's blocked signals, as the kernel shows them. No signal that fork blocks may stay blocked. */
static unsigned long long mask_now(void)
{
	unsigned long long mask = ~0ull;
	char line[256];
	FILE *file = fopen("/proc/thread-self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigBlk: %llx", &mask) == 1)
			break;
	if (file)
		fclose(file);
	return mask;
}

int main(void)
{
	struct itimerval often = { { 0, PERIOD_US }, { 0, PERIOD_US } },
			 never = { { 0, 0 }, { 0, 0 } };
	struct sigaction own = { .sa_handler = fork_again, .sa_flags = SA_RESTART };
	unsigned long long mask = mask_now();

	sigaction(SIGALRM, &own, NULL);
	for (int i = 0; i < N_FORKS && !probe_n_wrong; i++) {
		pid_t pid;

		may_fork = true;
		setitimer(ITIMER_REAL, &often, NULL);
		pid = fork();
		if (!pid) {
			burn_us(50);
			_exit(mask_now() == mask ? 5 : 6);
		}
		setitimer(ITIMER_REAL, &never, NULL);
		wait_for(pid);
		EXPECT_INT(mask_now(), mask);
	}
	return probe_end();
}
