/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes traces from the decoders' own structures, for tests and benchmarks: what is put here is
 * what the decoders must give back. Blocks gather in one member until trace_flush.
 */
#ifndef EVPROF_TESTS_TRACE_WRITER_H
#define EVPROF_TESTS_TRACE_WRITER_H

#include "common/trace_regions.h"

#include <stdio.h>

struct trace_writer {
	FILE *out; /* may be NULL: the blocks stay in plain */
	struct ep_packer *packer;
	struct ep_process_key key;
	struct ep_wire wire; /* over plain */
	uint8_t plain[EP_MEMBER_MAX_BYTES - 512];
	uint8_t member[EP_MEMBER_MAX_BYTES];
};

void trace_writer_init(struct trace_writer *writer, FILE *out);
void trace_writer_finish(struct trace_writer *writer);

/* Lines as in docs/trace-format.md, the escapes already in. */
void trace_put_meta(struct trace_writer *writer, const char *lines);
void trace_put_modules(
	struct trace_writer *writer, const struct ep_module *modules, uint32_t n_modules);
void trace_put_stacks(struct trace_writer *writer, const struct ep_stacks *stacks);
/* time_us: end of the slice before the first. Only the values that a sample's group holds count. */
void trace_put_samples(struct trace_writer *writer, const struct ep_groups *groups,
	const struct ep_samples *samples, uint64_t time_us);
void trace_put_totals(struct trace_writer *writer, const struct ep_totals *totals);
void trace_put_ready(struct trace_writer *writer, const struct ep_ready_time *time);
void trace_put_waits(struct trace_writer *writer, const struct ep_waits *waits);
void trace_put_regions(struct trace_writer *writer, const struct ep_regions *regions);
void trace_put_children(struct trace_writer *writer, uint64_t cpu_us);
void trace_put_machine(struct trace_writer *writer, const struct ep_machine_times *times);
void trace_put_end(struct trace_writer *writer, const struct ep_end *end);
void trace_put_note(struct trace_writer *writer, const char *text);
/* A block of any type and version, its body as given. */
void trace_put_raw(struct trace_writer *writer, uint8_t version, uint8_t type, const void *body,
	size_t size_bytes);

void trace_flush(struct trace_writer *writer);
void trace_put_eof(struct trace_writer *writer);

#endif
