// SPDX-License-Identifier: BSD-3-Clause
/* evprof PROGRAM [ARGS]: runs it, then reports: evprof run and evreport in one. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "evprof_commands.h"
#include "launch.h"

#define STATUS_FAILED 125

/* The child is the program; a user's Ctrl-C is for it, and we report what it did until then. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int record(int argc, char **argv)
{
	char **run_argv = calloc((size_t)argc + 3, sizeof(*run_argv));
	char name[] = "evprof run", end_of_options[] = "--";
	pid_t pid = run_argv ? fork() : -1;
	int status;

	if (!pid) {
		run_argv[0] = name;
		run_argv[1] = end_of_options;
		memcpy(run_argv + 2, argv, (size_t)argc * sizeof(*argv));
		_exit(ep_cmd_run(argc + 2, run_argv));
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	status = pid < 0 ? STATUS_FAILED : wait_for(pid);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	free(run_argv);
	return status;
}

/* A file or pipe with the program's output gets nothing else: the report then goes to standard error. */
static void show_report(const char *evreport, const char *trace)
{
	pid_t pid = fork();

	if (!pid) {
		if (!isatty(STDOUT_FILENO))
			dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(evreport, "evreport", trace, (char *)NULL);
		_exit(127);
	}
	if (pid > 0 && !wait_for(pid))
		fprintf(stderr,
			"\nevprof: %s holds the run; evreport --html report.html %s makes a page of it.\n",
			trace, trace);
}

int ep_cmd_profile(int argc, char **argv)
{
	const char *trace = getenv("EVPROF_OUTPUT");
	char evreport[PATH_MAX];
	struct ep_error err;
	int status;

	if (!trace || !trace[0])
		trace = "trace.gz";
	status = record(argc, argv);
	if (access(trace, R_OK)) {
		fprintf(stderr,
			"evprof: there is no %s to report: evreport TRACE reports another\n",
			trace);
		return status;
	}
	if (ep_launch_find_evreport(evreport, &err))
		ep_error_print(&err, "evprof");
	else
		show_report(evreport, trace);
	return status;
}
