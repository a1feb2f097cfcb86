// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds renamed procedures in rounds. Each pair that is found makes the new name of one more callee known,
 * and this callee may identify its callers in the next round. One thread.
 */
#include "reporter/compare/renames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* least likeness of a pair: the sum of the shares (struct call) in common, divided by the sum of the shares
 * that either procedure has */
#define LEAST_ALIKE 0.5
#define LEAST_EVIDENCE 0.5 /* least sum of the shares in common: half of one callee */
#define APART 0.8          /* the second best likeness must be below this part of the best one */
enum { MOST_ROUNDS = 16 };

struct named {
	const char *text;
	uint32_t pair; /* index of the name on the other side; EP_NONE: none is known */
	/* inclusive time of the procedure, over each side's runs; below 0: the side has no such procedure */
	double total_ns[2];
	double shares; /* sum of the shares of its calls, if only one side has the name */
};

/* A call; share is the part of the callee's time that came through the caller. */
struct call {
	uint32_t caller, callee;
	double share;
};

struct likeness {
	uint32_t idx; /* index of the most alike name; EP_NONE: there is none */
	double best, second;
	double evidence; /* sum of the shares in common with that name */
};

struct rename_finder {
	const struct ep_compared_runs *sides[2];
	struct named *names; /* (n_names) sorted by text */
	uint32_t n_names;
	/* (n_calls) calls of each side: before sorted by caller, after sorted by callee */
	struct call *calls[2];
	uint32_t n_calls[2];     /* number of each side's calls */
	struct likeness *likest; /* (n_names) best match of each name that only one side has */
	/* (n_names) sum of the shares that a name after has in common with the name before that is being
	 * compared */
	double *common;
};

static void finish(struct rename_finder *f)
{
	free(f->names);
	free(f->calls[0]);
	free(f->calls[1]);
	free(f->likest);
	free(f->common);
}

/* ---- names ---- */

static int by_text(const void *one, const void *other)
{
	return strcmp(((const struct named *)one)->text, ((const struct named *)other)->text);
}

static uint32_t count_rows(const struct ep_compared_runs *runs)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < runs->n; r++)
		n += runs->reports[r]->procedures.n_rows;
	return n;
}

static void add_names(struct rename_finder *f, int side)
{
	for (uint32_t r = 0; r < f->sides[side]->n; r++) {
		const struct ep_report_table *table = &f->sides[side]->reports[r]->procedures;

		for (uint32_t i = 0; i < table->n_rows; i++) {
			struct named *name = &f->names[f->n_names];

			if (!ep_report_row_is_place(&table->rows[i]))
				continue;
			*name = (struct named){ table->rows[i].short_name, EP_NONE, { -1, -1 }, 0 };
			name->total_ns[side] = (double)table->rows[i].total_ns;
			f->n_names++;
		}
	}
}

static void join_names(struct rename_finder *f)
{
	uint32_t n = 0;

	if (f->n_names)
		qsort(f->names, f->n_names, sizeof(*f->names), by_text);
	for (uint32_t i = 0; i < f->n_names; i++) {
		struct named *last = n ? &f->names[n - 1] : NULL;

		if (!last || strcmp(last->text, f->names[i].text)) {
			f->names[n++] = f->names[i];
			continue;
		}
		for (int side = 0; side < 2; side++)
			if (f->names[i].total_ns[side] >= 0)
				last->total_ns[side] =
					fmax(last->total_ns[side], 0) + f->names[i].total_ns[side];
	}
	f->n_names = n;
}

static uint32_t find_name(const struct rename_finder *f, const char *text)
{
	const struct named key = { .text = text }, *found = NULL;

	if (f->n_names)
		found = bsearch(&key, f->names, f->n_names, sizeof(key), by_text);
	return found ? (uint32_t)(found - f->names) : EP_NONE;
}

static bool is_only_in(const struct rename_finder *f, uint32_t idx, int side)
{
	return f->names[idx].total_ns[side] >= 0 && f->names[idx].total_ns[!side] < 0;
}

/* ---- calls ---- */

static int by_caller(const void *one, const void *other)
{
	const struct call *a = one, *b = other;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

static int by_callee(const void *one, const void *other)
{
	const struct call *a = one, *b = other;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->caller > b->caller) - (a->caller < b->caller);
}

static uint32_t count_calls(const struct ep_compared_runs *runs)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < runs->n; r++)
		for (uint32_t i = 0; i < runs->reports[r]->procedures.n_rows; i++)
			n += runs->reports[r]->procedures.rows[i].n_callers;
	return n;
}

static void add_calls_to(struct rename_finder *f, int side, const struct ep_report_row *callee)
{
	uint32_t callee_idx = callee->n_callers ? find_name(f, callee->short_name) : EP_NONE;
	double total_ns = callee_idx == EP_NONE ? 0 : f->names[callee_idx].total_ns[side];

	for (uint32_t i = 0; i < callee->n_callers && total_ns > 0; i++) {
		uint32_t caller_idx = find_name(f, callee->callers[i].name);

		if (caller_idx == EP_NONE || caller_idx == callee_idx ||
			!is_only_in(f, caller_idx, side))
			continue;
		f->calls[side][f->n_calls[side]++] = (struct call){ caller_idx, callee_idx,
			(double)callee->callers[i].ns / total_ns };
	}
}

/* Collects the calls by procedures whose name only this side has. Calls of several runs, and of several
 * procedures of the same name, are added up. */
static int take_calls(struct rename_finder *f, int side)
{
	const struct ep_compared_runs *runs = f->sides[side];
	uint32_t n = 0;

	f->calls[side] = calloc((size_t)count_calls(runs) + 1, sizeof(struct call));
	if (!f->calls[side])
		return -ENOMEM;
	for (uint32_t r = 0; r < runs->n; r++)
		for (uint32_t i = 0; i < runs->reports[r]->procedures.n_rows; i++)
			add_calls_to(f, side, &runs->reports[r]->procedures.rows[i]);
	qsort(f->calls[side], f->n_calls[side], sizeof(struct call), side ? by_callee : by_caller);
	for (uint32_t i = 0; i < f->n_calls[side]; i++) {
		struct call *call = &f->calls[side][i], *last = n ? &f->calls[side][n - 1] : NULL;

		f->names[call->caller].shares += call->share;
		if (last && last->caller == call->caller && last->callee == call->callee)
			last->share += call->share;
		else
			f->calls[side][n++] = *call;
	}
	f->n_calls[side] = n;
	return 0;
}

/* ---- rounds ---- */

/* Returns the index of the name that a callee of the side before has after; EP_NONE: that name is not known. */
static uint32_t name_after(const struct rename_finder *f, uint32_t idx)
{
	return is_only_in(f, idx, 0) ? f->names[idx].pair : idx;
}

/* Returns the index of the first call of a callee on the side after. */
static uint32_t find_calls_of(const struct rename_finder *f, uint32_t callee)
{
	uint32_t low = 0, high = f->n_calls[1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (f->calls[1][middle].callee < callee)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_likeness(struct likeness *of, uint32_t idx, double likeness, double evidence)
{
	if (likeness <= of->best) {
		of->second = fmax(of->second, likeness);
		return;
	}
	*of = (struct likeness){ idx, likeness, of->best, evidence };
}

/* For each caller of the same callee on the side after, adds the share that its call and this call before
 * have in common. */
static void add_common(struct rename_finder *f, const struct call *call)
{
	uint32_t callee = name_after(f, call->callee);

	if (callee == EP_NONE)
		return;
	for (uint32_t i = find_calls_of(f, callee);
		i < f->n_calls[1] && f->calls[1][i].callee == callee; i++)
		if (f->names[f->calls[1][i].caller].pair == EP_NONE)
			f->common[f->calls[1][i].caller] += fmin(call->share, f->calls[1][i].share);
}

/* Compares the caller with each caller of the same callee on the side after, by the sums of shares in common,
 * and sets these sums to 0 again. */
static void weigh_common(struct rename_finder *f, const struct call *call)
{
	uint32_t callee = name_after(f, call->callee), one = call->caller;

	if (callee == EP_NONE)
		return;
	for (uint32_t i = find_calls_of(f, callee);
		i < f->n_calls[1] && f->calls[1][i].callee == callee; i++) {
		uint32_t other = f->calls[1][i].caller;
		double common = f->common[other], likeness;

		f->common[other] = 0;
		if (!(common > 0))
			continue;
		likeness = common / (f->names[one].shares + f->names[other].shares - common);
		take_likeness(&f->likest[one], other, likeness, common);
		take_likeness(&f->likest[other], one, likeness, common);
	}
}

/* Compares one procedure of the older program, whose calls are [first, end), with all procedures of the newer
 * one. */
static void compare_calls(struct rename_finder *f, uint32_t first, uint32_t end)
{
	if (f->names[f->calls[0][first].caller].pair != EP_NONE)
		return;
	for (uint32_t i = first; i < end; i++)
		add_common(f, &f->calls[0][i]);
	for (uint32_t i = first; i < end; i++)
		weigh_common(f, &f->calls[0][i]);
}

static bool is_clear(const struct likeness *of)
{
	return of->idx != EP_NONE && of->best >= LEAST_ALIKE && of->evidence >= LEAST_EVIDENCE &&
	       of->second < APART * of->best;
}

static uint32_t pair_likest(struct rename_finder *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_names; i++) {
		const struct likeness *of = &f->likest[i];

		if (!is_only_in(f, i, 0) || !is_clear(of) || !is_clear(&f->likest[of->idx]) ||
			f->likest[of->idx].idx != i)
			continue;
		f->names[i].pair = of->idx;
		f->names[of->idx].pair = i;
		n++;
	}
	return n;
}

static uint32_t make_round(struct rename_finder *f)
{
	uint32_t end;

	for (uint32_t i = 0; i < f->n_names; i++)
		f->likest[i] = (struct likeness){ .idx = EP_NONE };
	for (uint32_t i = 0; i < f->n_calls[0]; i = end) {
		end = i;
		while (end < f->n_calls[0] && f->calls[0][end].caller == f->calls[0][i].caller)
			end++;
		compare_calls(f, i, end);
	}
	return pair_likest(f);
}

static int list_pairs(const struct rename_finder *f, struct ep_renames *out)
{
	out->pairs = calloc((size_t)f->n_names + 1, sizeof(*out->pairs));
	if (!out->pairs)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_names; i++)
		if (is_only_in(f, i, 0) && f->names[i].pair != EP_NONE)
			out->pairs[out->n++] = (struct ep_renamed){ f->names[i].text,
				f->names[f->names[i].pair].text };
	return 0;
}

int ep_renames_find(const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	struct ep_renames *out)
{
	__attribute__((cleanup(finish))) struct rename_finder f = { .sides = { before, after } };
	size_t n = (size_t)count_rows(before) + count_rows(after) + 1;
	int rc;

	*out = (struct ep_renames){ 0 };
	f.names = calloc(n, sizeof(*f.names));
	f.likest = calloc(n, sizeof(*f.likest));
	f.common = calloc(n, sizeof(*f.common));
	if (!f.names || !f.likest || !f.common)
		return -ENOMEM;
	add_names(&f, 0);
	add_names(&f, 1);
	join_names(&f);
	rc = take_calls(&f, 0);
	if (!rc)
		rc = take_calls(&f, 1);
	for (int i = 0; !rc && i < MOST_ROUNDS && make_round(&f); i++)
		;
	return rc ? rc : list_pairs(&f, out);
}

void ep_renames_finish(struct ep_renames *renames)
{
	free(renames->pairs);
	*renames = (struct ep_renames){ 0 };
}

const char *ep_renames_after(const struct ep_renames *renames, const char *before)
{
	for (uint32_t low = 0, high = renames->n; low < high;) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(renames->pairs[middle].before, before);

		if (!order)
			return renames->pairs[middle].after;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *ep_renames_before(const struct ep_renames *renames, const char *after)
{
	for (uint32_t i = 0; i < renames->n; i++)
		if (!strcmp(renames->pairs[i].after, after))
			return renames->pairs[i].before;
	return NULL;
}
