/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes blocks of sums as members of a file. The file gets its final name only when it is complete. */
#ifndef EVPROF_REPORTER_LOAD_REDUCED_OUT_H
#define EVPROF_REPORTER_LOAD_REDUCED_OUT_H

#include <stdio.h>

#include "reporter/load/reduced.h"

struct ep_reduced_out {
	FILE *file;
	char *path, *path_now; /* the final path, and the path that is written until then */
	int unfinished;        /* registration in common/unfinished.h */
	struct ep_packer *packer;
	uint8_t *plain, *packed;
	struct ep_wire wire; /* content of the member being written */
	bool has_block;
	size_t block_at;
	enum ep_reduced_kind kind;
	struct ep_process_key key;
	int error; /* 0, or the first negative errno */
};

int ep_reduced_out_open(
	struct ep_reduced_out *out, const char *path, struct ep_error *err) EP_MUST_CHECK;
/* Returns the fields for a record of at most room bytes. The record goes into the block that is open, if that
 * has the same kind and process. */
struct ep_fields ep_reduced_out_record(struct ep_reduced_out *out, enum ep_reduced_kind kind,
	struct ep_process_key key, size_t room);
/* Writes a block unchanged. */
void ep_reduced_out_copy(struct ep_reduced_out *out, const struct ep_block *block);
/* Ends the current member and writes it; is_stored: without compressing it. */
void ep_reduced_out_flush(struct ep_reduced_out *out, bool is_stored);
/* Completes the file and gives it its final name. 0, or a negative errno with err. */
int ep_reduced_out_close(struct ep_reduced_out *out, struct ep_error *err) EP_MUST_CHECK;
void ep_reduced_out_finish(struct ep_reduced_out *out);

#endif
