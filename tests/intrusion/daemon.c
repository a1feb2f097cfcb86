/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * daemon HOW: becomes a daemon, by daemon() (HOW is library) or by two forks and closing every descriptor. The daemon
 * works with a file and a thread, and writes a log. The first process waits for all processes that are left, which
 * become its children (subreaper).
 */
#include "probe.h"

#include <sys/prctl.h>
#include <sys/stat.h>

static char work[4096];

static void classical(void)
{
	if (fork() > 0)
		_exit(0);
	setsid();
	if (fork() > 0)
		_exit(0);
	EXPECT_INT(chdir("/"), 0);
	umask(0);
	for (int fd = 0; fd < 65536; fd++)
		close(fd);
	EXPECT_INT(open("/dev/null", O_RDWR), 0);
	EXPECT_INT(dup(0), 1);
	EXPECT_INT(dup(0), 2);
}

static void *spin(void *unused)
{
	burn_ms(200);
	return NULL;
}

static void serve(void)
{
	char path[4200];
	pthread_t thread;
	int log;

	snprintf(path, sizeof(path), "%s/log", work);
	log = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
	dprintf(log, "log is %d\n", log);
	EXPECT_INT(pthread_create(&thread, NULL, spin, NULL), 0);
	for (int i = 0; i < 12; i++) {
		burn_ms(100);
		dprintf(log, "alive %d\n", i);
	}
	pthread_join(thread, NULL);
}

static void reap_all(void)
{
	int status;

	while (wait(&status) > 0)
		probe_print_status("left behind", status);
	EXPECT_INT(errno, ECHILD);
}

int main(int argc, char **argv)
{
	EXPECT(getcwd(work, sizeof(work)) != NULL);
	EXPECT_INT(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	burn_ms(5);
	if (probe_fork() > 0) {
		reap_all();
		return probe_end();
	}
	if (!strcmp(argv[1], "library"))
		EXPECT_INT(daemon(0, 0), 0);
	else
		classical();
	serve();
	return probe_end();
}
