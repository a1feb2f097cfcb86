/* SPDX-License-Identifier: BSD-3-Clause */
/* After an exec that fails, the program must go on as before: with its descriptors and threads, and with the right
 * errno. */
#include "probe.h"

#include <limits.h>
#include <sys/stat.h>

static void *spin_until_told(void *stop)
{
	while (!atomic_load((atomic_int *)stop))
		burn_rounds(1000);
	return NULL;
}

static void make_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	EXPECT_INT(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	chmod(name, mode);
}

static void try_all(void)
{
	char *arguments[] = { "x", NULL }, long_name[PATH_MAX + 2];

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	printf("execv missing: %d %d\n", execv("./missing", arguments), errno);
	printf("execve text: %d %d\n", execve("./text", arguments, environ), errno);
	printf("execv no permission: %d %d\n", execv("./noexec", arguments), errno);
	printf("execv folder: %d %d\n", execv("/tmp", arguments), errno);
	printf("execv long name: %d %d\n", execv(long_name, arguments), errno);
	printf("execvp missing: %d %d\n", execvp("no-such-command", arguments), errno);
	printf("execvpe missing: %d %d\n", execvpe("no-such-command", arguments, environ), errno);
	printf("execl missing: %d %d\n", execl("./missing", "x", "y", NULL), errno);
	printf("execlp missing: %d %d\n", execlp("no-such-command", "x", NULL), errno);
	printf("execle missing: %d %d\n", execle("./missing", "x", NULL, environ), errno);
	printf("fexecve bad: %d %d\n", fexecve(-1, arguments, environ), errno);
	printf("bad interpreter: %d %d\n", execv("./badscript", arguments), errno);
	printf("bad environment: %d %d\n", execve("./missing", (char **)8, environ), errno);
}

static void fail_in_vfork(void)
{
	char *arguments[] = { "x", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execv("./missing", arguments);
		_exit(errno == ENOENT ? 7 : 8);
	}
	probe_print_status("vfork with failing exec", probe_wait(pid));
}

int main(void)
{
	atomic_int stop = 0;
	pthread_t thread;

	make_file("text", "\001\002\003", 0700);
	make_file("noexec", "#!/bin/sh\n", 0600);
	make_file("badscript", "#!/nonexistent/shell\n", 0700);
	pthread_create(&thread, NULL, spin_until_told, &stop);
	for (int i = 0; i < 20; i++) {
		try_all();
		burn_ms(3);
		fail_in_vfork();
	}
	stop = 1;
	EXPECT_INT(pthread_join(thread, NULL), 0);
	EXPECT_INT(open("text", O_RDONLY), 3);
	return probe_end();
}
