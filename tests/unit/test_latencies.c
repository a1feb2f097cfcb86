// SPDX-License-Identifier: BSD-3-Clause
/* Latencies of this machine, from its pointer chases to the parameters of a formula file. */
#include "tests/unit/test.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/formula_file.h"
#include "kernels/measure/latency.h"
#include "kernels/report/latencies.h"

static char folder[] = "/tmp/evprof-latencies-XXXXXX";

static void remove_folder(void)
{
	static const char *const names[] = { "latencies.csv", "latencies.formula" };
	char path[128];

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* Small caches, or the test moves gigabytes. How long anything took is nobody's to expect here. */
TEST(this_machines_latencies_become_parameters)
{
	static const char *const expected[] = { "L1_dlat", "L2_lat", "mem_lat" };
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	struct ep_cal_machine machine;
	struct ep_error err;
	struct ep_run run;
	char path[128];

	CHECK(mkdtemp(folder) != NULL);
	ep_cal_machine_probe(&machine);
	machine.l2 = (struct ep_cache){ 256 << 10, 1 };
	machine.l3 = (struct ep_cache){ 0 };
	snprintf(machine.cpu_key, sizeof(machine.cpu_key), "NewCpu-1-2");
	CHECK_INT(ep_run_open(&run, &ep_kernel_dcache_reads, &machine, 1, 0, &err), 0);
	CHECK_INT(ep_latency_write(&run, folder, &err), 0);
	CHECK_INT(ep_latencies_report(folder, &run.set.params, folder, &err), 0);
	ep_run_close(&run);
	snprintf(path, sizeof(path), "%s/latencies.formula", folder);
#if defined(__x86_64__) || defined(__aarch64__)
	CHECK_MSG(!ep_formula_file_read(path, &file, &err), "%s: %s", err.where, err.message);
	CHECK_STR(file.serves, "NewCpu-1-2");
	CHECK_INT(file.n_parameters, EP_ARRAY_SIZE(expected));
	for (size_t i = 0; i < EP_ARRAY_SIZE(expected); i++) {
		CHECK_STR(file.parameters[i].name, expected[i]);
		CHECK(isfinite(file.parameters[i].value) && file.parameters[i].value > 0);
		CHECK(strstr(file.parameters[i].source, "measured by evcal on NewCpu-1-2, 2"));
	}
#else
	(void)expected;
	CHECK(access(path, F_OK) != 0); /* nothing told how long a cycle is */
#endif
	remove_folder();
}

TEST(odd_tables_are_refused_or_say_nothing)
{
	static const struct {
		const char *text;
		int rc;
		const char *says;
	} rows[] = {
		{ "point,ns_per_access\nstride64_L1_0,1.5\n", 0, "" },
		{ "point,ns_per_access,cycles_per_access\nstride64_L1_0,1.5,\n", 0, "" },
		{ "point,ns_per_access,cycles_per_access\nsmall_stride64_L1_0,1.5,3\n", 0, "" },
		{ "point,ns_per_access,cycles_per_access\nstride64_L1_0,1.5,0\n", 0, "" },
		{ "point,ns_per_access,cycles_per_access\nstride64_L1_0\n", -EINVAL, "expected" },
		{ "point,ns_per_access,cycles_per_access\nstride64_L1_0,1,many\n", -EINVAL,
			"'many'" },
		{ "point,ns_per_access,cycles_per_access\nstride64_L1_0,1,inf\n", -EINVAL,
			"'inf'" },
		{ "", 0, "" },
	};
	struct ep_params params = { .cpu_key = "NewCpu-1-2" };
	char made[] = "/tmp/evprof-latencies-XXXXXX", table[128], out[128];

	CHECK(mkdtemp(made) != NULL);
	snprintf(table, sizeof(table), "%s/latencies.csv", made);
	snprintf(out, sizeof(out), "%s/latencies.formula", made);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_error err = { .message = "" };
		FILE *file = fopen(table, "we");

		CHECK(file && fputs(rows[i].text, file) >= 0 && !fclose(file));
		CHECK_INT(ep_latencies_report(made, &params, made, &err), rows[i].rc);
		CHECK_MSG(strstr(err.message, rows[i].says), "%zu: %s", i, err.message);
		CHECK(access(out, F_OK) != 0);
	}
	unlink(table);
	rmdir(made);
}
