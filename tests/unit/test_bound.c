// SPDX-License-Identifier: BSD-3-Clause
/* Summaries of llvm-mca 14 for Skylake-SP, of kernels whose limits Intel's optimization manual tells. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "reporter/annotate/bound.h"

static const char *summary(double cycles, double uops, const char *ports)
{
	static char text[400];

	snprintf(text, sizeof(text),
		"Iterations:        1000\nInstructions:      4000\nTotal Cycles:      %.0f\nTotal uOps:        %.0f\n\nDispatch Width:    6\nuOps Per Cycle:    1.0\nIPC:               1.0\nBlock RThroughput: %s\n",
		1000 * cycles, 1000 * uops, ports);
	return text;
}

TEST(limits)
{
	static const struct {
		const char *kernel;
		double cycles, uops;
		const char *ports;
		enum ep_bound_limit limit;
	} cases[] = {
		{ "a sum of doubles: 4 cycles for an addition", 4.003, 4, "0.7", EP_LIMIT_CHAIN },
		{ "a chase of pointers: 5 for a load", 5.003, 4, "0.7", EP_LIMIT_CHAIN },
		{ "x /= y: 14", 14.003, 4, "3.0", EP_LIMIT_CHAIN },
		{ "2 divisions on one divider", 6.014, 5, "6.0", EP_LIMIT_PORTS },
		{ "6 loads on 2 ports", 3.008, 9, "3.0", EP_LIMIT_PORTS },
		{ "3 stores on 1 port", 3.005, 6, "3.0", EP_LIMIT_PORTS },
		{ "4 permutations on port 5", 4.009, 7, "4.0", EP_LIMIT_PORTS },
		{ "8 products with sums on 2 ports", 4.012, 11, "4.0", EP_LIMIT_PORTS },
		{ "12 nops", 2.503, 15, "2.5", EP_LIMIT_FRONT_END },
		{ "13 uops, 6 a cycle", 2.503, 13, "2.2", EP_LIMIT_FRONT_END },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		const char *text = summary(cases[i].cycles, cases[i].uops, cases[i].ports);
		struct ep_loop_bound bound;

		CHECK_INT(ep_loop_bound_parse(text, &bound), 0);
		CHECK_CLOSE(bound.cycles, cases[i].cycles, 1e-9);
		CHECK_CLOSE(bound.ports_cycles, atof(cases[i].ports), 1e-9);
		CHECK_MSG(bound.limit == cases[i].limit, "%s: %d", cases[i].kernel, bound.limit);
	}
}

TEST(no_summary)
{
	static const char *const texts[] = { "", "error: unknown", "Iterations: 0\n",
		"Iterations: 5\nTotal Cycles: nothing\n", "x Iterations: 1000\n" };
	struct ep_loop_bound bound;

	for (size_t i = 0; i < EP_ARRAY_SIZE(texts); i++)
		CHECK_INT(ep_loop_bound_parse(texts[i], &bound), -EINVAL);
}

TEST(names_of_cpus)
{
	static const struct {
		const char *cpuid, *cpu, *march;
	} cases[] = {
		{ "GenuineIntel-6-55-4", "skylake-avx512", "x86-64" },
		{ "GenuineIntel-6-CF-1", "sapphirerapids", "x86-64" },
		{ "AuthenticAMD-25-11-1", "znver4", "x86-64" },
		{ "AuthenticAMD-25-1-1", "znver3", "x86-64" },
		{ "AuthenticAMD-23-31-0", "znver2", "x86-64" },
		{ "AuthenticAMD-23-1-2", "znver1", "x86-64" },
		{ "arm-0x41-0xd0c", "neoverse-n1", "aarch64" },
		{ "power-0x0080", NULL, NULL },
		{ "valgrind", NULL, NULL },
		{ NULL, NULL, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		const char *march, *cpu = ep_bound_cpu_of(cases[i].cpuid, &march);

		CHECK_STR(cpu ? cpu : "none", cases[i].cpu ? cases[i].cpu : "none");
		CHECK_STR(march ? march : "none", cases[i].march ? cases[i].march : "none");
	}
}
