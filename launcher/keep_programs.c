// SPDX-License-Identifier: BSD-3-Clause
/*
 * Before the program starts, since evprof is not there any more when it ends: exec makes evprof the program, and a
 * process that stayed behind would be seen. Costs once per build what a copy costs.
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
		return; /* for whatever reason: the run matters more */
}

/* Its loader; "" where it has none, which alone could list its libraries. */
static void read_loader(const char *path, char out_loader[PATH_MAX])
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) header;

	out_loader[0] = '\0';
	if (fd >= 0 && ep_elf_read_header(fd, &header) && !ep_elf_is_foreign(&header))
		ep_elf_read_loader(fd, &header, out_loader, PATH_MAX);
}

/* The loader's list, as ldd shows it; it runs nothing of the program. */
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

/* "	libx.so.1 => /opt/x/libx.so.1 (0x00007f...)" */
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

/* A child whose parent ignores SIGCHLD leaves nothing to wait for, and its time is not in the
 * RUSAGE_CHILDREN that the program would inherit. */
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
