// SPDX-License-Identifier: BSD-3-Clause
/*
 * evprof run: turns options into EVPROF_* variables, puts libevprof.so into LD_PRELOAD, looks for what preloading
 * cannot reach, and calls exec. From there on, the process is the program.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "common/cleanup.h"
#include "common/options.h"
#include "evprof_commands.h"
#include "keep_programs.h"
#include "launch.h"
#include "models.h"
#include "reach.h"
#include "reduce_job.h"
#include "run_program.h"

/* These are as in env(1) and timeout(1): a status below 125 is the program's. */
enum { STATUS_FAILED = 125, STATUS_CANNOT_START = 126, STATUS_NOT_FOUND = 127 };

static int fail(const struct ep_error *err, int status)
{
	ep_error_print(err, "evprof");
	return status;
}

static const char usage[] =
	"usage: evprof run [OPTIONS] [--] PROGRAM [ARGS]\n\n"
	"Runs PROGRAM and writes its trace; the exit status is the program's.\n"
	"Each option is the variable of the same meaning; LD_PRELOAD=libevprof.so with the\n"
	"variables does the same.\n\n";

static void print_settings(FILE *out)
{
	for (const struct ep_setting *row = ep_settings_table; row->variable; row++) {
		char option[80], letter[8] = "    ";

		if (row->short_option)
			snprintf(letter, sizeof(letter), "-%c, ", row->short_option);
		snprintf(option, sizeof(option), "%s--%s%s%s", letter, row->option,
			row->argument ? " " : "", row->argument ? row->argument : "");
		fprintf(out, "  %s\n        %s (%s)\n", option, row->help, row->variable);
	}
	fprintf(out,
		"      --reduce[=FILE]\n"
		"        leave FILE (job.gz beside the traces), the sums of the traces of all ranks, at the job's end\n"
		"\nexit status: the program's; 125 evprof failed, 126 the program cannot be\n"
		"executed, 127 it was not found\n");
}

/* ---- options ---- */

/* Sets the setting's variable to the value. Paths are made absolute, since the program may change its folder. */
static int set_variable(const struct ep_setting *setting, const char *value, struct ep_error *err)
{
	EP_AUTOFREE char *absolute = NULL;

	if (!strcmp(setting->option, "output") && !strcmp(value, "-"))
		return ep_fail(err, -EINVAL,
			"a trace cannot go to standard output, which is the program's: name a file (-o trace.gz)");
	if (!strcmp(setting->option, "output") && value[0])
		absolute = ep_launch_absolute(value);
	else if (!strcmp(setting->option, "source"))
		absolute = ep_launch_absolute_source(value);
	else
		absolute = strdup(value);
	if (!absolute || setenv(setting->variable, absolute, 1))
		return ep_fail(err, -ENOMEM, "out of memory");
	return 0;
}

/* Reads a process number, which has digits alone. Returns 0 if the value is not one. */
static pid_t read_pid(const char *value)
{
	size_t size = strlen(value);

	if (size > 9 || strspn(value, "0123456789") != size)
		return 0;
	return (pid_t)strtol(value, NULL, 10);
}

/* Refuses a process number as period. perf and strace attach with -p PID, but -p is the period here, and a number
 * without a unit would be nanoseconds. The number is refused only if a process with it is running. Periods in the
 * manual all have a unit. */
static int refuse_process(const char *value, struct ep_error *err)
{
	pid_t pid = read_pid(value);

	if (pid <= 0 || (kill(pid, 0) && errno != EPERM))
		return 0;
	return ep_fail(err, -EINVAL,
		"%d is a running process, but -p takes a period with a unit, such as 2ms. evprof cannot attach to a process: start the program anew with 'evprof run PROGRAM' or with LD_PRELOAD=libevprof.so, or profile the running process with 'perf record -p %d'",
		(int)pid, (int)pid);
}

struct setting_option {
	const struct ep_setting *setting;
	struct ep_settings *settings;
	bool is_given;
};

static int read_setting(void *into, const char *value, struct ep_error *err)
{
	const struct setting_option *option = into;
	const struct ep_setting *setting = option->setting;
	int rc = strcmp(setting->option, "period") ? 0 : refuse_process(value, err);

	if (!rc)
		rc = setting->read(option->settings, value, err);
	return rc ? rc : set_variable(setting, value, err);
}

/* Reads the variables that the user has set. They count as well, so that "evprof run" sees what the library sees. The
 * library reports those that are wrong. */
static void read_environment(struct ep_settings *settings)
{
	ep_settings_init(settings);
	for (const struct ep_setting *row = ep_settings_table; row->variable; row++) {
		const char *value = getenv(row->variable);
		struct ep_error ignored;

		if (value && row->read(settings, value, &ignored))
			continue;
	}
}

static int check_options(const struct ep_run_options *options, struct ep_error *err)
{
	if (options->sums && !options->sums[0])
		return ep_fail(err, -EINVAL, "--reduce=FILE: the name of the file is empty");
	if (!options->argv[0])
		return ep_fail(err, -EINVAL, "no program to run; 'evprof run --help' tells more");
	if (options->reduces && !strcmp(options->settings.source, "valgrind"))
		return ep_fail(err, -EINVAL,
			"--reduce: a run inside valgrind cannot be reduced: leave --reduce out, evreport reads its trace as it is");
	return 0;
}

int ep_run_read_options(int argc, char **argv, struct ep_run_options *out)
{
	struct setting_option settings[EP_OPTIONS_MAX];
	struct ep_option rows[EP_OPTIONS_MAX] = { { NULL } }, *row = rows;
	const struct ep_options options = { "evprof run", usage, .print_more = print_settings,
		.hint = "'evprof run --help' shows the options\n", .rows = rows,
		.runs_program = true, .refused = STATUS_FAILED };
	struct ep_error err;
	int status;

	*out = (struct ep_run_options){ .reduces = false };
	read_environment(&out->settings);
	for (const struct ep_setting *s = ep_settings_table; s->variable; s++, row++) {
		struct setting_option *option = &settings[row - rows];

		*option = (struct setting_option){ s, &out->settings };
		*row = (struct ep_option){ s->option, s->short_option,
			.flag = s->argument ? NULL : &option->is_given, .read = read_setting,
			.into = option, .expected = s->argument };
	}
	*row = (struct ep_option){ "reduce", .flag = &out->reduces, .text = &out->sums };
	status = ep_options_read(&options, argc, argv);
	out->argv = argv + optind;
	return status == EP_OPTIONS_READ && check_options(out, &err) ? fail(&err, STATUS_FAILED)
								     : status;
}

/* ---- starting ---- */

static int set_library(bool notes_waits, struct ep_error *err)
{
	char library[PATH_MAX];
	int rc = ep_launch_find_library(notes_waits, library, err);

	return rc ? rc : ep_launch_set_preload(library, err);
}

static enum ep_reach look_at_program(const struct ep_run_options *options)
{
	const struct ep_settings *settings = &options->settings;
	char path[PATH_MAX], program[PATH_MAX];
	struct ep_error err;

	if (ep_reach_find(options->argv[0], path))
		return EP_REACH_YES; /* exec reports the error */
	enum ep_reach reach = ep_reach_check(path, program, &err);
	if (settings->keep && program[0] && reach == EP_REACH_YES &&
		ep_settings_take(settings, program))
		ep_keep_program(program);
	if (settings->quiet)
		return reach;
	if (reach != EP_REACH_YES)
		fprintf(stderr, "evprof: %s; it runs, but is not measured\n", err.message);
	else if (program[0] && !ep_settings_take(settings, program))
		fprintf(stderr,
			"evprof: %s is left out by its name (--include, --exclude); what it starts is measured where the name fits\n",
			program);
	return reach;
}

static int start(char *const argv[])
{
	execvp(argv[0], argv);
	int status = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_START;
	fprintf(stderr, "evprof: %s: %s\n", argv[0], strerror(errno));
	return status;
}

static int prepare_and_start(const struct ep_run_options *options)
{
	struct ep_error err = { .message = "" };
	int rc = ep_models_set_events(&options->settings, &err);
	if (rc < 0)
		return fail(&err, STATUS_FAILED);
	if (rc && !options->settings.quiet)
		fprintf(stderr, "evprof: %s; what can be had without is measured\n", err.message);
	/* A foreign loader would print a line for each process that it cannot preload into. */
	if (look_at_program(options) != EP_REACH_FOREIGN &&
		set_library(options->settings.waits, &err))
		return fail(&err, STATUS_FAILED);
	if (strcmp(options->settings.source, "valgrind"))
		return start(options->argv);
	rc = ep_launch_valgrind(options->argv, &err);
	return rc < 0 ? fail(&err, STATUS_FAILED) : rc;
}

/* Starts the program and reduces its traces. If the traces cannot be reduced, an error is printed, and the program
 * runs all the same. */
static int start_and_reduce(const struct ep_run_options *options)
{
	struct ep_error err;
	struct ep_run_job *job = ep_run_job_create(&options->settings, options->sums, &err);
	int status;

	if (!job)
		ep_error_print(&err, "evprof");
	pid_t pid = job ? fork() : -1;
	if (pid <= 0) {
		ep_run_job_destroy(job);
		return prepare_and_start(options);
	}
	status = ep_child_wait(pid);
	if (ep_run_job_end(job, pid, &err))
		ep_error_print(&err, "evprof");
	ep_run_job_destroy(job);
	return ep_child_end_as(status);
}

int ep_run_start_program(const struct ep_run_options *options)
{
	return options->reduces ? start_and_reduce(options) : prepare_and_start(options);
}

int ep_cmd_run(int argc, char **argv)
{
	struct ep_run_options options;
	int status = ep_run_read_options(argc, argv, &options);

	return status == EP_OPTIONS_READ ? ep_run_start_program(&options) : status;
}
