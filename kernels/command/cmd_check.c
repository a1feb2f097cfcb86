// SPDX-License-Identifier: BSD-3-Clause
/* evcal check: checks a formula file against calibrations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "kernels/check/judge.h"
#include "kernels/command/evcal_commands.h"
#include "kernels/report/output.h"

static const char usage[] =
	"usage: evcal check [-o OUT.formula] FORMULA.formula FOLDER...\n"
	"\n"
	"Compares each event and metric of the formula file with what evcal measure counted in FOLDER\n"
	"(or the folders in it): confirmed, contradicted, or not tested, with the reason.\n"
	"\n"
	"  -o, --output FILE  write the formula file with the verdicts in it\n"
	"\n"
	"Exit status: 0; 1 when the input could not be used; 3 when something is contradicted.\n";

enum { EXIT_CONTRADICTED = 3 };

static int add_set(void *context, const char *folder, struct ep_error *err)
{
	struct ep_judgement *judgement = context;
	struct ep_set_paths paths = { .folder = folder };
	struct ep_set *sets = realloc(judgement->sets, (judgement->n_sets + 1) * sizeof(*sets));

	if (!sets)
		return ep_fail(err, -ENOMEM, "out of memory");
	judgement->sets = sets;
	int rc = ep_set_read(&sets[judgement->n_sets], &paths, err);
	judgement->n_sets += !rc;
	return rc;
}

/* Adds the folder if it is a data set, otherwise all data sets in it. */
static int add_sets(struct ep_judgement *judgement, const char *folder, struct ep_error *err)
{
	size_t n_inside;
	int rc;

	if (ep_set_is_folder(folder))
		return add_set(judgement, folder, err);
	rc = ep_set_visit_inside(folder, add_set, judgement, &n_inside, err);
	if (!rc && !n_inside)
		return ep_fail_at(err, -ENOENT, (struct ep_place){ folder, 0, 0 },
			"holds no calibration; evcal measure makes one");
	return rc;
}

static int read_model(const char *path, struct ep_model **out, struct ep_error *err)
{
	struct ep_formula_file file;
	int rc = ep_formula_file_read(path, &file, err);

	if (rc)
		return rc;
	rc = ep_model_create(&file, NULL, NULL, out, err);
	ep_formula_file_finish(&file);
	return rc;
}

/* Writes the formula file, with each metric's verdict. The metrics of files that it includes are written into it. */
static int write_verdicts(const struct ep_judgement *judgement, const char *path,
	const char *output, struct ep_error *err)
{
	const struct ep_params *origin = &judgement->sets[0].params;
	EP_AUTOFREE char *text = NULL;
	struct ep_formula_file file;
	size_t size;
	int rc = ep_formula_file_read(path, &file, err);

	if (rc)
		return rc;
	for (size_t m = 0; m < file.n_metrics && m < judgement->n_metrics; m++) {
		free(file.metrics[m].verdict);
		file.metrics[m].verdict = ep_judge_verdict_text(&judgement->metrics[m], origin);
	}
	free(file.include); /* metrics of included files are written as the file's own */
	file.include = NULL;
	FILE *out = open_memstream(&text, &size);
	rc = out ? ep_formula_file_write(&file, out) : -ENOMEM;
	if (out)
		fclose(out);
	ep_formula_file_finish(&file);
	return rc ? ep_fail(err, rc, "out of memory") : ep_output_write(output, text, size, err);
}

static bool is_contradicted(const struct ep_judgement *judgement)
{
	for (size_t m = 0; m < judgement->n_metrics; m++)
		if (judgement->metrics[m].verdict == EP_JUDGED_CONTRADICTED)
			return true;
	return false;
}

static int check_formula(
	const char *formula, char **folders, const char *output, struct ep_error *err)
{
	__attribute__((cleanup(ep_judge_finish))) struct ep_judgement judgement = { 0 };
	struct ep_model *model;
	int rc = 0;

	for (; !rc && *folders; folders++)
		rc = add_sets(&judgement, *folders, err);
	if (!rc)
		rc = read_model(formula, &model, err);
	if (rc)
		return rc;
	rc = ep_judge_run(&judgement, model, err);
	ep_model_destroy(model);
	if (!rc && output)
		rc = write_verdicts(&judgement, formula, output, err);
	if (rc)
		return rc;
	ep_judge_print(&judgement, stdout);
	return is_contradicted(&judgement) ? EXIT_CONTRADICTED : 0;
}

int ep_cmd_check(int argc, char **argv)
{
	const char *output = NULL;
	const struct ep_option rows[] = { { "output", 'o', .text = &output }, { NULL } };
	const struct ep_options options = {
		.command = "evcal check", .usage = usage, .rows = rows
	};
	struct ep_error err;
	int rc = ep_options_read(&options, argc, argv);

	if (rc != EP_OPTIONS_READ)
		return rc;
	if (argc - optind < 2)
		return ep_options_refuse(
			&options, "name a formula file, then the folders of what was measured");
	rc = check_formula(argv[optind], argv + optind + 1, output, &err);
	if (rc >= 0)
		return rc;
	ep_error_print(&err, "evcal check");
	return 1;
}
