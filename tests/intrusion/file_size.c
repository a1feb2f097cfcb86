/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_size BYTES WHEN: works with a limit of file sizes (RLIMIT_FSIZE) that the program sets itself (self), or that is
 * set before it starts (start). The program's own file must be able to reach the limit, and SIGXFSZ must come for the
 * program's own write only.
 */
#include "probe.h"

#include <sys/resource.h>

static atomic_int n_signals;

static void note(int s)
{
	n_signals++;
}

static void *work(void *unused)
{
	burn_ms(1200);
	return NULL;
}

static void write_to_limit(size_t limit_bytes)
{
	char block[512] = "";
	size_t size = 0;
	int fd = open("own", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	signal(SIGXFSZ, note);
	while (write(fd, block, sizeof(block)) == sizeof(block))
		size += sizeof(block);
	EXPECT_INT(errno, EFBIG);
	EXPECT_INT(n_signals, 1);
	EXPECT_INT(size, limit_bytes);
	signal(SIGXFSZ, SIG_DFL);
	close(fd);
}

int main(int argc, char **argv)
{
	struct rlimit limit = { atoi(argv[1]), atoi(argv[1]) };
	pthread_t thread;

	burn_ms(5);
	if (strcmp(argv[2], "given"))
		EXPECT_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	if (!strcmp(argv[2], "start"))
		execl(probe_sibling("file_size"), "file_size", argv[1], "given", NULL);
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	write_to_limit(limit.rlim_cur);
	if (probe_fork() == 0) {
		burn_ms(50);
		_exit(3);
	}
	EXPECT(wait(NULL) > 0);
	return probe_end();
}
