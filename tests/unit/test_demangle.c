// SPDX-License-Identifier: BSD-3-Clause
/* Names as the languages have them, with and without parameters; what is no mangled name stays. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

TEST(names)
{
	static const struct {
		const char *mangled, *with, *without; /* NULL: left alone */
	} rows[] = {
		{ "_ZN6solver5solveERSt6vectorIdSaIdEE",
			"solver::solve(std::vector<double, std::allocator<double> >&)",
			"solver::solve" },
		{ "_ZN3app4main17h0123456789abcdefE", "app::main", "app::main" },
		{ "__heat_mod_MOD_step", "heat_mod::step", "heat_mod::step" },
		{ "__heat_mod_MOD_step._omp_fn.0", "heat_mod::step._omp_fn.0",
			"heat_mod::step._omp_fn.0" },
		{ "_ZN3lab4Grid3sumEi._omp_fn.0", "lab::Grid::sum._omp_fn.0",
			"lab::Grid::sum._omp_fn.0" },
		{ "_ZN3lab5twiceIdEET_RS1_.omp_outlined", "lab::twice<double>.omp_outlined",
			"lab::twice<double>.omp_outlined" },
		{ "work_._omp_fn.0", NULL, NULL },
		{ ".omp_outlined..4", NULL, NULL },
		{ "_QMheatPstep", "heat::step", "heat::step" },
		{ "heat_mp_step_", "heat::step", "heat::step" },
		{ "main", NULL, NULL },
		{ "dgemm_", NULL, NULL },
		{ "__MOD_x", NULL, NULL },
		{ "___MOD_", NULL, NULL },
		{ "_mp_x_", NULL, NULL },
		{ "a_mp_", NULL, NULL },
		{ "__gmpz_mp_init", NULL, NULL },
		{ "_QMx", NULL, NULL },
		{ "", NULL, NULL },
		{ "_Z", NULL, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOFREE char *with = ep_demangle(rows[i].mangled, true);
		EP_AUTOFREE char *without = ep_demangle(rows[i].mangled, false);

		CHECK_STR(with ? with : "-", rows[i].with ? rows[i].with : "-");
		CHECK_STR(without ? without : "-", rows[i].without ? rows[i].without : "-");
	}
}

TEST(names_without_parameters)
{
	static const struct {
		const char *name;
		const char *without; /* NULL: it has none */
	} rows[] = {
		{ "f(int)", "f" },
		{ "a::b<std::map<int, (c)1> >::f(int, char (*)(int)) const",
			"a::b<std::map<int, (c)1> >::f" },
		{ "a::operator()(int)", "a::operator()" },
		{ "f(int)::{lambda(char)#1}::operator()(char) const",
			"f(int)::{lambda(char)#1}::operator()" },
		{ "f(int)::{lambda(char)#1}", NULL },
		{ "(anonymous namespace)::run", NULL },
		{ "main", NULL },
		{ "sort'2", NULL },
		{ "void std::sort<int*>(int*, int*)", "std::sort<int*>" },
		{ "void std::sort<int*>(int*, int*)'2", "std::sort<int*>'2" },
		{ "std::vector<int, std::allocator<int> > f<int>(int)", "f<int>" },
		{ "operator new(unsigned long)", "operator new" },
		{ "a::operator unsigned int() const", "a::operator unsigned int" },
		{ "(anonymous namespace)::run(int)", "(anonymous namespace)::run" },
		{ "", NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOFREE char *without = ep_name_shorten(rows[i].name);

		CHECK_STR(without ? without : "-", rows[i].without ? rows[i].without : "-");
	}
}
