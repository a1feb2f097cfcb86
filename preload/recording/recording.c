// SPDX-License-Identifier: BSD-3-Clause
/* The recording itself, and the few messages that evprof prints in another program's process. */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>

#include "common/os/large.h"
#include "counters/events/perf_door.h"

EP_LARGE struct ep_recording ep_recording;
EP_HOT struct ep_hot ep_hot = { 0 };

/* hooks_wait_locks.c, which is part of libevprof-waits.so alone, defines this variable as true. */
__attribute__((weak)) const bool ep_recording_has_wait_hooks = false;

bool ep_recording_is_mine(void)
{
	return ep_sys_getpid() == (int)ep_recording.key.pid;
}

bool ep_recording_is_vfork_child(void)
{
	return ep_recording.is_on && !ep_recording_is_mine();
}

#define WIPED_BYTES 4096 /* one page, which the kernel wipes in the child of a fork */

static volatile char *wiped_by_fork; /* NULL: the kernel (Linux before 4.14) cannot wipe a page */

void ep_recording_own_memory(void)
{
	char *page = (char *)wiped_by_fork;

	if (!page) {
		page = ep_sys_map(WIPED_BYTES);
		if (page && ep_sys(__NR_madvise, page, WIPED_BYTES, MADV_WIPEONFORK)) {
			ep_sys_unmap(page, WIPED_BYTES);
			page = NULL;
		}
		wiped_by_fork = page;
	}
	if (page)
		*page = 1;
}

bool ep_recording_is_copy(void)
{
	return wiped_by_fork && !*wiped_by_fork;
}

uint32_t ep_recording_known_pid(void)
{
	return wiped_by_fork && *wiped_by_fork ? ep_recording.key.pid : 0;
}

static struct stat stderr_then;
static bool stderr_was_open;

/* Stops the reading of scripts' functions where the process has a system call filter that kills for perf_event_open.
 * Such a filter lists the calls that are allowed, and process_vm_writev, which reads frames, is rarely among them. */
void ep_recording_keep_to_filter(void)
{
	if (ep_perf_door_kills())
		ep_recording.settings.interpreters = false;
}

void ep_recording_find_stderr(void)
{
	stderr_was_open = !ep_sys_fstat(2, &stderr_then);
}

static size_t append_text(char *line, size_t used, size_t capacity, const char *text)
{
	for (; *text && used + 2 < capacity; text++) {
		if (*text == '\n')
			line[used++] = ';';
		/* a newline in a quoted text must not begin another line */
		line[used++] = *text == '\n' ? ' ' : *text;
	}
	return used;
}

/* Tells whether a write stays below the limit of file sizes. A write beyond the limit would raise SIGXFSZ. */
static bool file_takes(const struct stat *st, size_t size)
{
	struct rlimit limit;

	return ep_sys_prlimit(RLIMIT_FSIZE, NULL, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       (uint64_t)st->st_size + size <= limit.rlim_cur;
}

/* Tells whether a write to standard error neither raises SIGXFSZ or SIGPIPE nor waits for a reader. If
 * it would, nothing is printed. */
static bool stderr_takes(const struct stat *st, size_t size)
{
	struct pollfd end = { .fd = 2, .events = POLLOUT };
	struct timespec at_once = { 0, 0 };

	if (S_ISREG(st->st_mode))
		return file_takes(st, size);
	return ep_sys(__NR_ppoll, &end, 1, &at_once, NULL, 0) == 1 && end.revents == POLLOUT;
}

void ep_recording_say(const char *what, const char *detail)
{
	struct stat now;
	char line[2048];
	size_t used = 0;

	if (ep_recording.settings.quiet || !stderr_was_open || ep_sys_fstat(2, &now) ||
		now.st_dev != stderr_then.st_dev || now.st_ino != stderr_then.st_ino)
		return;
	used = append_text(line, used, sizeof(line) - 1, "evprof: ");
	used = append_text(line, used, sizeof(line) - 1, what);
	if (detail && detail[0]) {
		used = append_text(line, used, sizeof(line) - 1, ": ");
		used = append_text(line, used, sizeof(line) - 1, detail);
	}
	line[used++] = '\n';
	if (stderr_takes(&now, used))
		ep_sys_write(2, line, used);
}

/* Prints to a terminal only: while the program runs, another program may read its standard error,
 * or compare it. A user without a terminal learns from evreport that the trace is cut. */
void ep_recording_say_late(const char *what, const char *detail)
{
	struct termios unused;

	if (!ep_sys(__NR_ioctl, 2, TCGETS, &unused))
		ep_recording_say(what, detail);
}

static void append_to(const char *path, const char *line, size_t size)
{
	struct stat st;
	int fd = ep_sys_open(
		path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);

	if (fd < 0)
		return;
	if (!ep_sys_fstat(fd, &st) && S_ISREG(st.st_mode) && file_takes(&st, size))
		ep_sys_write(fd, line, size);
	ep_sys_close(fd);
}

void ep_recording_debug(const char *format, ...)
{
	const char *path = ep_recording.settings.debug;
	char text[1500], line[2048];
	int saved_errno = errno;
	size_t used;
	va_list args;

	if (!path || !path[0])
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	used = (size_t)snprintf(line, sizeof(line), "evprof %d: ", ep_sys_getpid());
	used = append_text(line, used, sizeof(line) - 1, text);
	line[used++] = '\n';
	append_to(path, line, used);
	errno = saved_errno;
}

void ep_recording_give_up(const char *what, int error)
{
	const char *reason = error ? strerrordesc_np(-error) : NULL;

	if (error == -EAGAIN) /* the pipe is full; evprof does not wait for its reader */
		reason = "the pipe is full, its reader does not follow";
	if (!atomic_exchange(&ep_recording.is_on, false))
		return;
	/* a sandbox that the program enters later is not noticed any more, so the hooks must make no system calls */
	ep_hot.notes_waits = false;
	ep_recording_say_late(what, reason);
}
