// SPDX-License-Identifier: BSD-3-Clause
/* Compiled once for each level: LEVEL is what its names end in. */
#include "loop_nests.h"

#include <stddef.h>

#define JOIN(a, b) a##b
#define WITH_LEVEL(name, level) JOIN(name, level)
#define NAME(name) WITH_LEVEL(name, LEVEL)

/* The last call may be a jump, whose callee returns to our caller. */
#define NOT_THE_LAST_CALL __asm__ volatile("")

/* clang-format off: each loop's number is that of the line behind it */
enum { THREE_I = __LINE__ + 4, THREE_J = THREE_I + 2, THREE_K = THREE_J + 2 };
__attribute__((noinline)) static void three_deep(int n, loop_nests_here_fn here)
{
	here(0);
	for (int i = 0; i < n; i++) {
		here(1);
		for (int j = 0; j < n; j++) {
			here(2);
			for (int k = 0; k < n; k++)
				here(3);
		}
		here(4);
	}
	here(5);
	NOT_THE_LAST_CALL;
}

enum { FIRST = __LINE__ + 4, SECOND = FIRST + 2 + 1, THIRD = SECOND + 2 };
__attribute__((noinline)) static void siblings(int n, loop_nests_here_fn here)
{
	int i = 0;
	while (here(0) < n)
		i++;
	do
		here(1);
	while (i-- > 0);
	for (i = 0; i < n; i++) {
		if (here(2) & 1)
			continue;
		if (here(3) == 2 * n + 1)
			break;
		here(4);
	}
}

enum { AROUND = __LINE__ + 3, WITHIN = AROUND + 15 };
__attribute__((noinline)) static void by_a_switch(int n, loop_nests_here_fn here)
{
	for (int i = 0; i < n; i++) {
		switch (here(0) % 8) {
		case 0:
			here(1);
			break;
		case 1:
			here(2);
			break;
		case 2:
			here(3);
			continue;
		case 3:
			here(4);
			break;
		case 4:
			for (int k = 0; k < n; k++)
				here(5);
			break;
		case 5:
			here(6);
			break;
		case 6:
			here(7);
			break;
		default:
			here(8);
		}
		here(9);
	}
	here(10);
	NOT_THE_LAST_CALL;
}

__attribute__((noinline)) static void by_labels(int n, loop_nests_here_fn here)
{
	static const void *const labels[] = { &&first, &&second, &&third, &&fourth, &&end };
	int i = 0;

	goto *labels[here(0) & 3];
first:
	here(1);
	goto *labels[i++ < n ? here(5) & 3 : 4];
second:
	here(2);
	goto *labels[i++ < n ? here(5) & 3 : 4];
third:
	here(3);
	goto *labels[i++ < n ? here(5) & 3 : 4];
fourth:
	here(4);
	goto *labels[i++ < n ? here(5) & 3 : 4];
end:
	here(6);
	NOT_THE_LAST_CALL;
}

enum { INLINED = __LINE__ + 3, CALL = INLINED + 8, ALL_CALLS = CALL - 2 };
__attribute__((always_inline)) static inline void each(int n, loop_nests_here_fn here)
{
	for (int i = 0; i < n; i++)
		here(1);
}

__attribute__((noinline)) static void with_inlined(int n, loop_nests_here_fn here)
{
	for (int i = 0; i < n; i++) {
		here(0);
		each(n, here);
		here(2);
	}
}
/* clang-format on */

const struct loop_nest NAME(loop_nests_)[] = {
	{ "three_deep", three_deep, { 0, THREE_I, THREE_J, THREE_K, THREE_I, 0 } },
	{ "siblings", siblings, { FIRST, SECOND, THIRD, THIRD, THIRD } },
	{ "by_a_switch", by_a_switch,
		{ AROUND, AROUND, AROUND, AROUND, AROUND, WITHIN, AROUND, AROUND, AROUND, AROUND,
			0 } },
	{ "by_labels", by_labels, { 0 } },
	{ "with_inlined", with_inlined, { ALL_CALLS, INLINED, ALL_CALLS } },
	{ NULL, NULL, { 0 } },
};
