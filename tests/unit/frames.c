// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/frames.h"

#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define N_DEEP 150
#define N_TOO_DEEP 1000

static volatile int sink = 3;

__attribute__((noinline)) static int middle(void (*leaf)(void), int a)
{
	leaf();
	return a + sink;
}

int frames_plain(void (*leaf)(void))
{
	return middle(leaf, 1) * 2;
}

__attribute__((noinline)) static int sum(
	void (*leaf)(void), int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	leaf();
	return a + b * c + d * e + f * g + h * i + sink;
}

int frames_many_arguments(void (*leaf)(void))
{
	int s = sink;

	return sum(leaf, s, s + 1, s + 2, s + 3, s + 4, s + 5, s + 6, s + 7, s + 8) + s;
}

__attribute__((noinline)) static int recurse(void (*leaf)(void), int depth)
{
	int below;

	if (!depth) {
		leaf();
		return sink;
	}
	below = recurse(leaf, depth - 1);
	return below + sink;
}

int frames_deep(void (*leaf)(void))
{
	return recurse(leaf, N_DEEP) + 1;
}

int frames_too_deep(void (*leaf)(void))
{
	return recurse(leaf, N_TOO_DEEP) + 1;
}

int frames_alloca(void (*leaf)(void))
{
	char *text = alloca(sink * 100);

	memset(text, sink, sink * 100);
	leaf();
	return middle(leaf, text[7]) + text[sink];
}

int frames_realigned(void (*leaf)(void))
{
	_Alignas(256) volatile char aligned[256];
	char *text = alloca(sink * 10);

	memset(text, 1, sink * 10);
	aligned[sink] = 4;
	leaf();
	return middle(leaf, aligned[sink]) + text[sink] + (int)((uintptr_t)aligned % 256);
}

__attribute__((noinline)) static int behind(void (*leaf)(void), int a)
{
	return middle(leaf, a * sink);
}

int frames_tail_call(void (*leaf)(void))
{
	return behind(leaf, 3);
}

static void (*leaf_of_compare)(void);

static int compare(const void *a, const void *b)
{
	int difference = *(const int *)a - *(const int *)b;

	if (!difference)
		leaf_of_compare();
	return difference;
}

int frames_plt(void (*leaf)(void))
{
	int numbers[] = { 3, 1, 2, sink }, key = 2;

	leaf_of_compare = leaf;
	qsort(numbers, 4, sizeof(numbers[0]), compare);
	return bsearch(&key, numbers, 4, sizeof(numbers[0]), compare) == &numbers[1];
}

static void call_it(void (**leaf)(void))
{
	(*leaf)();
}

int frames_cleanup(void (*leaf)(void))
{
	__attribute__((cleanup(call_it))) void (*at_end)(void) = leaf;

	return middle(leaf, at_end != NULL);
}
