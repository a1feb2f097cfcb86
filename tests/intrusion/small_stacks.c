/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * small_stacks HOW: runs code on a stack that has no room for a signal frame, with data right below, as Erlang does.
 * Signals use the thread's alternate stack, for which the program's own handler is set up, too: by sigaction, or by
 * libc's other name for that function (HOW is other-name).
 */
#include "probe.h"

#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 640, DATA_BYTES = 65536, ALTERNATE_BYTES = 65536, N_TURNS = 40 };

int __sigaction(int sig, const struct sigaction *action, struct sigaction *out_old);

static unsigned char heap[DATA_BYTES + STACK_BYTES] __attribute__((aligned(16)));
static ucontext_t outside, inside;
static volatile sig_atomic_t n_handled;

static void on_signal(int sig)
{
	n_handled++;
}

static void spin(void)
{
	burn_rounds(2000000);
}

static void run_on_small_stack(void)
{
	memset(heap, 0xa5, sizeof(heap));
	getcontext(&inside);
	inside.uc_stack.ss_sp = heap + DATA_BYTES;
	inside.uc_stack.ss_size = STACK_BYTES;
	inside.uc_link = &outside;
	makecontext(&inside, spin, 0);
	EXPECT_INT(swapcontext(&outside, &inside), 0);
	for (int i = 0; i < DATA_BYTES; i++)
		if (heap[i] != 0xa5) {
			EXPECT_MSG(false, "%d bytes below the stack are written", DATA_BYTES - i);
			return;
		}
}

int main(int argc, char **argv)
{
	int (*install)(int, const struct sigaction *, struct sigaction *) =
		argc > 1 && !strcmp(argv[1], "other-name") ? __sigaction : sigaction;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESTART };
	stack_t alternate = { .ss_size = ALTERNATE_BYTES };

	alternate.ss_sp = mmap(
		NULL, ALTERNATE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT_INT(sigaltstack(&alternate, NULL), 0);
	EXPECT_INT(install(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	EXPECT_INT(n_handled, 1);
	for (int i = 0; i < N_TURNS; i++)
		run_on_small_stack();
	return probe_end();
}
