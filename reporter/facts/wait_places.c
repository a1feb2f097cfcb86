// SPDX-License-Identifier: BSD-3-Clause
/* Finds where threads waited: merges the trace's waits, which are by thread and lock, into rows by call path,
 * kind and name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/runtimes.h"
#include "reporter/facts/wait_sums.h"

#define MAX_NAMES EP_WAIT_MAX_NAMES_OF_PATH

struct wait_kind {
	const char *name, *title;
};

static const struct wait_kind kinds[EP_N_WAIT_KINDS] = {
	[0] = { "other", "something else" },
	[EP_WAIT_MUTEX] = { "mutex", "a mutex" },
	[EP_WAIT_RWLOCK] = { "rwlock", "a read-write lock" },
	[EP_WAIT_CONDITION] = { "condition", "a condition variable" },
	[EP_WAIT_SEMAPHORE] = { "semaphore", "a semaphore" },
	[EP_WAIT_BARRIER] = { "barrier", "a barrier" },
	[EP_WAIT_JOIN] = { "join", "the end of a thread" },
	[EP_WAIT_READ] = { "read", "data" },
	[EP_WAIT_WRITE] = { "write", "room to write" },
	[EP_WAIT_ACCEPT] = { "accept", "a connection" },
	[EP_WAIT_CONNECT] = { "connect", "a server to answer" },
	[EP_WAIT_POLL] = { "poll", "any of several descriptors" },
	[EP_WAIT_SLEEP] = { "sleep", "time to pass" },
	[EP_WAIT_CHILD] = { "child", "a process" },
	[EP_WAIT_FILE_LOCK] = { "file-lock", "the lock of a file" },
	[EP_WAIT_SYNC] = { "sync", "the disk" },
	[EP_WAIT_SIGNAL] = { "signal", "a signal" },
};

/* The kind of waits for Python's global lock. This kind is found by the lock itself, since the functions that
 * wait for it also wait for other locks. */
static const struct wait_kind gil = { "gil", "Python's global lock" };

static uint8_t known_kind(uint8_t kind)
{
	return kind < EP_N_WAIT_KINDS ? kind : 0;
}

/* ---- names of call paths ---- */

static enum ep_wait_whose whose_script(const char *path)
{
	return ep_script_is_of_library(path) ? EP_WAIT_LIBRARY_SCRIPT : EP_WAIT_OWN;
}

/* Tells to whom a procedure belongs. A program that runs a script, such as an interpreter, is not the user's
 * own, since the user cannot change it. */
static enum ep_wait_whose whose_is(const struct ep_builder *b, const struct ep_symbol *symbol)
{
	const struct ep_module_info *module;

	if (!symbol->is_known || ep_symbol_is_of_headers(symbol))
		return EP_WAIT_OTHERS;
	if (symbol->module_idx >= b->trace->n_modules)
		return EP_WAIT_OWN;
	module = &b->trace->modules[symbol->module_idx];
	if (module->is_script)
		return whose_script(module->path);
	return ep_report_is_programs(b->report, module->path) &&
			       !ep_runtime_of_file(b->trace, module->path)
		       ? EP_WAIT_OWN
		       : EP_WAIT_OTHERS;
}

bool ep_is_start(const char *name)
{
	static const char *const starts[] = { "_start", "__libc_start_main",
		"__libc_start_main_impl", "__libc_start_call_main", "start_thread", "clone",
		"clone3", "__clone3" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])) &&
			strchr("@", name[strlen(starts[i])]))
			return true;
	return false;
}

/* Adds the names of a path's frames. with_headers: includes frames in the C++ library's headers, which say
 * little about where the program waits. */
static int add_frames(
	struct ep_wait_adding *adding, uint32_t path_idx, bool is_return, bool with_headers)
{
	const struct ep_path *path = &adding->builder->trace->paths[path_idx];
	const struct ep_frame *frames;
	uint32_t n;

	if (ep_symbols_resolve(adding->builder->symbols, path->module_idx, path->address, is_return,
		    &frames, &n))
		return -1;
	for (uint32_t i = 0; i < n && adding->n < MAX_NAMES; i++) {
		const struct ep_symbol *symbol =
			ep_symbols_get(adding->builder->symbols, frames[i].symbol_idx);

		if (ep_is_start(symbol->short_name) ||
			(!with_headers && ep_symbol_is_of_headers(symbol)))
			continue;
		adding->whose[adding->n] = whose_is(adding->builder, symbol);
		adding->names[adding->n++] = symbol->short_name;
	}
	return 0;
}

static int name_frames(struct ep_wait_adding *adding, uint32_t path_idx, bool with_headers)
{
	const struct ep_trace *trace = adding->builder->trace;
	bool is_return = false;

	adding->n = 0;
	for (uint32_t i = path_idx; i != EP_NONE && trace->paths[i].parent_idx != EP_NONE &&
				    trace->paths[i].module_idx != EP_NONE && adding->n < MAX_NAMES;
		i = trace->paths[i].parent_idx) {
		if (add_frames(adding, i, is_return, with_headers))
			return -1;
		is_return = true;
	}
	return 0;
}

static int name_path(struct ep_wait_adding *adding, uint32_t path_idx)
{
	if (name_frames(adding, path_idx, false))
		return -1;
	return adding->n ? 0 : name_frames(adding, path_idx, true);
}

static const char *join_names(const struct ep_wait_adding *adding)
{
	const char *text = "";

	for (uint32_t i = adding->n; i-- > 0;)
		text = ep_builder_text(
			adding->builder, "%s%s%s", text, text[0] ? " > " : "", adding->names[i]);
	return ep_builder_text(adding->builder, "%s", text);
}

static const char *own_of(const struct ep_wait_adding *adding)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < adding->n; i++)
		if (adding->whose[i] > adding->whose[best])
			best = i;
	return adding->n ? adding->names[best] : "";
}

/* ---- rows ---- */

static bool is_same(const struct ep_report_wait *a, const struct ep_report_wait *b)
{
	return a->kind == b->kind && a->path == b->path && a->what == b->what;
}

/* Adds time to a holder's place. If there are more places than there is room for, the others are left out: a
 * mutex is mostly held in few places. */
static void add_holder(struct ep_report_wait *row, const struct ep_report_holder *holder)
{
	uint32_t i = 0;

	while (i < row->n_holders &&
		(row->holders[i].path != holder->path || row->holders[i].kind != holder->kind))
		i++;
	if (i == EP_MAX_HOLDERS)
		return;
	if (i == row->n_holders)
		row->holders[row->n_holders++] = (struct ep_report_holder){ holder->path,
			holder->procedure, holder->kind, 0 };
	row->holders[i].ns += holder->ns;
}

/* In a process with at most ALL_NOTED waits, of which at most ALL_SHORT_NOTED are shorter than LONG_NS, each
 * wait is recorded; see preload/thread/wait_choice.h. */
#define ALL_NOTED 128
#define ALL_SHORT_NOTED 16
#define LONG_NS 2000000

/* Tells whether the sum shows that a recorded wait stands for several: if each wait is recorded, the summed time is at
 * most the number of waits times the longest, and equals the longest if there is one wait. Such sums are possible in a
 * process with few waits, too, since calls that compute end the time in which every wait is recorded. */
static bool stands_for_more(const struct ep_wait_cost *wait)
{
	return wait->n_waits == 1
		       ? wait->off_ns != wait->longest_ns
		       : (double)wait->off_ns > (double)wait->n_waits * (double)wait->longest_ns;
}

/* Returns how many waits of a sum can be short at most: with one more short wait, the sum could not be as
 * large as it is, even if all others were as long as the longest. */
static uint64_t most_short(const struct ep_wait_cost *wait)
{
	double most_ns = (double)wait->longest_ns, n = (double)wait->n_waits;

	if (most_ns < LONG_NS)
		return wait->n_waits;
	return wait->n_waits > 1 && most_ns > LONG_NS
		       ? (uint64_t)fmax(
				 0, (n * most_ns - (double)wait->off_ns) / (most_ns - LONG_NS))
		       : 0;
}

static void count(struct ep_wait_number *number, const struct ep_wait_cost *wait)
{
	if (!wait->off_ns)
		return;
	number->n += wait->n_waits;
	number->n_short += most_short(wait);
	number->has_chosen |= stands_for_more(wait);
}

bool ep_wait_is_estimate(const struct ep_wait_adding *adding, const struct ep_wait_cost *wait)
{
	const struct ep_trace *trace = adding->builder->trace;
	uint32_t process_idx = trace->threads[wait->thread_idx].process_idx;

	const struct ep_wait_number *of = &adding->of_process[process_idx];

	if (ep_wait_shown(&trace->part, wait).is_cut)
		return true;
	return (of->has_chosen || of->n > ALL_NOTED || of->n_short > ALL_SHORT_NOTED) &&
	       !(wait->n_waits == 1 && wait->off_ns == wait->longest_ns);
}

static void add_to(const struct ep_wait_adding *adding, struct ep_report_wait *row,
	const struct ep_wait_cost *wait)
{
	row->is_estimate |= ep_wait_is_estimate(adding, wait);
	row->n_threads += !row->n_threads || row->last_thread_idx != wait->thread_idx;
	row->last_thread_idx = wait->thread_idx;
	ep_wait_add(&row->sum, &adding->builder->trace->part, wait);
}

static bool same_row(const void *owner, uint32_t idx, const void *key)
{
	return is_same(&((const struct ep_report *)owner)->noted_waits[idx], key);
}

/* Finds or adds the row of a wait. Texts are stored once each, so that equal texts have the same address. */
static struct ep_report_wait *find_row(struct ep_wait_adding *adding, struct ep_report_wait *row)
{
	struct ep_report *r = adding->builder->report;
	uint64_t hash = ep_hash_mix((uintptr_t)row->path, (uintptr_t)row->what);
	uint32_t idx;

	hash = ep_hash_mix(hash, (uintptr_t)row->kind);
	idx = ep_index_find(&adding->row_index, hash, same_row, r, row);
	if (idx != EP_NONE)
		return &r->noted_waits[idx];
	if (EP_ARRAY_RESERVE(r->noted_waits, r->n_noted_waits, r->noted_wait_capacity) ||
		ep_index_add(&adding->row_index, hash, r->n_noted_waits))
		return NULL;
	row->row_idx = r->n_noted_waits;
	r->noted_waits[r->n_noted_waits] = *row;
	return &r->noted_waits[r->n_noted_waits++];
}

static int describe(
	struct ep_wait_adding *adding, const struct ep_wait_cost *wait, struct ep_report_wait *row)
{
	const struct wait_kind *kind = &kinds[known_kind(wait->kind)];

	*row = (struct ep_report_wait){ .what = wait->name };
	if ((!row->what && ep_wait_lock_name(adding->builder, wait, &row->what)) ||
		name_path(adding, wait->path_idx))
		return -1;
	if (ep_wait_is_for_gil(adding->builder, wait, row->what)) {
		kind = &gil;
		row->what = ep_wait_gil_name;
	} else if (ep_wait_is_threading_join(adding, wait)) {
		kind = &kinds[EP_WAIT_JOIN];
		row->what = NULL;
	}
	row->kind = kind->name;
	row->title = kind->title;
	row->path = join_names(adding);
	row->procedure = own_of(adding);
	return 0;
}

static uint64_t shown_ns(const struct ep_wait_adding *adding, const struct ep_wait_cost *wait)
{
	return (uint64_t)(ep_wait_shown(&adding->builder->trace->part, wait).ns + .5);
}

static int take_holder(
	struct ep_wait_adding *adding, const struct ep_wait_cost *wait, struct ep_report_wait *row)
{
	struct ep_report_holder holder = { .ns = shown_ns(adding, wait) };

	if (wait->holder_path_idx == EP_NONE)
		return 0;
	if (name_path(adding, wait->holder_path_idx))
		return -1;
	holder.path = join_names(adding);
	holder.procedure = own_of(adding);
	if (wait->holder_kind)
		holder.kind = kinds[known_kind(wait->holder_kind)].title;
	add_holder(row, &holder);
	return 0;
}

static void add_to_kinds(const struct ep_wait_adding *adding, const struct ep_wait_cost *wait,
	const struct ep_report_wait *row)
{
	struct ep_report *r = adding->builder->report;
	uint64_t ns = shown_ns(adding, wait);

	r->noted_ns += ns;
	if (row->kind == gil.name || wait->kind == EP_WAIT_MUTEX || wait->kind == EP_WAIT_RWLOCK)
		r->lock_ns += ns;
	if (row->kind == kinds[EP_WAIT_JOIN].name || wait->kind == EP_WAIT_CHILD)
		r->end_ns += ns;
}

static int add_wait(struct ep_wait_adding *adding, struct ep_wait_cost *wait)
{
	const struct ep_sum_share shown = ep_wait_shown(&adding->builder->trace->part, wait);
	struct ep_report_wait row, *sum;

	wait->row_idx = EP_NONE;
	if (!wait->off_ns)
		adding->builder->report->n_unseen_calls += (uint64_t)(shown.n + .5);
	if (shown.ns <= 0)
		return 0;
	if (describe(adding, wait, &row))
		return -1;
	sum = find_row(adding, &row);
	if (!sum || ep_wait_add_lock(adding, wait, &row) ||
		ep_wait_add_thread(adding, wait, sum->row_idx))
		return -1;
	add_to(adding, sum, wait);
	wait->row_idx = sum->row_idx;
	add_to_kinds(adding, wait, &row);
	return take_holder(adding, wait, sum);
}

static int by_holder_time(const void *a, const void *b)
{
	const struct ep_report_holder *holder_a = a, *holder_b = b;

	return (holder_a->ns < holder_b->ns) - (holder_a->ns > holder_b->ns);
}

static void finish_row(const struct ep_report *r, struct ep_report_wait *row)
{
	row->share = r->noted_ns ? (double)row->ns / (double)r->noted_ns : 0;
	qsort(row->holders, row->n_holders, sizeof(row->holders[0]), by_holder_time);
}

/* Sorts pointers to waits by thread. The waits themselves keep their places, since other tables refer to them
 * by index. */
static int by_thread(const void *a, const void *b)
{
	const struct ep_wait_cost *wait_a = *(struct ep_wait_cost *const *)a,
				  *wait_b = *(struct ep_wait_cost *const *)b;

	if (wait_a->thread_idx != wait_b->thread_idx)
		return wait_a->thread_idx < wait_b->thread_idx ? -1 : 1;
	return (wait_a > wait_b) - (wait_a < wait_b);
}

static int by_time(const void *a, const void *b)
{
	const struct ep_report_wait *wait_a = a, *wait_b = b;

	if (wait_a->ns != wait_b->ns)
		return wait_a->ns < wait_b->ns ? 1 : -1;
	return strcmp(wait_a->path, wait_b->path);
}

static bool were_noted(const struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].meta[EP_META_WAITS])
			return !trace->part.region || !trace->waits_lack_regions;
	return false;
}

/* Sorts and completes the rows, and sets the row's index in each wait. */
static void finish_rows(struct ep_builder *builder)
{
	struct ep_trace *trace = builder->trace;
	struct ep_report *r = builder->report;
	EP_AUTOFREE uint32_t *place = NULL;

	for (uint32_t i = 0; i < r->n_noted_waits; i++) {
		struct ep_report_wait *row = &r->noted_waits[i];

		ep_wait_round(&row->sum, &row->n_waits, &row->ns, &row->longest_ns);
	}
	if (r->n_noted_waits)
		qsort(r->noted_waits, r->n_noted_waits, sizeof(r->noted_waits[0]), by_time);
	place = ep_builder_calloc(builder, r->n_noted_waits + 1, sizeof(*place));
	for (uint32_t i = 0; i < r->n_noted_waits && place; i++) {
		finish_row(r, &r->noted_waits[i]);
		place[r->noted_waits[i].row_idx] = i;
	}
	for (uint32_t i = 0; i < trace->n_waits && place; i++)
		if (trace->waits[i].row_idx != EP_NONE)
			trace->waits[i].row_idx = place[trace->waits[i].row_idx];
}

void ep_build_waits(struct ep_builder *builder)
{
	struct ep_trace *trace = builder->trace;
	struct ep_report *r = builder->report;
	EP_AUTOFREE struct ep_wait_number *of_process =
		ep_builder_calloc(builder, trace->n_processes + 1, sizeof(*of_process));
	EP_AUTOFREE struct ep_wait_cost **ordered =
		ep_builder_calloc(builder, trace->n_waits + 1, sizeof(*ordered));
	struct ep_wait_adding adding = { .builder = builder, .of_process = of_process };

	if (!of_process || !ordered)
		return;
	for (uint32_t i = 0; i < trace->n_waits; i++)
		count(&of_process[trace->threads[trace->waits[i].thread_idx].process_idx],
			&trace->waits[i]);
	r->has_noted_waits = were_noted(trace);
	r->waits_lack_regions = trace->part.region && trace->waits_lack_regions;
	r->n_noted_lost = trace->n_lost_waits;
	for (uint32_t i = 0; i < trace->n_waits; i++)
		ordered[i] = &trace->waits[i];
	if (trace->n_waits)
		qsort(ordered, trace->n_waits, sizeof(*ordered), by_thread);
	for (uint32_t i = 0; i < trace->n_waits && !builder->out_of_memory; i++)
		builder->out_of_memory |= add_wait(&adding, ordered[i]) != 0;
	finish_rows(builder);
	ep_wait_finish_locks(builder);
	ep_wait_finish_threads(builder);
	ep_index_finish(&adding.row_index);
	ep_index_finish(&adding.lock_index);
	r->n_noted_waits_shown = builder->options->top && r->n_noted_waits > builder->options->top
					 ? builder->options->top
					 : r->n_noted_waits;
}
