/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seccomp MODE HOW END [child]: restricts itself by seccomp, and works on. MODE is strict, kill (every call but read,
 * write, exit, exit_group and rt_sigreturn ends the process), errno (open and openat fail with ENOSYS), tsync (like
 * kill, for all threads) or callers (like tsync, with threads that call write all the time). HOW tells how seccomp is
 * entered: by the library's prctl, by syscall(), or by the instruction. END: exit_group by the library, or the thread's
 * exit by the instruction. With child, all this happens in a child that is made by the system call clone.
 */
#include "probe.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#define ALLOW(name)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(name)                                                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

static struct sock_filter kill_most[] = { LOAD_NUMBER, ALLOW(read), ALLOW(write), ALLOW(exit),
	ALLOW(exit_group), ALLOW(rt_sigreturn),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS) };
static struct sock_filter refuse_open[] = { LOAD_NUMBER, REFUSE(open), REFUSE(openat),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
static struct sock_fprog kill_program = { sizeof(kill_most) / sizeof(kill_most[0]), kill_most };
static struct sock_fprog open_program = { sizeof(refuse_open) / sizeof(refuse_open[0]),
	refuse_open };

static long by_instruction(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static long lock_up(const char *how, int mode, struct sock_fprog *program, int flags)
{
	if (!strcmp(how, "library"))
		return prctl(PR_SET_SECCOMP, mode, program);
	if (!strcmp(how, "syscall"))
		return syscall(SYS_seccomp, mode == SECCOMP_MODE_STRICT ? 0 : 1, flags, program);
	return by_instruction(SYS_prctl, PR_SET_SECCOMP, mode, (long)program);
}

static atomic_int n_started;

static void *work_beside(void *stop)
{
	n_started++;
	while (!atomic_load((atomic_int *)stop))
		burn_rounds(1000);
	return NULL;
}

/* Makes calls that return at once. A profiler may just be asking the kernel about them when the filter is set. */
static void *call_beside(void *unused)
{
	n_started++;
	while (!write(1, "", 0))
		;
	by_instruction(SYS_exit_group, 93, 0, 0);
	return unused;
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		by_instruction(SYS_exit_group, 96, 0, 0);
}

/* Makes many calls that return at once, on a descriptor on which calls may block. */
static void call_often(void)
{
	for (int i = 0; i < 64; i++)
		if (write(1, "", 0))
			by_instruction(SYS_exit_group, 94, 0, 0);
}

static void end(const char *how, int status)
{
	if (!strcmp(how, "exit"))
		exit(status);
	if (!strcmp(how, "_exit"))
		_exit(status);
	if (!strcmp(how, "raw"))
		by_instruction(SYS_exit, status, 0, 0);
}

/* Only the opening of files is refused: everything else that a program does must work. */
static void live_without_open(void)
{
	pthread_t thread;
	atomic_int stop = 1;

	EXPECT_INT(open("/dev/null", O_RDONLY), -1);
	EXPECT_INT(errno, ENOSYS);
	burn_ms(20);
	EXPECT_INT(pthread_create(&thread, NULL, work_beside, &stop), 0);
	EXPECT_INT(pthread_join(thread, NULL), 0);
	if (fork() == 0) {
		burn_ms(5);
		_exit(3);
	}
	EXPECT_INT(wait(NULL) > 0, 1);
}

/* Starts a thread. Its start takes system calls, but when this function returns, the thread makes no more calls. */
static void start_beside(atomic_int *stop)
{
	pthread_t thread;

	EXPECT_INT(pthread_create(&thread, NULL, work_beside, stop), 0);
	while (!n_started)
		sched_yield();
}

#define N_CALLERS 3

static void start_callers(void)
{
	pthread_t thread;

	for (int i = 0; i < N_CALLERS; i++)
		EXPECT_INT(pthread_create(&thread, NULL, call_beside, NULL), 0);
	while (n_started < N_CALLERS)
		sched_yield();
}

static int is_for_all(const char *mode)
{
	return !strcmp(mode, "tsync") || !strcmp(mode, "callers");
}

int main(int argc, char **argv)
{
	static atomic_int stop;
	const char *mode = argv[1], *how = argv[2], *ending = argv[3];
	long result = 0;
	int status;

	burn_ms(5);
	if (argc > 4 && syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) {
		wait(&status);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!strcmp(mode, "tsync"))
		start_beside(&stop);
	if (!strcmp(mode, "callers"))
		start_callers();
	if (!strcmp(mode, "strict"))
		result = lock_up(how, SECCOMP_MODE_STRICT, NULL, 0);
	else if (!strcmp(mode, "errno"))
		result = lock_up(how, SECCOMP_MODE_FILTER, &open_program, 0);
	else
		result = lock_up(how, SECCOMP_MODE_FILTER, &kill_program,
			is_for_all(mode) ? SECCOMP_FILTER_FLAG_TSYNC : 0);
	if (result && !strcmp(mode, "strict") && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER) {
		say("a filter is active already\n");
		return PROBE_CANNOT;
	}
	if (result)
		return 95;
	say("locked\n");
	call_often();
	burn_rounds(60000000);
	if (!strcmp(mode, "errno"))
		live_without_open();
	say("worked\n");
	end(ending, 3);
}
