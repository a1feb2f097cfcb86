// SPDX-License-Identifier: BSD-3-Clause
// Two procedures of one name in namespaces, each inlined into a caller of its own.
static volatile double sum;

namespace near
{
static inline __attribute__((always_inline)) void work(long i)
{
	sum = sum + (double)i; // near
}
} // namespace near

namespace far
{
static inline __attribute__((always_inline)) void work(long i)
{
	sum = sum + 1 / (double)(i + 1); // far
}

struct Shop {
	__attribute__((noinline)) void walk(long n) const
	{
		for (long i = 0; i < n; i++)
			work(i);
	}
};
} // namespace far

namespace near
{
__attribute__((noinline)) void walk(long n)
{
	for (long i = 0; i < n; i++)
		work(i);
}
} // namespace near

int main()
{
	for (int i = 0; i < 50; i++) {
		near::walk(1000000);
		far::Shop().walk(1000000);
	}
	return 0;
}
