/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the probes share. A probe is an ordinary program that notices whether a preloaded library disturbs it. It prints
 * the same text in every run. EXPECT checks what must always hold; a failure goes into the file "wrong" and the exit
 * status. run.py compares a run without the preload with a run under it.
 */
#ifndef EVPROF_TESTS_INTRUSION_PROBE_H
#define EVPROF_TESTS_INTRUSION_PROBE_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The exit status of a probe that cannot do its check on this machine; its output tells the reason. */
#define PROBE_CANNOT 77

static atomic_int probe_n_wrong;

/* Adds a line to the file "wrong". The file is opened only then, and by system calls, so that closed descriptors,
 * replaced functions of stdio and limits of the probe do not matter. */
__attribute__((format(printf, 3, 4), unused)) static void probe_wrong(
	const char *file, int line, const char *format, ...)
{
	char path[4096], text[512];
	int length = snprintf(text, sizeof(text), "%s:%d: ", strrchr(file, '/') + 1, line), fd;
	va_list arguments;

	probe_n_wrong++;
	va_start(arguments, format);
	length += vsnprintf(text + length, sizeof(text) - length - 1, format, arguments);
	va_end(arguments);
	if (length > (int)sizeof(text) - 2)
		length = sizeof(text) - 2;
	text[length++] = '\n';
	snprintf(path, sizeof(path), "%s/wrong", getenv("PROBE_WORK") ? getenv("PROBE_WORK") : ".");
	fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (fd < 0)
		return;
	syscall(SYS_write, fd, text, length);
	syscall(SYS_close, fd);
}

#define EXPECT_MSG(condition, ...)                                                                 \
	do {                                                                                       \
		if (!(condition))                                                                  \
			probe_wrong(__FILE__, __LINE__, __VA_ARGS__);                              \
	} while (0)
#define EXPECT(condition) EXPECT_MSG(condition, "not true: %s (errno %d)", #condition, errno)
#define EXPECT_INT(actual, expected)                                                               \
	do {                                                                                       \
		long long probe_a = (long long)(actual), probe_e = (long long)(expected);          \
		EXPECT_MSG(probe_a == probe_e, "%s is %lld, expected %lld (errno %d)", #actual,    \
			probe_a, probe_e, errno);                                                  \
	} while (0)

/* Returns the exit status of a probe: 1 if something was wrong. */
static inline int probe_end(void)
{
	return probe_n_wrong > 0;
}

static inline int64_t probe_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Works without system calls, which a sandbox may forbid. A round takes some nanoseconds. */
__attribute__((noinline, unused)) static void burn_rounds(unsigned long n_rounds)
{
	volatile unsigned long sink = 1;

	for (unsigned long i = 0; i < n_rounds; i++)
		sink = sink * 2862933555777941757UL + 3037000493UL;
}

/* Spins for cpu_us of this thread's CPU time, so that slices end here. */
__attribute__((noinline, unused)) static void burn_us(int64_t cpu_us)
{
	int64_t end_ns = probe_cpu_ns() + cpu_us * 1000;

	while (probe_cpu_ns() < end_ns)
		burn_rounds(200);
}

static inline void burn_ms(unsigned cpu_ms)
{
	burn_us(cpu_ms * 1000LL);
}

/* Returns the path of another program or library of this folder's build, from PROBE_DIR. */
static inline const char *probe_sibling(const char *name)
{
	static char path[4096];
	const char *folder = getenv("PROBE_DIR");

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : ".", name);
	return path;
}

/* Waits for pid; EINTR is wrong here, since no probe that calls this has a handler. */
static inline int probe_wait(pid_t pid)
{
	int status = -1;

	EXPECT_INT(waitpid(pid, &status, 0), pid);
	return status;
}

static inline void probe_print_status(const char *name, int status)
{
	if (WIFSIGNALED(status))
		printf("%s: signal %d%s\n", name, WTERMSIG(status),
			WCOREDUMP(status) ? ", core" : "");
	else
		printf("%s: exit %d\n", name, WEXITSTATUS(status));
}

/* Forks after flushing stdio's buffers, which the child would otherwise print again. */
static inline pid_t probe_fork(void)
{
	fflush(NULL);
	return fork();
}

/* Runs what in a forked child, and prints how it ended. The child's exit status is 1 if something was wrong. */
static inline void probe_in_child(const char *name, void (*what)(void))
{
	pid_t pid = probe_fork();

	if (pid == 0) {
		what();
		fflush(NULL);
		_exit(probe_end());
	}
	probe_print_status(name, probe_wait(pid));
}

#endif
