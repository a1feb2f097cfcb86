/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filtered ACTION: starts itself as systemd starts a service with SystemCallFilter=: it sets a seccomp filter, then
 * calls exec. The filter kills a process that calls perf_event_open (kill), sends it SIGSYS (trap), or refuses the call
 * (errno). The service then works with threads and children.
 */
#include "probe.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static const struct {
	const char *name;
	unsigned action;
} actions[] = {
	{ "kill", SECCOMP_RET_KILL_PROCESS },
	{ "trap", SECCOMP_RET_TRAP },
	{ "errno", SECCOMP_RET_ERRNO | EPERM },
};

static void become_service(const char *name)
{
	struct sock_filter filter[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name))
			filter[2].k = actions[i].action;
	EXPECT_INT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	EXPECT_INT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	execl(probe_sibling("filtered"), "filtered", "service", NULL);
}

static void *work(void *unused)
{
	burn_ms(30);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status;

	if (strcmp(argv[1], "service"))
		become_service(argv[1]);
	EXPECT_MSG(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD, "there is a child");
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	if (probe_fork() == 0) {
		burn_ms(20);
		_exit(3);
	}
	EXPECT(wait(&status) > 0 && WEXITSTATUS(status) == 3);
	if (argc == 2 && probe_fork() == 0) {
		execl(probe_sibling("filtered"), "filtered", "service", "again", NULL);
		_exit(4);
	}
	if (argc == 2)
		EXPECT(wait(&status) > 0 && WEXITSTATUS(status) == 0);
	return probe_end();
}
