// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads blocks of sums and adds them to the trace. Ids of the file are replaced by the trace's indexes; a
 * record that refers to a path lost with a damaged block goes to the lost path.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/reduced_private.h"

#define MOST_IDS (1u << 28)
/* the largest gap in the ids that is accepted: a few damaged members may have held this many records */
#define MOST_MISSING (1u << 16)

int ep_id_map_set(struct ep_id_map *map, uint32_t id, uint32_t to)
{
	if (id >= MOST_IDS || id > map->n + MOST_MISSING)
		return -EBADMSG;
	while (map->n <= id) {
		if (EP_ARRAY_RESERVE(map->to, map->n, map->capacity))
			return -ENOMEM;
		map->to[map->n++] = EP_NONE;
	}
	map->to[id] = to;
	return 0;
}

const char *ep_taking_keep(struct ep_taking *t, const struct ep_field_text *text)
{
	return ep_strings_add(&t->trace->strings, text->text ? text->text : "", text->size);
}

int ep_taking_thread(struct ep_taking *t, uint32_t number, uint32_t *out_idx)
{
	uint32_t process_idx;

	if (ep_trace_process_find_or_add(t->trace, t->key, &process_idx))
		return -ENOMEM;
	return ep_trace_thread_find_or_add(t->loader, process_idx, number, out_idx);
}

/* ---- the head, and the traces that the file was made from ---- */

static const char *refusal_of(const struct ep_load_options *options)
{
	bool needs_times = options->see_times && !options->times_are_optional;

	if (options->needs_slices || needs_times || options->by_thread ||
		options->process_timelines)
		return "has only sums (evreport reduce wrote it), and slices are needed for this: give the traces themselves";
	if (options->filler_is_asked)
		return "has counts that are filled already (evreport reduce wrote it), which --estimator cannot change: leave it out, or reduce the traces again with -e NAME";
	if (options->wants || options->to_ns || options->region)
		return "holds sums of the whole run (evreport reduce wrote it): for a part of it (--process, --thread, --phase, --region, --from, --to) give the traces themselves";
	return NULL;
}

void ep_reduced_input_destroy(struct ep_reduced_input *input)
{
	if (!input)
		return;
	free(input->modules.to);
	free(input->scripts.to);
	free(input->paths.to);
	free(input->events.to);
	free(input->regions.to);
	free(input);
}

static int take_head(struct ep_taking *t)
{
	struct loader *loader = t->loader;
	struct ep_field_text run;
	struct ep_clock_origin origin = { 0 };
	int64_t shift_us;

	if (t->input) /* a second head would put the records after it on another clock */
		return -EBADMSG;
	ep_field_text(&t->fields, &run);
	ep_field_u(&t->fields, &origin.birth_ns);
	ep_field_u(&t->fields, &origin.realtime_ns);
	if (t->fields.in.bad)
		return -EBADMSG;
	loader->refusal = refusal_of(loader->options);
	if (loader->refusal)
		return -ENOTSUP;
	origin.run = run.text ? ep_taking_keep(t, &run) : NULL;
	if (run.text && !origin.run)
		return -ENOMEM;
	t->trace->has_reduced = true;
	loader->reduced = t->input = calloc(1, sizeof(*t->input));
	if (!t->input || ep_id_map_set(&t->input->paths, EP_PATH_ROOT, EP_PATH_ROOT) ||
		ep_id_map_set(&t->input->paths, EP_PATH_LOST, EP_PATH_LOST))
		return -ENOMEM;
	if (!t->trace->origin.run)
		t->trace->origin = origin;
	/* The shift may be negative: divided as an unsigned number it would become hundreds of years. */
	shift_us = (int64_t)ep_clock_shift(&t->trace->origin, &origin) / 1000;
	t->input->shift_us = (uint64_t)shift_us;
	return 0;
}

/* Takes the record that begins a trace: all blocks up to the next such record belong to it. */
static int take_file(struct ep_taking *t)
{
	struct ep_reduced_input *input = t->input;
	const char *path = NULL;
	int rc = 0;

	if (input->has_file)
		rc = ep_loader_finish_file(
			t->loader, &input->file.stats, input->file.stats.first_damage_in);
	if (rc)
		return rc;
	ep_reduced_file_fields(&t->fields, &input->file);
	if (t->fields.in.bad)
		return -EBADMSG;
	if (input->file.damaged_path.text) {
		path = ep_taking_keep(t, &input->file.damaged_path);
		if (!path)
			return -ENOMEM;
	}
	input->file.stats.first_damage_in = path;
	input->file.damaged_path = (struct ep_field_text){ 0 };
	input->has_file = true;
	return 0;
}

static int take_process(struct ep_taking *t)
{
	uint64_t last_us, n_undecodable;
	struct ep_trace_process *process;
	uint32_t idx;

	ep_field_u(&t->fields, &last_us);
	ep_field_u(&t->fields, &n_undecodable);
	if (ep_trace_process_find_or_add(t->trace, t->key, &idx))
		return -ENOMEM;
	process = &t->trace->processes[idx];
	process->last_us = last_us > process->last_us ? last_us : process->last_us;
	process->n_undecodable += n_undecodable;
	return 0;
}

int ep_reduced_close(struct loader *loader, struct ep_reader_stats *stats)
{
	struct ep_reduced_input *input = loader->reduced;
	struct ep_reader_stats of_file;
	bool is_whole = input && input->has_file && input->has_tail;

	if (!input)
		return 0;
	of_file = input->file.stats;
	ep_reduced_input_destroy(input);
	loader->reduced = NULL;
	if (!is_whole) {
		loader->refusal =
			"was written by evreport reduce and is cut: the sums at its end are not there; reduce the traces once more";
		return -EBADMSG;
	}
	if (!of_file.n_damages && stats->n_damages) {
		of_file.first_damage_at = stats->first_damage_at;
		of_file.first_damage_in = NULL;
	}
	of_file.n_damages += stats->n_damages;
	of_file.damaged_bytes += stats->damaged_bytes;
	of_file.n_bad_frames += stats->n_bad_frames;
	*stats = of_file;
	return 0;
}

/* ---- the end of the file ---- */

static int take_note(struct ep_taking *t)
{
	const struct ep_load_options *options = t->loader->options;
	struct ep_field_text text;

	ep_field_text(&t->fields, &text);
	if (t->fields.in.bad || !text.text)
		return -EBADMSG;
	if (options->take_note && options->take_note(options->context, text.text, text.size))
		return 0;
	return ep_note_add(t->trace, text.text, text.size, false);
}

static int take_tail(struct ep_taking *t)
{
	ep_reduced_tail_fields(&t->fields, t->trace);
	t->input->has_tail = true;
	return t->fields.in.bad ? -EBADMSG : 0;
}

static int (*const takers[EP_N_REDUCED_KINDS])(struct ep_taking *t) = {
	[EP_REDUCED_HEAD] = take_head,
	[EP_REDUCED_FILE] = take_file,
	[EP_REDUCED_PROCESS] = take_process,
	[EP_REDUCED_EVENTS] = ep_reduced_take_event,
	[EP_REDUCED_MODULES] = ep_reduced_take_module,
	[EP_REDUCED_SCRIPTS] = ep_reduced_take_script,
	[EP_REDUCED_PATHS] = ep_reduced_take_path,
	[EP_REDUCED_THREAD] = ep_reduced_take_thread,
	[EP_REDUCED_ARMED] = ep_reduced_take_armed,
	[EP_REDUCED_THREAD_SUMS] = ep_reduced_take_thread_sum,
	[EP_REDUCED_RANK_COSTS] = ep_reduced_take_rank_cost,
	[EP_REDUCED_WAITS] = ep_reduced_take_wait,
	[EP_REDUCED_COSTS] = ep_reduced_take_cost,
	[EP_REDUCED_SUMS] = ep_reduced_take_path_sum,
	[EP_REDUCED_TICKS] = ep_reduced_take_tick,
	[EP_REDUCED_EVENT_STATS] = ep_reduced_take_event_stats,
	[EP_REDUCED_BINS] = ep_reduced_take_bin,
	[EP_REDUCED_LATENCY] = ep_reduced_take_latency,
	[EP_REDUCED_KEPT] = ep_reduced_take_kept,
	[EP_REDUCED_NOTES] = take_note,
	[EP_REDUCED_TAIL] = take_tail,
	[EP_REDUCED_RANK_COLUMNS] = ep_reduced_take_rank_columns,
	[EP_REDUCED_PARTED] = ep_reduced_take_parted,
	[EP_REDUCED_SIZES] = ep_reduced_take_sizes,
	[EP_REDUCED_REGIONS] = ep_reduced_take_region,
	[EP_REDUCED_REGION_STATS] = ep_reduced_take_region_stats,
	[EP_REDUCED_FAULTS] = ep_reduced_take_faults,
};

int ep_reduced_take(struct loader *loader, const struct ep_block *block)
{
	struct ep_taking t = { loader, loader->trace, loader->reduced, .key = block->key };
	uint32_t kind;
	int rc = 0;

	t.fields.in = ep_cursor_at(block, 0);
	ep_field_u32(&t.fields, &kind);
	if (t.fields.in.bad || kind >= EP_N_REDUCED_KINDS || (kind && !t.input))
		return -EBADMSG;
	while (!rc && ep_cursor_left(&t.fields.in)) {
		rc = takers[kind](&t);
		if (!rc && t.fields.in.bad)
			rc = -EBADMSG;
	}
	return rc;
}
