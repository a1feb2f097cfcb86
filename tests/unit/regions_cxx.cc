// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/regions_cxx.h"

static volatile uint64_t where;

__attribute__((noinline)) static void stand_here(void)
{
	where = (uint64_t)(uintptr_t)__builtin_return_address(0) - 1;
}

namespace lab
{
struct Grid {
	int n;
	~Grid()
	{
		n = 0;
	}
	__attribute__((noinline)) void sum()
	{
#pragma omp parallel for num_threads(1)
		for (int i = 0; i < n; i++)
			stand_here();
	}
};

template <class T> __attribute__((noinline)) void twice(T n)
{
#pragma omp parallel for num_threads(1)
	for (T i = 0; i < n; i++)
		stand_here();
}
} // namespace lab

extern "C" uint64_t region_of_c(void)
{
#pragma omp parallel num_threads(1)
	{
		stand_here();
		__asm__ volatile(""); /* a jump to it would leave the region */
	}
	return where;
}

extern "C" uint64_t region_of_method(void)
{
	lab::Grid grid = { 1 };

	grid.sum();
	return where;
}

extern "C" uint64_t region_of_template(void)
{
	lab::twice<long>(1);
	return where;
}
