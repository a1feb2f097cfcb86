// SPDX-License-Identifier: BSD-3-Clause
/*
 * evprof run: options to EVPROF_* variables, libevprof.so into LD_PRELOAD, a look at what
 * preloading cannot reach, and exec: from there on the process is the program.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "common/cleanup.h"
#include "counters/settings.h"
#include "evprof_commands.h"
#include "keep_programs.h"
#include "launch.h"
#include "models.h"
#include "reach.h"
#include "reduce_job.h"

/* As env(1) and timeout(1): below 125 the status is the program's. */
enum { STATUS_FAILED = 125, STATUS_CANNOT_START = 126, STATUS_NOT_FOUND = 127 };

#define LONG_OPTION 256
#define SETTINGS_MAX 32
#define REDUCE_OPTION (LONG_OPTION + SETTINGS_MAX)

struct run_options {
	struct ep_settings settings;
	char *const *argv; /* of the program */
	bool is_help, reduces;
	const char *sums; /* where --reduce writes; NULL: job.gz beside the traces */
};

static int fail(const struct ep_error *err, int status)
{
	ep_error_print(err, "evprof");
	return status;
}

static void print_help(void)
{
	printf("usage: evprof run [OPTIONS] [--] PROGRAM [ARGS]\n\n"
	       "Runs PROGRAM and writes its trace; the exit status is the program's.\n"
	       "Each option is the variable of the same meaning; LD_PRELOAD=libevprof.so with the\n"
	       "variables does the same.\n\n");
	for (const struct ep_setting *row = ep_settings_table; row->variable; row++) {
		char option[80], letter[8] = "    ";

		if (row->short_option)
			snprintf(letter, sizeof(letter), "-%c, ", row->short_option);
		snprintf(option, sizeof(option), "%s--%s%s%s", letter, row->option,
			row->argument ? " " : "", row->argument ? row->argument : "");
		printf("  %s\n        %s (%s)\n", option, row->help, row->variable);
	}
	printf("      --reduce[=FILE]\n"
	       "        leave FILE (job.gz beside the traces), the sums of the traces of all ranks, at the job's end\n");
	printf("\nexit status: the program's; 125 evprof failed, 126 the program cannot be\n"
	       "executed, 127 it was not found\n");
}

/* ---- options ---- */

static void describe_options(struct option out_long[SETTINGS_MAX], char out_short[3 * SETTINGS_MAX])
{
	size_t n_options = 0;

	/* '+': what follows the program's name is the program's. */
	out_short += sprintf(out_short, "+h");
	for (const struct ep_setting *row = ep_settings_table; row->variable; row++) {
		int code = LONG_OPTION + (int)n_options;
		int has_argument = row->argument ? required_argument : no_argument;

		out_long[n_options++] = (struct option){ row->option, has_argument, NULL, code };
		if (row->short_option)
			out_short += sprintf(
				out_short, "%c%s", row->short_option, row->argument ? ":" : "");
	}
	out_long[n_options++] = (struct option){ "reduce", optional_argument, NULL, REDUCE_OPTION };
	out_long[n_options++] = (struct option){ "help", no_argument, NULL, 'h' };
	out_long[n_options] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct ep_setting *find_setting(int code)
{
	if (code >= LONG_OPTION)
		return &ep_settings_table[code - LONG_OPTION];
	for (const struct ep_setting *row = ep_settings_table; row->variable; row++)
		if (row->short_option == code)
			return row;
	return NULL;
}

/* The variable takes the value as the settings hold it: paths are absolute by then. */
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

/* Digits alone; 0: it is no number of a process. */
static pid_t read_pid(const char *value)
{
	size_t size = strlen(value);

	if (size > 9 || strspn(value, "0123456789") != size)
		return 0;
	return (pid_t)strtol(value, NULL, 10);
}

/* perf and strace attach with -p PID. Nanoseconds without a unit look the same: a running process
 * of that number decides, since the manual has periods with a unit only. */
static int refuse_process(const char *value, struct ep_error *err)
{
	pid_t pid = read_pid(value);

	if (pid <= 0 || (kill(pid, 0) && errno != EPERM))
		return 0;
	return ep_fail(err, -EINVAL,
		"%d is a running process, and -p takes a period, with its unit (2ms): evprof does not attach, it starts programs. Start it anew with 'evprof run PROGRAM' or with LD_PRELOAD=libevprof.so, or look at it as it runs with 'perf record -p %d'",
		(int)pid, (int)pid);
}

static int take_option(
	int code, const char *value, struct run_options *options, struct ep_error *err)
{
	const struct ep_setting *setting = find_setting(code);

	if (code == 'h') {
		options->is_help = true;
		return 0;
	}
	if (code == REDUCE_OPTION) {
		options->reduces = true;
		options->sums = value;
		return value && !value[0] ? ep_fail(err, -EINVAL,
						    "--reduce=FILE: the name of the file is empty")
					  : 0;
	}
	if (!setting) /* getopt has said what is wrong */
		return ep_fail(err, -EINVAL, "'evprof run --help' shows the options");
	if (!setting->argument)
		value = "1";
	int rc = strcmp(setting->option, "period") ? 0 : refuse_process(value, err);
	if (!rc)
		rc = setting->read(&options->settings, value, err);
	return rc ? rc : set_variable(setting, value, err);
}

/* Variables that the user has set count as well, so that "evprof run" sees what the library sees.
 * A bad one is the library's to report. */
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

static int read_options(int argc, char **argv, struct run_options *options, struct ep_error *err)
{
	struct option longs[SETTINGS_MAX];
	char shorts[3 * SETTINGS_MAX];
	int code;

	read_environment(&options->settings);
	describe_options(longs, shorts);
	optind = 1;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		int rc = take_option(code, optarg, options, err);
		if (rc || options->is_help)
			return rc;
	}
	options->argv = argv + optind;
	if (!options->argv[0])
		return ep_fail(err, -EINVAL, "no program to run; 'evprof run --help' tells more");
	if (options->reduces && !strcmp(options->settings.source, "valgrind"))
		return ep_fail(err, -EINVAL,
			"--reduce: a run inside valgrind cannot be reduced: leave --reduce out, evreport reads its trace as it is");
	return 0;
}

/* ---- starting ---- */

static int set_library(bool notes_waits, struct ep_error *err)
{
	char library[PATH_MAX];
	int rc = ep_launch_find_library(notes_waits, library, err);

	return rc ? rc : ep_launch_set_preload(library, err);
}

static enum ep_reach look_at_program(const struct run_options *options)
{
	const struct ep_settings *settings = &options->settings;
	char path[PATH_MAX], program[PATH_MAX];
	struct ep_error err;

	if (ep_reach_find(options->argv[0], path))
		return EP_REACH_YES; /* exec will say so */
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

static int prepare_and_start(const struct run_options *options)
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

/* A file behind the program's end is not worth more than the program: what fails is said, no more. */
static int start_and_reduce(const struct run_options *options)
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

int ep_cmd_run(int argc, char **argv)
{
	struct run_options options = { .is_help = false };
	struct ep_error err = { .message = "" };

	if (read_options(argc, argv, &options, &err))
		return fail(&err, STATUS_FAILED);
	if (options.is_help) {
		print_help();
		return 0;
	}
	return options.reduces ? start_and_reduce(&options) : prepare_and_start(&options);
}
