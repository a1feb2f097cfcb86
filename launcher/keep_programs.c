// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies files before the program starts, since evprof cannot do it after the program's end: exec turns evprof into
 * the program, and another process of evprof's would be visible to the program. A file is copied once per build.
 */
#include "keep_programs.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/elf_file.h"
#include "common/programs/kept.h"

static void keep(const char *path)
{
	if (!ep_kept_is_systems(path) && ep_kept_add(path, &ep_kept_default_limits))
		return; /* a failure is ignored: the run is more important */
}

/* Reads the path of the program's loader; "": it has none. The loader alone can list the libraries. */
static void read_loader(const char *path, char out_loader[PATH_MAX])
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) header;

	out_loader[0] = '\0';
	if (fd >= 0 && ep_elf_read_header(fd, &header) && !ep_elf_is_foreign(&header))
		ep_elf_read_loader(fd, &header, out_loader, PATH_MAX);
}

/* Writes the loader's list of libraries to out_fd, as ldd shows it. Nothing of the program is run. */
static void list_libraries(const char *loader, const char *program, int out_fd)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	unsetenv("LD_DEBUG");
	execl(loader, loader, "--list", program, (char *)NULL);
	_exit(127);
}

/* Keeps the library of a line like "	libx.so.1 => /opt/x/libx.so.1 (0x00007f...)". */
static void keep_library(char *line)
{
	char *path = strstr(line, "=> /"), *end = path ? strrchr(line, '(') : NULL;
	char resolved[PATH_MAX];

	if (!end || end < path + 5)
		return;
	end[-1] = '\0';
	if (realpath(path + 3, resolved))
		keep(resolved);
}

static void read_list(int fd)
{
	EP_AUTOFCLOSE FILE *list = fdopen(fd, "r");
	char line[2 * PATH_MAX];

	if (!list)
		close(fd);
	while (list && fgets(line, sizeof(line), list))
		keep_library(line);
}

/* Keeps the libraries that a child lists. If the parent ignores SIGCHLD, the child leaves nothing to wait for, and its
 * time does not count in RUSAGE_CHILDREN, which the program would inherit. */
static void keep_libraries(const char *loader, const char *program)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	sigaction(SIGCHLD, &ignore, &before);
	pid = fork();
	if (!pid)
		list_libraries(loader, program, ends[1]);
	close(ends[1]);
	read_list(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	sigaction(SIGCHLD, &before, NULL);
}

void ep_keep_program(const char *path)
{
	char loader[PATH_MAX];

	if (ep_kept_is_systems(path))
		return;
	keep(path);
	read_loader(path, loader);
	if (loader[0])
		keep_libraries(loader, path);
}
