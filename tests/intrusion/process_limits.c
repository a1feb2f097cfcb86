/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_limits NAME: works with a small limit that is set before the program starts. The program of an ordinary user
 * must get as much as without the preload: processes, locked memory, address space, pending signals, stack.
 */
#include "probe.h"

#include <sys/mman.h>
#include <sys/resource.h>

enum { MiB = 1 << 20 };

static void *idle(void *stop)
{
	while (!atomic_load((atomic_int *)stop))
		usleep(2000);
	return NULL;
}

/* Waits until the process has one thread. The kernel counts a joined thread for a moment longer, until its task has
 * ended. */
static void wait_until_alone(void)
{
	char text[4096], *line;
	FILE *status;

	for (int i = 0; i < 30000; i++) {
		status = fopen("/proc/self/status", "r");
		text[fread(text, 1, sizeof(text) - 1, status)] = '\0';
		fclose(status);
		line = strstr(text, "\nThreads:\t");
		if (line && atoi(line + strlen("\nThreads:\t")) == 1)
			return;
		usleep(1000);
	}
	EXPECT_MSG(false, "joined threads do not end");
}

static void use_processes(void)
{
	atomic_int stop = 0;
	pthread_t threads[16];
	int n_threads = 0, n_children = 0;
	pid_t pid;

	burn_ms(5);
	while (n_threads < 16 && !pthread_create(&threads[n_threads], NULL, idle, &stop))
		n_threads++;
	printf("%d threads\n", n_threads);
	stop = 1;
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	wait_until_alone();
	fflush(stdout);
	while (n_children < 16 && (pid = fork()) >= 0) {
		if (pid == 0) {
			sleep(1);
			_exit(0);
		}
		n_children++;
	}
	printf("%d children\n", n_children);
	while (wait(NULL) > 0)
		;
}

static void lock_memory(void)
{
	size_t n_locked = 0;
	char *page;

	burn_ms(5);
	while (n_locked < 64 &&
		(page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0)) != MAP_FAILED &&
		!mlock(page, 4096))
		n_locked++;
	printf("%zu pages locked\n", n_locked);
	munlockall();
}

static void use_memory(void)
{
	size_t n_mapped = 0;

	burn_ms(20);
	while (n_mapped < 48 && mmap(NULL, MiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
					-1, 0) != MAP_FAILED)
		n_mapped++;
	EXPECT_MSG(n_mapped == 48, "only %zu MiB mapped", n_mapped);
	burn_ms(20);
}

static void use_signals(void)
{
	sigset_t set;
	int s;

	burn_ms(20);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	EXPECT_INT(raise(SIGUSR1), 0);
	EXPECT_INT(sigwait(&set, &s), 0);
	EXPECT_INT(s, SIGUSR1);
	s = sigqueue(getpid(), SIGRTMIN, (union sigval){ 0 });
	printf("sigqueue: %d %d\n", s, errno);
}

static void use_stack(void)
{
	pthread_attr_t attributes;
	atomic_int stop = 1;
	pthread_t thread;
	size_t size;

	pthread_getattr_default_np(&attributes);
	pthread_attr_getstacksize(&attributes, &size);
	printf("thread stacks of %zu\n", size);
	burn_ms(20);
	EXPECT_INT(pthread_create(&thread, NULL, idle, &stop), 0);
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	int resource;
	rlim_t limit;
	void (*use)(void);
} cases[] = {
	{ "nproc", RLIMIT_NPROC, 3, use_processes },
	{ "memlock", RLIMIT_MEMLOCK, 64 * 1024, lock_memory },
	{ "memlock0", RLIMIT_MEMLOCK, 0, lock_memory },
	{ "as", RLIMIT_AS, 96 * MiB, use_memory },
	{ "sigpending", RLIMIT_SIGPENDING, 0, use_signals },
	{ "stack", RLIMIT_STACK, RLIM_INFINITY, use_stack },
	{ "stack-small", RLIMIT_STACK, 128 * 1024, use_stack },
};

/* Becomes a user that no other process has, so that the user's processes are only this program's. */
static void become_ordinary(void)
{
	uid_t uid = 100000 + getpid() % 50000;

	if (getuid() == 0) {
		EXPECT_INT(setresgid(uid, uid, uid), 0);
		EXPECT_INT(setresuid(uid, uid, uid), 0);
	}
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rlimit limit = { cases[i].limit, cases[i].limit }, seen;

		if (strcmp(cases[i].name, argv[1]))
			continue;
		if (argc > 2) {
			getrlimit(cases[i].resource, &seen);
			EXPECT(!memcmp(&seen, &limit, sizeof(seen)));
			cases[i].use();
			return probe_end();
		}
		burn_ms(5);
		become_ordinary();
		EXPECT_INT(setrlimit(cases[i].resource, &limit), 0);
		execl(probe_sibling("process_limits"), "process_limits", argv[1], "given", NULL);
	}
	return 99;
}
