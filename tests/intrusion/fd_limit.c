/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fd_limit SOFT HARD WHEN: works with a limit of open files that the program sets itself (WHEN = self), or that is set
 * before it starts (WHEN = start). The program must get the same descriptors as without the preload, in threads and
 * children, too. getrlimit must return the limit that was set.
 */
#include "probe.h"

#include <sys/resource.h>

static struct rlimit limit;

static void open_all(const char *who)
{
	struct rlimit seen;
	int n_opened = 0, fds[1024], fd;

	EXPECT_INT(getrlimit(RLIMIT_NOFILE, &seen), 0);
	EXPECT_INT(seen.rlim_cur, limit.rlim_cur);
	EXPECT_INT(seen.rlim_max, limit.rlim_max);
	while (n_opened < 1024 && (fd = open("/dev/null", O_RDONLY)) >= 0)
		fds[n_opened++] = fd;
	EXPECT_INT(errno, EMFILE);
	burn_ms(3);
	printf("%s: %d opened, last %d\n", who, n_opened, fds[n_opened - 1]);
	EXPECT_INT(dup(1), -1);
	EXPECT_INT(dup2(fds[0], limit.rlim_cur), -1);
	for (int i = 0; i < n_opened; i++)
		EXPECT_INT(close(fds[i]), 0);
}

static void *in_thread(void *unused)
{
	burn_ms(3);
	open_all("thread");
	return NULL;
}

static void in_child(void)
{
	burn_ms(3);
	open_all("child");
}

int main(int argc, char **argv)
{
	pthread_t thread;

	limit.rlim_cur = atoi(argv[1]);
	limit.rlim_max = atoi(argv[2]);
	burn_ms(3);
	if (!strcmp(argv[3], "start")) {
		EXPECT_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
		execl(probe_sibling("fd_limit"), "fd_limit", argv[1], argv[2], "given", NULL);
		return 99;
	}
	if (!strcmp(argv[3], "self"))
		EXPECT_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < 3; i++) {
		open_all("main");
		EXPECT_INT(pthread_create(&thread, NULL, in_thread, NULL), 0);
		pthread_join(thread, NULL);
		probe_in_child("child", in_child);
	}
	return probe_end();
}
