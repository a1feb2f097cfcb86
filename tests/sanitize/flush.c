// SPDX-License-Identifier: BSD-3-Clause
/*
 * flush SCENARIO N: N processes in which threads are recorded, end and are flushed while the
 * process ends, forks or is about to exec. Calls what the hooks and handlers call, without signals
 * (their delivery is out of the sanitizer's sight), so that every access can be watched. Each trace
 * is read back: whole blocks, and for every thread that ended as many samples as its totals say.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/trace.h"
#include "preload/process/process.h"
#include "preload/recording/out.h"
#include "preload/sample/slice.h"
#include "preload/sample/thread_life.h"
#include "preload/thread/thread_write.h"

/* Until ticks are ignored a handler with sanitizers must be done long before the next one. */
enum { N_THREADS = 6, N_SLICES = 24, PERIOD_NS = 2000000 };

extern char **environ;
static pthread_barrier_t all_there;      /* so that no record is used twice */
static _Atomic uint64_t *n_samples_made; /* by all threads of a run; shared with the parent */
static char trace_path[] = "/tmp/evprof-flush-XXXXXX";

static void fail(const char *what)
{
	fprintf(stderr, "flush: %s\n", what);
	_exit(1);
}

/* ---- a recorded thread ---- */

/* The sanitizer knows nothing of a handler that libc did not install: a tick that interrupts one of its
 * own locks would wait for it for ever. */
static void ignore_ticks(void)
{
	struct ep_kernel_sigaction ignored = { .handler = (void *)SIG_IGN };

	ep_sys_sigaction(EP_SLICE_SIGNAL, &ignored, NULL);
}

/* A slice is taken only when some of a period is over. */
static void use_cpu_time(void)
{
	uint64_t end_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + PERIOD_NS / 4;

	while (ep_now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void *run_thread(void *argument)
{
	struct ep_thread *thread = argument;
	uint64_t high = (uint64_t)__builtin_frame_address(0) + 256;
	ucontext_t context;

	pthread_barrier_wait(&all_there);
	ep_thread_begin(thread, high - (1 << 20), high);
	for (int i = 0; i < N_SLICES; i++) {
		use_cpu_time();
		getcontext(&context);
		ep_slice_tick(thread, &context);
		if (i % 16 == (int)(thread->idx % 16))
			thread->last_flush_us = 0; /* a flush is due */
	}
	ep_thread_end(thread);
	/* on a busy machine it may have given up, and others go on with the record */
	while (!ep_thread_wait_lock(thread))
		;
	*n_samples_made += thread->n_samples;
	ep_thread_unlock(thread);
	return NULL;
}

static void start_threads(pthread_t *ids)
{
	pthread_barrier_init(&all_there, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++) {
		struct ep_thread *thread = ep_thread_acquire();

		if (!thread || pthread_create(&ids[i], NULL, run_thread, thread))
			fail("no thread");
	}
}

static void join_threads(const pthread_t *ids)
{
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(ids[i], NULL);
}

/* ---- scenarios: in a process of their own, with a fresh trace ---- */

static void threads_end(void)
{
	pthread_t ids[N_THREADS];

	for (int round = 0; round < 3; round++) {
		start_threads(ids);
		join_threads(ids);
	}
	ep_process_end(EP_END_EXIT, 0, "");
}

static void exit_between(void)
{
	pthread_t ids[N_THREADS];

	start_threads(ids);
	usleep(random() % 6000);
	ep_process_end(EP_END_EXIT, 0, "");
	join_threads(ids);
}

static void *end_process(void *unused)
{
	ep_process_end(EP_END_EXIT_NOW, 0, "");
	return unused;
}

static void exit_twice(void)
{
	pthread_t ids[N_THREADS], enders[2];

	start_threads(ids);
	usleep(random() % 6000);
	for (int i = 0; i < 2; i++)
		pthread_create(&enders[i], NULL, end_process, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(enders[i], NULL);
	join_threads(ids);
}

static void exec_between(void)
{
	pthread_t ids[N_THREADS];

	start_threads(ids);
	for (int i = 0; i < 3; i++) {
		usleep(random() % 1000);
		ep_process_end(EP_END_EXEC, 0, ""); /* an exec that then fails */
	}
	join_threads(ids);
	ep_process_end(EP_END_EXIT, 0, "");
}

static void fork_between(void)
{
	pthread_t ids[N_THREADS];

	start_threads(ids);
	for (int i = 0; i < 3; i++) {
		bool locked = ep_out_wait_lock(&ep_recording.out);
		pid_t pid = fork();
		int status;

		if (locked)
			ep_out_unlock(&ep_recording.out);
		if (!pid) {
			ep_process_after_fork();
			ep_process_end(EP_END_EXIT_NOW, 0, "");
			*n_samples_made += ep_self->n_samples;
			_exit(0);
		}
		if (waitpid(pid, &status, 0) < 0 || status)
			fail("the fork's child failed");
	}
	join_threads(ids);
	ep_process_end(EP_END_EXIT, 0, "");
}

static void unload_between(void)
{
	pthread_t ids[N_THREADS];

	start_threads(ids);
	for (int i = 0; i < 20; i++) {
		ep_thread_forget_paths();
		ep_unwind_forget();
		usleep(100);
	}
	join_threads(ids);
	ep_process_end(EP_END_EXIT, 0, "");
}

/* ---- the trace ---- */

struct seen {
	uint64_t n_samples, n_totals, n_ends;
};

static void count_block(const struct ep_block *block, struct seen *seen)
{
	const uint8_t *at = block->body, *end = at + block->size_bytes;
	struct ep_totals totals;
	uint64_t value = 0;

	if (block->type == EP_BLOCK_SAMPLES) {
		for (int field = 0; field < 3; field++) /* thread, epoch, number */
			at += ep_varint_get(at, end, &value);
		seen->n_samples += value;
	} else if (block->type == EP_BLOCK_TOTALS) {
		if (ep_totals_decode(block, &totals))
			fail("TOTALS that cannot be read");
		if (totals.final)
			seen->n_totals += totals.n_samples;
		free(totals.groups);
		free(totals.counts);
	} else if (block->type == EP_BLOCK_END) {
		seen->n_ends++;
	}
}

static void read_trace(struct seen *seen)
{
	static uint8_t data[16 << 20], inflated[EP_MEMBER_MAX_BYTES];
	struct ep_inflater *inflater = ep_inflater_create();
	int fd = open(trace_path, O_RDONLY);
	ssize_t size = read(fd, data, sizeof(data));
	size_t member_size, inflated_size;
	struct ep_block block;
	bool need_more;

	for (ssize_t at = 0; at < size; at += member_size) {
		size_t block_at = 0;

		member_size = ep_member_size(data + at, size - at, &need_more);
		if (!member_size || ep_inflater_inflate(inflater, data + at, member_size, inflated,
					    &inflated_size))
			fail("a member that cannot be read");
		while (ep_block_next(inflated, inflated_size, &block_at, &block) == 1)
			count_block(&block, seen);
	}
	ep_inflater_destroy(inflater);
	close(fd);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{ "threads_end", threads_end },
	{ "exit_between", exit_between },
	{ "exit_twice", exit_twice },
	{ "exec_between", exec_between },
	{ "fork_between", fork_between },
	{ "unload_between", unload_between },
};

static void run_once(void (*run)(void), unsigned seed)
{
	static char *argv[] = { "flush", NULL };

	srandom(seed);
	ep_process_begin(1, argv, environ);
	ignore_ticks();
	if (!ep_recording.is_on)
		fail("not recording");
	run();
	*n_samples_made += ep_self->n_samples;
	_exit(0);
}

static int repeat(size_t scenario, int n)
{
	for (int i = 0; i < n; i++) {
		struct seen seen = { 0 };
		pid_t pid;
		int status;

		*n_samples_made = 0;
		pid = fork();
		if (!pid)
			run_once(scenarios[scenario].run, i);
		if (waitpid(pid, &status, 0) < 0 || status) {
			fprintf(stderr, "flush: %s, run %d: wait status %#x\n",
				scenarios[scenario].name, i, status);
			return 1;
		}
		read_trace(&seen);
		if (!seen.n_ends || !seen.n_samples)
			fail("a trace without samples or END");
		if (seen.n_samples != *n_samples_made || seen.n_samples != seen.n_totals) {
			fprintf(stderr, "flush: %llu samples made, %llu read, %llu in the totals\n",
				(unsigned long long)*n_samples_made,
				(unsigned long long)seen.n_samples,
				(unsigned long long)seen.n_totals);
			fail(scenarios[scenario].name);
		}
		unlink(trace_path);
	}
	printf("ok %s, %d runs\n", scenarios[scenario].name, n);
	return 0;
}

int main(int argc, char **argv)
{
	int fd = mkstemp(trace_path), failed = 0;

	n_samples_made = mmap(NULL, sizeof(*n_samples_made), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	close(fd);
	unlink(trace_path);
	setenv("EVPROF_OUTPUT", trace_path, 1);
	setenv("EVPROF_PERIOD", "2ms", 1);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (argc < 3 || !strcmp(argv[1], "all") || !strcmp(argv[1], scenarios[i].name))
			failed |= repeat(i, argc < 3 ? 3 : atoi(argv[2]));
	return failed;
}
