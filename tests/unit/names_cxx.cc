// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/names_cxx.h"

extern "C" __attribute__((noinline)) uint64_t names_here(void)
{
	__asm__ volatile("" ::: "memory"); /* each call counts */
	return (uint64_t)(uintptr_t)__builtin_return_address(0) - 1;
}

namespace
{
struct Kernel {
	int scale;
	__attribute__((noinline)) uint64_t go()
	{
		return names_here() * (unsigned)scale;
	}
};
} // namespace

namespace shop
{
template <class T> struct Grid {
	T factor;
	__attribute__((always_inline)) uint64_t each()
	{
		return names_here() * factor;
	}
};
} // namespace shop

static volatile int one = 1;

uint64_t names_of_unnamed_namespace(void)
{
	Kernel kernel = { one };

	return kernel.go() * (unsigned)one;
}

uint64_t names_of_template(void)
{
	shop::Grid<uint64_t> grid = { (uint64_t)one };

	return grid.each();
}

uint64_t names_of_lambda(void)
{
	auto act = [](int factor) __attribute__((always_inline))
	{
		return names_here() * (unsigned)factor;
	};

	return act(one);
}

uint64_t names_of_c(void)
{
	return names_here() * (unsigned)one;
}
