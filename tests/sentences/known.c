// SPDX-License-Identifier: BSD-3-Clause
/* The account: known KIND FILE [OTHER] does what KIND says and appends lines to FILE, one for each thread, process,
 * procedure with CPU time and kind of wait. Times are nanoseconds by the kernel's clocks. */
#include "known.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const place_names[N_PLACES] = { "burn_a", "burn_b", "burn_c", "copy_some",
	"allocate_some", "call_kernel", "touch_memory" };
static const char *const wait_names[N_WAIT_KINDS] = { "mutex", "condition", "barrier", "join",
	"read", "sleep", "child" };

static int facts_fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t process_places[N_PLACES], process_waits[N_WAIT_KINDS], process_start_ns,
	process_start_cpu_ns;
static __thread uint64_t thread_start_ns, thread_late_ns, thread_start_delay, thread_start_cpu_ns,
	thread_places[N_PLACES], thread_waits[N_WAIT_KINDS];
const char *known_path, *known_other;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* ---- procedures ---- */

#define APART __attribute__((noinline, noipa))

/* Some 20 us of dependent arithmetic: more than the clock costs, less than a slice. A macro has no name in a report. */
#define COMPUTE(x)                                                                                 \
	for (int i = 0; i < 20000; i++)                                                            \
	x = x * 6364136223846793005u + 1442695040888963407u

static volatile uint64_t sink;

APART static void burn_a(void)
{
	uint64_t x = sink;

	COMPUTE(x);
	sink = x;
}

APART static void burn_b(void)
{
	uint64_t x = sink + 1;

	COMPUTE(x);
	sink = x;
}

APART static void burn_c(void)
{
	uint64_t x = sink + 2;

	COMPUTE(x);
	sink = x;
}

static __thread char from[1 << 14], to[1 << 14];

APART static void copy_some(void)
{
	for (int i = 0; i < 100; i++) {
		from[i]++;
		memcpy(to, from, sizeof(to));
		__asm__ volatile("" ::"r"(to) : "memory");
	}
}

APART static void allocate_some(void)
{
	void *blocks[64];

	for (int turn = 0; turn < 20; turn++) {
		for (int i = 0; i < 64; i++) {
			blocks[i] = malloc((size_t)2000 + 16 * (size_t)i);
			__asm__ volatile("" ::"r"(blocks[i]) : "memory");
		}
		for (int i = 0; i < 64; i++)
			free(blocks[i]);
	}
}

APART static void call_kernel(void)
{
	static int zero = -1;
	char bytes[16384];

	if (zero < 0)
		zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < 50; i++)
		if (read(zero, bytes, sizeof(bytes)) < 0)
			abort();
}

APART static void touch_memory(void)
{
	enum { SIZE = 1 << 20, PAGE = 4096 };
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	madvise(memory, SIZE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < SIZE; i += PAGE)
		((volatile char *)memory)[i] = 1;
	munmap(memory, SIZE);
}

static void (*const procedures[N_PLACES])(
	void) = { burn_a, burn_b, burn_c, copy_some, allocate_some, call_kernel, touch_memory };

APART void spend(enum place place, uint64_t ns)
{
	uint64_t start = read_clock(CLOCK_THREAD_CPUTIME_ID), used = 0;

	do {
		procedures[place]();
		used = read_clock(CLOCK_THREAD_CPUTIME_ID) - start;
	} while (used < ns);
	thread_places[place] += used;
}

/* ---- waits ---- */

void waited(enum wait_kind kind, uint64_t since_ns)
{
	thread_waits[kind] += now_ns() - since_ns;
}

APART void sleep_some(uint64_t ns)
{
	uint64_t since_ns = now_ns();
	struct timespec time = { .tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&time, NULL);
	waited(ON_SLEEP, since_ns);
}

/* ---- the account ---- */

/* Appends a line by one write. */
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
	char line[256];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(facts_fd, line, (size_t)size) != size)
		abort();
}

/* The kernel's own words on how long the thread was ready without a CPU. */
static uint64_t read_delay(void)
{
	unsigned long long cpu = 0, delay = 0;
	char text[128] = "";
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
		sscanf(text, "%llu %llu", &cpu, &delay) != 2)
		abort();
	close(fd);
	return delay;
}

/* A thread that was created begins when its creator called for it, and waits for its first CPU from then on. */
static void begin_thread(uint64_t start_ns, uint64_t start_delay)
{
	memset(thread_places, 0, sizeof(thread_places));
	memset(thread_waits, 0, sizeof(thread_waits));
	thread_start_ns = start_ns;
	thread_late_ns = now_ns() - start_ns;
	thread_start_delay = start_delay;
	thread_start_cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static void end_thread(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	tell("thread %d %d %llu %llu %llu %llu %ld %ld\n", getpid(), gettid(),
		(unsigned long long)(read_clock(CLOCK_THREAD_CPUTIME_ID) - thread_start_cpu_ns),
		(unsigned long long)(read_delay() - thread_start_delay),
		(unsigned long long)(now_ns() - thread_start_ns),
		(unsigned long long)thread_late_ns, usage.ru_nvcsw, usage.ru_nivcsw);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < N_PLACES; i++)
		process_places[i] += thread_places[i];
	for (int i = 0; i < N_WAIT_KINDS; i++)
		process_waits[i] += thread_waits[i];
	pthread_mutex_unlock(&lock);
}

static void begin_process(uint64_t start_ns, uint64_t start_delay)
{
	memset(process_places, 0, sizeof(process_places));
	memset(process_waits, 0, sizeof(process_waits));
	process_start_ns = start_ns;
	process_start_cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	begin_thread(start_ns, start_delay);
}

static void end_process(void)
{
	struct rusage usage;

	end_thread();
	getrusage(RUSAGE_SELF, &usage);
	for (int i = 0; i < N_PLACES; i++)
		if (process_places[i])
			tell("place %d %s %llu\n", getpid(), place_names[i],
				(unsigned long long)process_places[i]);
	for (int i = 0; i < N_WAIT_KINDS; i++)
		if (process_waits[i])
			tell("wait %d %s %llu\n", getpid(), wait_names[i],
				(unsigned long long)process_waits[i]);
	tell("process %d %llu %ld %ld %llu\n", getpid(),
		(unsigned long long)(read_clock(CLOCK_PROCESS_CPUTIME_ID) - process_start_cpu_ns),
		usage.ru_minflt, usage.ru_maxrss,
		(unsigned long long)(now_ns() - process_start_ns));
}

int fork_known(void)
{
	uint64_t start_ns = now_ns();
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (!pid)
		begin_process(start_ns, 0);
	return pid;
}

void end_known(int status)
{
	end_process();
	exit(status);
}

void wait_for_children(int n)
{
	uint64_t since_ns = now_ns();

	for (int i = 0; i < n; i++)
		if (wait(NULL) < 0)
			abort();
	waited(ON_CHILD, since_ns);
}

struct run {
	void (*body)(int idx);
	int idx;
	uint64_t start_ns;
	pthread_t thread;
};

static void *run_one(void *argument)
{
	const struct run *run = argument;

	begin_thread(run->start_ns, 0);
	run->body(run->idx);
	end_thread();
	return NULL;
}

void run_threads(int n, void (*body)(int idx))
{
	struct run *runs = calloc((size_t)n, sizeof(*runs));

	for (int i = 0; i < n; i++) {
		runs[i] = (struct run){ .body = body, .idx = i, .start_ns = now_ns() };
		if (pthread_create(&runs[i].thread, NULL, run_one, &runs[i]))
			abort();
	}
	for (int i = 0; i < n; i++) {
		uint64_t since_ns = now_ns();

		pthread_join(runs[i].thread, NULL);
		waited(ON_JOIN, since_ns);
	}
	free(runs);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	known_path = argv[0];
	known_other = argc > 3 ? argv[3] : NULL;
	facts_fd = open(argv[2], O_WRONLY | O_APPEND | O_CREAT, 0644);
	if (facts_fd < 0)
		return 2;
	begin_process(now_ns(), read_delay());
	for (const struct known_kind *kind = known_kinds; kind->name; kind++)
		if (!strcmp(kind->name, argv[1]))
			end_known(kind->run());
	return 2;
}
