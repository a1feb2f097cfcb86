/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sandbox that allows what its program does, which sets handlers and an alternate stack, and kills for what
 * it does not, which is to change the mask of signals.
 */
#include "probe.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static void handle(int sig)
{
	(void)sig;
}

int main(void)
{
	struct sock_filter filter[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	struct sigaction own = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	static char memory[8192];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	EXPECT_INT(sigaction(SIGCHLD, &own, NULL), 0); /* its flag is taken away and given back */
	EXPECT_INT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	EXPECT_INT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	EXPECT_INT(sigaction(SIGUSR1, &own, NULL), 0);
	EXPECT(signal(SIGUSR2, handle) == SIG_DFL);
	EXPECT_INT(sigaltstack(&stack, NULL), 0);
	EXPECT_INT(sigaction(SIGTERM, &own, NULL), 0);
	return probe_end();
}
