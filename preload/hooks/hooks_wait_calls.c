// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks of libc's functions for system calls that may block. Calls that libc makes by itself (the reads and writes of
 * stdio, the resolver) do not pass through these hooks.
 */
/* This file defines the plain names and those that end in 64; _FILE_OFFSET_BITS would turn the first into the
 * second. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "hooks_waits.h"

#define READ_WAIT(fd) EP_WAIT_READ, fd, 0, 0
#define WRITE_WAIT(fd) EP_WAIT_WRITE, fd, 0, 0
#define POLL_WAIT EP_WAIT_POLL, -1, 0, 0
#define SLEEP_WAIT EP_WAIT_SLEEP, -1, 0, 0
#define CHILD_WAIT EP_WAIT_CHILD, -1, 0, 0
#define SYNC_WAIT(fd) EP_WAIT_SYNC, fd, 0, 0
#define SIGNAL_WAIT EP_WAIT_SIGNAL, -1, 0, 0

/* These macros define hooks of calls that are known to return at once, by their arguments or by the descriptor's flags.
 * Memory that arguments point to is not read here; only the kernel reads it. */
#define FD_HOOK(...) EP_WAIT_HOOK_UNLESS(ep_nonblocking_has(fd), __VA_ARGS__, .asks = true)
#define SOCKET_HOOK(...)                                                                           \
	EP_WAIT_HOOK_UNLESS(                                                                       \
		flags &MSG_DONTWAIT || ep_nonblocking_has(fd), __VA_ARGS__, .asks = true)
#define TIMED_HOOK(...) EP_WAIT_HOOK_UNLESS(!timeout_ms, __VA_ARGS__)
#define CHILD_HOOK(...) EP_WAIT_HOOK_UNLESS(options &WNOHANG, __VA_ARGS__)

/* ---- reading and writing; the names in _chk are those of programs built with _FORTIFY_SOURCE ---- */

ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *bytes, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *bytes, size_t size, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *bytes, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict bytes, size_t size, size_t room, int flags,
	struct sockaddr *restrict from, socklen_t *restrict from_size);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
	size_t room);

FD_HOOK(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size), READ_WAIT(fd))
FD_HOOK(ssize_t, __read_chk, (int fd, void *bytes, size_t size, size_t room),
	(fd, bytes, size, room), READ_WAIT(fd))
EP_WAIT_HOOK(ssize_t, pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at),
	READ_WAIT(fd))
EP_WAIT_HOOK(ssize_t, pread64, (int fd, void *bytes, size_t size, off64_t at),
	(fd, bytes, size, at), READ_WAIT(fd))
EP_WAIT_HOOK(ssize_t, __pread_chk, (int fd, void *bytes, size_t size, off_t at, size_t room),
	(fd, bytes, size, at, room), READ_WAIT(fd))
EP_WAIT_HOOK(ssize_t, __pread64_chk, (int fd, void *bytes, size_t size, off64_t at, size_t room),
	(fd, bytes, size, at, room), READ_WAIT(fd))
FD_HOOK(ssize_t, readv, (int fd, const struct iovec *parts, int n), (fd, parts, n), READ_WAIT(fd))
EP_WAIT_HOOK(ssize_t, preadv, (int fd, const struct iovec *parts, int n, off_t at),
	(fd, parts, n, at), READ_WAIT(fd))
EP_WAIT_HOOK(ssize_t, preadv64, (int fd, const struct iovec *parts, int n, off64_t at),
	(fd, parts, n, at), READ_WAIT(fd))
FD_HOOK(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size), WRITE_WAIT(fd))
EP_WAIT_HOOK(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at),
	(fd, bytes, size, at), WRITE_WAIT(fd))
EP_WAIT_HOOK(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at),
	(fd, bytes, size, at), WRITE_WAIT(fd))
FD_HOOK(ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n), WRITE_WAIT(fd))
EP_WAIT_HOOK(ssize_t, pwritev, (int fd, const struct iovec *parts, int n, off_t at),
	(fd, parts, n, at), WRITE_WAIT(fd))
EP_WAIT_HOOK(ssize_t, pwritev64, (int fd, const struct iovec *parts, int n, off64_t at),
	(fd, parts, n, at), WRITE_WAIT(fd))
EP_WAIT_HOOK(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size),
	WRITE_WAIT(to))
EP_WAIT_HOOK(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size),
	(to, from, at, size), WRITE_WAIT(to))
EP_WAIT_HOOK(ssize_t, splice,
	(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags),
	(from, from_at, to, to_at, size, flags), READ_WAIT(from))

/* ---- sockets ---- */

SOCKET_HOOK(ssize_t, recv, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags),
	READ_WAIT(fd))
SOCKET_HOOK(ssize_t, __recv_chk, (int fd, void *bytes, size_t size, size_t room, int flags),
	(fd, bytes, size, room, flags), READ_WAIT(fd))
SOCKET_HOOK(ssize_t, recvfrom,
	(int fd, void *restrict bytes, size_t size, int flags, struct sockaddr *restrict from,
		socklen_t *restrict from_size),
	(fd, bytes, size, flags, from, from_size), READ_WAIT(fd))
SOCKET_HOOK(ssize_t, __recvfrom_chk,
	(int fd, void *restrict bytes, size_t size, size_t room, int flags,
		struct sockaddr *restrict from, socklen_t *restrict from_size),
	(fd, bytes, size, room, flags, from, from_size), READ_WAIT(fd))
SOCKET_HOOK(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags),
	READ_WAIT(fd))
SOCKET_HOOK(int, recvmmsg,
	(int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout),
	(fd, messages, n, flags, timeout), READ_WAIT(fd))
SOCKET_HOOK(ssize_t, send, (int fd, const void *bytes, size_t size, int flags),
	(fd, bytes, size, flags), WRITE_WAIT(fd))
SOCKET_HOOK(ssize_t, sendto,
	(int fd, const void *bytes, size_t size, int flags, const struct sockaddr *to,
		socklen_t to_size),
	(fd, bytes, size, flags, to, to_size), WRITE_WAIT(fd))
SOCKET_HOOK(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags),
	(fd, message, flags), WRITE_WAIT(fd))
SOCKET_HOOK(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags),
	(fd, messages, n, flags), WRITE_WAIT(fd))
FD_HOOK(int, accept, (int fd, struct sockaddr *restrict from, socklen_t *restrict from_size),
	(fd, from, from_size), EP_WAIT_ACCEPT, fd, 0, 0)
FD_HOOK(int, accept4,
	(int fd, struct sockaddr *restrict from, socklen_t *restrict from_size, int flags),
	(fd, from, from_size, flags), EP_WAIT_ACCEPT, fd, 0, 0)
FD_HOOK(int, connect, (int fd, const struct sockaddr *to, socklen_t to_size), (fd, to, to_size),
	EP_WAIT_CONNECT, fd, 0, 0)

/* ---- several descriptors ---- */

TIMED_HOOK(
	int, poll, (struct pollfd * fds, nfds_t n, int timeout_ms), (fds, n, timeout_ms), POLL_WAIT)
TIMED_HOOK(int, __poll_chk, (struct pollfd * fds, nfds_t n, int timeout_ms, size_t room),
	(fds, n, timeout_ms, room), POLL_WAIT)
EP_WAIT_HOOK(int, ppoll,
	(struct pollfd * fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask),
	(fds, n, timeout, mask), POLL_WAIT)
EP_WAIT_HOOK(int, __ppoll_chk,
	(struct pollfd * fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room),
	(fds, n, timeout, mask, room), POLL_WAIT)
EP_WAIT_HOOK(int, select,
	(int n, fd_set *restrict read_fds, fd_set *restrict write_fds, fd_set *restrict other_fds,
		struct timeval *restrict timeout),
	(n, read_fds, write_fds, other_fds, timeout), POLL_WAIT)
EP_WAIT_HOOK(int, pselect,
	(int n, fd_set *restrict read_fds, fd_set *restrict write_fds, fd_set *restrict other_fds,
		const struct timespec *restrict timeout, const sigset_t *restrict mask),
	(n, read_fds, write_fds, other_fds, timeout, mask), POLL_WAIT)
TIMED_HOOK(int, epoll_wait, (int fd, struct epoll_event *events, int n, int timeout_ms),
	(fd, events, n, timeout_ms), POLL_WAIT)
TIMED_HOOK(int, epoll_pwait,
	(int fd, struct epoll_event *events, int n, int timeout_ms, const sigset_t *mask),
	(fd, events, n, timeout_ms, mask), POLL_WAIT)

/* ---- time, children, signals ---- */

EP_WAIT_HOOK(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left),
	SLEEP_WAIT)
EP_WAIT_HOOK(int, clock_nanosleep,
	(clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
	(clock, flags, time, left), SLEEP_WAIT)
EP_WAIT_HOOK(unsigned, sleep, (unsigned seconds), (seconds), SLEEP_WAIT)
EP_WAIT_HOOK(int, usleep, (useconds_t us), (us), SLEEP_WAIT)
EP_WAIT_HOOK(int, thrd_sleep, (const struct timespec *time, struct timespec *left), (time, left),
	SLEEP_WAIT)
EP_WAIT_HOOK(pid_t, wait, (int *status), (status), CHILD_WAIT)
CHILD_HOOK(
	pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), CHILD_WAIT)
CHILD_HOOK(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
	(type, id, info, options), CHILD_WAIT)
CHILD_HOOK(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage),
	CHILD_WAIT)
CHILD_HOOK(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage),
	(pid, status, options, usage), CHILD_WAIT)
EP_WAIT_HOOK(int, system, (const char *command), (command), CHILD_WAIT)
EP_WAIT_HOOK(int, pclose, (FILE * file), (file), CHILD_WAIT)
EP_WAIT_HOOK(int, pause, (void), (), SIGNAL_WAIT)
EP_WAIT_HOOK(int, sigsuspend, (const sigset_t *mask), (mask), SIGNAL_WAIT)
EP_WAIT_HOOK(int, sigwait, (const sigset_t *set, int *sig), (set, sig), SIGNAL_WAIT)
EP_WAIT_HOOK(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info), SIGNAL_WAIT)
EP_WAIT_HOOK(int, sigtimedwait,
	(const sigset_t *set, siginfo_t *info, const struct timespec *timeout),
	(set, info, timeout), SIGNAL_WAIT)

/* ---- files ---- */

EP_WAIT_HOOK(int, fsync, (int fd), (fd), SYNC_WAIT(fd))
EP_WAIT_HOOK(int, fdatasync, (int fd), (fd), SYNC_WAIT(fd))
EP_WAIT_HOOK(int, syncfs, (int fd), (fd), SYNC_WAIT(fd))
EP_WAIT_HOOK(
	int, msync, (void *address, size_t size, int flags), (address, size, flags), SYNC_WAIT(-1))
EP_WAIT_HOOK_UNLESS(operation &(LOCK_NB | LOCK_UN), int, flock, (int fd, int operation),
	(fd, operation), EP_WAIT_FILE_LOCK, fd, 0, 0)
EP_WAIT_HOOK(int, lockf, (int fd, int command, off_t size), (fd, command, size), EP_WAIT_FILE_LOCK,
	fd, 0, 0)
EP_WAIT_HOOK(int, lockf64, (int fd, int command, off64_t size), (fd, command, size),
	EP_WAIT_FILE_LOCK, fd, 0, 0)

static bool waits_for_lock(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

/* Takes the argument after command, whether the caller gave one or not, as libc's own function does. */
#define TAKE_ARGUMENT(argument)                                                                    \
	do {                                                                                       \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, command);                                                           \
		(argument) = va_arg(args, void *);                                                 \
		va_end(args);                                                                      \
	} while (0)

#define VARIADIC_POINTER(name, type)                                                               \
	EP_WAIT_POINTER(name, NULL)                                                                \
	static __attribute__((cold, noinline)) int first_##name(int fd, type command, ...)         \
	{                                                                                          \
		void *argument;                                                                    \
                                                                                                   \
		TAKE_ARGUMENT(argument);                                                           \
		resolve_##name();                                                                  \
		return real_##name(fd, command, argument);                                         \
	}

#define FCNTL_HOOK(name)                                                                           \
	VARIADIC_POINTER(name, int)                                                                \
	EP_HOOK int name(int fd, int command, ...)                                                 \
	{                                                                                          \
		struct ep_thread *thread =                                                         \
			waits_for_lock(command) ? ep_waits_thread(EP_WAIT_FILE_LOCK) : NULL;       \
		void *argument;                                                                    \
                                                                                                   \
		TAKE_ARGUMENT(argument);                                                           \
		if (command == F_SETFL)                                                            \
			ep_nonblocking_forget(fd);                                                 \
		if (!thread)                                                                       \
			return real_##name(fd, command, argument);                                 \
		return EP_WAIT_CALL(name, (fd, command, argument), EP_WAIT_FILE_LOCK, fd, 0, 0);   \
	}

FCNTL_HOOK(fcntl)
FCNTL_HOOK(fcntl64)

/* ioctl with FIONBIO sets and clears O_NONBLOCK, as fcntl does. So what is known of the descriptor's flags is
 * forgotten. */
VARIADIC_POINTER(ioctl, unsigned long)
EP_HOOK int ioctl(int fd, unsigned long command, ...)
{
	void *argument;

	TAKE_ARGUMENT(argument);
	if (command == FIONBIO)
		ep_nonblocking_forget(fd);
	return real_ioctl(fd, command, argument);
}
