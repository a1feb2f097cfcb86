/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a command's function in a folder of the test's own and hands back what it printed. */
#ifndef EVPROF_TESTS_UNIT_COMMAND_H
#define EVPROF_TESTS_UNIT_COMMAND_H

#include "tests/unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"

static char folder[] = "/tmp/evprof-command-XXXXXX";

__attribute__((constructor)) static void enter_folder(void)
{
	if (!mkdtemp(folder) || chdir(folder))
		abort();
}

__attribute__((destructor)) static void remove_folder(void)
{
	DIR *dir = opendir(folder);

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlink(entry->d_name);
	closedir(dir);
	rmdir(folder);
}

__attribute__((unused)) static void write_file(const char *name, const char *text)
{
	EP_AUTOFCLOSE FILE *out = fopen(name, "w");

	CHECK(out);
	fputs(text, out);
}

/* The caller's to free. */
static char *read_file(const char *name)
{
	char *text = NULL;
	size_t size;

	CHECK_INT(ep_file_read(name, &text, &size, NULL), 0);
	return text;
}

static int redirect(int fd, const char *name)
{
	int kept = dup(fd), file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	dup2(file, fd);
	close(file);
	return kept;
}

static void restore(int fd, int kept)
{
	dup2(kept, fd);
	close(kept);
}

/* Its exit status; out and err are the caller's to free. argv ends with NULL. */
__attribute__((unused)) static int run_command(
	int (*command)(int, char **), char **argv, char **out, char **err)
{
	int argc = 0, status, kept_out, kept_err;

	while (argv[argc])
		argc++;
	fflush(NULL);
	kept_out = redirect(1, ".stdout");
	kept_err = redirect(2, ".stderr");
	status = command(argc, argv);
	fflush(NULL);
	restore(1, kept_out);
	restore(2, kept_err);
	*out = read_file(".stdout");
	*err = read_file(".stderr");
	return status;
}

/* Declares status, out and err. */
#define RUN(command, ...)                                                                          \
	EP_AUTOFREE char *out = NULL, *err = NULL;                                                 \
	int status = run_command(command, (char *[]){ #command, __VA_ARGS__, NULL }, &out, &err)

#define CHECK_HAS(text, part) CHECK_MSG(strstr(text, part), "no \"%s\" in\n%s", part, text)

#endif
