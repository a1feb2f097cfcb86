// SPDX-License-Identifier: BSD-3-Clause
/* Five known ills of programs, each in a procedure of its own, and repaired in the same procedure by another
 * argument: what advise shall name, and compare find better. Usage: ills NAME ill|repaired. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 512 /* a row of the matrix: 4 KiB */
#define N_NODES 32768
#define NODE_BYTES 64
#define N_PAGES 128
#define PAGE_BYTES 4096
#define N_ROUNDS 200000
#define MULTIPLIER 1664525u

static bool is_repaired;
static volatile unsigned sink;

static unsigned next_random(unsigned *state)
{
	return *state = *state * MULTIPLIER + 1013904223u;
}

/* ---- a matrix by columns; repaired: by rows ---- */

__attribute__((noinline)) static double sum_matrix(
	const double *matrix, size_t row_step, size_t column_step)
{
	double sum = 0;

	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++) /* loop: column_order */
			sum += matrix[i * row_step + j * column_step];
	return sum;
}

static void column_order(void)
{
	double *matrix = calloc((size_t)N * N, sizeof(*matrix)), sum = 0;

	for (int i = 0; matrix && i < 3; i++)
		sum += is_repaired ? sum_matrix(matrix, N, 1) : sum_matrix(matrix, 1, N);
	sink = (unsigned)sum;
	free(matrix);
}

/* ---- nodes of a list anywhere in memory; repaired: one behind the other, and small ---- */

__attribute__((noinline)) static unsigned follow(char *const *node, unsigned n_steps)
{
	unsigned n = 0;

	for (; node && n < n_steps; n++) /* loop: pointer_chase */
		node = (char *const *)*node;
	return n;
}

static void link_nodes(char *memory, size_t bytes)
{
	unsigned *order = malloc(N_NODES * sizeof(*order)), state = 1;

	for (unsigned i = 0; order && i < N_NODES; i++)
		order[i] = i;
	for (unsigned i = N_NODES - 1; order && i && !is_repaired; i--) {
		unsigned other = next_random(&state) / 16 % (i + 1), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	for (unsigned i = 0; order && i < N_NODES; i++)
		*(char **)(memory + order[i] * bytes) = memory + order[(i + 1) % N_NODES] * bytes;
	free(order);
}

static void pointer_chase(void)
{
	char *memory = aligned_alloc(NODE_BYTES, (size_t)N_NODES * NODE_BYTES);

	if (!memory)
		return;
	link_nodes(memory, is_repaired ? sizeof(char *) : NODE_BYTES);
	sink = follow((char *const *)memory, 20 * N_NODES);
	free(memory);
}

/* ---- a branch by chance; repaired: arithmetic ---- */

__attribute__((noinline)) static unsigned classify(unsigned n)
{
	unsigned state = 1, sum = 0;

	for (unsigned i = 0; i < n; i++) { /* loop: unpredictable_branches */
		unsigned bit = next_random(&state) >> 31;

		if (is_repaired) {
			sum += -bit & i;
		} else if (bit) {
			sum += i;
			__asm__ volatile("" : "+r"(sum)); /* no conditional move */
		}
	}
	return sum;
}

static void unpredictable_branches(void)
{
	sink = classify(5 * N_ROUNDS);
}

/* ---- code that does not fit the cache; repaired: a loop ---- */

#define STEP x = (x ^ 0x12345671u) * MULTIPLIER;
#define STEPS_16 STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
#define STEPS_256                                                                                  \
	STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16  \
		STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16 STEPS_16
#define STEPS_4096                                                                                 \
	STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256  \
		STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256 STEPS_256

__attribute__((noinline)) static unsigned scramble(unsigned x, unsigned n)
{
	for (unsigned i = 0; i < n && !is_repaired; i++) { /* loop: big_code */
		STEPS_4096
		STEPS_4096
	}
	for (unsigned i = 0; i < 512 * n && is_repaired; i++) {
		STEPS_16
	}
	return x;
}

static void big_code(void)
{
	sink = scramble(1, 200);
}

/* ---- one place in each page, all of one set of the cache; repaired: the next line in each ---- */

__attribute__((noinline)) static unsigned touch_pages(const char *memory, size_t step, int n_rounds)
{
	unsigned sum = 0;

	for (int i = 0; i < n_rounds; i++)
		for (size_t page = 0; page < N_PAGES; page++) /* loop: page_strides */
			sum += (unsigned char)memory[page * step];
	return sum;
}

static void page_strides(void)
{
	char *memory = aligned_alloc(PAGE_BYTES, (size_t)2 * N_PAGES * PAGE_BYTES);

	if (!memory)
		return;
	memset(memory, 0, (size_t)2 * N_PAGES * PAGE_BYTES);
	sink = touch_pages(memory, is_repaired ? PAGE_BYTES + 64 : PAGE_BYTES, 8000);
	free(memory);
}

static const struct {
	const char *name;
	void (*run)(void);
} ills[] = {
	{ "column_order", column_order },
	{ "pointer_chase", pointer_chase },
	{ "unpredictable_branches", unpredictable_branches },
	{ "big_code", big_code },
	{ "page_strides", page_strides },
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	is_repaired = !strcmp(argv[2], "repaired");
	for (size_t i = 0; i < sizeof(ills) / sizeof(ills[0]); i++)
		if (!strcmp(ills[i].name, argv[1])) {
			ills[i].run();
			return 0;
		}
	return 2;
}
