// SPDX-License-Identifier: BSD-3-Clause
/* Writes the trace. Runs at the start, and under the lock in signal handlers of all threads. */
#include "out.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/deflate.h"

#include "common/os/fds.h"
#include "common/os/sys.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

#define RAW_BYTES (EP_MEMBER_MAX_BYTES - 512)
#define MAY_WRITE 0222
#define WAIT_NS 1000000000u

static _Atomic int lock;

bool ep_out_try_lock(struct ep_out *out)
{
	(void)out;
	return !atomic_exchange(&lock, 1);
}

bool ep_out_wait_lock(struct ep_out *out)
{
	uint64_t deadline_ns = ep_now_ns(CLOCK_MONOTONIC) + WAIT_NS;

	while (!ep_out_try_lock(out)) {
		if (ep_now_ns(CLOCK_MONOTONIC) > deadline_ns)
			return false;
		ep_sys(__NR_sched_yield);
	}
	return true;
}

void ep_out_unlock(struct ep_out *out)
{
	(void)out;
	atomic_store(&lock, 0);
}

/* Frees nothing: the memory does not come from the program's heap, and is kept until the process ends. */
static void keep(void *memory)
{
	(void)memory;
}

int ep_out_init(struct ep_out *out, struct ep_error *err)
{
	ep_deflate_set_memory(ep_sys_map, keep);
	out->fd = -1;
	out->packer = ep_packer_create();
	out->raw.data = ep_sys_map(RAW_BYTES);
	out->raw.capacity_bytes = RAW_BYTES;
	out->packed = ep_sys_map(EP_MEMBER_MAX_BYTES);
	if (!out->packer || !out->raw.data || !out->packed)
		return ep_fail(err, -ENOMEM, "no memory for the trace's buffers");
	return 0;
}

static int adopt(struct ep_out *out, int fd, struct ep_error *err)
{
	struct stat st;

	if (ep_sys_fstat(fd, &st)) {
		ep_sys_close(fd);
		return ep_fail(err, -EIO, "%s: cannot be looked at", out->path);
	}
	out->was_writable = st.st_mode & MAY_WRITE;
	out->device = st.st_dev;
	out->inode = st.st_ino;
	out->is_regular = S_ISREG(st.st_mode);
	if (ep_fds_are_scarce() && out->is_regular) {
		ep_sys_close(fd);
		return 0;
	}
	fd = ep_fds_lift(fd, &out->fd);
	if (fd < 0)
		return ep_fail(err, fd, "no descriptor left for the trace: %s", strerror(-fd));
	return 0;
}

/* Keeps the path as an absolute one, since the program may change its folder. */
static void keep_path(struct ep_out *out, const char *path)
{
	long size = path[0] == '/'
			    ? 0
			    : ep_sys_readlink("/proc/self/cwd", out->path, sizeof(out->path) / 2);

	size = size < 0 ? 0 : size;
	snprintf(out->path + size, sizeof(out->path) - size, "%s%s", size ? "/" : "", path);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !ep_sys_lstat(path, &st) && S_ISREG(st.st_mode);
}

/* Tells whether the file at path may be replaced without a loss: it is empty, or a trace. */
static bool may_go(const char *path)
{
	int fd = ep_sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	uint8_t start[EP_TRACE_START_BYTES] = { 0 };
	long size = fd < 0 ? -1 : ep_sys_read(fd, start, sizeof(start));

	if (fd >= 0)
		ep_sys_close(fd);
	return !size || (size == (long)sizeof(start) && ep_trace_is_start(start));
}

static int refuse(const char *path, struct ep_error *err)
{
	return ep_fail(err, -EPERM,
		"%s is there and is not a trace of evprof's: it is left alone; name another file with evprof run -o or EVPROF_OUTPUT",
		path);
}

/* Tells whether the file that was moved to old is not the file that st describes, but the trace of another run, which
 * began in the meantime. */
static bool is_another(const struct ep_out *out, const char *old, const struct stat *st)
{
	struct stat moved;

	return out->is_live && !ep_sys_lstat(old, &moved) && moved.st_ino != st->st_ino &&
	       out->is_live(old);
}

static int make_way(const char *path, struct ep_error *err)
{
	return ep_fail(err, -EEXIST,
		"%s: another run writes its trace there; name another file with evprof run -o or EVPROF_OUTPUT",
		path);
}

/* Exchanges the two files and removes the older one. A rename that replaces .old could make ext4 write the trace to the
 * disk first, for up to 15 ms. If .old were removed before the rename, it would be lost where the trace cannot be
 * moved. */
static int swap_aside(
	const struct ep_out *out, const char *path, const char *old, const struct stat *st)
{
	if (ep_sys(__NR_renameat2, AT_FDCWD, path, AT_FDCWD, old, RENAME_EXCHANGE))
		return -EINVAL;
	if (is_another(out, old, st)) {
		ep_sys(__NR_renameat2, AT_FDCWD, path, AT_FDCWD, old, RENAME_EXCHANGE);
		return -EEXIST;
	}
	ep_sys(__NR_unlinkat, AT_FDCWD, path, 0);
	return 0;
}

/* Moves the file that st describes to PATH.old. */
static int move_aside(
	const struct ep_out *out, const char *path, const struct stat *st, struct ep_error *err)
{
	char old[4096 + 8];
	int rc = -EINVAL;

	snprintf(old, sizeof(old), "%s.old", path);
	if (!may_go(path))
		return refuse(path, err);
	if (is_file(old) && !may_go(old))
		return refuse(old, err);
	if (is_file(old))
		rc = swap_aside(out, path, old, st);
	if (rc != -EINVAL)
		return rc ? make_way(path, err) : 0;
	if (ep_sys(__NR_renameat2, AT_FDCWD, path, AT_FDCWD, old, 0))
		return ep_fail(err, -EACCES,
			"%s exists and cannot be renamed to %s.old; remove it, or name another file with evprof run -o or EVPROF_OUTPUT",
			path, path);
	if (!is_another(out, old, st))
		return 0;
	ep_sys(__NR_renameat2, AT_FDCWD, old, AT_FDCWD, path, RENAME_NOREPLACE);
	return make_way(path, err);
}

static bool leads_to_file(int fd)
{
	struct stat st;

	return ep_sys_fstat(fd, &st) || S_ISREG(st.st_mode);
}

int ep_out_create(struct ep_out *out, const char *path, struct ep_error *err)
{
	int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY, fd, rc;
	struct stat st = { .st_mode = 0 };

	keep_path(out, path);
	if (ep_sys_lstat(path, &st)) {
		flags |= O_CREAT | O_EXCL;
	} else if (out->is_live && out->is_live(path)) {
		return make_way(path, err);
	} else if (S_ISREG(st.st_mode)) {
		rc = move_aside(out, path, &st, err);
		if (rc)
			return rc;
		flags |= O_CREAT | O_EXCL;
	} else if (S_ISDIR(st.st_mode)) {
		return ep_fail(err, -EISDIR,
			"%s is a directory; name a file with evprof run -o or EVPROF_OUTPUT", path);
	} else {
		flags |= O_NONBLOCK; /* a pipe without a reader is refused, not waited for */
	}
	fd = ep_sys_open(path, flags, 0666);
	if (fd == -ENXIO && S_ISFIFO(st.st_mode))
		return ep_fail(
			err, fd, "%s is a pipe without a reader; start its reader first", path);
	if (fd >= 0 && S_ISLNK(st.st_mode) && leads_to_file(fd)) {
		ep_sys_close(fd);
		return ep_fail(err, -ELOOP,
			"%s is a link to a file, which a trace would be appended to; name the file itself with evprof run -o or EVPROF_OUTPUT",
			path);
	}
	if (fd < 0)
		return ep_fail(err, fd,
			"%s: cannot be written: %s; name a file that can be written with evprof run -o or EVPROF_OUTPUT",
			path, strerror(-fd));
	return adopt(out, fd, err);
}

int ep_out_join(struct ep_out *out, const char *path, struct ep_error *err)
{
	long size = ep_sys_readlink(path, out->path, sizeof(out->path) - 1);
	int fd;

	if (size <= 0)
		snprintf(out->path, sizeof(out->path), "%s", path);
	else
		out->path[size] = '\0';
	fd = ep_sys_open(path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
	if (fd < 0)
		return ep_fail(err, fd, "%s: the trace of the parent cannot be continued: %s",
			out->path, strerror(-fd));
	return adopt(out, fd, err);
}

static bool is_our_file(const struct ep_out *out, int fd, struct stat *st)
{
	return !ep_sys_fstat(fd, st) && st->st_dev == out->device && st->st_ino == out->inode;
}

/* Opens the file again, after the program has closed evprof's descriptor by a system call of its own, or after evprof
 * has closed it. */
static int find_file_again(struct ep_out *out, struct stat *st)
{
	int fd = ep_sys_open(out->path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);

	ep_fds_forget(&out->fd);
	if (fd < 0)
		return fd;
	if (!is_our_file(out, fd, st)) {
		ep_sys_close(fd);
		return -EBADF;
	}
	fd = ep_fds_lift(fd, &out->fd);
	return fd < 0 ? fd : 0;
}

/* Bytes below RLIMIT_FSIZE that are kept for the block that says why the trace ends early. */
#define LAST_WORD_BYTES 640

/* Tells whether a write stays below RLIMIT_FSIZE. A write beyond the limit would raise SIGXFSZ, and might write only a
 * part of a member. */
static bool fits_size_limit(const struct ep_out *out, const struct stat *st, size_t size)
{
	struct rlimit limit;

	size += out->is_last_word ? 0 : LAST_WORD_BYTES;
	if (!S_ISREG(st->st_mode) || ep_sys_prlimit(RLIMIT_FSIZE, NULL, &limit))
		return true;
	return limit.rlim_cur == RLIM_INFINITY || (uint64_t)st->st_size + size <= limit.rlim_cur;
}

bool ep_out_is_ready(struct ep_out *out)
{
	struct stat st;
	int rc;

	if (out->failure || out->fd >= 0 || !out->is_regular)
		return true;
	rc = find_file_again(out, &st);
	return rc != -EMFILE && rc != -ENFILE;
}

/* To open the file and to move its descriptor to a higher number takes two free descriptors. */
#define ROOM_FDS 2
#define STANDARD_FDS 3

static bool is_any(unsigned fd)
{
	(void)fd;
	return true;
}

static bool is_only_read(unsigned fd)
{
	long flags = ep_sys_fcntl((int)fd, F_GETFL, 0);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

static void make_room(struct ep_out *out, bool (*is_chosen)(unsigned fd))
{
	struct rlimit limit;
	struct stat st;
	int n_taken = 0;

	if (out->failure || out->fd >= 0 || !out->is_regular ||
		find_file_again(out, &st) != -EMFILE || ep_sys_prlimit(RLIMIT_NOFILE, NULL, &limit))
		return;
	for (unsigned fd = (unsigned)limit.rlim_cur; fd-- > STANDARD_FDS && n_taken < ROOM_FDS;)
		if (is_chosen(fd))
			n_taken += !ep_sys(__NR_close_range, fd, fd, CLOSE_RANGE_UNSHARE);
}

void ep_out_make_room(struct ep_out *out)
{
	make_room(out, is_any);
}

void ep_out_make_room_before_stdio(struct ep_out *out)
{
	make_room(out, is_only_read);
}

bool ep_out_was_stopped(int fd, uint64_t max_bytes)
{
	struct stat st;

	if (ep_sys_fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	return !(st.st_mode & MAY_WRITE) || !st.st_nlink ||
	       (max_bytes && (uint64_t)st.st_size >= max_bytes);
}

/* Notes whether the run was stopped. evprof stop removes the trace's write permission: every process of the run sees
 * this at its next write, and its open descriptor still works. A trace that was removed also ends the run, since it
 * would grow without a name. */
static void look_for_stop(struct ep_out *out, const struct stat *st, size_t size)
{
	if (!out->is_regular)
		return;
	out->is_removed = !st->st_nlink;
	if ((out->was_writable && !(st->st_mode & MAY_WRITE)) || out->is_removed ||
		(out->max_bytes && (uint64_t)st->st_size + size >= out->max_bytes))
		out->is_stopped = true;
}

/* Tells whether evprof stop has removed the write permission, so that the open was refused. Asked where the file is
 * opened for each write. */
static bool is_closed_to_us(const struct ep_out *out)
{
	struct stat st;

	return out->was_writable && !ep_sys_stat(out->path, &st) && st.st_ino == out->inode &&
	       !(st.st_mode & MAY_WRITE);
}

/* Writes without a SIGPIPE. A pipe whose reader has ended raises SIGPIPE in the thread that writes, which would end the
 * program: the signal is taken back, unless one of the program's was pending already. */
static long write_quietly(const struct ep_out *out, const void *bytes, size_t size)
{
	static const struct timespec at_once;
	uint64_t pipe = 1ull << (SIGPIPE - 1), pending = 0, mask = 0;
	long written;

	if (out->is_regular)
		return ep_sys_write(out->fd, bytes, size);
	ep_sys_sigmask(SIG_BLOCK, &pipe, &mask);
	ep_sys(__NR_rt_sigpending, &pending, sizeof(pending));
	written = ep_sys_write(out->fd, bytes, size);
	if (written == -EPIPE && !(pending & pipe))
		ep_sys(__NR_rt_sigtimedwait, &pipe, NULL, &at_once, sizeof(pipe));
	ep_sys_restore_signals(mask);
	return written;
}

int ep_out_write(struct ep_out *out, const void *bytes, size_t size)
{
	struct stat st;
	long written;
	int rc = 0;

	if (out->failure)
		return out->failure;
	if (out->fd < 0 || !is_our_file(out, out->fd, &st))
		rc = out->is_regular ? find_file_again(out, &st) : -EBADF;
	if (!rc && !fits_size_limit(out, &st, size))
		rc = -EFBIG;
	if (!rc) {
		look_for_stop(out, &st, size);
		written = write_quietly(out, bytes, size);
		if (written != (long)size)
			rc = written < 0 ? (int)written : -ENOSPC;
		if (ep_fds_are_scarce() && out->is_regular)
			ep_fds_close(&out->fd);
	}
	if (rc == -EACCES && is_closed_to_us(out))
		out->is_stopped = true;
	else if (rc)
		out->failure = rc;
	return rc;
}

static int flush_by(struct ep_out *out, struct ep_packer *packer)
{
	size_t size = out->raw.size_bytes;

	out->raw.size_bytes = 0;
	out->raw.overflow = false;
	if (!size)
		return 0;
	size = ep_packer_pack(packer, out->raw.data, size, out->packed);
	return ep_out_write(out, out->packed, size);
}

/* Members below these sizes are stored without compression. A process or thread that ends soon writes a few small
 * members: to deflate one member takes as long as all other work at the end, and touches pages that nothing else needs.
 * A thread that goes on writes about once a second. There, compression makes members of 300 bytes a quarter smaller,
 * since the headers of their blocks are alike. */
#define STORED_BELOW_BYTES 768
#define STORED_OF_RUNNING_BELOW_BYTES 256

int ep_out_flush(struct ep_out *out)
{
	return flush_by(out, out->raw.size_bytes < STORED_BELOW_BYTES ? NULL : out->packer);
}

int ep_out_flush_running(struct ep_out *out)
{
	return flush_by(
		out, out->raw.size_bytes < STORED_OF_RUNNING_BELOW_BYTES ? NULL : out->packer);
}

int ep_out_flush_stored(struct ep_out *out)
{
	return flush_by(out, NULL);
}
