// SPDX-License-Identifier: BSD-3-Clause
/* Writes and reads the records of reduced.h, field by field. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/reduced.h"

const char *const ep_reduced_names[EP_N_REDUCED_KINDS] = {
	[EP_REDUCED_HEAD] = "head",
	[EP_REDUCED_FILE] = "trace",
	[EP_REDUCED_PROCESS] = "process",
	[EP_REDUCED_EVENTS] = "events",
	[EP_REDUCED_MODULES] = "modules",
	[EP_REDUCED_SCRIPTS] = "scripts",
	[EP_REDUCED_PATHS] = "call paths",
	[EP_REDUCED_THREAD] = "thread",
	[EP_REDUCED_ARMED] = "triggers of a thread",
	[EP_REDUCED_THREAD_SUMS] = "counts of a thread",
	[EP_REDUCED_RANK_COSTS] = "times of a rank (1.2)",
	[EP_REDUCED_WAITS] = "waits",
	[EP_REDUCED_COSTS] = "times of call paths",
	[EP_REDUCED_SUMS] = "counts of call paths",
	[EP_REDUCED_TICKS] = "ticks by events",
	[EP_REDUCED_EVENT_STATS] = "events' estimates",
	[EP_REDUCED_BINS] = "timeline",
	[EP_REDUCED_LATENCY] = "threads that ran",
	[EP_REDUCED_KEPT] = "slices",
	[EP_REDUCED_NOTES] = "notes",
	[EP_REDUCED_TAIL] = "tail",
	[EP_REDUCED_RANK_COLUMNS] = "times of a rank",
	[EP_REDUCED_PARTED] = "windows of two places",
	[EP_REDUCED_SIZES] = "sizes of windows",
	[EP_REDUCED_REGIONS] = "regions",
	[EP_REDUCED_REGION_STATS] = "begins and ends of regions",
};

/* ---- kinds of fields ---- */

void ep_field_u(struct ep_fields *fields, uint64_t *value)
{
	if (fields->out)
		ep_wire_u(fields->out, *value);
	else
		*value = ep_get_u(&fields->in);
}

void ep_field_u32(struct ep_fields *fields, uint32_t *value)
{
	if (fields->out)
		ep_wire_u(fields->out, *value);
	else
		*value = ep_get_u32(&fields->in);
}

static void field_flag(struct ep_fields *fields, bool *value)
{
	uint32_t flag = *value;

	ep_field_u32(fields, &flag);
	*value = flag != 0;
}

static void field_byte(struct ep_fields *fields, uint8_t *value)
{
	uint32_t byte = *value;

	ep_field_u32(fields, &byte);
	fields->in.bad |= byte > UINT8_MAX;
	*value = (uint8_t)byte;
}

#define WHOLE_MOST 4503599627370496. /* 2^52: larger whole numbers are written in 8 bytes, too */

static bool is_whole(double value)
{
	return fabs(value) < WHOLE_MOST && value == trunc(value);
}

static void put_double(struct ep_wire *out, double value)
{
	uint64_t bits;

	if (is_whole(value)) {
		ep_wire_u(out, ep_zigzag((int64_t)value) << 1);
		return;
	}
	memcpy(&bits, &value, sizeof(bits));
	bits = htole64(bits);
	ep_wire_u(out, 1);
	ep_wire_bytes(out, &bits, sizeof(bits));
}

static double get_double(struct ep_cursor *in)
{
	uint64_t head = ep_get_u(in), bits;
	double value;

	if (!(head & 1))
		return (double)ep_unzigzag(head >> 1);
	in->bad |= head != 1;
	if (ep_cursor_left(in) < sizeof(bits)) {
		in->bad = true;
		return 0;
	}
	memcpy(&bits, ep_get_bytes(in, sizeof(bits)), sizeof(bits));
	bits = le64toh(bits);
	memcpy(&value, &bits, sizeof(value));
	return value;
}

#define MOST 1e100 /* far above the sums of any run, and far below values whose sums overflow */

/* Returns the value. If no run can have such a sum, marks the input as bad instead, since the value would
 * spoil all sums that it is added to. */
static double checked(struct ep_cursor *in, double value, double least)
{
	if (value >= least && value <= MOST)
		return value;
	in->bad = true;
	return 0;
}

/* Writes a whole number as an integer and any other number in 8 bytes, so that no digit is lost. */
static void field_double(struct ep_fields *fields, double *value)
{
	if (fields->out)
		put_double(fields->out, *value);
	else
		*value = checked(&fields->in, get_double(&fields->in), -MOST);
}

static void field_positive(struct ep_fields *fields, double *value)
{
	if (fields->out)
		put_double(fields->out, *value);
	else
		*value = checked(&fields->in, get_double(&fields->in), 0);
}

/* Writes or reads an error. It may be NaN: estimators use that for an error that is not known. */
static void field_error(struct ep_fields *fields, double *value)
{
	if (fields->out)
		put_double(fields->out, *value);
	else
		*value = get_double(&fields->in);
	if (!fields->out && !isnan(*value))
		*value = checked(&fields->in, *value, 0);
}

static void field_float(struct ep_fields *fields, float *value)
{
	const uint8_t *bytes;
	uint32_t bits;

	if (fields->out) {
		memcpy(&bits, value, sizeof(bits));
		bits = htole32(bits);
		ep_wire_bytes(fields->out, &bits, sizeof(bits));
		return;
	}
	bytes = ep_get_bytes(&fields->in, sizeof(bits));
	*value = 0;
	if (fields->in.bad)
		return;
	memcpy(&bits, bytes, sizeof(bits));
	bits = le32toh(bits);
	memcpy(value, &bits, sizeof(bits));
	if (isfinite(*value))
		return;
	fields->in.bad = true;
	*value = 0;
}

/* Writes or reads n numbers, in a single byte where all of them are 0. */
static void field_floats(struct ep_fields *fields, float *values, uint32_t n)
{
	bool has_any = false;

	for (uint32_t i = 0; fields->out && i < n; i++)
		has_any |= values[i] != 0;
	field_flag(fields, &has_any);
	for (uint32_t i = 0; i < n; i++) {
		if (has_any)
			field_float(fields, &values[i]);
		else
			values[i] = 0;
	}
}

void ep_field_text(struct ep_fields *fields, struct ep_field_text *text)
{
	uint64_t size = text->text ? text->size + 1 : 0;

	ep_field_u(fields, &size);
	if (fields->out) {
		if (text->text)
			ep_wire_bytes(fields->out, text->text, text->size);
		return;
	}
	text->size = size ? size - 1 : 0;
	text->text = size ? (const char *)ep_get_bytes(&fields->in, text->size) : NULL;
	if (fields->in.bad)
		*text = (struct ep_field_text){ 0 };
}

/* ---- records ---- */

void ep_reduced_file_fields(struct ep_fields *fields, struct ep_reduced_file *file)
{
	struct ep_reader_stats *stats = &file->stats;
	uint64_t *const numbers[] = { &stats->file_bytes, &stats->n_members, &stats->n_end_marks,
		&stats->inflated_bytes, &stats->n_blocks, &stats->damaged_bytes, &stats->n_damages,
		&stats->first_damage_at, &stats->cut_bytes, &stats->n_bad_frames,
		&stats->n_other_version };

	ep_field_u32(fields, &stats->owner_uid);
	for (size_t i = 0; i < EP_ARRAY_SIZE(numbers); i++)
		ep_field_u(fields, numbers[i]);
	field_byte(fields, &stats->other_version);
	field_flag(fields, &stats->ends_well);
	ep_field_text(fields, &file->damaged_path);
}

void ep_reduced_event_fields(struct ep_fields *fields, struct ep_reduced_event *event)
{
	ep_field_u32(fields, &event->id);
	ep_field_text(fields, &event->name);
	ep_field_text(fields, &event->unit);
	field_flag(fields, &event->info.always);
	field_flag(fields, &event->info.software);
}

void ep_reduced_stats_fields(struct ep_fields *fields, struct ep_reduced_event *event)
{
	struct ep_event_info *info = &event->info;

	ep_field_u32(fields, &event->id);
	ep_field_u(fields, &info->n_slices);
	ep_field_u(fields, &info->n_slices_measured);
	ep_field_text(fields, &event->estimator);
	field_error(fields, &info->variance);
	field_flag(fields, &info->is_scaled);
	field_error(fields, &info->holdout_error);
	ep_field_u(fields, &info->holdout_slices);
	ep_field_u(fields, &info->n_outliers);
}

void ep_reduced_module_fields(struct ep_fields *fields, struct ep_reduced_module *module)
{
	ep_field_u32(fields, &module->id);
	ep_field_text(fields, &module->path);
	ep_field_text(fields, &module->build_id);
	ep_field_u32(fields, &module->info.pid);
	field_flag(fields, &module->info.is_script);
	field_flag(fields, &module->info.is_kernel);
}

void ep_reduced_script_fields(struct ep_fields *fields, struct ep_reduced_script *script)
{
	ep_field_u32(fields, &script->id);
	ep_field_u32(fields, &script->script.module_idx);
	ep_field_text(fields, &script->name);
	ep_field_text(fields, &script->file);
	ep_field_u32(fields, &script->script.minor);
	ep_field_u32(fields, &script->script.first_line);
	ep_field_text(fields, &script->table);
}

void ep_reduced_path_fields(struct ep_fields *fields, uint32_t *id, struct ep_path *path)
{
	uint32_t back = *id - path->parent_idx, module = path->module_idx + 1;

	ep_field_u32(fields, id);
	ep_field_u32(fields, &back);
	ep_field_u32(fields, &module);
	ep_field_u(fields, &path->address);
	if (fields->out)
		return;
	fields->in.bad |= !back || back > *id;
	path->parent_idx = *id - back;
	path->module_idx = module - 1;
}

static void fields_of_cost(struct ep_fields *fields, struct ep_cost *cost)
{
	ep_field_u(fields, &cost->n_samples);
	ep_field_u(fields, &cost->cpu_us);
	ep_field_u(fields, &cost->hidden_us);
	ep_field_u(fields, &cost->not_system_us);
}

static void fields_of_end(struct ep_fields *fields, struct ep_thread_end *end)
{
	ep_field_u32(fields, &end->path_idx);
	ep_field_u(fields, &end->us);
}

void ep_reduced_thread_fields(struct ep_fields *fields, struct ep_trace_thread *thread)
{
	uint64_t *const numbers[] = { &thread->wall_us, &thread->n_got, &thread->n_outside,
		&thread->next_slice, &thread->n_unread_frames, &thread->n_event_ticks,
		&thread->n_counted_ticks, &thread->n_call_samples, &thread->n_windows };

	ep_field_u32(fields, &thread->number);
	fields_of_cost(fields, &thread->cost);
	for (size_t i = 0; i < EP_ARRAY_SIZE(numbers); i++)
		ep_field_u(fields, numbers[i]);
	field_flag(fields, &thread->ends.has_tick);
	fields_of_end(fields, &thread->ends.first);
	fields_of_end(fields, &thread->ends.before);
	fields_of_end(fields, &thread->ends.tail);
}

void ep_reduced_cost_fields(struct ep_fields *fields, uint32_t *path, struct ep_path_cost *cost)
{
	ep_field_u32(fields, path);
	fields_of_cost(fields, &cost->cost);
	ep_field_u(fields, &cost->calls_us);
	field_positive(fields, &cost->calls_squares);
	field_positive(fields, &cost->squares);
	for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++) {
		field_double(fields, &cost->mixing[kind].n_mixed);
		field_double(fields, &cost->mixing[kind].n_away);
	}
}

void ep_reduced_faults_fields(struct ep_fields *fields, uint32_t *path, uint64_t *faults_us)
{
	ep_field_u32(fields, path);
	ep_field_u(fields, faults_us);
}

void ep_reduced_sum_fields(struct ep_fields *fields, struct ep_reduced_sum *sum)
{
	struct ep_event_sum *row = &sum->sum;

	ep_field_u32(fields, &sum->owner);
	ep_field_u32(fields, &sum->event);
	field_double(fields, &row->measured);
	field_double(fields, &row->filled);
	field_error(fields, &row->variance);
	field_positive(fields, &row->squares);
	for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++)
		field_double(fields, &row->mixed[kind]);
	ep_field_u(fields, &row->measured_us);
	ep_field_u(fields, &row->filled_us);
	ep_field_u(fields, &row->missing_us);
	field_flag(fields, &sum->has_changes);
	if (sum->has_changes)
		field_floats(fields, sum->changes, EP_N_REPLICAS);
}

static void fields_of_windows(struct ep_fields *fields, struct ep_window_sum *sum)
{
	field_double(fields, &sum->all);
	field_floats(fields, sum->by_replica, EP_N_REPLICAS);
}

void ep_reduced_tick_fields(struct ep_fields *fields, struct ep_reduced_tick *tick)
{
	ep_field_u32(fields, &tick->path);
	ep_field_u32(fields, &tick->event);
	ep_field_u(fields, &tick->sum.n_ticks);
	field_positive(fields, &tick->sum.squares);
	fields_of_windows(fields, &tick->sum.met);
	fields_of_windows(fields, &tick->sum.foretold);
	fields_of_windows(fields, &tick->sum.of_ticks);
}

void ep_reduced_parted_fields(struct ep_fields *fields, struct ep_reduced_tick *tick)
{
	ep_field_u32(fields, &tick->path);
	ep_field_u32(fields, &tick->event);
	for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++)
		field_positive(fields, &tick->sum.parted[kind]);
}

void ep_reduced_sizes_fields(struct ep_fields *fields, struct ep_reduced_tick *tick)
{
	ep_field_u32(fields, &tick->path);
	ep_field_u32(fields, &tick->event);
	field_positive(fields, &tick->sum.sizes.of_ticks);
	field_positive(fields, &tick->sum.sizes.both);
	field_positive(fields, &tick->sum.sizes.squares);
	field_positive(fields, &tick->sum.sizes.fourths);
}

/* Writes or reads an index plus one; EP_NONE is 0. */
static void field_idx(struct ep_fields *fields, uint32_t *idx)
{
	uint32_t plus_one = *idx + 1;

	ep_field_u32(fields, &plus_one);
	*idx = plus_one - 1;
}

void ep_reduced_wait_fields(struct ep_fields *fields, struct ep_reduced_wait *wait)
{
	struct ep_wait_cost *cost = &wait->cost;

	ep_field_u32(fields, &wait->thread);
	ep_field_u32(fields, &cost->path_idx);
	field_byte(fields, &cost->kind);
	field_byte(fields, &cost->holder_kind);
	field_idx(fields, &cost->lock_module_idx);
	ep_field_u(fields, &cost->lock);
	ep_field_text(fields, &wait->name);
	ep_field_u32(fields, &cost->holder);
	field_idx(fields, &cost->holder_path_idx);
	ep_field_u(fields, &cost->n_waits);
	ep_field_u(fields, &cost->off_ns);
	ep_field_u(fields, &cost->longest_ns);
}

void ep_reduced_region_fields(struct ep_fields *fields, struct ep_reduced_region *row)
{
	struct ep_region *region = &row->region;

	ep_field_u32(fields, &row->id);
	field_idx(fields, &region->parent_idx);
	ep_field_text(fields, &row->name);
	ep_field_u(fields, &region->n_entries);
	ep_field_u(fields, &region->wall_ns);
	ep_field_u(fields, &region->cpu_us);
	ep_field_u(fields, &region->n_samples);
	field_positive(fields, &region->squares);
}

void ep_reduced_region_stats_fields(struct ep_fields *fields, struct ep_region_table *table)
{
	uint64_t *const numbers[] = { &table->n_lost, &table->n_unmatched, &table->n_left,
		&table->n_open, &table->n_beyond };

	field_positive(fields, &table->squares);
	for (size_t i = 0; i < EP_ARRAY_SIZE(numbers); i++)
		ep_field_u(fields, numbers[i]);
}

void ep_reduced_bin_fields(struct ep_fields *fields, struct ep_reduced_bin *bin)
{
	ep_field_u32(fields, &bin->owner);
	ep_field_u(fields, &bin->from_us);
	ep_field_u(fields, &bin->width_us);
	field_positive(fields, &bin->cpu_us);
	ep_field_u32(fields, &bin->first_event);
	ep_field_u32(fields, &bin->n_counts);
	if (bin->n_counts > EP_TRACE_MAX_EVENTS) {
		fields->in.bad = true;
		bin->n_counts = 0;
	}
	for (uint32_t i = 0; i < bin->n_counts; i++)
		field_double(fields, &bin->counts[i]);
}

void ep_reduced_latency_fields(struct ep_fields *fields, struct ep_latency_bin *bin)
{
	ep_field_u(fields, &bin->from_us);
	ep_field_u(fields, &bin->width_us);
	field_double(fields, &bin->jump);
	field_double(fields, &bin->part);
}

void ep_reduced_kept_fields(struct ep_fields *fields, struct ep_latency_kept *kept)
{
	uint32_t hash = kept->hash;
	bool is_call = kept->is_call;

	ep_field_u(fields, &kept->from_us);
	ep_field_u32(fields, &kept->wall_us);
	ep_field_u32(fields, &kept->cpu_us);
	ep_field_u32(fields, &kept->path_idx);
	ep_field_u32(fields, &hash);
	field_flag(fields, &is_call);
	kept->hash = hash & 0x7fffffff;
	kept->is_call = is_call;
}

/* Writes or reads the trace's last record. Losses that count_losses derives from the threads are left out. */
void ep_reduced_tail_fields(struct ep_fields *fields, struct ep_trace *trace)
{
	struct ep_loss *loss = &trace->loss;
	uint64_t *const numbers[] = { &loss->n_undecodable, &loss->n_unknown_types,
		&loss->n_without_meta, &loss->n_without_path, &loss->n_odd, &loss->n_not_run,
		&loss->n_bad_counts, &loss->n_incomplete, &loss->n_unticked, &loss->n_cut_stacks,
		&loss->n_broken_stacks, &loss->idle_us, &trace->n_at_schedulers_ticks,
		&trace->n_lost_waits };

	for (size_t i = 0; i < EP_ARRAY_SIZE(numbers); i++) {
		uint64_t before = fields->out ? 0 : *numbers[i];

		ep_field_u(fields, numbers[i]);
		*numbers[i] += before;
	}
}
