// SPDX-License-Identifier: BSD-3-Clause
/* Finds which addresses belong to the annotated place, and to which of its loops. */
#include "reporter/annotate/annotator.h"

#include <errno.h>
#include <stdlib.h>

/* Returns the number of frames from the innermost one up to the procedure's own frame; 0: the procedure is
 * not among the frames. */
static uint32_t count_up_to(const struct ep_frame *frames, uint32_t n, uint32_t symbol_idx)
{
	while (n && frames[n - 1].symbol_idx != symbol_idx)
		n--;
	return n;
}

static bool is_wanted(const struct ep_annotate_target *target, uint32_t place)
{
	return place < target->n_loops && target->is_wanted[place];
}

static bool is_within_wanted(const struct ep_annotator *a, uint32_t place)
{
	while (place != EP_NONE && !is_wanted(&a->out->target, place))
		place = ep_symbols_loop_get(a->builder.symbols, place)->parent_idx;
	return place != EP_NONE;
}

/* Tells whether a loop is shown. If a procedure is inlined into a loop of its caller, that loop is not shown. */
static int is_shown(
	struct ep_annotator *a, const struct ep_loop_place *loop, uint32_t place, bool *out)
{
	const struct ep_frame *frames;
	uint32_t n;

	if (!a->out->target.is_loop && a->builder.trace->exact) {
		*out = true; /* in callgrind's traces all loops of the procedure are shown */
		return 0;
	}
	if (a->out->target.is_loop) {
		*out = is_within_wanted(a, place);
		return 0;
	}
	if (ep_symbols_resolve(
		    a->builder.symbols, loop->module_idx, loop->head, false, &frames, &n))
		return -ENOMEM;
	*out = count_up_to(frames, n, a->out->target.symbol_idx) > 0;
	return 0;
}

static int append_loop(struct ep_annotator *a, const struct ep_loop_place *place, uint32_t parent,
	uint32_t *out_idx)
{
	struct ep_annotation *out = a->out;

	if (EP_ARRAY_RESERVE(out->loops, out->n_loops, a->loop_capacity))
		return -ENOMEM;
	*out_idx = out->n_loops++;
	out->loops[*out_idx] = (struct ep_annotated_loop){
		.name = place->name,
		.file = place->file,
		.line = place->line,
		.head = place->head,
		.symbol_idx = place->symbol_idx,
		.parent_idx = parent,
		.depth = parent == EP_NONE ? 1 : out->loops[parent].depth + 1,
	};
	return 0;
}

static int reserve_places(struct ep_annotator *a)
{
	uint32_t n = ep_symbols_count_loops(a->builder.symbols);
	uint32_t *bigger;

	if (n <= a->n_loop_places)
		return 0;
	bigger = realloc(a->loop_of_place, n * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	for (uint32_t i = a->n_loop_places; i < n; i++)
		bigger[i] = 0;
	a->loop_of_place = bigger;
	a->n_loop_places = n;
	return 0;
}

/* Value of loop_of_place for a loop that is not shown. */
#define NOT_SHOWN EP_NONE

/* Finds the index of a shown loop. Loops around it that are not known yet are added first, from the outermost
 * to the innermost. There is no recursion, since it might be as deep as the loops are nested. */
static int find_shown_loop(struct ep_annotator *a, uint32_t place, uint32_t *out_idx)
{
	struct ep_symbols *symbols = a->builder.symbols;
	uint32_t known = EP_NONE;

	*out_idx = EP_NONE;
	if (reserve_places(a))
		return -ENOMEM;
	while (place != EP_NONE && !a->loop_of_place[place]) {
		uint32_t outer = place, above;
		struct ep_loop_place loop;
		bool shown;

		while ((above = ep_symbols_loop_get(symbols, outer)->parent_idx) != EP_NONE &&
			!a->loop_of_place[above])
			outer = above;
		loop = *ep_symbols_loop_get(symbols, outer);
		known = above == EP_NONE || a->loop_of_place[above] == NOT_SHOWN
				? EP_NONE
				: a->loop_of_place[above] - 1;
		if (is_shown(a, &loop, outer, &shown) ||
			(shown && append_loop(a, &loop, known, &known)))
			return -ENOMEM;
		a->loop_of_place[outer] = shown ? known + 1 : NOT_SHOWN;
	}
	if (place != EP_NONE && a->loop_of_place[place] != NOT_SHOWN)
		*out_idx = a->loop_of_place[place] - 1;
	return 0;
}

/* Finds the innermost loop at an address among those that are shown. */
static int find_loop_at(struct ep_annotator *a, uint32_t module_idx, uint64_t address,
	bool is_return, uint32_t *out_idx)
{
	uint32_t place = EP_NONE;
	int rc = ep_symbols_loop(a->builder.symbols, module_idx, address, is_return, &place);

	if (rc == -ENOMEM)
		return rc;
	return find_shown_loop(a, rc ? EP_NONE : place, out_idx);
}

/* Looking for loops takes much longer than looking up names. Therefore loops are looked for only in code of the
 * annotated place. */
int ep_annotator_look(struct ep_annotator *a, uint32_t module_idx, uint64_t address, bool is_return,
	struct ep_own_frames *out)
{
	const struct ep_annotate_target *target = &a->out->target;
	struct ep_symbols *symbols = a->builder.symbols;
	uint32_t n_up_to;

	*out = (struct ep_own_frames){ .loop_idx = EP_NONE };
	if (module_idx == EP_NONE)
		return 0;
	if (ep_symbols_resolve(symbols, module_idx, address, is_return, &out->rows, &out->n))
		return -ENOMEM;
	n_up_to = a->builder.trace->exact ? out->n
					  : count_up_to(out->rows, out->n, target->symbol_idx);
	if (!target->is_loop && !n_up_to) {
		out->n = 0;
		return 0;
	}
	if (find_loop_at(a, module_idx, address, is_return, &out->loop_idx) ||
		ep_symbols_resolve(symbols, module_idx, address, is_return, &out->rows, &out->n))
		return -ENOMEM;
	if (n_up_to)
		out->n = n_up_to;
	if (target->is_loop && out->loop_idx == EP_NONE)
		out->n = 0;
	return 0;
}
