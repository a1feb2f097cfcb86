// SPDX-License-Identifier: BSD-3-Clause
/* Makes one parameter for each level of cache or memory. A point's name has its level, strideN_LEVEL_K, where K is 0
 * for the smallest size of the level. */
#include "kernels/report/latencies.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/catalog.h"
#include "common/formula/formula_file.h"
#include "kernels/derive/csv.h"
#include "kernels/report/output.h"

static const struct {
	const char *level, *parameter, *about;
	/* least K that is used: of memory's smaller sizes, much is in the last cache */
	unsigned least_size;
} rows[] = {
	{ "L1", "L1_dlat", "L1 data-cache hit latency.", 0 },
	{ "L2", "L2_lat", "L2 hit latency.", 0 },
	{ "L3", "L3_lat", "L3 hit latency.", 0 },
	{ "MM", "mem_lat", "Memory latency.", 2 },
};

enum { n_rows = EP_ARRAY_SIZE(rows), n_most = 64 };

struct level_cycles {
	double cycles[n_most];
	size_t n;
};

static void take_point(struct level_cycles levels[n_rows], const char *point, double cycles)
{
	char level[3];
	unsigned stride, size;

	if (sscanf(point, "stride%u_%2[^_]_%u", &stride, level, &size) != 3 || !(cycles > 0))
		return;
	for (size_t i = 0; i < n_rows; i++)
		if (!strcmp(level, rows[i].level) && size >= rows[i].least_size &&
			levels[i].n < n_most)
			levels[i].cycles[levels[i].n++] = cycles;
}

/* Reads the points. A line without cycles comes from a CPU whose clock rate was not known. */
static int read_points(const char *path, struct level_cycles levels[n_rows], struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	struct ep_csv csv;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);

	if (rc)
		return rc;
	ep_csv_init(&csv, path, text);
	ep_csv_next_line(&csv); /* skips the heading */
	while (ep_csv_next_line(&csv)) {
		const char *point = ep_csv_field(&csv), *ns = ep_csv_field(&csv);
		const char *cycles = ep_csv_field(&csv);
		char *end = NULL;

		if (!point || !ns)
			return ep_csv_fail(
				&csv, err, "expected point,ns_per_access,cycles_per_access");
		if (!cycles || !*cycles)
			continue;
		double value = strtod(cycles, &end);
		if (*end || !isfinite(value))
			return ep_csv_fail(&csv, err, "'%s' is no number of cycles", cycles);
		take_point(levels, point, value);
	}
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(struct level_cycles *level)
{
	size_t n = level->n;

	qsort(level->cycles, n, sizeof(*level->cycles), compare_numbers);
	return (level->cycles[(n - 1) / 2] + level->cycles[n / 2]) / 2;
}

static int add_parameter(struct ep_formula_file *file, size_t row, struct level_cycles *level,
	const struct ep_params *params)
{
	struct ep_formula_parameter *parameter =
		ep_formula_file_add_parameter(file, rows[row].parameter);

	if (!parameter)
		return -ENOMEM;
	/* rounds to a tenth of a cycle, which is below the variation between runs */
	parameter->value = round(10 * median(level)) / 10;
	parameter->unit = strdup("cycles");
	parameter->about = strdup(rows[row].about);
	if (asprintf(&parameter->source, "measured by evcal on %s%s%s", params->cpu_key,
		    params->date[0] ? ", " : "", params->date) < 0)
		parameter->source = NULL;
	return parameter->unit && parameter->about && parameter->source ? 0 : -ENOMEM;
}

static int fill_file(struct ep_formula_file *file, struct level_cycles levels[n_rows],
	const struct ep_params *params)
{
	int rc = 0;

	file->name = strdup(EP_CATALOG_LATENCIES);
	file->title = strdup("Latencies that evcal measured");
	file->serves = strdup(params->cpu_key);
	if (asprintf(&file->source, "evcal derive, pointer chases; measured on %s",
		    params->cpu[0] ? params->cpu : params->cpu_key) < 0)
		file->source = NULL;
	file->date = params->date[0] ? strdup(params->date) : NULL;
	file->kernel = params->kernel[0] ? strdup(params->kernel) : NULL;
	for (size_t i = 0; !rc && i < n_rows; i++)
		if (levels[i].n)
			rc = add_parameter(file, i, &levels[i], params);
	return file->name && file->title && file->serves && file->source ? rc : -ENOMEM;
}

static int write_file(const struct ep_formula_file *file, const char *output, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	char path[PATH_MAX];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? ep_formula_file_write(file, out) : -ENOMEM;

	if (out && fclose(out))
		rc = -ENOMEM;
	if (rc)
		return ep_fail(err, rc, "out of memory");
	snprintf(path, sizeof(path), "%s/%s.formula", output, EP_CATALOG_LATENCIES);
	return ep_output_write(path, text, size, err);
}

int ep_latencies_report(const char *folder, const struct ep_params *params, const char *output,
	struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	struct level_cycles levels[n_rows] = { 0 };
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s/latencies.csv", folder);
	if (access(path, F_OK) || !params->cpu_key[0])
		return 0;
	rc = read_points(path, levels, err);
	if (rc)
		return rc;
	rc = fill_file(&file, levels, params);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	return file.n_parameters ? write_file(&file, output, err) : 0;
}
