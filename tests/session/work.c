// SPDX-License-Identifier: BSD-3-Clause
/*
 * Known work, one kind per command; says on stdout what it did, for run.py to compare.
 *   shares MS        three threads, 60/30/10 of their CPU time in three procedures, MS each
 *   looked-up MS     the same, of threads whose pthread_create was looked up in the C library
 *   small-stack MS   as long in spend_ten as a ninth of what a handler on an alternate stack of 8 KiB takes
 *   faults N M       a thread that touches N new pages, another that touches M
 *   switches N       a thread that blocks N times
 *   forks N          N children, each for a moment
 *   threads N        N short threads, at most 64 at a time
 *   spin MS          runs for MS of CPU time at least, a line every 50 ms; to be killed
 *   no-queue MS      the same, and no signal finds room in the queue of those that wait
 *   deaf N           N times 80 ms with all signals blocked, by a system call of its own
 *   read N           N system calls of two gigabytes each
 *   sleeps N         one thread, which computes for 20 ms and sleeps for 60 ms, N times
 *   lock N           a thread that does so with a lock held, while the first waits for the lock
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCEDURE __attribute__((noinline))
#define N_AT_ONCE 64

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- shares ---- */

/* Different bodies, or the compiler folds them into one. */
PROCEDURE static double spend_sixty(int n)
{
	double sum = 1;

	for (int i = 0; i < n; i++)
		sum = sum * 1.0000001 + 0.5;
	return sum;
}

PROCEDURE static double spend_thirty(int n)
{
	double sum = 2;

	for (int i = 0; i < n; i++)
		sum = sum * 0.9999999 + 0.25;
	return sum;
}

PROCEDURE static double spend_ten(int n)
{
	double sum = 3;

	for (int i = 0; i < n; i++)
		sum = sum * 1.0000002 - 0.125;
	return sum;
}

static double (*const spenders[])(int) = { spend_sixty, spend_thirty, spend_ten };
static const int weights[] = { 60, 30, 10 };

#define MAX_CALLS 8192 /* whose times are kept */

struct spent {
	uint64_t limit_ns;
	uint64_t n_calls, ns[3][MAX_CALLS];
	pthread_t thread;
	volatile double sink;
};

/* A call's work is always the same: the usual time of one is known by many. Linux charges the thread for what the host of
 * a virtual machine took, which falls on few, and the shortest is one that had a whole core for itself, which the short
 * ones have more often. */
static void *spend(void *data)
{
	struct spent *spent = data;
	uint64_t total_ns = 0;

	for (; total_ns < spent->limit_ns; spent->n_calls++)
		for (int i = 0; i < 3; i++) {
			uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

			spent->sink = spenders[i](20000 * weights[i]);
			uint64_t ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
			spent->ns[i][spent->n_calls % MAX_CALLS] = ns;
			total_ns += ns;
		}
	return NULL;
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t ns = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (ns > other) - (ns < other);
}

static uint64_t usual_ns(struct spent *spent, int i)
{
	size_t n = spent->n_calls < MAX_CALLS ? spent->n_calls : MAX_CALLS;

	qsort(spent->ns[i], n, sizeof(uint64_t), compare_ns);
	return n ? spent->ns[i][n / 2] : 0;
}

typedef int create_thread(
	pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

static create_thread *look_up(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	return libc ? (create_thread *)dlsym(libc, "pthread_create") : NULL;
}

static int work_shares(int ms, create_thread *create)
{
	static struct spent spent[3];
	uint64_t ns[3] = { 0 };

	for (int t = 0; t < 3; t++) {
		spent[t].limit_ns = (uint64_t)ms * 1000000;
		if (!create || create(&spent[t].thread, NULL, spend, &spent[t]))
			return 1;
	}
	for (int t = 0; t < 3; t++) {
		pthread_join(spent[t].thread, NULL);
		for (int i = 0; i < 3; i++)
			ns[i] += spent[t].n_calls * usual_ns(&spent[t], i);
	}
	printf("spend_sixty %llu\nspend_thirty %llu\nspend_ten %llu\n", (unsigned long long)ns[0],
		(unsigned long long)ns[1], (unsigned long long)ns[2]);
	return 0;
}

static struct spent handled;

/* 90 % of the work, as far as this machine computes evenly. */
PROCEDURE static void handle_alarm(int sig)
{
	(void)sig;
	handled.sink = spend_sixty(20000 * 60) + spend_thirty(20000 * 30);
	handled.n_calls++;
}

static int work_small_stack(int ms)
{
	static char memory[8192];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	struct sigaction action = { .sa_handler = handle_alarm, .sa_flags = SA_ONSTACK };
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;

	if (sigaltstack(&stack, NULL) || sigaction(SIGALRM, &action, NULL))
		return 1;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
		handled.sink = spend_ten(20000 * 10);
		raise(SIGALRM);
	}
	return !handled.n_calls;
}

/* ---- faults and switches ---- */

static struct rusage used_by_thread(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage;
}

static void *touch_pages(void *data)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n_pages = (size_t)atoi(data);
	char *memory = mmap(
		NULL, n_pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, n_pages * page, MADV_NOHUGEPAGE))
		exit(1);
	long before = used_by_thread().ru_minflt;
	for (size_t i = 0; i < n_pages; i++)
		memory[i * page] = 1;
	long after = used_by_thread().ru_minflt;
	printf("touched %ld total %ld\n", after - before, after);
	return NULL;
}

static int work_faults(char **counts)
{
	pthread_t threads[2];

	for (int t = 0; t < 2; t++) /* one after the other: t's index is the thread's */
		if (pthread_create(&threads[t], NULL, touch_pages, counts[t]) ||
			pthread_join(threads[t], NULL))
			return 1;
	return 0;
}

static void *block(void *data)
{
	const struct timespec moment = { 0, 300000 };
	int n_times = *(int *)data;

	for (int i = 0; i < n_times; i++)
		nanosleep(&moment, NULL);
	struct rusage usage = used_by_thread();
	printf("blocked %d total %ld\n", n_times, usage.ru_nvcsw + usage.ru_nivcsw);
	return NULL;
}

static int work_switches(int n_times)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, block, &n_times) || pthread_join(thread, NULL);
}

/* ---- many ---- */

static int work_forks(int n_children)
{
	for (int i = 0; i < n_children; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(i % 100);
		int status;
		if (child < 0 || waitpid(child, &status, 0) != child ||
			WEXITSTATUS(status) != i % 100)
			return 1;
	}
	return 0;
}

static void *do_little(void *data)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += i;
	(void)sum;
	return NULL;
}

static int work_threads(int n_threads)
{
	pthread_t threads[N_AT_ONCE];

	for (int done = 0; done < n_threads;) {
		int n = n_threads - done < N_AT_ONCE ? n_threads - done : N_AT_ONCE;

		for (int i = 0; i < n; i++)
			if (pthread_create(&threads[i], NULL, do_little, NULL))
				return 1;
		for (int i = 0; i < n; i++)
			pthread_join(threads[i], NULL);
		done += n;
	}
	return 0;
}

static int work_spin(int ms)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), said_ns = start_ns;
	volatile double sink;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < (uint64_t)ms * 1000000) {
		sink = spend_sixty(10000);
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns - said_ns < 50000000)
			continue;
		said_ns = now_ns;
		printf("%llu\n", (unsigned long long)(now_ns - start_ns));
		fflush(stdout);
	}
	(void)sink;
	return 0;
}

/* System calls are not the library's: evprof would leave its signal out of what is blocked. */
static int work_deaf(int n_times)
{
	uint64_t all = ~0ull, before;

	volatile double sink;

	for (int i = 0; i < n_times; i++) {
		uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 80000000;

		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			sink = spend_sixty(10000);
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(all));
	}
	(void)sink;
	return 0;
}

enum { N_PARTS = 1023, PART_BYTES = 2 << 20 };

/* Two gigabytes of zeros that no file holds, in one system call: the most that one reads. */
static int work_read(int n_times)
{
	static char part[PART_BYTES];
	static struct iovec parts[N_PARTS];
	int fd = memfd_create("zeros", 0);

	if (fd < 0 || ftruncate(fd, (off_t)N_PARTS * PART_BYTES))
		return 1;
	for (int i = 0; i < N_PARTS; i++)
		parts[i] = (struct iovec){ part, PART_BYTES };
	for (int i = 0; i < n_times; i++)
		if (preadv(fd, parts, N_PARTS, 0) != (ssize_t)N_PARTS * PART_BYTES)
			return 1;
	return 0;
}

/* ---- waits ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t is_held;

#define COMPUTED_NS 20000000
#define SLEPT_US 60000

static int work_sleeps(int n_times)
{
	volatile double sum = 0;

	for (int i = 1; i <= n_times; i++) {
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < (uint64_t)i * COMPUTED_NS)
			sum += spend_ten(1000);
		usleep(SLEPT_US);
	}
	(void)sum;
	return 0;
}

static void *sleep_with_lock(void *n_times)
{
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&is_held);
	work_sleeps(*(int *)n_times);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int work_lock(int n_times)
{
	pthread_t holder;

	if (pthread_barrier_init(&is_held, NULL, 2) ||
		pthread_create(&holder, NULL, sleep_with_lock, &n_times))
		return 1;
	pthread_barrier_wait(&is_held);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return pthread_join(holder, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "shares"))
		return work_shares(n, pthread_create);
	if (!strcmp(what, "looked-up"))
		return work_shares(n, look_up());
	if (!strcmp(what, "small-stack"))
		return work_small_stack(n);
	if (!strcmp(what, "faults") && argc > 3)
		return work_faults(argv + 2);
	if (!strcmp(what, "switches"))
		return work_switches(n);
	if (!strcmp(what, "forks"))
		return work_forks(n);
	if (!strcmp(what, "threads"))
		return work_threads(n);
	if (!strcmp(what, "spin"))
		return work_spin(n);
	if (!strcmp(what, "no-queue"))
		return setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){ 0, 0 }) || work_spin(n);
	if (!strcmp(what, "deaf"))
		return work_deaf(n);
	if (!strcmp(what, "read"))
		return work_read(n);
	if (!strcmp(what, "sleeps"))
		return work_sleeps(n);
	if (!strcmp(what, "lock"))
		return work_lock(n);
	fprintf(stderr, "work: what?\n");
	return 2;
}
