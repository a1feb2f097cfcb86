/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that is started with a given environment must get exactly that environment, by every exec and spawn call.
 * "exec_env print" is the program that is started.
 */
#include "probe.h"

#include <spawn.h>

static char *const one[] = { "ONLY=this", NULL };
static char *const none[] = { NULL };

static int print_environment(void)
{
	for (char **e = environ; *e; e++)
		printf("  %s\n", *e);
	return 0;
}

static const char *self;

static void with_execve(char *const *env)
{
	execve(self, (char *[]){ "exec_env", "print", NULL }, env);
}

static void with_execle(char *const *env)
{
	execle(self, "exec_env", "print", NULL, env);
}

static void with_execvpe(char *const *env)
{
	execvpe(self, (char *[]){ "exec_env", "print", NULL }, env);
}

static void with_fexecve(char *const *env)
{
	fexecve(open(self, O_RDONLY | O_CLOEXEC), (char *[]){ "exec_env", "print", NULL }, env);
}

static void with_execveat(char *const *env)
{
	syscall(SYS_execveat, AT_FDCWD, self, (char *[]){ "exec_env", "print", NULL }, env, 0);
}

static void with_environ(char *const *env)
{
	environ = (char **)env;
	execv(self, (char *[]){ "exec_env", "print", NULL });
}

static void with_clearenv(char *const *env)
{
	clearenv();
	for (; *env; env++)
		putenv(*env);
	execv(self, (char *[]){ "exec_env", "print", NULL });
}

static void with_spawn(char *const *env)
{
	pid_t pid = -1;

	posix_spawn(&pid, self, NULL, NULL, (char *[]){ "exec_env", "print", NULL }, env);
	_exit(WEXITSTATUS(probe_wait(pid)));
}

static const struct {
	const char *name;
	void (*run)(char *const *env);
} ways[] = {
	{ "execve", with_execve },
	{ "execle", with_execle },
	{ "execvpe", with_execvpe },
	{ "fexecve", with_fexecve },
	{ "execveat", with_execveat },
	{ "environ", with_environ },
	{ "clearenv", with_clearenv },
	{ "posix_spawn", with_spawn },
};

static void start(size_t way, char *const *env)
{
	pid_t pid = probe_fork();

	if (pid == 0) {
		burn_ms(2);
		ways[way].run(env);
		_exit(99);
	}
	probe_print_status(ways[way].name, probe_wait(pid));
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return print_environment();
	self = strdup(probe_sibling("exec_env"));
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
		start(w, one);
		start(w, none);
	}
	return probe_end();
}
