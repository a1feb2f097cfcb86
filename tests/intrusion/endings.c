/* SPDX-License-Identifier: BSD-3-Clause */
/* endings HOW [WHERE]: ends the process in the way HOW, in the main thread or in another one, and prints which exit
 * handlers run then. */
#include "probe.h"

#include <unistd.h>

static const char *how;

static void say(const char *text)
{
	EXPECT_INT(write(1, text, strlen(text)), strlen(text));
	burn_ms(3);
}

static void at_exit(void)
{
	say("atexit\n");
}

static void at_exit_status(int status, void *unused)
{
	say("on_exit\n");
}

static void at_quick(void)
{
	say("at_quick_exit\n");
}

__attribute__((destructor)) static void destructor(void)
{
	say("destructor\n");
}

static void by_exit(void)
{
	exit(11);
}

static void by__exit(void)
{
	_exit(12);
}

static void by__Exit(void)
{
	_Exit(13);
}

static void by_quick_exit(void)
{
	quick_exit(14);
}

static void by_syscall(void)
{
	syscall(SYS_exit_group, 15);
}

static void by_return(void)
{
}

static void by_pthread_exit(void)
{
	pthread_exit((void *)16);
}

static void by_exec(void)
{
	execl("/bin/sh", "sh", "-c", "exit 17", NULL);
}

static void by_instruction(void)
{
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(18) : "rcx", "r11", "memory");
}

static void by_err_exit(void)
{
	fprintf(stderr, "a last word\n");
	exit(255);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "exit", by_exit },
	{ "_exit", by__exit },
	{ "_Exit", by__Exit },
	{ "quick_exit", by_quick_exit },
	{ "syscall", by_syscall },
	{ "return", by_return },
	{ "pthread_exit", by_pthread_exit },
	{ "exec", by_exec },
	{ "instruction", by_instruction },
	{ "stderr", by_err_exit },
	{ "abort", abort },
};

static void *end(void *unused)
{
	burn_ms(10);
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		if (!strcmp(ways[w].name, how))
			ways[w].run();
	return NULL;
}

static void *work(void *unused)
{
	for (;;)
		burn_ms(1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	how = argv[1];
	atexit(at_exit);
	on_exit(at_exit_status, NULL);
	at_quick_exit(at_quick);
	printf("in a buffer\n");
	if (argc > 2) {
		pthread_create(&thread, NULL, end, NULL);
		if (!strcmp(argv[2], "thread"))
			pthread_join(thread, NULL);
		else
			work(NULL);
	}
	end(NULL);
	return 10;
}
