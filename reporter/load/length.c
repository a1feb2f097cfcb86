// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/length.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#include "reporter/load/reader.h"

/* This much of a trace is read: it takes some milliseconds to inflate, and has some 20,000 slices. */
#define ENOUGH_BYTES (512 << 10)
/* At most this many files are read, since the traces of a job's ranks are alike. */
#define ENOUGH_FILES 8

/* Slices and bytes of the files that were read. */
struct look {
	uint64_t n_slices, n_bytes; /* over all files */
	uint64_t n_of_file;         /* slices of the file being read */
	uint64_t n_before_member, member_at;
};

/* Counts slices of complete members only, since only for them the size in the file is known. */
static int see_block(void *context, const struct ep_block *block, uint64_t member_at)
{
	struct look *look = context;

	if (member_at != look->member_at) {
		look->member_at = member_at;
		look->n_before_member = look->n_of_file;
	}
	if (member_at >= ENOUGH_BYTES)
		return -ECANCELED;
	if (block->type == EP_BLOCK_SAMPLES)
		look->n_of_file += ep_samples_count_of_clock(block);
	return 0;
}

static void look_at(struct look *look, const char *path, uint64_t size_bytes)
{
	const struct ep_reader_ops ops = { .block = see_block };
	struct ep_reader_stats stats;
	bool is_all;

	look->n_of_file = look->n_before_member = look->member_at = 0;
	is_all = ep_reader_run(path, &ops, look, &stats, NULL) != -ECANCELED;
	look->n_slices += is_all ? look->n_of_file : look->n_before_member;
	look->n_bytes += is_all ? size_bytes : look->member_at;
}

void ep_traces_length_add(struct ep_traces_length *length, const char *const *paths)
{
	struct look look = { 0 };
	uint64_t all_bytes = 0;
	struct stat st;

	for (size_t i = 0; paths[i]; i++) {
		if (stat(paths[i], &st) || !S_ISREG(st.st_mode)) {
			length->is_unknown = true;
			continue;
		}
		all_bytes += (uint64_t)st.st_size;
		if (i < ENOUGH_FILES)
			look_at(&look, paths[i], (uint64_t)st.st_size);
	}
	if (look.n_bytes)
		length->n_slices += (uint64_t)((double)look.n_slices * (double)all_bytes /
					       (double)look.n_bytes);
}
