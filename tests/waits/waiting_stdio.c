// SPDX-License-Identifier: BSD-3-Clause
/* Waiting inside stdio, for what comes through a pipe, or for room in it. */
#include "waiting.h"

#include <unistd.h>

FILE *stream;

__attribute__((noinline)) void wait_for_fread(void)
{
	char byte;

	(void)!fread(&byte, 1, 1, stream);
}

__attribute__((noinline)) void wait_for_getc(void)
{
	fgetc(stream);
}

__attribute__((noinline)) static void wait_for_getline(void)
{
	static char *line;
	static size_t size;

	(void)!getline(&line, &size, stream);
}

__attribute__((noinline)) static void wait_for_fgets(void)
{
	char line[16];

	(void)!fgets(line, sizeof(line), stream);
}

__attribute__((noinline)) void wait_for_fflush(void)
{
	static FILE *out;

	if (!out)
		out = fdopen(dup(ends[1]), "w");
	fputc('x', out);
	fflush(out);
	fflush(out);
}

__attribute__((noinline)) void wait_for_fclose(void)
{
	FILE *out = fdopen(dup(ends[1]), "w");

	fputc('x', out);
	fclose(out);
}

/* The second of them is in the buffer by then. */
__attribute__((noinline)) void wait_for_two_lines(void)
{
	wait_for_getline();
	wait_for_getline();
}

__attribute__((noinline)) void wait_for_two_gets(void)
{
	wait_for_fgets();
	wait_for_fgets();
}
