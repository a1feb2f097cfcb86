/* SPDX-License-Identifier: BSD-3-Clause */
/* main() ends by pthread_exit. The process must end when its last thread ends, with status 0, or when a thread calls
 * exit(), with that status. */
#include "probe.h"

static void *work(void *status)
{
	burn_ms(30);
	if (status)
		exit((intptr_t)status);
	return NULL;
}

static void at_exit(void)
{
	static const char text[] = "at exit\n";

	EXPECT_INT(write(1, text, strlen(text)), strlen(text));
}

static void leave(intptr_t status)
{
	pthread_t thread;

	atexit(at_exit);
	pthread_create(&thread, NULL, work, NULL);
	pthread_create(&thread, NULL, work, (void *)status);
	burn_ms(5);
	pthread_exit(NULL);
}

static void leave_alone(intptr_t status)
{
	atexit(at_exit);
	burn_ms(5);
	pthread_exit((void *)status);
}

int main(void)
{
	for (intptr_t i = 0; i < 40; i++) {
		pid_t pid = probe_fork();

		if (pid == 0)
			(i % 4 == 3 ? leave_alone : leave)(i % 4);
		probe_print_status("main left", probe_wait(pid));
	}
	pthread_exit(NULL);
}
