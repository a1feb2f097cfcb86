// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes Perfetto's trace: the messages of github.com/google/perfetto, protos/perfetto/trace, which defines the numbers
 * of fields below. Each thread is a track of nested slices, which show the call paths of the thread's samples. Below
 * each thread's track are tracks of counters, with the counts that were measured. All of this runs on one thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/export.h"
#include "reporter/export/proto.h"
#include "reporter/export/tree_walk.h"

enum trace_field { TRACE_PACKET = 1 };
enum packet_field {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum sequence_flags { SEQUENCE_STATE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum interned_field { INTERNED_EVENT_NAMES = 2 };
enum event_name_field { EVENT_NAME_IID = 1, EVENT_NAME_NAME = 2 };
enum descriptor_field {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT_UUID = 5,
	DESCRIPTOR_COUNTER = 8,
	DESCRIPTOR_DESCRIPTION = 14,
};
enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum counter_field { COUNTER_UNIT_NAME = 6, COUNTER_IS_INCREMENTAL = 5 };
enum event_field {
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
};
enum event_type { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

/* Kinds of tracks. The kind is a part of a track's number, and is not 0, since number 0 means no track. */
enum track_kind {
	TRACK_NOTES = 1,
	TRACK_PROCESS = 2,
	TRACK_THREAD = 3,
	TRACK_COUNTER = 4,
	TRACK_OFF = 5,
};

struct perfetto {
	const struct ep_export *export;
	FILE *out;
	struct ep_proto top, packet, inner, innermost, name;
	struct ep_tree_walk walk;
	double *factors; /* (n_paths) factors by which CPU time in the log is multiplied to get the report's time */
	bool *is_named; /* (n_symbols) the name is in the file; its id is the symbol's index plus one */
	double *carries; /* (n_paths) ns that rounding has taken from a path's slices so far */
	uint32_t *turns; /* (n_processes) earlier processes of the pid, as find_turns() counts */
	bool has_begun;  /* a packet was written */
	uint32_t *open;  /* (n_open) nodes whose slices have begun on the track, outermost first */
	uint32_t n_open;
	uint32_t *chain;    /* (n_nodes) memory of show_node(): a node and those above it */
	bool has_off_track; /* the current thread has a track of its waits */
};

static uint64_t track_of(enum track_kind kind, uint64_t idx)
{
	return (uint64_t)kind << 56 | idx;
}

/* ---- packets ---- */

#define ENOUGH_BYTES (1 << 16)

static void flush_top(struct perfetto *p, bool is_end)
{
	if (p->top.size < ENOUGH_BYTES && !is_end)
		return;
	fwrite(p->top.bytes, p->top.size, 1, p->out);
	p->top.size = 0;
}

static void put_packet(struct perfetto *p)
{
	uint64_t flags = SEQUENCE_NEEDS_STATE | (p->has_begun ? 0 : SEQUENCE_STATE_CLEARED);

	p->has_begun = true;
	ep_proto_number(&p->packet, PACKET_SEQUENCE_ID, 1);
	ep_proto_number(&p->packet, PACKET_SEQUENCE_FLAGS, flags);
	ep_proto_inner(&p->top, TRACE_PACKET, &p->packet);
	flush_top(p, false);
}

/* Writes a packet with the event in p->inner, after adding type and track to the event. */
static void put_event(struct perfetto *p, uint64_t at_ns, enum event_type type, uint64_t track)
{
	ep_proto_number(&p->inner, EVENT_TYPE, type);
	ep_proto_number(&p->inner, EVENT_TRACK_UUID, track);
	ep_proto_number(&p->packet, PACKET_TIMESTAMP, at_ns);
	ep_proto_inner(&p->packet, PACKET_TRACK_EVENT, &p->inner);
	put_packet(p);
}

static void put_descriptor(struct perfetto *p)
{
	ep_proto_inner(&p->packet, PACKET_TRACK_DESCRIPTOR, &p->inner);
	put_packet(p);
}

/* ---- notes ---- */

static void put_note(struct perfetto *p, const char *sentence)
{
	ep_proto_text(&p->inner, EVENT_NAME, sentence);
	put_event(p, ep_trace_birth_ns(p->export->trace), TYPE_INSTANT, track_of(TRACK_NOTES, 0));
}

static void put_period_note(struct perfetto *p)
{
	char text[320];

	snprintf(text, sizeof(text),
		"Slices are drawn from one sample to the next, %.3g ms of CPU time apart: a call that lasts less may be missing, or look longer than it was. Where there is none the thread did not run.",
		p->export->report->period_ms);
	put_note(p, text);
}

static void put_merged_note(struct perfetto *p)
{
	uint32_t n = p->export->times->n_per_entry,
		 n_counts = p->export->times->counts->n_per_entry;
	char text[256];

	snprintf(text, sizeof(text),
		"There are too many samples for a viewer: up to %" PRIu32
		" of a thread that follow each other, and %" PRIu32
		" counts of an event, are one here, with all their time and the place of one of them, drawn by chance.",
		n, n_counts);
	if (n > 1 || n_counts > 1)
		put_note(p, text);
}

static void put_notes(struct perfetto *p)
{
	const struct ep_report *report = p->export->report;

	ep_proto_number(&p->inner, DESCRIPTOR_UUID, track_of(TRACK_NOTES, 0));
	ep_proto_text(&p->inner, DESCRIPTOR_NAME, "evprof: how to read this");
	put_descriptor(p);
	if (report->command)
		put_note(p, report->command);
	if (report->selection)
		put_note(p, report->selection);
	put_period_note(p);
	put_note(p,
		"Counters add up what was measured, and nothing is estimated: where others were counted they stand still, and their sums are below those of the report.");
	put_merged_note(p);
}

/* ---- tracks ---- */

/* Linux gives no higher pid (PID_MAX_LIMIT in linux/threads.h). */
#define PIDS (1u << 22)

/* Counts, for each process, the earlier processes with the same pid that are really different ones, since a viewer
 * takes processes with one pid for one process. Processes of several machines, or of a pid that was used again, are
 * different. Programs that follow each other by exec in one process are not. */
static void find_turns(struct perfetto *p)
{
	const struct ep_trace *trace = p->export->trace;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *process = &trace->processes[i], *last = NULL;

		for (uint32_t j = 0; j < i; j++)
			if (trace->processes[j].key.pid == process->key.pid) {
				last = &trace->processes[j];
				p->turns[i] = p->turns[j] > p->turns[i] ? p->turns[j] : p->turns[i];
			}
		p->turns[i] += last && (process->born != EP_BORN_EXEC ||
					       process->file_idx != last->file_idx);
	}
}

/* Returns the pid or tid that the viewer gets: id plus a multiple of PIDS for later processes with the same pid. The
 * first process of a pid keeps its number. */
static uint64_t id_of(const struct perfetto *p, uint32_t process_idx, uint32_t id)
{
	return id + (uint64_t)(p->turns[process_idx] % (INT32_MAX / PIDS)) * PIDS;
}

static char *process_name(const struct perfetto *p, uint32_t process_idx)
{
	const struct ep_trace_process *process = &p->export->trace->processes[process_idx];
	const char *program = ep_trace_process_program(process),
		   *rank = process->meta[EP_META_RANK], *host = process->meta[EP_META_HOST];
	char own[64] = "", *name;

	if (p->turns[process_idx])
		snprintf(own, sizeof(own), " (pid %" PRIu32 "%s%.32s)", process->key.pid,
			host ? " on " : "", host ? host : "");
	return asprintf(&name, "%s%s%s%s", program ? program : "[unknown]", rank ? " rank " : "",
		       rank ? rank : "", own) < 0
		       ? NULL
		       : name;
}

static void put_process(struct perfetto *p, uint32_t process_idx)
{
	uint32_t pid = p->export->trace->processes[process_idx].key.pid;
	EP_AUTOFREE char *name = process_name(p, process_idx);

	ep_proto_number(&p->innermost, PROCESS_PID, id_of(p, process_idx, pid));
	ep_proto_text(&p->innermost, PROCESS_NAME, name ? name : "");
	ep_proto_number(&p->inner, DESCRIPTOR_UUID, track_of(TRACK_PROCESS, process_idx));
	ep_proto_inner(&p->inner, DESCRIPTOR_PROCESS, &p->innermost);
	put_descriptor(p);
}

static void put_thread(struct perfetto *p, uint32_t thread_idx)
{
	const struct ep_trace_thread *thread = &p->export->trace->threads[thread_idx];
	uint32_t pid = p->export->trace->processes[thread->process_idx].key.pid;

	ep_proto_number(&p->innermost, THREAD_PID, id_of(p, thread->process_idx, pid));
	ep_proto_number(&p->innermost, THREAD_TID, id_of(p, thread->process_idx, thread->tid));
	ep_proto_text(&p->innermost, THREAD_NAME, thread->name ? thread->name : "[unknown]");
	ep_proto_number(&p->inner, DESCRIPTOR_UUID, track_of(TRACK_THREAD, thread_idx));
	ep_proto_number(
		&p->inner, DESCRIPTOR_PARENT_UUID, track_of(TRACK_PROCESS, thread->process_idx));
	ep_proto_inner(&p->inner, DESCRIPTOR_THREAD, &p->innermost);
	put_descriptor(p);
}

static void put_counter(struct perfetto *p, uint32_t thread_idx, uint32_t e)
{
	const struct ep_event_info *event = &p->export->trace->events[e];
	uint64_t track = track_of(TRACK_COUNTER, (uint64_t)thread_idx * EP_COUNT_EVENTS + e);

	ep_proto_text(&p->innermost, COUNTER_UNIT_NAME,
		event->unit && *event->unit ? event->unit : "events");
	ep_proto_number(&p->innermost, COUNTER_IS_INCREMENTAL, 1);
	ep_proto_number(&p->inner, DESCRIPTOR_UUID, track);
	ep_proto_number(&p->inner, DESCRIPTOR_PARENT_UUID, track_of(TRACK_THREAD, thread_idx));
	ep_proto_text(&p->inner, DESCRIPTOR_NAME, event->name);
	ep_proto_text(&p->inner, DESCRIPTOR_DESCRIPTION, "what was measured, added up");
	ep_proto_inner(&p->inner, DESCRIPTOR_COUNTER, &p->innermost);
	put_descriptor(p);
}

static uint64_t born_ns(const struct perfetto *p, uint32_t thread_idx)
{
	const struct ep_trace *trace = p->export->trace;

	return trace->processes[trace->threads[thread_idx].process_idx].born_ns;
}

static void put_counts(struct perfetto *p, uint32_t thread_idx, uint32_t e)
{
	const struct ep_count_row *row = ep_count_log_row(p->export->times->counts, thread_idx, e);
	uint64_t track = track_of(TRACK_COUNTER, (uint64_t)thread_idx * EP_COUNT_EVENTS + e);

	if (!row || !row->n_entries)
		return;
	put_counter(p, thread_idx, e);
	for (uint32_t i = 0; i < row->n_entries; i++) {
		uint64_t at_ns = born_ns(p, thread_idx) + 1000 * row->entries[i].end_us;

		if (!row->entries[i].count) /* the counter did not change */
			continue;
		ep_proto_number(&p->inner, EVENT_COUNTER_VALUE, row->entries[i].count);
		put_event(p, at_ns, TYPE_COUNTER, track);
	}
}

/* ---- slices ---- */

static void intern(struct perfetto *p, uint32_t symbol_idx)
{
	const struct ep_symbol *symbol = ep_symbols_get(p->export->symbols, symbol_idx);

	if (p->is_named[symbol_idx])
		return;
	p->is_named[symbol_idx] = true;
	ep_proto_number(&p->innermost, EVENT_NAME_IID, symbol_idx + 1);
	ep_proto_text(&p->innermost, EVENT_NAME_NAME, symbol->name);
	ep_proto_inner(&p->name, INTERNED_EVENT_NAMES, &p->innermost);
	ep_proto_inner(&p->packet, PACKET_INTERNED_DATA, &p->name);
}

static void close_slices(struct perfetto *p, uint64_t at_ns, uint32_t n_kept, uint64_t track)
{
	while (p->n_open > n_kept) {
		p->n_open--;
		put_event(p, at_ns, TYPE_SLICE_END, track);
	}
}

static void open_slice(struct perfetto *p, uint64_t at_ns, uint32_t node, uint64_t track)
{
	uint32_t symbol_idx = p->walk.nodes[node].symbol_idx;

	intern(p, symbol_idx);
	ep_proto_number(&p->inner, EVENT_NAME_ID, symbol_idx + 1);
	put_event(p, at_ns, TYPE_SLICE_BEGIN, track);
	p->open[p->n_open++] = node;
}

/* Begins the slices of a node and of the nodes above it. Open slices that are among these stay open; the others are
 * ended. */
static void show_node(struct perfetto *p, uint64_t at_ns, uint32_t node, uint64_t track)
{
	uint32_t depth = 0, n_kept = 0;

	for (uint32_t i = node; i; i = p->walk.nodes[i].parent)
		p->chain[depth++] = i;
	while (n_kept < p->n_open && n_kept < depth &&
		p->open[n_kept] == p->chain[depth - 1 - n_kept])
		n_kept++;
	close_slices(p, at_ns, n_kept, track);
	while (p->n_open < depth)
		open_slice(p, at_ns, p->chain[depth - 1 - p->n_open], track);
}

/* Tells whether there is a gap before a slice. A slice's wall time is always a little more than its CPU time. Therefore
 * a gap of at most 1/20 of the slice's duration is not drawn: the slice begins at once, and the time of the gap adds to
 * the next gap. */
static bool is_gap(uint64_t from_ns, uint64_t to_ns, uint64_t duration_ns)
{
	return to_ns > from_ns && 20 * (to_ns - from_ns) > duration_ns;
}

#define LEAST_OFF_NS 100000 /* shortest wait that is drawn; traces record no shorter ones */

/* Draws a wait on a separate track below the thread's, since it is not known in which call the thread waited. */
static void put_off(struct perfetto *p, uint32_t thread_idx, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t track = track_of(TRACK_OFF, thread_idx);

	if (!from_ns || to_ns < from_ns + LEAST_OFF_NS)
		return;
	if (!p->has_off_track) {
		p->has_off_track = true;
		ep_proto_number(&p->inner, DESCRIPTOR_UUID, track);
		ep_proto_number(
			&p->inner, DESCRIPTOR_PARENT_UUID, track_of(TRACK_THREAD, thread_idx));
		ep_proto_text(&p->inner, DESCRIPTOR_NAME, "off the CPU");
		ep_proto_text(&p->inner, DESCRIPTOR_DESCRIPTION,
			"the thread slept, was blocked, or was ready without a CPU");
		put_descriptor(p);
	}
	ep_proto_text(&p->inner, EVENT_NAME, "off the CPU");
	put_event(p, from_ns, TYPE_SLICE_BEGIN, track);
	put_event(p, to_ns, TYPE_SLICE_END, track);
}

/* Returns a slice's duration in ns. The remainder that rounding takes from the slice is added to the next slice of the
 * same path. */
static uint64_t duration_of(struct perfetto *p, const struct ep_time_entry *entry)
{
	double *carry = &p->carries[entry->path_idx];
	double exact = 1000 * (double)entry->cpu_us * p->factors[entry->path_idx] + *carry;
	uint64_t rounded = exact > 0 ? (uint64_t)(exact + 0.5) : 0;

	*carry = exact - (double)rounded;
	return rounded;
}

/* Draws the slices of a thread. It is not known when, within a sample's time, the thread did not run; the gap is drawn
 * at the beginning of that time. Entries of the log that end at the same moment are parts of one slice, and are drawn
 * one after the other. */
static void put_slices(struct perfetto *p, uint32_t thread_idx)
{
	const struct ep_thread_log *log = &p->export->times->threads[thread_idx];
	uint64_t track = track_of(TRACK_THREAD, thread_idx), last_ns = 0, behind_us = 0;

	p->n_open = 0;
	p->has_off_track = false;
	for (uint32_t i = 0; i < log->n_entries; i++) {
		const struct ep_time_entry *entry = &log->entries[i];
		uint64_t duration_ns = duration_of(p, entry), end_ns, from_ns;

		ep_thread_log_step(log, i, &behind_us);
		end_ns = born_ns(p, thread_idx) +
			 1000 * (entry->end_us > behind_us ? entry->end_us - behind_us : 0);
		from_ns = end_ns > duration_ns ? end_ns - duration_ns : 0;
		if (!duration_ns)
			continue;
		if (!is_gap(last_ns, from_ns, duration_ns)) {
			from_ns = last_ns;
		} else {
			close_slices(p, last_ns, 0, track);
			put_off(p, thread_idx, last_ns, from_ns);
		}
		show_node(p, from_ns, p->walk.node_of_path[entry->path_idx], track);
		last_ns = from_ns + duration_ns;
	}
	close_slices(p, last_ns, 0, track);
}

/* ---- the file ---- */

static int prepare(struct perfetto *p)
{
	const struct ep_trace *trace = p->export->trace;

	if (ep_tree_walk_init(&p->walk))
		return -ENOMEM;
	p->factors = calloc(trace->n_paths + 1, sizeof(*p->factors));
	p->carries = calloc(trace->n_paths + 1, sizeof(*p->carries));
	p->turns = calloc(trace->n_processes + 1, sizeof(*p->turns));
	p->is_named = calloc(ep_symbols_count(p->export->symbols) + 1, sizeof(*p->is_named));
	p->open = calloc(p->walk.n_nodes + 1, sizeof(*p->open));
	p->chain = calloc(p->walk.n_nodes + 1, sizeof(*p->chain));
	if (!p->factors || !p->carries || !p->turns || !p->is_named || !p->open || !p->chain)
		return -ENOMEM;
	find_turns(p);
	ep_time_log_find_factors(p->export->times, trace, p->factors);
	return 0;
}

static int put_all(struct perfetto *p)
{
	const struct ep_trace *trace = p->export->trace;

	put_notes(p);
	for (uint32_t i = 0; i < trace->n_processes; i++)
		put_process(p, i);
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		if (!trace->threads[i].is_wanted)
			continue;
		put_thread(p, i);
		if (i < p->export->times->n_threads)
			put_slices(p, i);
		for (uint32_t e = 0; e < trace->n_events; e++)
			put_counts(p, i, e);
	}
	flush_top(p, true);
	return p->top.out_of_memory ? -ENOMEM : 0;
}

static int write_perfetto(FILE *out, const struct ep_export *export, struct ep_error *err)
{
	struct perfetto p = { .out = out,
		.export = export,
		.walk = { .trace = export->trace, .symbols = export->symbols } };
	int rc = prepare(&p);

	if (!rc)
		rc = put_all(&p);
	ep_proto_finish(&p.top);
	ep_proto_finish(&p.packet);
	ep_proto_finish(&p.inner);
	ep_proto_finish(&p.innermost);
	ep_proto_finish(&p.name);
	ep_tree_walk_finish(&p.walk);
	free(p.factors);
	free(p.carries);
	free(p.turns);
	free(p.is_named);
	free(p.open);
	free(p.chain);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

const struct ep_export_format ep_export_perfetto = { .name = "perfetto",
	.by_thread = true,
	.has_times = true,
	.has_counts = true,
	.is_binary = true,
	.write = write_perfetto };
