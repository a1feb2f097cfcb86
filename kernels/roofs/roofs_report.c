// SPDX-License-Identifier: BSD-3-Clause
/* Writes the roofs. reporter/roofline/machine_roofs.c reads the names, and docs/calibration.md describes
 * them. */
#include "kernels/roofs/roofs_report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/formula_file.h"
#include "kernels/report/output.h"

/* ---- the table ---- */

static void print_rate(const struct ep_roof_rate *rate, FILE *out)
{
	fprintf(out, "  %9.1f %8.1f", rate->best / 1e9, rate->spread / 1e9);
}

static void print_rows(const struct ep_roofs *roofs, bool is_bandwidth, FILE *out)
{
	for (size_t i = 0; i < roofs->n_roofs; i++) {
		const struct ep_roof *roof = &roofs->roofs[i];

		if (roof->is_bandwidth != is_bandwidth)
			continue;
		fprintf(out, "  %-20s", strchr(roof->name, '_') + 1);
		for (int cpus = 0; cpus < EP_N_ROOF_CPUS; cpus++)
			print_rate(&roof->rates[cpus], out);
		if (!isnan(roofs->cycle_ns))
			fprintf(out, "  %9.2f",
				roof->rates[EP_ROOF_ONE].best * roofs->cycle_ns / 1e9);
		fputc('\n', out);
	}
}

static void print_heading(const char *what, const struct ep_roofs *roofs,
	const struct ep_cal_machine *machine, FILE *out)
{
	char all[32];

	snprintf(all, sizeof(all), "%zu CPU%s", machine->n_cpus, machine->n_cpus == 1 ? "" : "s");
	fprintf(out, "\n%-22s  %9s %8s  %9s %8s%s\n", what, "one CPU", "spread", all, "spread",
		isnan(roofs->cycle_ns) ? "" : "  per cycle");
}

void ep_roofs_print(const struct ep_roofs *roofs, const struct ep_cal_machine *machine, FILE *out)
{
	fprintf(out, "Roofs of %s (%s), %s", machine->cpu, machine->cpu_key, machine->date);
	if (!isnan(roofs->cycle_ns))
		fprintf(out, ", at %.2f GHz", 1 / roofs->cycle_ns);
	fputc('\n', out);
	print_heading("Peak, GFLOP/s", roofs, machine, out);
	print_rows(roofs, false, out);
	print_heading("Bandwidth, GB/s", roofs, machine, out);
	print_rows(roofs, true, out);
	if (roofs->lacking)
		fprintf(out, "  memory was not measured: %s\n", roofs->lacking);
}

/* ---- the file ---- */

static double rounded(double value)
{
	double step = pow(10, floor(log10(value)) - 3); /* so that four digits are left */

	return value > 0 ? round(value / step) * step : 0;
}

/* Adds a parameter; takes over about. */
static int add_parameter(
	struct ep_formula_file *file, const char *name, double value, const char *unit, char *about)
{
	struct ep_formula_parameter *parameter = ep_formula_file_add_parameter(file, name);

	if (!parameter) {
		free(about);
		return -ENOMEM;
	}
	parameter->value = value;
	parameter->unit = strdup(unit);
	parameter->about = about;
	return parameter->unit && about ? 0 : -ENOMEM;
}

static int add_rate(struct ep_formula_file *file, const struct ep_roof *roof,
	enum ep_roof_cpus cpus, size_t n_cpus)
{
	const struct ep_roof_rate *rate = &roof->rates[cpus];
	char name[64], *about = NULL;
	size_t n = cpus == EP_ROOF_ALL ? n_cpus : 1;

	snprintf(name, sizeof(name), "%s%s", roof->name, cpus == EP_ROOF_ALL ? "_All" : "");
	if (asprintf(&about, "%s, %zu CPU%s.", roof->about, n, n == 1 ? "" : "s") < 0)
		about = NULL;
	int rc = add_parameter(
		file, name, rounded(rate->best), roof->is_bandwidth ? "byte/s" : "FLOP/s", about);
	if (!rc)
		file->parameters[file->n_parameters - 1].error = rounded(rate->spread);
	return rc;
}

static int fill_heading(struct ep_formula_file *file, const struct ep_cal_machine *machine)
{
	file->name = strdup(EP_CATALOG_ROOFS);
	file->title = strdup("Roofs that evcal measured");
	file->serves = strdup(machine->cpu_key);
	if (asprintf(&file->source, "evcal roofs on %s", machine->cpu) < 0)
		file->source = NULL;
	file->date = strdup(machine->date);
	file->kernel = strdup(machine->kernel);
	file->note = strdup(
		"A value is the second of the bests of five rounds, an error the spread: the highest less the least.");
	return file->name && file->title && file->serves && file->source && file->date &&
			       file->kernel && file->note
		       ? 0
		       : -ENOMEM;
}

static int fill_file(struct ep_formula_file *file, const struct ep_roofs *roofs,
	const struct ep_cal_machine *machine)
{
	int rc = fill_heading(file, machine);

	if (!rc)
		rc = add_parameter(file, "CPUs", (double)machine->n_cpus, "CPU",
			strdup("Those that ran together, one of each core."));
	if (!rc && !isnan(roofs->cycle_ns))
		rc = add_parameter(file, "Clock", rounded(1e9 / roofs->cycle_ns), "Hz",
			strdup("Cycles per second, by a chain of additions."));
	for (size_t i = 0; !rc && i < roofs->n_roofs; i++)
		for (int cpus = 0; !rc && cpus < EP_N_ROOF_CPUS; cpus++)
			rc = add_rate(file, &roofs->roofs[i], cpus, machine->n_cpus);
	return rc;
}

int ep_roofs_write(const struct ep_roofs *roofs, const struct ep_cal_machine *machine,
	const char *folder, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	EP_AUTOFREE char *text = NULL;
	char path[PATH_MAX];
	size_t size;
	int rc = fill_file(&file, roofs, machine);
	FILE *out = rc ? NULL : open_memstream(&text, &size);

	if (!rc)
		rc = out ? ep_formula_file_write(&file, out) : -ENOMEM;
	if (out && fclose(out))
		rc = -ENOMEM;
	if (rc)
		return ep_fail(err, rc, "out of memory");
	snprintf(path, sizeof(path), "%s/%s.formula", folder, EP_CATALOG_ROOFS);
	return ep_output_write(path, text, size, err);
}
