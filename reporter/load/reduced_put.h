/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a reduced file: the part of each recorded file as soon as that file is read, and the sums over all
 * files at the end. The memory needed grows with the number of different call paths, not with the number of
 * files. One thread runs it.
 */
#ifndef EVPROF_REPORTER_LOAD_REDUCED_PUT_H
#define EVPROF_REPORTER_LOAD_REDUCED_PUT_H

#include "reporter/load/load.h"

struct ep_reduced_writer;

/* Creates a writer. It writes to a file beside path, which replaces the file at path only when it is
 * finished. NULL, with err set, where that is not possible. */
struct ep_reduced_writer *ep_reduced_writer_create(const char *path, struct ep_error *err);
void ep_reduced_writer_destroy(struct ep_reduced_writer *writer);
/* Keeps a block if blocks of its type are written unchanged. Serves as keep_block of ep_load_options. */
void ep_reduced_writer_keep(struct ep_reduced_writer *writer, const struct ep_block *block);
/* Writes a recorded file's part. Serves as end_file of ep_load_options. 0, or a negative errno, which
 * ep_reduced_writer_finish explains. */
int ep_reduced_writer_put_file(struct ep_reduced_writer *writer, struct ep_trace *trace,
	const struct ep_reader_stats *stats);
/* Writes a note, a sentence for the readers of the report. */
void ep_reduced_writer_put_note(struct ep_reduced_writer *writer, const char *text);
/* Writes the sums of all files, and ends the file. 0, or a negative errno with err. */
int ep_reduced_writer_finish(struct ep_reduced_writer *writer, const struct ep_trace *trace,
	struct ep_error *err) EP_MUST_CHECK;
/* Returns why ep_reduced_writer_put_file failed; NULL: it did not fail. */
const struct ep_error *ep_reduced_writer_error(const struct ep_reduced_writer *writer);

#endif
