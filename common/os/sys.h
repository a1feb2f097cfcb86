/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls without libc: they set no errno, are no cancellation points, and do not pass through evprof's hooks.
 * Each returns the kernel's value, which is a negative errno on failure. Allowed in signal handlers and in vfork
 * children.
 */
#ifndef EVPROF_COMMON_OS_SYS_H
#define EVPROF_COMMON_OS_SYS_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#if defined(__x86_64__)
static inline long ep_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long ep_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#elif defined(__powerpc64__)
static inline long ep_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	register long r0 __asm__("r0") = n;
	register long r3 __asm__("r3") = a;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;
	register long r7 __asm__("r7") = e;
	register long r8 __asm__("r8") = f;

	__asm__ volatile("sc\n\tbns+ 1f\n\tneg 3,3\n1:"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
			 :
			 : "memory", "cr0", "ctr", "xer", "r9", "r10", "r11", "r12");
	return r3;
}
#else
#error "evprof knows no system-call instruction for this architecture"
#endif

#define EP_SYS_PICK(_1, _2, _3, _4, _5, _6, _7, name, ...) name
#define ep_sys(...)                                                                                \
	EP_SYS_PICK(__VA_ARGS__, ep_sys6, ep_sys5, ep_sys4, ep_sys3, ep_sys2, ep_sys1, ep_sys0)    \
	(__VA_ARGS__)
#define ep_sys0(n) ep_syscall(n, 0, 0, 0, 0, 0, 0)
#define ep_sys1(n, a) ep_syscall(n, (long)(a), 0, 0, 0, 0, 0)
#define ep_sys2(n, a, b) ep_syscall(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define ep_sys3(n, a, b, c) ep_syscall(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define ep_sys4(n, a, b, c, d) ep_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define ep_sys5(n, a, b, c, d, e)                                                                  \
	ep_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define ep_sys6(n, a, b, c, d, e, f)                                                               \
	ep_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* The kernel's struct sigaction with a signal set of 64 bits. */
struct ep_kernel_sigaction {
	void *handler;
	unsigned long flags;
#if defined(__x86_64__)
	void *restorer;
	uint64_t mask;
#else
	/* aarch64 has restorer and mask here, powerpc has the mask at the same place; see ep_sigaction_mask */
	void *restorer_or_mask[2];
#endif
};

static inline uint64_t *ep_sigaction_mask(struct ep_kernel_sigaction *action)
{
#if defined(__x86_64__)
	return &action->mask;
#else
	return (uint64_t *)&action->restorer_or_mask[1];
#endif
}

static inline long ep_sys_sigaction(
	int sig, const struct ep_kernel_sigaction *act, struct ep_kernel_sigaction *old)
{
	return ep_sys(__NR_rt_sigaction, sig, act, old, sizeof(uint64_t));
}

/* Changes the signal mask. how: SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK. */
static inline long ep_sys_sigmask(int how, const uint64_t *set, uint64_t *old)
{
	return ep_sys(__NR_rt_sigprocmask, how, set, old, sizeof(uint64_t));
}

/* Blocks all signals. Returns the old mask, for ep_sys_restore_signals. */
static inline uint64_t ep_sys_block_signals(void)
{
	uint64_t all = ~0ull, old = 0;

	ep_sys_sigmask(SIG_SETMASK, &all, &old);
	return old;
}

static inline void ep_sys_restore_signals(uint64_t old)
{
	ep_sys_sigmask(SIG_SETMASK, &old, NULL);
}

static inline int ep_sys_open(const char *path, int flags, int mode)
{
	return (int)ep_sys(__NR_openat, AT_FDCWD, path, flags, mode);
}

static inline long ep_sys_close(int fd)
{
	return ep_sys(__NR_close, fd);
}

static inline long ep_sys_read(int fd, void *buffer, size_t size)
{
	return ep_sys(__NR_read, fd, buffer, size);
}

static inline long ep_sys_write(int fd, const void *buffer, size_t size)
{
	return ep_sys(__NR_write, fd, buffer, size);
}

static inline long ep_sys_ioctl(int fd, unsigned long request, unsigned long argument)
{
	return ep_sys(__NR_ioctl, fd, request, argument);
}

static inline long ep_sys_fcntl(int fd, int command, unsigned long argument)
{
	return ep_sys(__NR_fcntl, fd, command, argument);
}

static inline long ep_sys_readlink(const char *path, char *buffer, size_t size)
{
	return ep_sys(__NR_readlinkat, AT_FDCWD, path, buffer, size);
}

/* On 64-bit machines the kernel's struct stat is the same as glibc's. libc's functions must not be called in signal
 * handlers: another preloaded library may replace them (those of fakeroot take a lock). Returns 0 or a
 * negative errno. */
static inline int ep_sys_fstat(int fd, struct stat *out_stat)
{
	return (int)ep_sys(__NR_fstat, fd, out_stat);
}

static inline int ep_sys_stat(const char *path, struct stat *out_stat)
{
	return (int)ep_sys(__NR_newfstatat, AT_FDCWD, path, out_stat, 0);
}

/* Describes a symbolic link itself, not its target. */
static inline int ep_sys_lstat(const char *path, struct stat *out_stat)
{
	return (int)ep_sys(__NR_newfstatat, AT_FDCWD, path, out_stat, AT_SYMLINK_NOFOLLOW);
}

/* Names the kernel, the machine and the host. The kernel's structure is the same as glibc's. */
static inline int ep_sys_uname(struct utsname *out_system)
{
	return (int)ep_sys(__NR_uname, out_system);
}

static inline int ep_sys_getpid(void)
{
	return (int)ep_sys(__NR_getpid);
}

static inline int ep_sys_gettid(void)
{
	return (int)ep_sys(__NR_gettid);
}

static inline long ep_sys_prlimit(int resource, const struct rlimit *limit, struct rlimit *old)
{
	return ep_sys(__NR_prlimit64, 0, resource, limit, old);
}

/* Maps anonymous private memory, which is zero. Returns NULL if there is not enough memory. */
void *ep_sys_map(size_t size);
void ep_sys_unmap(void *address, size_t size);

/* Reads a whole file, at most capacity - 1 bytes, and adds a NUL. Returns the size, or a negative errno. */
long ep_sys_read_file(const char *path, char *out_text, size_t capacity);

/* Reads a clock that the vDSO does not have, such as CPU time. */
static inline uint64_t ep_sys_clock_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	ep_sys(__NR_clock_gettime, clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* libc's own clock_gettime, which uses the vDSO. The clock_gettime of another preloaded library may return an invented
 * time (libfaketime), or a time that does not advance. */
extern int (*ep_sys_clock_gettime)(clockid_t clock, struct timespec *out_time);

/* Sets ep_sys_clock_gettime to libc's function; before, it is the first clock_gettime in the order of loading. Must not
 * be called in signal handlers. */
void ep_sys_find_clock(void);

/* Reads a clock, through the vDSO if there is one. */
static inline uint64_t ep_now_ns(clockid_t clock)
{
	struct timespec ts;

	ep_sys_clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
