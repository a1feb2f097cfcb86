/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls unshare() with flags that only a process with one thread may use, and makes a child in namespaces of its
 * own. */
#include "probe.h"

#include <sched.h>

static void unshare_user(void)
{
	int result;

	burn_ms(5);
	result = unshare(CLONE_NEWUSER);
	printf("user namespace: %d %d\n", result, result ? errno : 0);
	burn_ms(20);
	printf("uid %u\n", getuid());
}

static void unshare_more(void)
{
	const int others = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET;
	int result;

	burn_ms(5);
	result = unshare(CLONE_NEWUSER | others);
	/* in a chroot no user namespace can be made, but root can make the others */
	if (result)
		result = unshare(others);
	printf("namespaces: %d %d\n", result, result ? errno : 0);
	if (probe_fork() == 0) {
		burn_ms(20);
		printf("thread %s the process, ", getpid() == gettid() ? "is" : "is not");
		/* if unshare was refused, the child's pid differs from run to run, so it is not printed */
		if (result)
			printf("no pid of its own\n");
		else
			printf("pid %d\n", getpid());
		fflush(stdout);
		_exit(0);
	}
	EXPECT(wait(NULL) > 0);
}

static void unshare_tables(void)
{
	static const int flags[] = { CLONE_FS, CLONE_FILES, CLONE_VM, CLONE_SIGHAND };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		int result = unshare(flags[i]);

		/* a container's filter may refuse all of these */
		EXPECT(result == 0 || errno == EPERM);
		printf("unshare 0x%x: %d\n", flags[i], result);
	}
	burn_ms(20);
	EXPECT_INT(open("/dev/null", O_RDONLY), 3);
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		probe_in_child("user", unshare_user);
		probe_in_child("more", unshare_more);
		probe_in_child("tables", unshare_tables);
	}
	unshare_user();
	return probe_end();
}
