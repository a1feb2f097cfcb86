// SPDX-License-Identifier: BSD-3-Clause
/* Stands in for libevprof.so: says in which programs it was loaded, and with what variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

__attribute__((constructor)) static void say(void)
{
	const char *path = getenv("STUB_LOG");
	FILE *log = path ? fopen(path, "a") : NULL;
	char exe[4096] = "";

	if (!log)
		return;
	(void)!readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	fprintf(log, "loaded %s\n", strrchr(exe, '/') + 1);
	for (char **variable = environ; *variable; variable++)
		if (!strncmp(*variable, "EVPROF_", 7) || !strncmp(*variable, "LD_PRELOAD", 10))
			fprintf(log, "%s\n", *variable);
	fclose(log);
}
