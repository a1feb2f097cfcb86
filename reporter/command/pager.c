// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager;
static int terminal = -1; /* copy of the original standard output */

/* Returns the command of the pager; NULL: none is wanted. */
static const char *find_pager(void)
{
	const char *named = getenv("PAGER"), *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return NULL;
	if (!named)
		return "less";
	return *named && strcmp(named, "cat") ? named : NULL;
}

/* Starts the pager. A name alone is started without a shell, so that an error is known at once if there is no such
 * program. */
static int spawn(const char *command, int input)
{
	char *const words[] = { (char *)command, NULL };
	char *const shell[] = { "sh", "-c", (char *)command, NULL };
	bool is_name = !strpbrk(command, " \t|&;<>()$`\\\"'*?[#~=%");
	posix_spawn_file_actions_t actions;
	int rc;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	rc = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!rc && is_name)
		rc = posix_spawnp(&pager, command, &actions, NULL, words, environ);
	else if (!rc)
		rc = posix_spawn(&pager, "/bin/sh", &actions, NULL, shell, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc)
		pager = 0;
	return rc;
}

/* Sets options of less, unless the user has set some: less ends by itself if the text fits on one screen, leaves the
 * text there, and passes colours on. */
static void tell_less(void)
{
	setenv("LESS", "FRX", false);
}

void ep_pager_start(void)
{
	const char *command = pager ? NULL : find_pager();
	int ends[2];

	if (!command || pipe2(ends, O_CLOEXEC))
		return;
	tell_less();
	terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (terminal >= 0 && !spawn(command, ends[0])) {
		fflush(stdout);
		dup2(ends[1], STDOUT_FILENO);
	}
	if (!pager && terminal >= 0)
		close(terminal);
	close(ends[0]);
	close(ends[1]);
}

/* Waits until the pager ends. Ctrl-C (SIGINT) is ignored until then, since the pager handles it. It is no error if the
 * user ends the pager before it has read everything, nor if SIGPIPE then ends evreport. */
void ep_pager_finish(void)
{
	if (!pager)
		return;
	signal(SIGINT, SIG_IGN);
	fflush(stdout);
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}
