/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a trace's sums: those of a recorded file as soon as it is read, those of all at last. What it holds
 * grows with the number of different call paths, not with the number of files. One thread.
 */
#ifndef EVPROF_REPORTER_LOAD_REDUCED_PUT_H
#define EVPROF_REPORTER_LOAD_REDUCED_PUT_H

#include "reporter/load/load.h"

struct ep_reduced_writer;

/* Writes beside path, and to path itself when it is finished: what stands there stays until then. NULL
 * with err where that cannot be done. */
struct ep_reduced_writer *ep_reduced_writer_create(const char *path, struct ep_error *err);
void ep_reduced_writer_destroy(struct ep_reduced_writer *writer);
/* keep_block of ep_load_options: keeps what is written as it is. */
void ep_reduced_writer_keep(struct ep_reduced_writer *writer, const struct ep_block *block);
/* end_file of ep_load_options: 0, or a negative errno, which the writer's finish explains. */
int ep_reduced_writer_put_file(struct ep_reduced_writer *writer, struct ep_trace *trace,
	const struct ep_reader_stats *stats);
/* Writes a sentence for the readers of the report. */
void ep_reduced_writer_put_note(struct ep_reduced_writer *writer, const char *text);
/* Writes the sums of all files, and ends the file. 0, or a negative errno with err. */
int ep_reduced_writer_finish(struct ep_reduced_writer *writer, const struct ep_trace *trace,
	struct ep_error *err) EP_MUST_CHECK;
/* Returns why put_file failed; NULL: it did not. */
const struct ep_error *ep_reduced_writer_error(const struct ep_reduced_writer *writer);

#endif
