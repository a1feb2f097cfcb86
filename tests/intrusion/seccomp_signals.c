/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seccomp_signals [stack]: a sandbox that allows what its program does and kills it for other calls. The program sets
 * handlers and an alternate stack, but does not change the mask of signals. With stack, the program has set its
 * handlers before, and the sandbox also kills it for setting another one.
 */
#include "probe.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static char memory[16384];
static int n_on_it;

static void handle(int sig)
{
	char here;

	(void)sig;
	n_on_it += &here > memory && &here < memory + sizeof(memory);
}

static void close_door(bool handlers_too)
{
	uint32_t second = handlers_too ? SYS_rt_sigaction : SYS_rt_sigprocmask;
	struct sock_filter filter[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	EXPECT_INT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	EXPECT_INT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

int main(int argc, char **argv)
{
	struct sigaction own = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	bool is_early = argc > 1;

	/* the library takes this handler's SA_ONSTACK away, and gives it back */
	EXPECT_INT(sigaction(SIGCHLD, &own, NULL), 0);
	close_door(is_early);
	if (!is_early) {
		EXPECT_INT(sigaction(SIGUSR1, &own, NULL), 0);
		EXPECT(signal(SIGUSR2, handle) == SIG_DFL);
	}
	EXPECT_INT(sigaltstack(&stack, NULL), 0);
	if (!is_early)
		EXPECT_INT(sigaction(SIGTERM, &own, NULL), 0);
	EXPECT_INT(kill(getpid(), SIGCHLD), 0);
	EXPECT_INT(n_on_it, 1);
	return probe_end();
}
