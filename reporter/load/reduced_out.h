/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of sums to members of a file, which gets its name when it is whole. */
#ifndef EVPROF_REPORTER_LOAD_REDUCED_OUT_H
#define EVPROF_REPORTER_LOAD_REDUCED_OUT_H

#include <stdio.h>

#include "reporter/load/reduced.h"

struct ep_reduced_out {
	FILE *file;
	char *path, *path_now; /* where it will be, and where it is */
	int unfinished;        /* common/unfinished.h */
	struct ep_packer *packer;
	uint8_t *plain, *packed;
	struct ep_wire wire; /* of the member at hand */
	bool has_block;
	size_t block_at;
	enum ep_reduced_kind kind;
	struct ep_process_key key;
	int error; /* 0, or the first negative errno */
};

int ep_reduced_out_open(
	struct ep_reduced_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;
/* Fields of a record of at most room bytes: in the block that is open where it is of the same kind. */
struct ep_fields ep_reduced_out_record(struct ep_reduced_out *out, enum ep_reduced_kind kind,
	struct ep_process_key key, size_t room);
/* Writes a block as it was read. */
void ep_reduced_out_copy(struct ep_reduced_out *out, const struct ep_block *block);
/* Ends the member at hand and writes it; is_stored: without packing it. */
void ep_reduced_out_flush(struct ep_reduced_out *out, bool is_stored);
/* Gives the file its name. */
int ep_reduced_out_close(struct ep_reduced_out *out, struct ep_error *err) EP_MUST_CHECK;
void ep_reduced_out_finish(struct ep_reduced_out *out);

#endif
