// SPDX-License-Identifier: BSD-3-Clause
/* Reads events, modules, call paths and threads from a reduced file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/reduced_private.h"

/* ---- objects that sums refer to ---- */

#define MOST_EVENTS                                                                                \
	(16u * EP_TRACE_MAX_EVENTS) /* bounds the rows that each thread and call path may have */

int ep_reduced_take_event(struct ep_taking *t)
{
	struct ep_reduced_event event = { 0 };
	uint32_t idx;

	ep_reduced_event_fields(&t->fields, &event);
	if (t->fields.in.bad)
		return -EBADMSG;
	if (t->trace->n_events >= MOST_EVENTS)
		return -EBADMSG;
	event.info.name = ep_taking_keep(t, &event.name);
	event.info.unit = ep_taking_keep(t, &event.unit);
	if (!event.info.name || !event.info.unit || ep_event_add(t->trace, &event.info, &idx))
		return -ENOMEM;
	return ep_id_map_set(&t->input->events, event.id, idx);
}

int ep_reduced_take_module(struct ep_taking *t)
{
	struct ep_reduced_module module = { 0 };
	uint32_t idx;

	ep_reduced_module_fields(&t->fields, &module);
	if (t->fields.in.bad || module.build_id.size > sizeof(module.info.build_id))
		return -EBADMSG;
	module.info.path = ep_taking_keep(t, &module.path);
	module.info.build_id_size = (uint32_t)module.build_id.size;
	if (module.build_id.size)
		memcpy(module.info.build_id, module.build_id.text, module.build_id.size);
	if (!module.info.path || ep_module_add(t->trace, &module.info, &idx))
		return -ENOMEM;
	return ep_id_map_set(&t->input->modules, module.id, idx);
}

int ep_reduced_take_script(struct ep_taking *t)
{
	struct ep_reduced_script script = { 0 };
	struct ep_script *row = &script.script;
	uint32_t idx;

	ep_reduced_script_fields(&t->fields, &script);
	row->module_idx = ep_id_map_find(&t->input->modules, row->module_idx);
	if (t->fields.in.bad || row->module_idx == EP_NONE)
		return -EBADMSG;
	row->name = ep_taking_keep(t, &script.name);
	row->file = ep_taking_keep(t, &script.file);
	row->table = (uint8_t *)(uintptr_t)script.table.text;
	row->table_size = (uint32_t)script.table.size;
	if (!row->name || !row->file || ep_script_add(&t->trace->scripts, row, &idx))
		return -ENOMEM;
	return ep_id_map_set(&t->input->scripts, script.id, idx);
}

/* Replaces the script's number in the file, which is a part of the path's address, by the script's index in
 * the trace. Returns false if the script is not known. */
static bool move_script(const struct ep_taking *t, struct ep_path *path)
{
	uint32_t idx = ep_id_map_find(&t->input->scripts, ep_script_of_place(path->address));

	if (!t->trace->modules[path->module_idx].is_script)
		return true;
	path->address = ep_script_place(idx, path->address);
	return idx != EP_NONE;
}

int ep_reduced_take_path(struct ep_taking *t)
{
	struct ep_path path = { 0 };
	uint32_t id, idx;

	ep_reduced_path_fields(&t->fields, &id, &path);
	if (t->fields.in.bad)
		return -EBADMSG;
	path.parent_idx = ep_id_map_find(&t->input->paths, path.parent_idx);
	path.module_idx = ep_id_map_find(&t->input->modules, path.module_idx);
	if (path.parent_idx == EP_NONE || path.module_idx == EP_NONE || !move_script(t, &path))
		return ep_id_map_set(&t->input->paths, id, EP_NONE);
	if (ep_path_add(t->trace, &path, &idx))
		return -ENOMEM;
	return ep_id_map_set(&t->input->paths, id, idx);
}

/* ---- threads ---- */

static void move_end(const struct ep_taking *t, struct ep_thread_end *end)
{
	end->path_idx = ep_taking_path(t, end->path_idx);
}

int ep_reduced_take_thread(struct ep_taking *t)
{
	struct ep_trace_thread read = { 0 }, *thread;
	uint32_t idx;

	ep_reduced_thread_fields(&t->fields, &read);
	if (t->fields.in.bad)
		return -EBADMSG;
	if (ep_taking_thread(t, read.number, &idx))
		return -ENOMEM;
	thread = &t->trace->threads[idx];
	if (idx < t->trace->first_thread_of_file || thread->n_got) {
		t->loader->refusal = "holds traces that were read already, in another file";
		return -EEXIST;
	}
	thread->cost = read.cost;
	thread->wall_us = read.wall_us;
	thread->n_got = read.n_got;
	thread->n_outside = read.n_outside;
	thread->next_slice = read.next_slice;
	thread->n_unread_frames = read.n_unread_frames;
	thread->n_event_ticks = read.n_event_ticks;
	thread->n_counted_ticks = read.n_counted_ticks;
	thread->n_call_samples = read.n_call_samples;
	thread->n_windows = read.n_windows;
	thread->ends = read.ends;
	move_end(t, &thread->ends.first);
	move_end(t, &thread->ends.before);
	move_end(t, &thread->ends.tail);
	return 0;
}

static int grow_armed(struct ep_trace_thread *thread, uint32_t n)
{
	uint64_t *bigger = n > thread->n_armed ? realloc(thread->armed_us, n * sizeof(*bigger))
					       : thread->armed_us;

	if (!bigger)
		return -ENOMEM;
	for (uint32_t e = thread->n_armed; e < n; e++)
		bigger[e] = 0;
	thread->armed_us = bigger;
	thread->n_armed = n > thread->n_armed ? n : thread->n_armed;
	return 0;
}

int ep_reduced_take_armed(struct ep_taking *t)
{
	uint32_t number, event, idx;
	uint64_t us;

	ep_field_u32(&t->fields, &number);
	ep_field_u32(&t->fields, &event);
	ep_field_u(&t->fields, &us);
	event = ep_id_map_find(&t->input->events, event);
	if (t->fields.in.bad || event == EP_NONE)
		return -EBADMSG;
	if (ep_taking_thread(t, number, &idx) || grow_armed(&t->trace->threads[idx], event + 1))
		return -ENOMEM;
	t->trace->threads[idx].armed_us[event] += us;
	return 0;
}

int ep_reduced_take_wait(struct ep_taking *t)
{
	struct ep_reduced_wait wait = { 0 };
	struct ep_wait_cost *cost = &wait.cost;
	uint32_t idx;

	ep_reduced_wait_fields(&t->fields, &wait);
	if (t->fields.in.bad)
		return -EBADMSG;
	cost->path_idx = ep_taking_path(t, cost->path_idx);
	cost->holder_path_idx = ep_id_map_find(&t->input->paths, cost->holder_path_idx);
	cost->lock_module_idx = ep_id_map_find(&t->input->modules, cost->lock_module_idx);
	cost->name = wait.name.text ? ep_taking_keep(t, &wait.name) : NULL;
	if ((wait.name.text && !cost->name) || ep_taking_thread(t, wait.thread, &cost->thread_idx))
		return -ENOMEM;
	return ep_wait_cost_add(t->trace, cost, &idx);
}
