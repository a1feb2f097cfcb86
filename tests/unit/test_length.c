// SPDX-License-Identifier: BSD-3-Clause
/* How many slices traces have, told from their beginnings. */
#include "reporter/load/length.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/trace/writer.h"
#include "tests/unit/test.h"

enum { N_FILES = 10, SLICES_OF_BLOCK = 500, N_EVENTS = 2 };

static char paths[N_FILES][40];
static struct trace_writer writer;
static struct ep_sample rows[SLICES_OF_BLOCK];
static uint64_t values[SLICES_OF_BLOCK * N_EVENTS];
static uint8_t holds[N_EVENTS] = { 1, 1 };
static const struct ep_groups groups = {
	.n_events = N_EVENTS, .n_groups = 1, .period_us = 1000, .holds = holds
};

/* Counts that hardly pack: some 20 bytes a slice. */
static void make_block(uint64_t seed)
{
	for (uint32_t i = 0; i < SLICES_OF_BLOCK; i++) {
		rows[i] = (struct ep_sample){ .cpu_us = 1000, .wall_us = 1000 };
		for (uint32_t e = 0; e < N_EVENTS; e++)
			values[i * N_EVENTS + e] =
				(seed * SLICES_OF_BLOCK + i + e + 1) * 2685821657736338717u >> 8;
	}
}

static void write_trace(char *path, uint32_t n_blocks)
{
	strcpy(path, "/tmp/evprof-length-XXXXXX");
	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	for (uint32_t k = 0; k < n_blocks; k++) {
		struct ep_samples samples = { 1, 1, SLICES_OF_BLOCK, k * SLICES_OF_BLOCK, rows,
			values };

		make_block(k);
		trace_put_samples(&writer, &groups, &samples, 0);
		trace_flush(&writer);
	}
	trace_put_eof(&writer);
	fclose(writer.out);
	trace_writer_finish(&writer);
}

/* The length of n_files with n_blocks each. */
static struct ep_traces_length length_of(uint32_t n_files, uint32_t n_blocks)
{
	const char *list[N_FILES + 1] = { NULL };
	struct ep_traces_length length = { 0 };

	for (uint32_t i = 0; i < n_files; i++) {
		write_trace(paths[i], n_blocks);
		list[i] = paths[i];
	}
	ep_traces_length_add(&length, list);
	for (uint32_t i = 0; i < n_files; i++)
		unlink(paths[i]);
	return length;
}

TEST(a_short_traces_slices_are_counted)
{
	struct ep_traces_length length = length_of(1, 3);

	CHECK_INT(length.n_slices, 3 * SLICES_OF_BLOCK);
	CHECK(!length.is_unknown);
}

TEST(the_rest_of_a_long_one_is_as_dense)
{
	struct ep_traces_length length = length_of(1, 200);

	CHECK_CLOSE((double)length.n_slices, 200. * SLICES_OF_BLOCK, 0.02);
}

/* Eight are looked at. */
TEST(many_files_are_alike)
{
	struct ep_traces_length length = length_of(N_FILES, 4);

	CHECK_CLOSE((double)length.n_slices, N_FILES * 4. * SLICES_OF_BLOCK, 0.02);
}

TEST(lists_add_up)
{
	const char *const one[] = { paths[0], NULL }, *const pipe[] = { "-", NULL };
	struct ep_traces_length length = { 0 };

	write_trace(paths[0], 2);
	ep_traces_length_add(&length, one);
	ep_traces_length_add(&length, one);
	CHECK_INT(length.n_slices, 4 * SLICES_OF_BLOCK);
	CHECK(!length.is_unknown);
	ep_traces_length_add(&length, pipe);
	CHECK(length.is_unknown);
	unlink(paths[0]);
}

TEST(what_is_no_trace_has_no_slices)
{
	const char *const list[] = { paths[0], NULL };
	struct ep_traces_length length = { 0 };
	FILE *file;

	strcpy(paths[0], "/tmp/evprof-length-XXXXXX");
	file = fdopen(mkstemp(paths[0]), "wb");
	fputs("no trace\n", file);
	fclose(file);
	ep_traces_length_add(&length, list);
	CHECK_INT(length.n_slices, 0);
	CHECK(!length.is_unknown);
	unlink(paths[0]);
}
