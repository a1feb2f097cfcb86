/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call that makes a descriptor returns the lowest free number, in threads and children too.
 */
#include "probe.h"

#include <dirent.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static void make_some(const char *who)
{
	char name[] = "fileXXXXXX";
	sigset_t set;
	int fds[16], n_fds = 0, pair[2];

	sigemptyset(&set);
	fds[n_fds++] = open("/dev/null", O_RDONLY);
	fds[n_fds++] = dup(1);
	fds[n_fds++] = fcntl(1, F_DUPFD_CLOEXEC, 3);
	EXPECT_INT(pipe(pair), 0);
	fds[n_fds++] = pair[0];
	fds[n_fds++] = pair[1];
	EXPECT_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	fds[n_fds++] = pair[0];
	fds[n_fds++] = pair[1];
	burn_ms(2);
	fds[n_fds++] = epoll_create1(0);
	fds[n_fds++] = eventfd(0, 0);
	fds[n_fds++] = memfd_create("probe", 0);
	fds[n_fds++] = inotify_init();
	fds[n_fds++] = timerfd_create(CLOCK_MONOTONIC, 0);
	fds[n_fds++] = signalfd(-1, &set, 0);
	fds[n_fds++] = mkstemp(name);
	unlink(name);
	printf("%s:", who);
	for (int i = 0; i < n_fds; i++) {
		printf(" %d", fds[i]);
		close(fds[i]);
	}
	printf("\n");
}

static void make_some_more(const char *who)
{
	FILE *file = fopen("/dev/null", "r"), *pipe = popen("exit 0", "r");
	DIR *folder = opendir("/");

	printf("%s: fopen %d popen %d opendir %d\n", who, fileno(file), fileno(pipe),
		dirfd(folder));
	fclose(file);
	pclose(pipe);
	closedir(folder);
}

static void *in_thread(void *unused)
{
	burn_ms(5);
	make_some("thread");
	make_some_more("thread");
	return NULL;
}

static void in_child(void)
{
	burn_ms(5);
	make_some("child");
	make_some_more("child");
}

int main(void)
{
	pthread_t thread;

	for (int fd = 3; fd < 512; fd++)
		EXPECT_MSG(fcntl(fd, F_GETFD) < 0, "descriptor %d is open", fd);
	for (int i = 0; i < 5; i++) {
		burn_ms(5);
		make_some("main");
		make_some_more("main");
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
		probe_in_child("child", in_child);
	}
	return probe_end();
}
