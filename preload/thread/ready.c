// SPDX-License-Identifier: BSD-3-Clause
/* Reads the kernel's account of a thread's run queues, at a thread's begin and end and in its handler. */
#include "ready.h"

#include <errno.h>
#include <string.h>

#include "common/os/fds.h"
#include "common/os/plain_text.h"
#include "common/os/sys.h"

static bool take_number(const char **text, uint64_t *out_value)
{
	const char *end;

	*out_value = ep_plain_read(*text, 10, &end);
	if (**text == ' ' || end == *text || (*end != ' ' && *end != '\n'))
		return false;
	*text = end + 1;
	return true;
}

bool ep_ready_parse(const char *text, uint64_t *out_ready_ns, uint64_t *out_turns)
{
	uint64_t run_ns, ready_ns, n_turns;

	if (!take_number(&text, &run_ns) || !take_number(&text, &ready_ns) ||
		!take_number(&text, &n_turns) || !n_turns)
		return false;
	*out_ready_ns = ready_ns;
	*out_turns = n_turns;
	return true;
}

/* Tells whether the descriptor is still evprof's: the program may have closed it by a system call of its own, and may
 * have opened its own file with the same number. */
static bool is_still_ours(const struct ep_ready *ready)
{
	struct stat now;

	return ready->fd >= 0 && !ep_sys_fstat(ready->fd, &now) && now.st_dev == ready->device &&
	       now.st_ino == ready->inode;
}

static bool read_account(const struct ep_ready *ready, uint64_t *out_ready_ns, uint64_t *out_turns)
{
	char text[96];
	long size = ep_sys(__NR_pread64, ready->fd, text, sizeof(text) - 1, 0);

	if (size <= 0)
		return false;
	text[size] = '\0';
	return ep_ready_parse(text, out_ready_ns, out_turns);
}

#define PATH_BYTES 64

/* Returns "/proc/self/task/TID/schedstat". The process's first thread uses "/proc/self/schedstat", for which the kernel
 * need not create a folder. */
static const char *path_of(int tid, char *text)
{
	static const char before[] = "/proc/self/task/", after[] = "/schedstat";
	char *at = text + PATH_BYTES - sizeof(after);

	if (tid == ep_sys_getpid())
		return "/proc/self/schedstat";
	memcpy(at, after, sizeof(after));
	for (; tid; tid /= 10)
		*--at = (char)('0' + tid % 10);
	at -= sizeof(before) - 1;
	memcpy(at, before, sizeof(before) - 1);
	return at;
}

static void open_account(struct ep_ready *ready, int tid)
{
	uint64_t ready_ns = 0, n_turns = 0;
	char text[PATH_BYTES];
	struct stat st = { 0 };
	int fd;

	if (ep_fds_are_scarce())
		return;
	fd = ep_sys_open(path_of(tid, text), O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0 || ep_fds_lift(fd, &ready->fd) < 0)
		return;
	ready->is_known = !ep_sys_fstat(ready->fd, &st) && read_account(ready, &ready_ns, &n_turns);
	ready->device = st.st_dev;
	ready->inode = st.st_ino;
	ready->base_ns = ready_ns;
	ready->base_turns = n_turns;
	if (!ready->is_known)
		ep_fds_close(&ready->fd);
}

static void reset(struct ep_ready *ready)
{
	memset(ready, 0, sizeof(*ready));
	ready->fd = -1;
	ready->n_switches_read = EP_READY_UNKNOWN;
}

void ep_ready_open(struct ep_ready *ready)
{
	reset(ready);
	open_account(ready, ep_sys_gettid());
}

void ep_ready_begin(struct ep_ready *ready, int tid)
{
	reset(ready);
	ready->late_tid = tid;
}

/* Opens the file at the first reading. Returns false for a thread that was never off its CPU: it never waited for a CPU
 * either, so that its account is 0 without the file. */
static bool open_late(struct ep_ready *ready, uint64_t n_switches)
{
	if (!n_switches) {
		ready->is_known = true;
		return false;
	}
	ready->is_known = false;
	open_account(ready, ready->late_tid);
	ready->base_ns = ready->base_turns = 0;
	ready->late_tid = 0;
	return true;
}

void ep_ready_read(struct ep_ready *ready, uint64_t n_switches)
{
	uint64_t ready_ns, n_turns;

	if (n_switches != EP_READY_UNKNOWN && n_switches == ready->n_switches_read)
		return;
	if (ready->late_tid && !open_late(ready, n_switches))
		return;
	ready->n_switches_read = n_switches;
	if (!is_still_ours(ready) || !read_account(ready, &ready_ns, &n_turns) ||
		ready_ns < ready->base_ns || n_turns < ready->base_turns)
		return;
	ready->ready_ns = ready_ns - ready->base_ns;
	ready->n_turns = n_turns - ready->base_turns;
}

void ep_ready_close(struct ep_ready *ready)
{
	ready->late_tid = 0;
	ep_fds_close(&ready->fd);
}
