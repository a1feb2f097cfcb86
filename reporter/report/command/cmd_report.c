// SPDX-License-Identifier: BSD-3-Clause
/* evreport [OPTIONS] [TRACE...]: load, name, attribute, print. */
#include "reporter/report/command/cmd_report.h"

#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/advise/cmd_advise.h"
#include "reporter/estimate/estimate.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/summary.h"
#include "reporter/report/fill_fit.h"
#include "reporter/report/command/opened.h"
#include "reporter/report/command/progress.h"
#include "reporter/report/command/select.h"
#include "reporter/report/command/siblings.h"
#include "reporter/report/view/terminal.h"
#include "reporter/report/view/view.h"

#define DEFAULT_TOP 20
#define DATA_BINS 120 /* of a timeline in JSON */

struct command {
	const char *const *paths; /* NULL behind the last */
	const char *output, *sysroot;
	const struct ep_report_view *view;
	const struct ep_filler_ops *filler;
	struct ep_view_options view_options;
	struct ep_selection selection;
	uint32_t top;
	bool has_top;
};

static const struct ep_report_view *const views[] = { &ep_report_view_text, &ep_report_view_json,
	&ep_report_view_csv };

static const struct {
	const char *name;
	enum ep_by by;
} by_names[] = {
	{ "procedure", EP_BY_PROCEDURES },
	{ "line", EP_BY_LINES },
	{ "module", EP_BY_MODULES },
	{ "thread", EP_BY_THREADS },
	{ "process", EP_BY_PROCESSES },
};

/* ---- options ---- */

static int take_by(struct command *command, const char *value)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(by_names); i++) {
		if (strcmp(by_names[i].name, value))
			continue;
		command->view_options.by = by_names[i].by;
		return 0;
	}
	fprintf(stderr, "evreport: --by %s: expected procedure, line, module, thread or process\n",
		value);
	return -EINVAL;
}

static int take_format(struct command *command, const char *value)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(views); i++) {
		if (strcmp(views[i]->name, value))
			continue;
		command->view = views[i];
		return 0;
	}
	fprintf(stderr, "evreport: --format %s: expected text, json or csv\n", value);
	return -EINVAL;
}

static int take_top(struct command *command, const char *value)
{
	char *end;
	unsigned long top = strtoul(value, &end, 10);

	if (end == value || *end || *value == '-' || top > UINT32_MAX) {
		fprintf(stderr, "evreport: --top %s: expected a number of rows, or 0 for all\n",
			value);
		return -EINVAL;
	}
	command->top = (uint32_t)top;
	command->has_top = true;
	return 0;
}

static int take_thread(struct command *command, const char *value)
{
	command->selection.thread = value;
	return 0;
}

static int take_process(struct command *command, const char *value)
{
	command->selection.process = value;
	return 0;
}

static int take_callers(struct command *command, const char *value)
{
	command->view_options.callers = true;
	return 0;
}

static int take_output(struct command *command, const char *value)
{
	command->output = value;
	return 0;
}

static int take_sysroot(struct command *command, const char *value)
{
	command->sysroot = value;
	return 0;
}

static int take_estimator(struct command *command, const char *value)
{
	command->filler = ep_filler_find(value);
	if (command->filler)
		return 0;
	fprintf(stderr, "evreport: --estimator %s: expected one of %s", value,
		ep_filler_fixed.name);
	for (const char *const *name = ep_estimator_names(); *name; name++)
		fprintf(stderr, " %s", *name);
	fputc('\n', stderr);
	return -EINVAL;
}

static const struct {
	const char *name;
	char letter;
	const char *argument; /* NULL: none */
	int (*take)(struct command *command, const char *value);
	const char *help;
} option_rows[] = {
	{ "by", 'b', "WHAT", take_by, "one table: procedure, line, module, thread or process" },
	{ "top", 'n', "N", take_top, "rows of each table, 0 for all (20)" },
	{ "callers", 'c', NULL, take_callers, "who called each procedure" },
	{ "process", 'p', "PID|PROGRAM", take_process,
		"only these processes; rank:N is one of MPI's" },
	{ "thread", 't', "TID|NAME", take_thread, "only these threads" },
	{ "format", 'f', "FORMAT", take_format, "text, json or csv" },
	{ "output", 'o', "FILE", take_output, "write there instead of standard output" },
	{ "estimator", 'e', "NAME", take_estimator,
		"fills events not measured in a slice: linear (default), auto, ..." },
	{ "sysroot", 's', "DIR", take_sysroot, "find programs and libraries below DIR" },
};

#define N_OPTIONS EP_ARRAY_SIZE(option_rows)

void ep_report_print_options(void)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		char left[64];

		snprintf(left, sizeof(left), "-%c, --%s%s%s", option_rows[i].letter,
			option_rows[i].name, option_rows[i].argument ? " " : "",
			option_rows[i].argument ? option_rows[i].argument : "");
		printf("  %-27s %s\n", left, option_rows[i].help);
	}
}

static int print_help(void)
{
	printf("usage: evreport [OPTIONS] [TRACE...]\n\n");
	ep_report_print_options();
	printf("\nOther commands: evreport --help\n");
	return 0;
}

static void make_getopt_tables(struct option longs[N_OPTIONS + 2], char shorts[2 * N_OPTIONS + 2])
{
	size_t at = 0;

	for (size_t i = 0; i < N_OPTIONS; i++) {
		longs[i] = (struct option){ option_rows[i].name, option_rows[i].argument != NULL,
			NULL, option_rows[i].letter };
		shorts[at++] = option_rows[i].letter;
		if (option_rows[i].argument)
			shorts[at++] = ':';
	}
	longs[N_OPTIONS] = (struct option){ "help", 0, NULL, 'h' };
	longs[N_OPTIONS + 1] = (struct option){ 0 };
	shorts[at++] = 'h';
	shorts[at] = '\0';
}

/* 0, or the exit status plus one. */
static int parse(int argc, char **argv, struct command *command)
{
	struct option longs[N_OPTIONS + 2];
	char shorts[2 * N_OPTIONS + 2];
	int letter;

	make_getopt_tables(longs, shorts);
	argv[0] = (char *)"evreport"; /* what getopt's messages begin with */
	while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (letter == 'h')
			return print_help() + 1;
		if (letter == '?') {
			fputs("evreport --help lists the options\n", stderr);
			return 3;
		}
		for (size_t i = 0; i < N_OPTIONS; i++)
			if (option_rows[i].letter == letter && option_rows[i].take(command, optarg))
				return 3;
	}
	if (optind < argc)
		command->paths = (const char *const *)(argv + optind);
	return 0;
}

static uint32_t n_bins_for(const struct command *command)
{
	return command->view == &ep_report_view_text
		       ? ep_view_text_bins(command->view_options.width)
		       : DATA_BINS;
}

/* ---- work ---- */

static bool wants(void *context, const struct ep_trace *trace, uint32_t thread_idx)
{
	return ep_selection_wants(context, thread_idx);
}

static void show_reading(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	ep_progress_show(done_bytes, size_bytes);
}

static void show_naming(uint32_t n_done, uint32_t n_all)
{
	ep_progress_show(n_done, n_all);
}

static int load(struct command *command, struct ep_trace **out_trace, struct ep_error *err)
{
	struct ep_load_options options = {
		.filler = command->filler,
		.context = &command->selection,
		.progress = show_reading,
	};
	int rc;

	ep_progress_start("reading the trace");
	rc = ep_selection_find(&command->selection, command->paths, &options, err);
	if (command->selection.wanted)
		options.wants = wants;
	if (!rc)
		rc = ep_traces_load(command->paths, &options, out_trace, err);
	ep_progress_stop();
	return rc;
}

/* Text with a single table, and CSV, have no place for metrics. */
static int summarize(
	const struct command *command, struct ep_report *report, const struct ep_trace *trace)
{
	bool is_shown =
		command->view == &ep_report_view_json ||
		(command->view == &ep_report_view_text && command->view_options.by == EP_BY_ALL);
	const char *cpuid = ep_trace_cpuid(trace);

	int rc = is_shown ? ep_metrics_summarize(report, cpuid) : 0;

	return is_shown && !rc ? ep_advise_in_short(report, cpuid) : rc;
}

/* One of several that were written at the same time is not the whole. */
static int note_siblings(const struct command *command, struct ep_report *report)
{
	struct ep_siblings siblings;
	int rc;

	if (command->paths[1])
		return 0;
	rc = ep_siblings_find(command->paths[0], (int64_t)(report->started_ns / 1000000000), &siblings);
	if (!rc && siblings.n && report->started_ns)
		rc = ep_report_add_note(report,
			"Beside it %s (%s%s), of other ranks or of runs that began while it was written: "
			"evreport reads several as one.",
			siblings.n == 1 ? "lies a newer trace" : "lie newer traces", siblings.paths[0],
			siblings.n == 1 ? "" : ", ...");
	ep_siblings_finish(&siblings);
	return rc;
}

static int write_report(
	const struct command *command, const struct ep_report *report, struct ep_error *err)
{
	struct ep_place place = { .file = command->output };
	EP_AUTOFCLOSE FILE *file = command->output ? fopen(command->output, "we") : NULL;
	FILE *out = command->output ? file : stdout;

	if (!out)
		return ep_fail_at(err, -errno, place, "cannot write: %s", strerror(errno));
	if (command->view->print(out, report, &command->view_options))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (fflush(out) || ferror(out))
		return ep_fail_at(err, -EIO, place, "cannot write: %s", strerror(errno));
	return 0;
}

static int report_trace(struct command *command, struct ep_trace *trace, struct ep_error *err)
{
	struct ep_symbols_options where = {
		.sysroot = command->sysroot,
		.run_start_ns = ep_process_number(&trace->processes[0], EP_META_REALTIME, 0),
	};
	struct ep_report_options options = {
		.top = command->top,
		.n_bins = n_bins_for(command),
		.callers = command->view_options.callers,
		.brief = command->top && command->view == &ep_report_view_text,
		.trace_paths = command->paths,
		.filler = command->filler,
		.selection = command->selection.text[0] ? command->selection.text : NULL,
		.progress = show_naming,
	};
	struct ep_symbols *symbols = ep_symbols_create(trace, &where);
	struct ep_report *report;
	int rc = -ENOMEM;

	ep_progress_start("finding names");
	report = symbols ? ep_report_create(trace, symbols, &options) : NULL;
	ep_progress_stop();
	if (report)
		rc = summarize(command, report, trace);
	if (report && !rc)
		rc = note_siblings(command, report);
	if (rc)
		ep_fail(err, rc, "out of memory");
	else
		rc = write_report(command, report, err);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	return rc;
}

int ep_cmd_report(int argc, char **argv)
{
	struct command command = {
		.paths = ep_default_traces(), .view = &ep_report_view_text, .top = DEFAULT_TOP
	};
	struct ep_trace *trace = NULL;
	struct ep_error err;
	int rc;

	setlocale(LC_CTYPE, "");
	rc = parse(argc, argv, &command);
	if (rc)
		return rc - 1;
	if (command.view != &ep_report_view_text && !command.has_top)
		command.top = 0;
	if (!command.filler)
		command.filler = ep_filler_default(command.paths);
	ep_terminal_look(&command.view_options, !command.output);
	rc = load(&command, &trace, &err);
	if (!rc)
		rc = report_trace(&command, trace, &err);
	if (rc)
		ep_error_print(&err, "evreport");
	ep_trace_destroy(trace);
	ep_selection_finish(&command.selection);
	return rc ? 1 : 0;
}
