/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C library sets its own handler of signal 33 when a program makes its first thread. If a handler of signal 33 was
 * set before, it must still be in place when the thread's function begins, even if pthread_create has not returned yet.
 */
#include "probe.h"

#if defined(__x86_64__)
/* Asks the kernel by the system-call instruction, since the C library's functions refuse this signal. */
static void *handler_of_33(void)
{
	void *action[4] = { NULL };
	long result;
	register long size __asm__("r10") = 8;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_rt_sigaction), "D"(33L), "S"(0L), "d"(action), "r"(size)
			 : "rcx", "r11", "memory");
	EXPECT_INT(result, 0);
	return action[0];
}

static void *look(void *before)
{
	EXPECT_MSG(!before || handler_of_33() == before,
		"the C library's handler of 33 serves the first thread");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	EXPECT_INT(pthread_create(&thread, NULL, look, handler_of_33()), 0);
	EXPECT_INT(pthread_join(thread, NULL), 0);
	return probe_n_wrong;
}
#else
int main(void)
{
	printf("written for x86-64\n");
	return PROBE_CANNOT;
}
#endif
