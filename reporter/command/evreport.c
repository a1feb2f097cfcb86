// SPDX-License-Identifier: BSD-3-Clause
/* evreport: runs the command that the first argument names; without a command, prints the report of a trace. */
#include <locale.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/command.h"
#include "common/error.h"
#include "reporter/command/cmd_advise.h"
#include "reporter/command/cmd_annotate.h"
#include "reporter/command/cmd_compare.h"
#include "reporter/command/cmd_eval.h"
#include "reporter/command/cmd_explain.h"
#include "reporter/command/cmd_export.h"
#include "reporter/command/cmd_metrics.h"
#include "reporter/command/cmd_phases.h"
#include "reporter/command/cmd_reduce.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/cmd_roofline.h"
#include "reporter/command/estimate_commands.h"
#include "reporter/command/pager.h"
#include "reporter/symbolize/symbolize.h"

static const struct ep_command commands[] = {
	{ "info", ep_cmd_info, "what a trace holds, and whether it is whole" },
	{ "dump", ep_cmd_dump, "every record of a trace, readable" },
	{ "metrics", ep_cmd_metrics, "Top-Down, LCPI and other models of a trace" },
	{ "advise", ep_cmd_advise, "what costs the hot procedures their cycles, and what to try" },
	{ "annotate", ep_cmd_annotate,
		"one procedure or loop: its source lines and instructions, with the cost of each" },
	{ "explain", ep_cmd_explain,
		"what a metric or a category of advise means on a CPU, and what to try" },
	{ "roofline", ep_cmd_roofline,
		"operations per second over operations per byte, and the roof above them" },
	{ "compare", ep_cmd_compare, "two runs: which procedures take more time, and which less" },
	{ "phases", ep_cmd_phases, "when the run did something else, and what it did again" },
	{ "export", ep_cmd_export,
		"the whole call tree for other tools' viewers, as flame graphs" },
	{ "reduce", ep_cmd_reduce, "many traces to one small file that is read like a trace" },
	{ "eval", ep_cmd_eval, "evaluate metrics on a file of values" },
	{ "fill", ep_cmd_fill, "fill the gaps of a table of counts, with standard errors" },
	{ "accuracy", ep_cmd_accuracy, "mask complete tables, fill them, compare with the truth" },
	{ "compare-ocoe", ep_cmd_compare_ocoe,
		"compare a multiplexed trace with traces that counted every event in every slice" },
	{ "export-training", ep_cmd_export_training,
		"tables and pairs of traces for models/train.py" },
	{ NULL, NULL, NULL },
};

static int print_help(void)
{
	printf("usage: evreport [OPTIONS] [TRACE...]\n       evreport COMMAND [ARGS]\n\n"
	       "Shows where the time of a recorded run went (evprof run -- PROGRAM records one). TRACE is\n%s if not given, - standard input. --version says which evreport this is.\n\n",
		EP_DEFAULT_TRACE);
	ep_report_print_options();
	printf("\ncommands ('evreport COMMAND --help' tells more):\n");
	for (const struct ep_command *c = commands; c->name; c++)
		printf("  %-16s %s\n", c->name, c->summary);
	return 0;
}

static const struct ep_command *find_command(const char *name)
{
	for (const struct ep_command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* Stops OpenBLAS's threads. OpenBLAS starts a thread per CPU when it is loaded. Each thread spins for 20 ms in search
 * of work, which is as long as a whole small report takes. The matrix products of the estimators' neural networks are
 * too small for several threads: on two and four CPUs they took longer than on one, and from a third to all of the CPU
 * time was spent on threads that waited for each other. Another BLAS may lack these functions. */
extern void openblas_set_num_threads(int n_threads) __attribute__((weak));
extern void blas_thread_shutdown_(void) __attribute__((weak));

static void stop_idle_threads(void)
{
	if (openblas_set_num_threads)
		openblas_set_num_threads(1);
	if (blas_thread_shutdown_)
		blas_thread_shutdown_();
}

/* Keeps freed memory in the process. Memory for slices is allocated and freed thousands of times. If it were given back
 * to the kernel each time, the kernel would have to clear it again each time. */
#define KEPT_BYTES (64 << 20)

static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

/* Tells whether an argument may be meant as a command: it looks like a word, and no file has the name. */
static bool looks_like_command(const char *name)
{
	return name[0] != '-' && !strpbrk(name, "./") && access(name, F_OK);
}

/* Explains the mistake in "evreport --format json compare a.gz b.gz", where the command is not the first argument. A
 * word after an option is not taken for a command, since it may be the option's value. */
static void explain_late_command(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (argv[i - 1][0] != '-' && find_command(argv[i]) && looks_like_command(argv[i])) {
			fprintf(stderr,
				"evreport: a command comes first, before its options: evreport %s ...\n",
				argv[i]);
			return;
		}
}

static int run_report(int argc, char **argv)
{
	int status = ep_cmd_report(argc, argv);

	if (status)
		explain_late_command(argc, argv);
	return status;
}

static int run(int argc, char **argv)
{
	const struct ep_command *command = argc > 1 ? find_command(argv[1]) : NULL;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return print_help();
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		printf("evreport %s\n", EVPROF_VERSION);
		return 0;
	}
	if (command)
		return command->run(argc - 1, argv + 1);
	if (argc > 1 && looks_like_command(argv[1])) {
		fprintf(stderr,
			"evreport: %s is neither a trace nor a command; evreport --help lists them\n",
			argv[1]);
		return 2;
	}
	return run_report(argc, argv);
}

int main(int argc, char **argv)
{
	int status;

	stop_idle_threads();
	keep_memory();
	ep_symbols_stay_offline();
	setlocale(LC_CTYPE, ""); /* the locale says whether text may have signs that ASCII lacks */
	status = run(argc, argv);
	ep_pager_finish();
	return status ? status : ep_flush_stdout("evreport");
}
