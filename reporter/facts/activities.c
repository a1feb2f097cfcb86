// SPDX-License-Identifier: BSD-3-Clause
/* Finds the activities that the time was spent on. The call tree is walked from the outermost frame inwards:
 * the first procedure with an activity (activity.h) gets all time below it, since a memcpy inside MPI_Send is
 * communication. Procedures that run the program's own code, such as the start of a parallel region, are the
 * exception: below them the next procedure with an activity decides again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

/* The activity of the time on a path. entry is the procedure that decided the activity; caller is the
 * procedure that called entry. */
struct walk_state {
	enum ep_activity activity;
	uint32_t entry, caller;
};

struct activity_item {
	const char *name;
	uint32_t caller;
	enum ep_activity activity;
	uint64_t us;
};

struct gathering {
	struct ep_builder *builder;
	/* (number of symbols so far) activity of each symbol; -1: not determined yet */
	signed char *activities;
	uint32_t n_activities, activity_capacity;
	struct walk_state *states; /* (n_calls) the walk's state in each call */
	/* (n_calls) the part of each call's own time in loops that only wait */
	uint64_t *waiting_us;
	/* (n_calls) the part of each call's own time in system calls */
	uint64_t *system_us;
	struct activity_item *items; /* one row for each activity, entry and caller */
	uint32_t n_items, capacity;
	struct ep_index index;
};

static const char *module_path(const struct gathering *g, const struct ep_symbol *symbol)
{
	const struct ep_trace *trace = g->builder->trace;

	return symbol->module_idx < trace->n_modules ? trace->modules[symbol->module_idx].path : "";
}

static int activity_of(struct gathering *g, uint32_t symbol_idx, enum ep_activity *out)
{
	const struct ep_symbol *symbol = ep_symbols_get(g->builder->symbols, symbol_idx);

	while (g->n_activities <= symbol_idx) {
		if (EP_ARRAY_RESERVE(g->activities, g->n_activities, g->activity_capacity))
			return -ENOMEM;
		g->activities[g->n_activities++] = -1;
	}
	if (g->activities[symbol_idx] < 0)
		g->activities[symbol_idx] = (signed char)ep_activity_of(
			symbol->kind, module_path(g, symbol), symbol->short_name);
	*out = (enum ep_activity)g->activities[symbol_idx];
	return 0;
}

static bool is_support(const struct gathering *g, uint32_t symbol_idx)
{
	const struct ep_symbol *symbol = ep_symbols_get(g->builder->symbols, symbol_idx);

	return ep_activity_is_support(symbol->kind, module_path(g, symbol));
}

/* Tells whether a symbol names the module that is imported: it is the first module's code below the start of
 * an import. */
static bool names_import(
	const struct gathering *g, uint32_t symbol_idx, const struct walk_state *state)
{
	const struct ep_symbol *symbol = ep_symbols_get(g->builder->symbols, symbol_idx);

	return state->activity == EP_ACTIVITY_IMPORT &&
	       g->activities[state->entry] == EP_ACTIVITY_IMPORT &&
	       ep_activity_is_module_body(symbol->short_name);
}

/* ---- gathering ---- */

static bool same_item(const void *owner, uint32_t idx, const void *key)
{
	const struct activity_item *a = &((const struct gathering *)owner)->items[idx], *b = key;

	return a->activity == b->activity && a->name == b->name && a->caller == b->caller;
}

/* Returns the name of an entry. Entries without a known name, or with a name that means nothing to a reader,
 * are counted together, under the name "". */
static const char *entry_name(struct gathering *g, const struct walk_state *state)
{
	const struct ep_symbol *symbol = ep_symbols_get(g->builder->symbols, state->entry);
	struct ep_strings *strings = &g->builder->trace->strings;
	char name[256];

	if (!symbol->is_known || !ep_activity_words[state->activity].has_entries ||
		(state->activity == EP_ACTIVITY_IMPORT &&
			!ep_activity_is_module_body(symbol->short_name)))
		return ep_strings_add(strings, "", 0);
	if (state->activity == EP_ACTIVITY_IMPORT)
		ep_activity_python_module(module_path(g, symbol), name, sizeof(name));
	else
		ep_activity_entry(state->activity, symbol->short_name, name, sizeof(name));
	return ep_strings_add(strings, name, strlen(name));
}

static int add_time(struct gathering *g, const struct walk_state *state, uint64_t us)
{
	struct activity_item item = { .activity = state->activity, .caller = EP_NONE };
	uint64_t hash;
	uint32_t idx;

	if (item.activity != EP_ACTIVITY_OWN) {
		item.name = entry_name(g, state);
		item.caller = state->caller;
		if (!item.name)
			return -ENOMEM;
	}
	hash = ep_hash_mix((uintptr_t)item.name, (uint64_t)item.caller << 8 | item.activity);
	idx = ep_index_find(&g->index, hash, same_item, g, &item);
	if (idx == EP_NONE) {
		if (EP_ARRAY_RESERVE(g->items, g->n_items, g->capacity) ||
			ep_index_add(&g->index, hash, g->n_items))
			return -ENOMEM;
		idx = g->n_items++;
		g->items[idx] = item;
	}
	g->items[idx].us += us;
	return 0;
}

/* Returns part_us, but at most whole_us. Only in a damaged trace is a part larger than the whole. */
static uint64_t part_of(uint64_t whole_us, uint64_t part_us)
{
	return part_us < whole_us ? part_us : whole_us;
}

/* Returns the part of a path's time in system calls, without page faults. If the path ends right after a
 * system call, all its time is the call's, since a thread gets a tick's signal only when the kernel is done.
 * Otherwise the part is the time of the ticks that look for system calls and found one. */
static uint64_t system_us_of(const struct ep_builder *builder, const struct ep_path *path,
	const struct ep_path_cost *cost)
{
	bool is_behind_call =
		ep_symbols_is_behind_call(builder->symbols, path->module_idx, path->address);
	uint64_t us = is_behind_call ? cost->cost.cpu_us : cost->calls_us;

	return us - part_of(us, cost->faults_us);
}

void ep_build_system_time(struct ep_builder *builder)
{
	struct ep_trace *trace = builder->trace;

	for (uint32_t i = 0; i < trace->n_paths; i++) {
		const struct ep_path *path = &trace->paths[i];
		struct ep_path_cost *cost;

		if (path->cost_idx == EP_NONE)
			continue;
		cost = &trace->costs[path->cost_idx];
		cost->system_us = system_us_of(builder, path, cost);
	}
}

static void find_waiting(struct gathering *g, const struct ep_call_tree *tree)
{
	const struct ep_trace *trace = g->builder->trace;

	for (uint32_t i = 0; i < trace->n_paths; i++) {
		const struct ep_path *path = &trace->paths[i];
		const struct ep_path_cost *cost;

		if (path->cost_idx == EP_NONE)
			continue;
		cost = &trace->costs[path->cost_idx];
		g->system_us[tree->call_of_path[i]] += cost->system_us;
		if (ep_symbols_waits(g->builder->symbols, path->module_idx, path->address))
			g->waiting_us[tree->call_of_path[i]] +=
				cost->cost.cpu_us - part_of(cost->cost.cpu_us, cost->system_us);
	}
}

/* Tells whether a call's time in system calls is reported as system calls. If MPI, a lock or malloc made the
 * system call, the time counts for that activity. */
static bool is_plain_call(const struct walk_state *state, uint32_t symbol_idx)
{
	return state->activity == EP_ACTIVITY_OWN ||
	       (state->activity == EP_ACTIVITY_FILES && state->entry == symbol_idx);
}

/* Returns the caller that tells a reader most: the first one, from the call outwards, that is not in the C++
 * library's headers. If all are in headers, it is the call itself. */
static uint32_t telling_caller(
	const struct gathering *g, const struct ep_call_tree *tree, uint32_t call)
{
	for (uint32_t at = call; at; at = tree->calls[at].parent) {
		uint32_t symbol_idx = tree->calls[at].symbol_idx;

		if (symbol_idx == EP_NONE)
			break;
		if (!ep_symbol_is_of_headers(ep_symbols_get(g->builder->symbols, symbol_idx)))
			return symbol_idx;
	}
	return tree->calls[call].symbol_idx;
}

/* Returns the first caller that has a name, and is neither support code (the kernel, the C library, the
 * dynamic loader) nor in the C++ library's headers; EP_NONE: there is none. */
static uint32_t own_caller(
	const struct gathering *g, const struct ep_call_tree *tree, uint32_t call)
{
	for (uint32_t at = tree->calls[call].parent; at; at = tree->calls[at].parent) {
		uint32_t symbol_idx = tree->calls[at].symbol_idx;
		const struct ep_symbol *symbol;

		if (symbol_idx == EP_NONE)
			break;
		symbol = ep_symbols_get(g->builder->symbols, symbol_idx);
		if (symbol->is_known && !is_support(g, symbol_idx) &&
			!ep_symbol_is_of_headers(symbol))
			return symbol_idx;
	}
	return EP_NONE;
}

/* Adds a call's own time. The time of a loop that only waits becomes idle time. This is not done below MPI,
 * OpenMP or a lock, since these activities already say that the thread waits. */
static int add_own_time(struct gathering *g, const struct ep_call_tree *tree, uint32_t call)
{
	const struct walk_state waiting = { .activity = EP_ACTIVITY_IDLE,
		.entry = tree->calls[call].symbol_idx,
		.caller = EP_NONE };
	const struct walk_state calling = { .activity = EP_ACTIVITY_SYSTEM,
		.entry = tree->calls[call].symbol_idx,
		.caller = own_caller(g, tree, call) };
	uint64_t us = tree->calls[call].self_us, waiting_us = 0, system_us = 0;

	if (ep_activity_stands_out(EP_ACTIVITY_IDLE, g->states[call].activity))
		waiting_us = part_of(us, g->waiting_us[call]);
	if (is_plain_call(&g->states[call], calling.entry))
		system_us = part_of(us - waiting_us, g->system_us[call]);
	if ((waiting_us && add_time(g, &waiting, waiting_us)) ||
		(system_us && add_time(g, &calling, system_us)))
		return -ENOMEM;
	us -= waiting_us + system_us;
	return us ? add_time(g, &g->states[call], us) : 0;
}

/* Returns the script function that contains an import: the first one from the call outwards. EP_NONE: there is none. */
static uint32_t script_caller(
	const struct gathering *g, const struct ep_call_tree *tree, uint32_t call)
{
	const struct ep_trace *trace = g->builder->trace;

	for (uint32_t at = call; at; at = tree->calls[at].parent) {
		uint32_t symbol_idx = tree->calls[at].symbol_idx, module_idx;

		if (symbol_idx == EP_NONE)
			break;
		module_idx = ep_symbols_get(g->builder->symbols, symbol_idx)->module_idx;
		if (module_idx < trace->n_modules && trace->modules[module_idx].is_script)
			return symbol_idx;
	}
	return EP_NONE;
}

/* Finds the activity of a call. On entry *state is the caller's state, on return the call's. */
static int enter(struct gathering *g, const struct ep_call_tree *tree, const struct ep_call *call,
	struct walk_state *state)
{
	enum ep_activity activity;

	if (activity_of(g, call->symbol_idx, &activity))
		return -ENOMEM;
	if (ep_activity_hands_over(state->activity, activity) && !is_support(g, call->symbol_idx))
		state->activity = EP_ACTIVITY_OWN;
	if (ep_activity_stands_out(activity, state->activity))
		*state = (struct walk_state){ activity, call->symbol_idx,
			activity == EP_ACTIVITY_IMPORT ? script_caller(g, tree, call->parent)
						       : telling_caller(g, tree, call->parent) };
	else if (names_import(g, call->symbol_idx, state))
		state->entry = call->symbol_idx;
	return 0;
}

static int gather(struct gathering *g, const struct ep_call_tree *tree)
{
	const struct ep_call *calls = tree->calls;

	for (uint32_t i = 1; i < tree->n_calls; i++) {
		uint32_t parent = calls[i].parent;

		g->states[i] = g->states[parent];
		if (enter(g, tree, &calls[i], &g->states[i]) ||
			(calls[i].self_us && add_own_time(g, tree, i)))
			return -ENOMEM;
	}
	return 0;
}

/* ---- the report's rows ---- */

/* Sorts by activity, then by entry; within an entry the largest caller comes first. */
static int by_entry(const void *a, const void *b)
{
	const struct activity_item *x = a, *y = b;

	if (x->activity != y->activity)
		return x->activity < y->activity ? -1 : 1;
	if (x->name != y->name)
		return strcmp(x->name, y->name);
	if (x->us != y->us)
		return x->us > y->us ? -1 : 1;
	return x->caller < y->caller ? -1 : x->caller > y->caller;
}

static const char *caller_name(const struct gathering *g, uint32_t symbol_idx)
{
	const struct ep_symbol *symbol;

	if (symbol_idx == EP_NONE)
		return NULL;
	symbol = ep_symbols_get(g->builder->symbols, symbol_idx);
	return symbol->is_known && !is_support(g, symbol_idx) ? symbol->short_name : NULL;
}

/* Inserts an entry among the largest ones, which are sorted by time. */
static void keep_entry(struct ep_report_activity *activity, const struct ep_report_entry *entry)
{
	uint32_t at = activity->n_entries, most = EP_ARRAY_SIZE(activity->entries);

	if (at < most)
		activity->n_entries++;
	else if (activity->entries[most - 1].ns >= entry->ns)
		return;
	else
		at = most - 1;
	for (; at && activity->entries[at - 1].ns < entry->ns; at--)
		activity->entries[at] = activity->entries[at - 1];
	activity->entries[at] = *entry;
}

/* Adds up the rows of one entry, which begin at items[i]. Returns the index where the next entry begins. */
static uint32_t add_entry(
	const struct gathering *g, uint32_t i, struct ep_report_activity *activity)
{
	const struct activity_item *first = &g->items[i];
	struct ep_report_entry entry = {
		.name = first->name,
		.caller = caller_name(g, first->caller),
		.caller_ns = first->us * 1000,
	};

	for (; i < g->n_items && g->items[i].activity == first->activity &&
		g->items[i].name == first->name;
		i++)
		entry.ns += g->items[i].us * 1000;
	activity->ns += entry.ns;
	if (entry.name && entry.name[0])
		keep_entry(activity, &entry);
	return i;
}

static int by_ns(const void *a, const void *b)
{
	const struct ep_report_activity *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : (int)x->activity - (int)y->activity;
}

static void fill(const struct gathering *g)
{
	struct ep_report *r = g->builder->report;

	qsort(g->items, g->n_items, sizeof(*g->items), by_entry);
	for (uint32_t i = 0; i < g->n_items;) {
		struct ep_report_activity *activity = &r->activities[r->n_activities++];

		activity->activity = g->items[i].activity;
		while (i < g->n_items && g->items[i].activity == activity->activity)
			i = add_entry(g, i, activity);
		activity->share = (double)activity->ns / (double)r->sampled_ns;
		activity->error = ep_usual_share_error(g->builder, activity->share);
	}
	qsort(r->activities, r->n_activities, sizeof(*r->activities), by_ns);
}

static void build_ranks(struct gathering *g, const struct ep_call_tree *tree)
{
	uint32_t n_paths = g->builder->trace->n_paths;
	EP_AUTOFREE enum ep_activity *of_path =
		ep_builder_calloc(g->builder, n_paths, sizeof(*of_path));

	for (uint32_t i = 0; of_path && i < n_paths; i++)
		of_path[i] = g->states[tree->call_of_path[i]].activity;
	if (of_path)
		ep_build_ranks(g->builder, of_path);
}

void ep_build_activities(struct ep_builder *builder, const struct ep_call_tree *tree)
{
	struct gathering g = { .builder = builder };

	g.states = ep_builder_calloc(builder, tree->n_calls, sizeof(*g.states));
	g.waiting_us = ep_builder_calloc(builder, tree->n_calls, sizeof(*g.waiting_us));
	g.system_us = ep_builder_calloc(builder, tree->n_calls, sizeof(*g.system_us));
	if (g.waiting_us && g.system_us)
		find_waiting(&g, tree);
	if (!g.states || !g.waiting_us || !g.system_us || gather(&g, tree)) {
		builder->out_of_memory = true;
	} else {
		fill(&g);
		if (builder->trace->n_rank_costs)
			build_ranks(&g, tree);
	}
	free(g.states);
	free(g.waiting_us);
	free(g.system_us);
	free(g.items);
	free(g.activities);
	ep_index_finish(&g.index);
}

static bool has_mpi(const struct ep_report *report)
{
	if (report->n_ranks)
		return true;
	for (uint32_t i = 0; i < report->n_activities; i++) {
		const struct ep_report_activity *row = &report->activities[i];

		if (row->activity == EP_ACTIVITY_MPI)
			return true;
		for (uint32_t k = 0; k < row->n_entries; k++)
			if (!strncmp(row->entries[k].name, "MPI_", 4))
				return true;
	}
	return false;
}

const char *ep_report_activity_title(const struct ep_report *report, enum ep_activity activity)
{
	if (activity == EP_ACTIVITY_LOADING && !has_mpi(report))
		return "starting (loading libraries)";
	return ep_activity_words[activity].title;
}
