// SPDX-License-Identifier: BSD-3-Clause
/* writer.h over the encoders of common/trace.h. What cannot be written aborts: these are tests. */
#include "tests/trace/writer.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

struct column {
	uint8_t *data;
	struct ep_wire wire;
};

static void require(bool condition)
{
	if (!condition)
		abort();
}

void trace_writer_init(struct trace_writer *writer, FILE *out)
{
	*writer = (struct trace_writer){ .out = out, .packer = ep_packer_create() };
	require(writer->packer);
	writer->wire =
		(struct ep_wire){ .data = writer->plain, .capacity_bytes = sizeof(writer->plain) };
}

void trace_writer_finish(struct trace_writer *writer)
{
	trace_flush(writer);
	ep_packer_destroy(writer->packer);
}

void trace_flush(struct trace_writer *writer)
{
	size_t size;

	if (!writer->out || !writer->wire.size_bytes)
		return;
	size = ep_packer_pack(
		writer->packer, writer->plain, writer->wire.size_bytes, writer->member);
	require(size && fwrite(writer->member, 1, size, writer->out) == size);
	writer->wire.size_bytes = 0;
}

void trace_put_eof(struct trace_writer *writer)
{
	trace_flush(writer);
	require(fwrite(ep_bgzf_eof, 1, sizeof(ep_bgzf_eof), writer->out) == sizeof(ep_bgzf_eof));
}

/* NULL stands for an empty string. */
static void put_string(struct ep_wire *wire, const void *bytes, size_t size)
{
	ep_wire_string(wire, bytes ? bytes : "", size);
}

static void finish(struct trace_writer *writer, size_t header_at)
{
	require(!writer->wire.overflow);
	ep_block_finish(&writer->wire, header_at);
}

void trace_put_raw(struct trace_writer *writer, uint8_t version, uint8_t type, const void *body,
	size_t size_bytes)
{
	size_t at = ep_block_start(&writer->wire, type, writer->key);

	ep_wire_bytes(&writer->wire, body, size_bytes);
	finish(writer, at);
	writer->plain[at + 4] = version;
}

void trace_put_meta(struct trace_writer *writer, const char *lines)
{
	trace_put_raw(writer, EP_TRACE_VERSION, EP_BLOCK_META, lines, strlen(lines));
}

void trace_put_note(struct trace_writer *writer, const char *text)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_NOTE, writer->key);

	put_string(&writer->wire, text, strlen(text));
	finish(writer, at);
}

void trace_put_modules(
	struct trace_writer *writer, const struct ep_module *modules, uint32_t n_modules)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_MODULES, writer->key);
	struct ep_wire *wire = &writer->wire;

	ep_wire_u(wire, n_modules);
	for (uint32_t i = 0; i < n_modules; i++) {
		ep_wire_u(wire, modules[i].id);
		ep_wire_u(wire, modules[i].start);
		ep_wire_u(wire, modules[i].end);
		ep_wire_u(wire, modules[i].bias);
		ep_wire_u(wire, modules[i].time_us);
		put_string(wire, modules[i].path, modules[i].path_size);
		put_string(wire, modules[i].build_id, modules[i].build_id_size);
	}
	finish(writer, at);
}

/* The address of the node before i with the same module, 0 without one. */
static uint64_t address_before(const struct ep_stacks *stacks, uint32_t i)
{
	for (uint32_t k = i; k-- > 0;)
		if (stacks->nodes[k].module_id == stacks->nodes[i].module_id)
			return stacks->nodes[k].address;
	return 0;
}

void trace_put_stacks(struct trace_writer *writer, const struct ep_stacks *stacks)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_STACKS, writer->key);
	struct ep_wire *wire = &writer->wire;

	ep_wire_u(wire, stacks->thread);
	ep_wire_u(wire, stacks->epoch);
	ep_wire_u(wire, stacks->first_idx);
	ep_wire_u(wire, stacks->n_nodes);
	for (uint32_t i = 0; i < stacks->n_nodes; i++) {
		const struct ep_stack_node *node = &stacks->nodes[i];

		ep_wire_u(wire, stacks->first_idx + i - node->parent_idx);
		ep_wire_u(wire, node->module_id);
		ep_wire_s(wire, node->address - address_before(stacks, i));
	}
	finish(writer, at);
}

static void put_fixed(
	struct column *columns, const struct ep_groups *groups, const struct ep_samples *samples)
{
	int64_t node = 0, group = -1, n_groups = groups->n_groups ? groups->n_groups : 1;

	for (uint32_t i = 0; i < samples->n_samples; i++) {
		const struct ep_sample *s = &samples->samples[i];
		int64_t ahead = (s->group - (group + 1)) % n_groups;

		ep_wire_s(&columns[EP_COLUMN_CPU].wire, s->cpu_us - groups->period_us);
		ep_wire_s(&columns[EP_COLUMN_OFF].wire, s->wall_us - s->cpu_us);
		ep_wire_s(&columns[EP_COLUMN_STACK].wire, (int64_t)s->node_idx - node);
		ep_wire_s(&columns[EP_COLUMN_GROUP].wire, (ahead + n_groups) % n_groups);
		ep_wire_u(&columns[EP_COLUMN_FLAGS].wire, s->flags);
		ep_wire_u(&columns[EP_COLUMN_IDLE].wire, s->idle_us);
		node = s->node_idx;
		group = s->group;
	}
}

static void put_values(struct column *column, const struct ep_groups *groups, uint32_t event,
	const struct ep_samples *samples)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < samples->n_samples; i++) {
		const struct ep_sample *s = &samples->samples[i];
		uint64_t value = samples->values[(size_t)i * groups->n_events + event];

		if (!groups->holds[(size_t)s->group * groups->n_events + event] ||
			s->flags & EP_SAMPLE_NOT_RUN)
			continue;
		ep_wire_s(&column->wire, value - before);
		before = value;
	}
}

static struct column *columns_create(uint32_t n_columns, uint32_t n_samples)
{
	struct column *columns = calloc(n_columns, sizeof(*columns));

	require(columns);
	for (uint32_t i = 0; i < n_columns; i++) {
		size_t capacity = (size_t)n_samples * 10 + 1;

		columns[i].data = malloc(capacity);
		require(columns[i].data);
		columns[i].wire =
			(struct ep_wire){ .data = columns[i].data, .capacity_bytes = capacity };
	}
	return columns;
}

void trace_put_samples(struct trace_writer *writer, const struct ep_groups *groups,
	const struct ep_samples *samples, uint64_t time_us)
{
	uint32_t n_columns = EP_N_FIXED_COLUMNS + groups->n_events;
	EP_AUTOFREE struct column *columns = columns_create(n_columns, samples->n_samples);
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_SAMPLES, writer->key);
	struct ep_wire *wire = &writer->wire;

	put_fixed(columns, groups, samples);
	for (uint32_t e = 0; e < groups->n_events; e++)
		put_values(&columns[EP_N_FIXED_COLUMNS + e], groups, e, samples);
	ep_wire_u(wire, samples->thread);
	ep_wire_u(wire, samples->epoch);
	ep_wire_u(wire, samples->n_samples);
	ep_wire_u(wire, time_us);
	ep_wire_u(wire, samples->first_slice);
	ep_wire_u(wire, groups->n_events);
	for (uint32_t i = 0; i < n_columns; i++)
		ep_wire_u(wire, columns[i].wire.size_bytes);
	for (uint32_t i = 0; i < n_columns; i++) {
		ep_wire_bytes(wire, columns[i].data, columns[i].wire.size_bytes);
		free(columns[i].data);
	}
	finish(writer, at);
}

void trace_put_totals(struct trace_writer *writer, const struct ep_totals *totals)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_TOTALS, writer->key);
	struct ep_wire *wire = &writer->wire;

	ep_wire_u(wire, totals->thread);
	ep_wire_u(wire, totals->tid);
	put_string(wire, totals->name, totals->name_size);
	ep_wire_u(wire, totals->final);
	ep_wire_u(wire, totals->start_us);
	ep_wire_u(wire, totals->end_us);
	ep_wire_u(wire, totals->cpu_ns);
	ep_wire_u(wire, totals->n_samples);
	ep_wire_u(wire, totals->n_lost);
	ep_wire_u(wire, totals->own_ns);
	ep_wire_u(wire, totals->n_minor_faults);
	ep_wire_u(wire, totals->n_major_faults);
	ep_wire_u(wire, totals->n_voluntary);
	ep_wire_u(wire, totals->n_involuntary);
	ep_wire_u(wire, totals->n_groups);
	for (uint32_t g = 0; g < totals->n_groups; g++) {
		const struct ep_group_totals *group = &totals->groups[g];

		ep_wire_u(wire, group->n_slices);
		ep_wire_u(wire, group->enabled_ns);
		ep_wire_u(wire, group->running_ns);
		ep_wire_u(wire, group->n_counts);
		for (uint32_t i = 0; i < group->n_counts; i++)
			ep_wire_u(wire, totals->counts[group->first_count + i]);
	}
	finish(writer, at);
}

void trace_put_ready(struct trace_writer *writer, const struct ep_ready_time *time)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_READY, writer->key);

	ep_wire_u(&writer->wire, time->thread);
	ep_wire_u(&writer->wire, time->ready_ns);
	ep_wire_u(&writer->wire, time->n_turns);
	finish(writer, at);
}

void trace_put_waits(struct trace_writer *writer, const struct ep_waits *waits)
{
	ep_waits_encode(&writer->wire, writer->key, waits);
}

void trace_put_regions(struct trace_writer *writer, const struct ep_regions *regions)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_REGIONS, writer->key);
	struct ep_wire *wire = &writer->wire;

	ep_wire_u(wire, regions->thread);
	ep_wire_u(wire, regions->n_lost);
	ep_wire_u(wire, regions->n_unmatched);
	ep_wire_u(wire, regions->n_left);
	ep_wire_u(wire, regions->n_open);
	ep_wire_u(wire, regions->first_node);
	ep_wire_u(wire, regions->n_nodes);
	for (uint32_t i = 0; i < regions->n_nodes; i++) {
		ep_wire_u(wire, regions->nodes[i].parent);
		put_string(wire, regions->nodes[i].name, regions->nodes[i].name_size);
	}
	ep_wire_u(wire, regions->n_sums);
	for (uint32_t i = 0; i < regions->n_sums; i++) {
		ep_wire_u(wire, regions->sums[i].node);
		ep_wire_u(wire, regions->sums[i].n_entries);
		ep_wire_u(wire, regions->sums[i].wall_ns);
	}
	ep_wire_u(wire, regions->n_changes);
	for (uint32_t i = 0; i < regions->n_changes; i++) {
		ep_wire_u(
			wire, regions->changes[i].slice - (i ? regions->changes[i - 1].slice : 0));
		ep_wire_u(wire, regions->changes[i].node);
	}
	finish(writer, at);
}

void trace_put_children(struct trace_writer *writer, uint64_t cpu_us)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_CHILDREN, writer->key);

	ep_wire_u(&writer->wire, cpu_us);
	finish(writer, at);
}

void trace_put_machine(struct trace_writer *writer, const struct ep_machine_times *times)
{
	ep_machine_times_encode(&writer->wire, writer->key, times);
}

void trace_put_end(struct trace_writer *writer, const struct ep_end *end)
{
	size_t at = ep_block_start(&writer->wire, EP_BLOCK_END, writer->key);
	struct ep_wire *wire = &writer->wire;

	ep_wire_u(wire, end->time_us);
	ep_wire_u(wire, end->how);
	ep_wire_u(wire, end->status);
	ep_wire_u(wire, end->user_us);
	ep_wire_u(wire, end->system_us);
	ep_wire_u(wire, end->peak_rss_kib);
	put_string(wire, end->note, end->note_size);
	finish(writer, at);
}
