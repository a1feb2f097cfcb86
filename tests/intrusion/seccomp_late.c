/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seccomp_late fault: no file of the program may grow, so that a profiler finds that it cannot write. Then a filter
 * restricts all threads. A thread that has slept until then works and causes a fault, which must end the program.
 * seccomp_late thread-end: a thread ends under a filter that forbids the system calls that only a profiler makes.
 * seccomp_late stopped [full]: the trace is stopped, then a filter restricts all threads. A thread that had blocked
 * every signal before unblocks them, so that pending signals arrive. full: the user's queue of signals has no room.
 */
#include "probe.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define ALLOW(name)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter kill_most[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr)),
	ALLOW(read), ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigreturn),
	ALLOW(rt_sigprocmask), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS) };
static struct sock_fprog program = { sizeof(kill_most) / sizeof(kill_most[0]), kill_most };

#define KILL(name)                                                                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static struct sock_filter kill_some[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr)),
	KILL(sigaltstack), KILL(timer_delete), KILL(getrusage), KILL(ioctl), KILL(sched_yield),
	KILL(clock_gettime), KILL(fcntl), KILL(fstat), KILL(prlimit64), KILL(rt_sigpending),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
static struct sock_fprog some_program = { sizeof(kill_some) / sizeof(kill_some[0]), kill_some };
static int ends[2], go[2];

/* Works without burn_us, which asks for the time by a system call. */
static __attribute__((noinline)) void burn_blindly(void)
{
	for (volatile long i = 0; i < 100000000; i++)
		;
}

static void *work(void *unused)
{
	char byte;

	if (read(ends[0], &byte, 1) != 1)
		_exit(97);
	burn_blindly();
	if (unused)
		*(volatile int *)8 = 1;
	return NULL;
}

static void lock_up(struct sock_fprog *with)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, with))
		_exit(95);
	if (write(ends[1], "", 1) != 1)
		_exit(96);
	burn_blindly();
}

static int end_thread(void)
{
	pthread_t thread;

	EXPECT_INT(pipe(ends), 0);
	EXPECT_INT(pthread_create(&thread, NULL, work, NULL), 0);
	burn_ms(5);
	lock_up(&some_program);
	if (pthread_join(thread, NULL))
		_exit(94);
	_exit(3);
}

/* Blocks or unblocks all signals by the system call itself, since libc keeps some signals out of a mask. */
static void mask_all(int how)
{
	uint64_t all = ~0ull;

	if (syscall(SYS_rt_sigprocmask, how, &all, NULL, sizeof(all)))
		_exit(93);
}

static void *work_deafly(void *unused)
{
	struct rlimit none = { 0, 0 };
	char byte;

	burn_ms(5);
	if (unused)
		EXPECT_INT(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	mask_all(SIG_BLOCK);
	burn_ms(20);
	if (write(ends[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
		_exit(97);
	mask_all(SIG_UNBLOCK);
	_exit(3);
}

/* Stops the trace as evprof stop does, by its mode. A thread notices the stop when it writes its samples, which it does
 * after each second of its work. */
static void stop_trace(void)
{
	const char *trace = getenv("EVPROF_OUTPUT");

	if (trace)
		chmod(trace, 0444);
	burn_ms(1500);
}

static int stop_and_lock_up(bool is_full)
{
	pthread_t thread;
	char byte;

	EXPECT_INT(pipe(ends), 0);
	EXPECT_INT(pipe(go), 0);
	EXPECT_INT(pthread_create(&thread, NULL, work_deafly, is_full ? ends : NULL), 0);
	if (read(ends[0], &byte, 1) != 1)
		_exit(92);
	stop_trace();
	ends[1] = go[1];
	lock_up(&program);
	for (;;)
		;
}

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };
	pthread_t thread;

	if (!strcmp(argv[1], "thread-end"))
		return end_thread();
	if (!strcmp(argv[1], "stopped"))
		return stop_and_lock_up(argc > 2);
	EXPECT_INT(pipe(ends), 0);
	EXPECT_INT(pthread_create(&thread, NULL, work, argv), 0);
	burn_ms(5);
	EXPECT_INT(setrlimit(RLIMIT_FSIZE, &none), 0);
	burn_ms(900);
	lock_up(&program);
	for (;;)
		;
}
