// SPDX-License-Identifier: BSD-3-Clause
/* Roofs of this machine, from its loops to the parameters of a formula file. How fast anything was is
 * nobody's to expect here. */
#include "tests/unit/test.h"

#include <math.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/formula_file.h"
#include "kernels/roofs/roofs_report.h"

static char folder[] = "/tmp/evprof-roofs-XXXXXX";

/* Small caches, or the test moves gigabytes. */
static struct ep_cal_machine small_machine(void)
{
	struct ep_cal_machine machine;

	ep_cal_machine_probe(&machine);
	machine.l2 = (struct ep_cache){ 256 << 10, 1 };
	machine.l3 = (struct ep_cache){ 0 };
	if (machine.n_cpus > 2)
		machine.n_cpus = 2;
	snprintf(machine.cpu_key, sizeof(machine.cpu_key), "NewCpu-1-2");
	return machine;
}

static const struct ep_roof *find(const struct ep_roofs *roofs, const char *name)
{
	for (size_t i = 0; i < roofs->n_roofs; i++)
		if (!strcmp(roofs->roofs[i].name, name))
			return &roofs->roofs[i];
	return NULL;
}

static void check_order(const struct ep_roofs *roofs)
{
	static const char *const levels[] = { "Bandwidth_L1_", "Bandwidth_L2_", "Bandwidth_MEM_" };
	size_t n_levels = roofs->lacking ? 2 : 3, n_peaks = roofs->n_roofs - 2 * n_levels;

	for (size_t i = 0; i < roofs->n_roofs; i++) {
		const struct ep_roof *roof = &roofs->roofs[i];
		const char *prefix = i < n_peaks ? "Peak_" : levels[(i - n_peaks) / 2];

		CHECK_MSG(!strncmp(roof->name, prefix, strlen(prefix)), "%zu: %s", i, roof->name);
		CHECK_INT(roof->is_bandwidth, i >= n_peaks);
		for (int cpus = 0; cpus < EP_N_ROOF_CPUS; cpus++) {
			const struct ep_roof_rate *rate = &roof->rates[cpus];

			CHECK_MSG(isfinite(rate->best) && rate->best > 0, "%s", roof->name);
			CHECK(rate->spread >= 0 && isfinite(rate->spread));
		}
	}
}

static void check_file(const struct ep_roofs *roofs, const struct ep_cal_machine *machine)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	struct ep_error err;
	char path[128];

	snprintf(path, sizeof(path), "%s/roofs.formula", folder);
	CHECK_INT(ep_roofs_write(roofs, machine, folder, &err), 0);
	CHECK_MSG(!ep_formula_file_read(path, &file, &err), "%s: %s", err.where, err.message);
	CHECK_STR(file.serves, "NewCpu-1-2");
	CHECK_INT(file.n_parameters, 1 + !isnan(roofs->cycle_ns) + 2 * roofs->n_roofs);
	CHECK_STR(file.parameters[0].name, "CPUs");
	CHECK(file.parameters[0].value == (double)machine->n_cpus);
	for (uint32_t i = file.n_parameters - 2 * roofs->n_roofs; i < file.n_parameters; i++) {
		const struct ep_formula_parameter *p = &file.parameters[i];
		bool is_all = !strcmp(p->name + strlen(p->name) - 4, "_All");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strlen(p->name) - 4 * is_all, p->name);
		const struct ep_roof *roof = find(roofs, name);
		CHECK_MSG(roof != NULL, "%s", p->name);
		CHECK(fabs(p->value / roof->rates[is_all].best - 1) < 1e-3); /* four digits */
		CHECK(p->error >= 0);
	}
	unlink(path);
}

TEST(this_machines_roofs_become_parameters)
{
	__attribute__((cleanup(ep_roofs_finish))) struct ep_roofs roofs = { 0 };
	struct ep_cal_machine machine = small_machine();
	struct ep_error err;

	CHECK(mkdtemp(folder) != NULL);
	CHECK_INT(ep_roofs_measure(&machine, 5, &roofs, &err), 0);
	CHECK(find(&roofs, "Peak_DP_SCALAR") && find(&roofs, "Bandwidth_L1_Triad"));
	CHECK(!find(&roofs, "Bandwidth_L3_Load"));
	check_order(&roofs);
	check_file(&roofs, &machine);
	rmdir(folder);
}

TEST(all_of_one_cpu_are_that_one)
{
	__attribute__((cleanup(ep_roofs_finish))) struct ep_roofs roofs = { 0 };
	struct ep_cal_machine machine = small_machine();
	struct ep_error err;

	machine.n_cpus = 1;
	CHECK_INT(ep_roofs_measure(&machine, 1, &roofs, &err), 0);
	for (size_t i = 0; i < roofs.n_roofs; i++) {
		const struct ep_roof_rate *rates = roofs.roofs[i].rates;

		CHECK(rates[EP_ROOF_ONE].best == rates[EP_ROOF_ALL].best);
		CHECK(rates[EP_ROOF_ONE].spread == 0); /* of one repetition */
	}
}

TEST(no_single_round_sets_a_roof)
{
	static const struct {
		double rounds[EP_ROOF_ROUNDS];
		unsigned n;
		double best, spread;
	} cases[] = {
		{ { 10, 30, 12, 11, 9 }, 5, 12, 21 },
		{ { 30, 10, 12, 11, 9 }, 5, 12, 21 },
		{ { 9, 10, 11, 12, 30 }, 5, 12, 21 },
		{ { 5, 5, 5, 5, 5 }, 5, 5, 0 },
		{ { 7, 9 }, 2, 9,
			2 }, /* of two the higher one: the other may have been interrupted */
		{ { 7 }, 1, 7, 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_roof_rate rate = { 0 };

		memcpy(rate.rounds, cases[i].rounds, sizeof(rate.rounds));
		ep_roof_rate_sum_up(&rate, cases[i].n);
		CHECK(rate.best == cases[i].best && rate.spread == cases[i].spread);
	}
}
