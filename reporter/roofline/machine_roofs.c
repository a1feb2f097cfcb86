// SPDX-License-Identifier: BSD-3-Clause
/* kernels/roofs/roofs_report.c writes the names of the parameters; docs/calibration.md describes them. One thread
 * uses this file at a time. */
#include "reporter/roofline/machine_roofs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/formula_file.h"

static const char peak[] = "Peak_", bandwidth[] = "Bandwidth_", all_cpus[] = "_All";

void ep_machine_roofs_finish(struct ep_machine_roofs *roofs)
{
	free(roofs->path);
	free(roofs->source);
	free(roofs->date);
	*roofs = (struct ep_machine_roofs){ 0 };
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Takes the name of a roof from that of a parameter: "Peak_DP_256_FMA_All" gives "DP 256 FMA". */
static bool name_of(const char *parameter, struct ep_machine_roof *out, bool *out_is_all)
{
	bool is_peak = begins(parameter, peak);
	const char *rest;
	size_t n, n_ending = sizeof(all_cpus) - 1;

	if (!is_peak && !begins(parameter, bandwidth))
		return false;
	rest = parameter + (is_peak ? sizeof(peak) : sizeof(bandwidth)) - 1;
	n = strlen(rest);
	*out_is_all = n > n_ending && !strcmp(rest + n - n_ending, all_cpus);
	if (*out_is_all)
		n -= n_ending;
	if (!n || n >= sizeof(out->name))
		return false;
	memcpy(out->name, rest, n);
	out->name[n] = '\0';
	for (char *at = out->name; (at = strchr(at, '_'));)
		*at = ' ';
	out->is_bandwidth = !is_peak;
	out->is_scalar = strstr(out->name, "SCALAR") != NULL;
	out->precision = begins(out->name, "SP") ? EP_PRECISION_SINGLE : EP_PRECISION_DOUBLE;
	return true;
}

static struct ep_machine_roof *find_or_add(
	struct ep_machine_roofs *roofs, const struct ep_machine_roof *roof)
{
	for (uint32_t i = 0; i < roofs->n_roofs; i++)
		if (roofs->roofs[i].is_bandwidth == roof->is_bandwidth &&
			!strcmp(roofs->roofs[i].name, roof->name))
			return &roofs->roofs[i];
	if (roofs->n_roofs == EP_MOST_ROOFS)
		return NULL;
	roofs->roofs[roofs->n_roofs] = *roof;
	return &roofs->roofs[roofs->n_roofs++];
}

static void take_parameter(
	struct ep_machine_roofs *roofs, const struct ep_formula_parameter *parameter)
{
	struct ep_machine_roof roof = { 0 }, *into;
	double error = isnan(parameter->error) ? 0 : parameter->error;
	bool is_all;

	if (!strcmp(parameter->name, "CPUs") && parameter->value >= 1)
		roofs->n_cpus = parameter->value;
	if (!(parameter->value > 0) || !isfinite(parameter->value) ||
		!name_of(parameter->name, &roof, &is_all))
		return;
	into = find_or_add(roofs, &roof);
	if (!into)
		return;
	if (is_all) {
		into->all = parameter->value;
		into->all_spread = error;
	} else {
		into->one = parameter->value;
		into->one_spread = error;
	}
}

static int read_roofs(const char *path, struct ep_machine_roofs *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	__attribute__((
		cleanup(ep_machine_roofs_finish))) struct ep_machine_roofs roofs = { .n_cpus = 1 };
	int rc = ep_formula_file_read(path, &file, err);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < file.n_parameters; i++)
		take_parameter(&roofs, &file.parameters[i]);
	if (!roofs.n_roofs)
		return ep_fail_at(err, -ENODATA, (struct ep_place){ path, 0, 0 },
			"has no roofs (parameters Peak_... and Bandwidth_...); evcal roofs -o FOLDER writes FOLDER/roofs.formula");
	roofs.path = strdup(path);
	roofs.source = file.source ? strdup(file.source) : NULL;
	roofs.date = file.date ? strdup(file.date) : NULL;
	if (!roofs.path)
		return ep_fail(err, -ENOMEM, "out of memory");
	*out = roofs;
	roofs = (struct ep_machine_roofs){ 0 };
	return 0;
}

int ep_machine_roofs_find(
	const char *path, const char *cpuid, struct ep_machine_roofs *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	const struct ep_catalog_entry *entry = NULL;
	const char *cpu;
	int rc;

	*out = (struct ep_machine_roofs){ 0 };
	if (path)
		return read_roofs(path, out, err);
	if (!cpuid)
		return 0;
	rc = ep_catalog_open(&catalog, err);
	if (rc)
		return rc;
	cpu = ep_catalog_cpu_of(&catalog, cpuid);
	if (cpu)
		entry = ep_catalog_find(&catalog, EP_CATALOG_ROOFS, cpu);
	return entry ? read_roofs(entry->path, out, err) : 0;
}

/* Returns the limit that a roof sets to n_cpus CPUs: n_cpus times the roof of one CPU, but at most the roof of all
 * CPUs. The spread of a roof is taken as its error bar, which is two standard errors. */
static struct ep_roof_limit limit_of(const struct ep_machine_roof *roof, double n_cpus)
{
	double several = n_cpus * roof->one;

	if (roof->all > 0 && (several > roof->all || !(several > 0)))
		return (struct ep_roof_limit){ roof, roof->all, roof->all_spread / 2 };
	return (struct ep_roof_limit){ roof, several, n_cpus * roof->one_spread / 2 };
}

static void take_higher(
	struct ep_roof_limit *best, const struct ep_machine_roof *roof, double n_cpus)
{
	struct ep_roof_limit limit = limit_of(roof, n_cpus);

	if (limit.value > best->value)
		*best = limit;
}

struct ep_roof_limit ep_roofs_peak(const struct ep_machine_roofs *roofs,
	enum ep_precision precision, bool is_scalar, double n_cpus)
{
	struct ep_roof_limit best = { 0 };

	for (uint32_t i = 0; i < roofs->n_roofs; i++) {
		const struct ep_machine_roof *roof = &roofs->roofs[i];

		if (!roof->is_bandwidth && roof->precision == precision &&
			(!is_scalar || roof->is_scalar))
			take_higher(&best, roof, n_cpus);
	}
	return best;
}

struct ep_roof_limit ep_roofs_bandwidth(
	const struct ep_machine_roofs *roofs, const char *level, double n_cpus)
{
	struct ep_roof_limit best = { 0 };
	size_t n = strlen(level);

	for (uint32_t i = 0; i < roofs->n_roofs; i++) {
		const struct ep_machine_roof *roof = &roofs->roofs[i];

		if (roof->is_bandwidth && begins(roof->name, level) && roof->name[n] == ' ')
			take_higher(&best, roof, n_cpus);
	}
	return best;
}
