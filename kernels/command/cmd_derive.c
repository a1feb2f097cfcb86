// SPDX-License-Identifier: BSD-3-Clause
/* evcal derive: analyses data sets, and prints or writes the requested results. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "kernels/command/evcal_commands.h"
#include "kernels/native/gpu.h"
#include "kernels/native/native.h"
#include "kernels/report/latencies.h"
#include "kernels/report/output.h"

struct derive_options {
	struct ep_set_paths paths;
	ep_report_fn print; /* prints the result to standard output */
	const char *output; /* folder for the results; NULL: none */
	/* texts of thresholds in the order of threshold_names; NULL: not given */
	const char *thresholds[5];
	size_t n_done;
};

static const char usage[] =
	"usage: evcal derive [OPTIONS] FOLDER|EVENTS.csv...\n"
	"\n"
	"FOLDER holds events.csv[.gz], basis.csv, signatures.csv, params.json; or folders that do;\n"
	"or files as PAPI's cat_collect writes them (.branch .vec .flops .icache .data.reads\n"
	".data.writes), or folders run0, run1, ... of them, one per repetition; or a CSV table of\n"
	"rocprof or ncu, whose kernels are named like the points (A_H_256, ...).\n"
	"\n"
	"  -o, --output FOLDER    write NAME.formula, NAME.json, NAME.papi and pictures there\n"
	"      --json             print the whole result as JSON\n"
	"      --formula          print the formula file\n"
	"      --presets          print PAPI preset lines\n"
	"      --basis FILE       instead of FOLDER/basis.csv\n"
	"      --signatures FILE  instead of FOLDER/signatures.csv\n"
	"      --params FILE      instead of FOLDER/params.json\n"
	"      --tau N            largest max RNMSE an event may show\n"
	"      --alpha N          grid of the rounding inside the pivot choice\n"
	"      --projection-cut N largest relative residual of an event's projection\n"
	"      --coefficient-tolerance N  distance to an integer that is rounded away\n"
	"      --combine HOW      what stands for the repetitions: mean, median or minimum\n";

static const char *const threshold_names[] = { "tau", "alpha", "projection_cut",
	"coefficient_tolerance", "combine" };

static const struct {
	const char *suffix;
	ep_report_fn report;
} output_files[] = {
	{ ".formula", ep_report_formula },
	{ ".json", ep_report_json },
	{ ".txt", ep_report_table },
	{ ".papi", ep_report_presets },
	{ "-variability.svg", ep_report_variability_svg },
	{ "-curves.svg", ep_report_curves_svg },
	{ "-metrics.svg", ep_report_metrics_svg },
};

/* The requested kinds of output. If there are several, only the first of these members that is set is
 * printed. */
struct wanted_metric {
	bool json, formula, presets;
};

static ep_report_fn report_of(const struct wanted_metric *wanted)
{
	return wanted->json      ? ep_report_json
	       : wanted->formula ? ep_report_formula
	       : wanted->presets ? ep_report_presets
				 : ep_report_table;
}

/* Returns EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct derive_options *o, int argc, char **argv)
{
	struct wanted_metric wanted = { false };
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &o->output },
		{ "json", .flag = &wanted.json },
		{ "formula", .flag = &wanted.formula },
		{ "presets", .flag = &wanted.presets },
		{ "basis", .text = &o->paths.basis },
		{ "signatures", .text = &o->paths.signatures },
		{ "params", .text = &o->paths.params },
		{ "tau", .text = &o->thresholds[0] },
		{ "alpha", .text = &o->thresholds[1] },
		{ "projection-cut", .text = &o->thresholds[2] },
		{ "coefficient-tolerance", .text = &o->thresholds[3] },
		{ "combine", .text = &o->thresholds[4] },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evcal derive", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	o->print = report_of(&wanted);
	if (optind == argc)
		return ep_options_refuse(
			&options, "no input: name folders or files of what was measured");
	return EP_OPTIONS_READ;
}

static int override_thresholds(
	const struct derive_options *options, struct ep_params *params, struct ep_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < EP_ARRAY_SIZE(threshold_names); i++)
		if (options->thresholds[i])
			rc = ep_params_set(params, threshold_names[i], options->thresholds[i], err);
	return rc;
}

static int write_outputs(const struct derive_options *options, const char *folder,
	const struct ep_derivation *derivation, struct ep_error *err)
{
	char path[PATH_MAX];
	int rc = ep_output_make_folder(options->output, err);

	for (size_t i = 0; !rc && i < EP_ARRAY_SIZE(output_files); i++) {
		snprintf(path, sizeof(path), "%s/%s%s", options->output, derivation->set->name,
			output_files[i].suffix);
		rc = ep_output_report(path, output_files[i].report, derivation, err);
	}
	if (!rc && folder)
		rc = ep_latencies_report(folder, &derivation->set->params, options->output, err);
	return rc;
}

/* Analyses a set, and frees it. folder: the folder of the measurements, which may have latencies; NULL: the set has no
 * folder. */
static int derive_set(struct derive_options *options, const char *folder, struct ep_set *set,
	struct ep_error *err)
{
	struct ep_derivation derivation;
	int rc = override_thresholds(options, &set->params, err);

	if (!rc)
		rc = ep_derive(&derivation, set, err);
	if (!rc) {
		if (options->output)
			rc = write_outputs(options, folder, &derivation, err);
		if (!rc && options->n_done++ && options->print == ep_report_table)
			putchar('\n');
		if (!rc)
			options->print(&derivation, stdout);
		ep_derivation_finish(&derivation);
	}
	ep_set_finish(set);
	return rc;
}

static int derive_folder(struct derive_options *options, const char *folder, const char *events,
	struct ep_error *err)
{
	struct ep_set_paths paths = options->paths;
	struct ep_set set;

	paths.folder = folder;
	paths.events = events;
	int rc = ep_set_read(&set, &paths, err);
	return rc ? rc : derive_set(options, folder, &set, err);
}

static int derive_inside(void *context, const char *folder, struct ep_error *err)
{
	return derive_folder(context, folder, NULL, err);
}

static int derive_native(
	struct derive_options *options, const char *folder, size_t *n_found, struct ep_error *err)
{
	int rc = 0;

	struct ep_set_paths paths = options->paths;

	paths.folder = folder;
	for (size_t kind = 0; !rc && kind < ep_native_n_kinds; kind++) {
		size_t n_empty = 0;
		struct ep_set set;

		rc = ep_native_read(&set, &paths, kind, &n_empty, err);
		if (rc == -ENOENT) {
			rc = 0;
			continue;
		}
		(*n_found)++;
		if (n_empty)
			fprintf(stderr,
				"evcal derive: %zu empty files left out: those events could not be counted\n",
				n_empty);
		if (rc == -ENOTSUP) {
			ep_error_print(err, "evcal derive");
			rc = 0;
		} else if (!rc) {
			rc = derive_set(options, NULL, &set, err);
		}
	}
	return rc;
}

static int derive_file(struct derive_options *options, const char *path, struct ep_error *err)
{
	struct ep_set_paths paths = options->paths;
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	struct ep_set set;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
		slash ? path : ".");
	if (!ep_gpu_is_table(path))
		return derive_folder(options, folder, path, err);
	paths.folder = folder;
	paths.events = path;

	EP_AUTOFREE char *missing = NULL;
	int rc = ep_gpu_read(&set, &paths, &missing, err);

	if (missing)
		fprintf(stderr, "evcal derive: %s: left out, since the profiler wrote n/a: %s\n",
			path, missing);
	return rc ? rc : derive_set(options, NULL, &set, err);
}

static int derive_argument(struct derive_options *options, const char *path, struct ep_error *err)
{
	size_t n_found;
	struct stat st;
	int rc;

	if (stat(path, &st))
		return ep_fail_at(err, -errno, (struct ep_place){ path, 0, 0 }, "cannot open: %s",
			strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return derive_file(options, path, err);
	if (ep_set_is_folder(path))
		return derive_folder(options, path, NULL, err);
	rc = ep_set_visit_inside(path, derive_inside, options, &n_found, err);
	if (!rc)
		rc = derive_native(options, path, &n_found, err);
	if (!rc && !n_found)
		return ep_fail_at(err, -ENOENT, (struct ep_place){ path, 0, 0 },
			"holds neither events.csv nor files that cat_collect writes");
	return rc;
}

int ep_cmd_derive(int argc, char **argv)
{
	struct derive_options options = { 0 };
	struct ep_error err;
	int status = parse_options(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	for (int i = optind; i < argc; i++)
		if (derive_argument(&options, argv[i], &err)) {
			ep_error_print(&err, "evcal derive");
			return 1;
		}
	return 0;
}
