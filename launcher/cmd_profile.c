// SPDX-License-Identifier: BSD-3-Clause
/* evprof [OPTIONS] PROGRAM [ARGS]: does the work of evprof run and evreport. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "common/options.h"
#include "evprof_commands.h"
#include "launch.h"
#include "run_program.h"

#define STATUS_FAILED 125

/* Waits for a child, and returns its exit status as a shell does. Signals do not end the wait: Ctrl-C is meant for the
 * program, and its report shows the run up to that moment. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int record(const struct ep_run_options *options)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(ep_run_start_program(options));
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	status = pid < 0 ? STATUS_FAILED : wait_for(pid);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	return status;
}

/* Shows the report. If standard output is not a terminal, it is the program's output alone, and the report is printed
 * on standard error. */
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

/* Returns what stat tells of the file at a path; all zero: there is no file. */
static struct stat look_at(const char *path)
{
	struct stat now = { 0 };

	return stat(path, &now) ? (struct stat){ 0 } : now;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Tells whether this run has recorded the trace, and prints a message if not. If a program cannot be measured, the
 * trace of an earlier run may still be there. */
static bool is_recorded(const char *trace, const struct stat *before)
{
	struct stat now = look_at(trace);

	if (!now.st_ino)
		fprintf(stderr,
			"evprof: there is no %s to report: evreport TRACE reports another\n",
			trace);
	else if (is_same(&now, before))
		fprintf(stderr,
			"evprof: nothing was recorded: %s is of an earlier run, which evreport %s reports\n",
			trace, trace);
	else
		return true;
	return false;
}

int ep_cmd_profile(int argc, char **argv)
{
	struct ep_run_options options;
	char evreport[PATH_MAX];
	const char *trace;
	struct stat before;
	struct ep_error err;
	int status = ep_run_read_options(argc, argv, &options);

	if (status != EP_OPTIONS_READ)
		return status;
	trace = getenv("EVPROF_OUTPUT");
	if (!trace || !trace[0])
		trace = "trace.gz";
	before = look_at(trace);
	status = record(&options);
	if (!is_recorded(trace, &before))
		return status;
	if (ep_launch_find_evreport(evreport, &err))
		ep_error_print(&err, "evprof");
	else
		show_report(evreport, trace);
	return status;
}
