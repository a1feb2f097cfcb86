/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * identity HOW: a process of root changes its user, or enters an empty folder by chroot. Then it works with threads and
 * children, or starts another program.
 */
#include "probe.h"

#include <grp.h>
#include <sys/stat.h>

enum { NOBODY = 65534 };

static void *work(void *unused)
{
	burn_ms(150);
	return NULL;
}

static void live_on(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		EXPECT_INT(pthread_create(&thread, NULL, work, NULL), 0);
		burn_ms(150);
		if (probe_fork() == 0) {
			burn_ms(5);
			_exit(3);
		}
		EXPECT(wait(NULL) > 0);
		pthread_join(thread, NULL);
	}
	burn_ms(600);
}

static void become_nobody(void)
{
	EXPECT_INT(setgroups(0, NULL), 0);
	EXPECT_INT(setresgid(NOBODY, NOBODY, NOBODY), 0);
	EXPECT_INT(setresuid(NOBODY, NOBODY, NOBODY), 0);
	EXPECT_INT(setuid(0), -1);
}

static void enter_empty_root(void)
{
	mkdir("empty", 0755);
	EXPECT_INT(chroot("empty"), 0);
	EXPECT_INT(chdir("/"), 0);
}

static void by_setuid(void)
{
	become_nobody();
	live_on();
}

static void by_chroot(void)
{
	enter_empty_root();
	live_on();
	EXPECT_INT(access("/proc", F_OK), -1);
}

static void by_both(void)
{
	enter_empty_root();
	become_nobody();
	live_on();
}

static void by_setuid_exec(void)
{
	become_nobody();
	execl(probe_sibling("target"), "target", NULL);
}

/* Starts a program in the chroot. The program is linked statically, since there is no library in the chroot, and no
 * /proc. */
static void by_chroot_exec(void)
{
	int in = open(probe_sibling("target_static"), O_RDONLY), out;
	char block[65536];
	ssize_t size;

	mkdir("empty", 0755);
	out = open("empty/target", O_WRONLY | O_CREAT, 0755);
	while ((size = read(in, block, sizeof(block))) > 0)
		EXPECT_INT(write(out, block, size), size);
	close(in);
	close(out);
	enter_empty_root();
	burn_ms(20);
	execl("/target", "target", NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "setuid", by_setuid },
	{ "chroot", by_chroot },
	{ "both", by_both },
	{ "setuid-exec", by_setuid_exec },
	{ "chroot-exec", by_chroot_exec },
};

int main(int argc, char **argv)
{
	burn_ms(20);
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		if (!strcmp(ways[w].name, argv[1]))
			ways[w].run();
	return probe_end();
}
