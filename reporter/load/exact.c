// SPDX-License-Identifier: BSD-3-Clause
/* Callgrind's costs in a trace: selects the processes whose costs are used, and combines the costs with the
 * samples of other processes. One thread runs it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/loader.h"

/* ---- selecting the processes whose costs are used ---- */

bool ep_exact_keys_have(const struct exact_keys *keys, struct ep_process_key key)
{
	for (uint32_t i = 0; i < keys->n_keys; i++)
		if (keys->keys[i].pid == key.pid && keys->keys[i].birth_ns == key.birth_ns)
			return true;
	return false;
}

/* Counts a process's threads: out_n[0] those that are not wanted, out_n[1] those that are. */
static void count_wanted(const struct ep_trace *trace, uint32_t process_idx, uint32_t out_n[2])
{
	out_n[0] = out_n[1] = 0;
	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (trace->threads[i].process_idx == process_idx)
			out_n[trace->threads[i].is_wanted]++;
}

/* Tells whether all of callgrind's files of the process are there, without missing pieces. */
static bool is_whole(const struct ep_trace_process *process)
{
	return process->n_costs_files && !process->lacks_costs && !process->costs_at;
}

int ep_exact_keys_find(
	const struct ep_trace *trace, struct exact_keys *out, enum ep_costs_absence *out_absence)
{
	*out_absence = EP_COSTS_USED;
	for (uint32_t i = 0; i < trace->n_processes; i++) {
		uint32_t n_wanted[2];

		if (!is_whole(&trace->processes[i]))
			continue;
		count_wanted(trace, i, n_wanted);
		if (!n_wanted[1])
			continue;
		if (trace->part.is_set || n_wanted[0]) {
			*out_absence = trace->part.is_set ? EP_COSTS_NOT_OF_A_PART
							  : EP_COSTS_NOT_OF_A_THREAD;
			continue;
		}
		if (EP_ARRAY_RESERVE(out->keys, out->n_keys, out->capacity))
			return -ENOMEM;
		out->keys[out->n_keys++] = trace->processes[i].key;
	}
	return 0;
}

/* ---- reading ---- */

static struct open_costs *find_open(struct loader *loader, uint32_t process_idx, uint32_t file)
{
	for (uint32_t i = 0; i < loader->n_open_costs; i++)
		if (loader->open_costs[i].process_idx == process_idx &&
			loader->open_costs[i].file == file)
			return &loader->open_costs[i];
	return NULL;
}

static struct open_costs *open_costs(struct loader *loader, uint32_t process_idx, uint32_t file)
{
	struct ep_trace *trace = loader->trace;
	struct open_costs *row = find_open(loader, process_idx, file);

	if (row)
		return row;
	if (!trace->exact)
		trace->exact = calloc(1, sizeof(*trace->exact));
	if (trace->exact)
		trace->exact->keeps_instructions = loader->options->needs_instructions;
	if (!trace->exact || EP_ARRAY_RESERVE(loader->open_costs, loader->n_open_costs,
				     loader->open_costs_capacity))
		return NULL;
	row = &loader->open_costs[loader->n_open_costs];
	*row = (struct open_costs){ process_idx, file,
		ep_costs_reader_create(trace->exact, &trace->strings) };
	if (!row->reader)
		return NULL;
	loader->n_open_costs++;
	return row;
}

static int read_piece(
	struct loader *loader, uint32_t process_idx, const struct ep_costs_piece *piece)
{
	struct open_costs *row = open_costs(loader, process_idx, piece->file);
	struct ep_trace_process *process = &loader->trace->processes[process_idx];
	struct ep_floating_counts floating;
	struct ep_counts total;
	int rc;

	if (!row)
		return -ENOMEM;
	rc = ep_costs_reader_take(row->reader, piece->text, piece->size);
	if (!piece->is_last)
		return rc;
	ep_costs_reader_finish(row->reader, &total, &floating);
	ep_counts_add(&process->costs, &total);
	ep_floating_add(&process->floating, &floating);
	ep_costs_reader_destroy(row->reader);
	*row = loader->open_costs[--loader->n_open_costs];
	return rc;
}

int ep_costs_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_trace_process *process = &loader->trace->processes[process_idx];
	struct ep_costs_piece piece;

	if (ep_costs_decode(block, &piece))
		return -EBADMSG;
	process->lacks_costs |= piece.offset != process->costs_at;
	process->costs_at = piece.is_last ? 0 : piece.offset + piece.size;
	process->n_costs_files += piece.is_last;
	return process->has_costs ? read_piece(loader, process_idx, &piece) : 0;
}

/* ---- costs together with samples of other processes ---- */

static int name_event(struct ep_trace *trace, const char *name, uint32_t *out_idx)
{
	struct ep_event_info event = {
		.name = ep_strings_add(&trace->strings, name, strlen(name)),
		.unit = ep_strings_add(&trace->strings, "count", strlen("count")),
		.always = true,
	};

	return event.name && event.unit ? ep_event_add(trace, &event, out_idx) : -ENOMEM;
}

static int name_events(struct ep_trace *trace)
{
	struct ep_costs *exact = trace->exact;
	int rc = 0;

	for (int i = 0; !rc && i < EP_N_CALLGRIND_EVENTS; i++)
		rc = name_event(trace, ep_callgrind_events[i].name, &exact->event_idx[i]);
	for (int i = 0; !rc && !exact->lacks_floating && i < EP_N_FLOATING_EVENTS; i++)
		rc = name_event(trace, ep_floating_events[i].name, &exact->floating_idx[i]);
	return rc;
}

static int find_modules(struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->exact->n_procedures; i++) {
		struct ep_costs_procedure *procedure = &trace->exact->procedures[i];

		procedure->module_idx = EP_NONE;
		if (procedure->object && strcmp(procedure->object, "???") &&
			ep_module_at(trace, procedure->object, &procedure->module_idx))
			return -ENOMEM;
	}
	return 0;
}

/* Returns the simulated cycles per microsecond of the processes with costs; 1 where their threads took no
 * time. */
static double cycles_of_us(const struct ep_trace *trace)
{
	double us = 0;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (trace->processes[trace->threads[i].process_idx].has_costs)
			us += (double)trace->threads[i].cost.cpu_us;
	return us > 0 ? (double)ep_counts_cycles(&trace->exact->total) / us : 1;
}

static void scale(struct ep_sums *sums, double by)
{
	for (uint32_t e = 0; e < sums->n_rows; e++) {
		struct ep_event_sum *sum = &sums->rows[e];

		sum->measured_us = (uint64_t)((double)sum->measured_us * by);
		sum->filled_us = (uint64_t)((double)sum->filled_us * by);
		sum->missing_us = (uint64_t)((double)sum->missing_us * by);
	}
}

/* Converts the time of samples of other simulated processes to cycles, so that it can be added to callgrind's
 * costs. The rate is that of the processes with costs, since the samples do not have cycles: callgrind's
 * counts of a fork's child are not known at the child's ticks. */
static void take_cycles_for_time(struct ep_trace *trace)
{
	double cycles = cycles_of_us(trace);

	for (uint32_t i = 0; i < trace->n_costs; i++) {
		struct ep_cost *cost = &trace->costs[i].cost;

		cost->cpu_us = (uint64_t)((double)cost->cpu_us * cycles);
		scale(&trace->costs[i].sums, cycles);
	}
	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (!trace->processes[trace->threads[i].process_idx].has_costs)
			scale(&trace->threads[i].sums, cycles);
}

int ep_exact_finish(struct loader *loader)
{
	struct ep_trace *trace = loader->trace;

	if (!trace->exact)
		return 0;
	if (name_events(trace) || find_modules(trace))
		return -ENOMEM;
	take_cycles_for_time(trace);
	return 0;
}

/* Adds a count of callgrind's to an event. It counts as measured during all cycles, since callgrind counts
 * during a process's whole life. */
static void add_exact_event(struct ep_trace *trace, uint32_t event_idx, uint64_t count)
{
	struct ep_event_sum *sum = &trace->events[event_idx].sum;

	sum->measured += (double)count;
	sum->measured_us += ep_counts_cycles(&trace->exact->total);
}

static void add_floating(struct ep_trace *trace, int event)
{
	const struct ep_costs *exact = trace->exact;
	double error = ep_floating_error(&exact->floating, event);

	add_exact_event(trace, exact->floating_idx[event], exact->floating.of[event]);
	trace->events[exact->floating_idx[event]].sum.variance += error * error;
}

void ep_exact_add_sums(struct ep_trace *trace)
{
	const struct ep_costs *exact = trace->exact;

	for (int i = 0; i < EP_N_CALLGRIND_EVENTS; i++)
		add_exact_event(trace, exact->event_idx[i], exact->total.of[i]);
	for (int i = 0; !exact->lacks_floating && i < EP_N_FLOATING_EVENTS; i++)
		add_floating(trace, i);
}
