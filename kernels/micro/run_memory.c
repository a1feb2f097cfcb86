// SPDX-License-Identifier: BSD-3-Clause
/*
 * Memory traffic: streams over a buffer much larger than the last-level cache; counts are per cache line of
 * the buffer. Reading a line needs one read of memory; storing to a line needs the read that fetches it and
 * the write that evicts it; storing around the caches needs the write only. These kernels are meant for the
 * events of memory controllers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "kernels/measure/kernel.h"

enum memory_mode { MEMORY_READ, MEMORY_WRITE, MEMORY_STREAM };

static const struct {
	enum memory_mode mode;
	const char *name;
	/* lines read and written in memory for each line of the buffer */
	double n_reads, n_writes;
} modes[] = {
	{ MEMORY_READ, "READ", 1, 0 },
	{ MEMORY_WRITE, "WRITE", 1, 1 },
#if defined(__x86_64__)
	{ MEMORY_STREAM, "STREAM", 0, 1 },
#endif
};

/* The sizes of the points' buffers, as multiples of the size of the last-level cache. */
static const size_t sizes[] = { 4, 6, 8 };

struct memory_state {
	char *buffer;
	size_t cache_bytes, buffer_bytes;
	volatile uint64_t sink;
};

static size_t point_bytes(const struct memory_state *state, size_t point)
{
	return state->cache_bytes * sizes[point % EP_ARRAY_SIZE(sizes)];
}

static int make_expectations(struct ep_run *run, struct ep_error *err)
{
	struct ep_labelled *basis = &run->set.basis;
	int rc = ep_labelled_begin(basis, run->kernel->name, "MEM_READ,MEM_WRITE", err);

	for (size_t p = 0; !rc && p < EP_ARRAY_SIZE(modes) * EP_ARRAY_SIZE(sizes); p++) {
		size_t mode = p / EP_ARRAY_SIZE(sizes);
		double expected[] = { modes[mode].n_reads, modes[mode].n_writes };
		char name[64];

		snprintf(name, sizeof(name), "%s_%zux", modes[mode].name,
			sizes[p % EP_ARRAY_SIZE(sizes)]);
		rc = ep_labelled_add(basis, name, expected, err);
	}
	return rc ? rc
		  : ep_run_expect(run,
			    "metric,MEM_READ,MEM_WRITE\n"
			    "Memory Read Lines.,1,0\nMemory Write Lines.,0,1\nMemory Traffic Lines.,1,1\n",
			    "{\"tau\": 0.1, \"alpha\": 0.05, \"projection_cut\": 0.1, \"coefficient_tolerance\": 0.05, \"title\": \"Memory traffic, per line\"}",
			    err);
}

static int open_memory(struct ep_run *run, struct ep_error *err)
{
	struct memory_state *state = calloc(1, sizeof(*state));
	const struct ep_cal_machine *m = run->machine;

	if (!state)
		return ep_fail(err, -ENOMEM, "out of memory");
	run->state = state;
	run->n_threads = 1;
	state->cache_bytes = m->l3.size_bytes ? m->l3.size_bytes : m->l2.size_bytes;
	state->buffer_bytes = state->cache_bytes * sizes[EP_ARRAY_SIZE(sizes) - 1];
	state->buffer = mmap(NULL, state->buffer_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (state->buffer == MAP_FAILED) {
		state->buffer = NULL;
		return ep_fail(
			err, -ENOMEM, "no memory for a buffer of %zu bytes", state->buffer_bytes);
	}
	memset(state->buffer, 1, state->buffer_bytes);
	return make_expectations(run, err);
}

static uint64_t read_stream(const char *buffer, size_t size, size_t line)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i += line)
		sum += *(const volatile uint64_t *)(buffer + i);
	return sum;
}

static void write_stream(char *buffer, size_t size, size_t line)
{
	for (size_t i = 0; i < size; i += line)
		*(volatile uint64_t *)(buffer + i) = i;
}

#if defined(__x86_64__)
/* Stores whole lines around the caches, since parts of a line would be written separately. */
static void store_around_caches(char *buffer, size_t size)
{
	for (size_t i = 0; i < size; i += 8)
		__builtin_ia32_movnti64((long long *)(buffer + i), (long long)i);
	__builtin_ia32_sfence();
}
#else
static void store_around_caches(char *buffer, size_t size)
{
}
#endif

/* Reads the whole buffer, so that the caches hold its end. The stream reaches the end last, and so finds none of its
 * lines in the caches. */
static void prepare_memory(struct ep_run *run, size_t point, size_t thread)
{
	struct memory_state *state = run->state;

	state->sink = read_stream(state->buffer, state->buffer_bytes, run->machine->line_bytes);
}

static void work_memory(struct ep_run *run, size_t point, size_t thread)
{
	struct memory_state *state = run->state;
	size_t size = point_bytes(state, point), line = run->machine->line_bytes;

	switch (modes[point / EP_ARRAY_SIZE(sizes)].mode) {
	case MEMORY_READ:
		state->sink = read_stream(state->buffer, size, line);
		break;
	case MEMORY_WRITE:
		write_stream(state->buffer, size, line);
		break;
	case MEMORY_STREAM:
		store_around_caches(state->buffer, size);
		break;
	}
}

static double memory_divisor(const struct ep_run *run, size_t point)
{
	return (double)point_bytes(run->state, point) / (double)run->machine->line_bytes;
}

static void close_memory(struct ep_run *run)
{
	struct memory_state *state = run->state;

	if (state->buffer)
		munmap(state->buffer, state->buffer_bytes);
	free(state);
}

const struct ep_micro_kernel ep_kernel_memory = {
	.name = "memory",
	.summary = "streams that read, write and store around the caches, for memory controllers",
	.open = open_memory,
	.prepare = prepare_memory,
	.work = work_memory,
	.divisor = memory_divisor,
	.close = close_memory,
	.has_basis = true,
};
