/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * other_root: starts programs, by every exec call, in a mount namespace where an empty file system hides the folder of
 * the preloaded library, as in a container or a chroot. If LD_PRELOAD still named the library, ld.so would write on
 * standard error that it cannot load it.
 */
#include "probe.h"

#include <errno.h>
#include <libgen.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>

static char *const arguments[] = { "true", NULL };

static void by_execve(void)
{
	execve("/bin/true", arguments, environ);
}

static void by_execv(void)
{
	execv("/bin/true", arguments);
}

static void by_execvp(void)
{
	execvp("true", arguments);
}

static void by_execl(void)
{
	execl("/bin/sh", "sh", "-c", "true; /bin/true; exec true", NULL);
}

static void by_execle(void)
{
	execle("/bin/true", "true", NULL, environ);
}

static void by_fexecve(void)
{
	fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), arguments, environ);
}

static void by_spawn(void)
{
	pid_t pid;

	EXPECT_INT(posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ), 0);
	_exit(probe_wait(pid) ? 1 : probe_end());
}

static void skip(const char *why)
{
	printf("%s\n", why);
	exit(77);
}

static void hide_library(void)
{
	const char *list = getenv("LD_PRELOAD");
	char path[4096] = "/mnt/none";

	for (; list && *list; list += strspn(list, ": ")) {
		size_t size = strcspn(list, ": ");

		if (memmem(list, size, "libevprof", strlen("libevprof")))
			snprintf(path, sizeof(path), "%.*s", (int)size, list);
		list += size;
	}
	EXPECT(!unshare(CLONE_NEWNS) || !unshare(CLONE_NEWUSER | CLONE_NEWNS));
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) && errno == EINVAL)
		skip("the root is no mount, as in a chroot: it cannot be kept from the others");
	EXPECT_INT(mount("none", dirname(path), "tmpfs", 0, NULL), 0);
}

int main(void)
{
	static void (*const ways[])(void) = { by_execve, by_execv, by_execvp, by_execl, by_execle,
		by_fexecve, by_spawn };

	burn_ms(5);
	hide_library();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int status = -1;

		if (probe_fork() == 0) {
			ways[i]();
			_exit(9);
		}
		EXPECT(wait(&status) > 0);
		EXPECT_INT(status, 0);
	}
	return probe_end();
}
