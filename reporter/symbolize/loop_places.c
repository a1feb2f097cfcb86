// SPDX-License-Identifier: BSD-3-Clause
/* Finds for loops of instructions the loops of the source. The line of a source loop is the earliest of those of three
 * kinds of instructions: the loop's exits, its first instruction, and its jump back. Compilers attribute a loop's
 * test, which is at one of its exits, to the statement that repeats ("for"); they attribute the jump back and the
 * first instruction to that statement or to the body. All these instructions are in the procedure that has the loop,
 * or in procedures that are inlined there. Therefore the innermost frame that the first and the last instruction have
 * in common is that of the procedure. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/symbolize/symbolize_private.h"

void ep_loop_places_finish(struct ep_loop_places *places)
{
	for (uint32_t i = 0; i < places->n_procedures; i++) {
		ep_loops_finish(&places->procedures[i].loops);
		free(places->procedures[i].places);
	}
	free(places->procedures);
	free(places->rows);
	ep_index_finish(&places->index);
	ep_index_finish(&places->procedure_index);
	*places = (struct ep_loop_places){ 0 };
}

/* ---- where a loop is in the source ---- */

/* The frames at an address, the outermost first. */
struct place_frames {
	struct ep_frame rows[EP_MAX_INLINED];
	uint32_t n;
};

static int get_frames(
	const struct ep_loop_question *question, uint64_t address, struct place_frames *out)
{
	const struct ep_frame *frames;
	uint32_t n;

	if (ep_symbols_resolve(
		    question->symbols, question->module_idx, address, false, &frames, &n))
		return -ENOMEM;
	out->n = n < EP_MAX_INLINED ? n : EP_MAX_INLINED;
	for (uint32_t i = 0; i < out->n; i++)
		out->rows[i] = frames[n - 1 - i];
	return 0;
}

static bool is_same_line(const struct ep_frame *a, const struct ep_frame *b)
{
	return a->file == b->file && a->line == b->line;
}

/* Returns the index of the innermost frame that a and b have in common. A call on another line was inlined separately,
 * so its frame is another one. */
static uint32_t common_frame(const struct place_frames *a, const struct place_frames *b)
{
	uint32_t i = 0;

	while (i + 1 < a->n && i + 1 < b->n && is_same_line(&a->rows[i], &b->rows[i]) &&
		a->rows[i + 1].symbol_idx == b->rows[i + 1].symbol_idx)
		i++;
	return i;
}

static bool has_line(const struct ep_frame *frame)
{
	return frame->file && frame->line;
}

/* A loop of instructions while its place in the source is looked for. */
struct locating {
	const struct ep_loop_question *question;
	const struct ep_loop *loop;
	const struct ep_loop_place *around; /* the loop around it; NULL: none */
	struct place_frames first, back;
	uint32_t at; /* index of the frame that has the loop */
};

/* Tells whether the line of an address may be one of the loop's lines. Compilers move code from before a loop into it,
 * and its line must not count. Such code does not begin a statement, or its line is before the line of the loop
 * around. */
static bool is_believed(const struct locating *l, uint64_t address, const struct ep_frame *frame)
{
	const struct ep_loop_place *around = l->around;

	if (around && around->file == frame->file && frame->line < around->line &&
		around->symbol_idx == frame->symbol_idx)
		return false;
	return address != l->loop->head || ep_object_is_of_statement(l->question->object, address);
}

/* Takes the line of an address if it is earlier than the best one so far, since a loop begins at the earliest of its
 * lines. */
static void take_earlier(const struct locating *l, uint64_t address, const struct ep_frame *frame,
	struct ep_frame *best)
{
	if (!has_line(frame) || !is_believed(l, address, frame))
		return;
	if (!has_line(best) || (best->file == frame->file && frame->line < best->line))
		*best = *frame;
}

/* Returns the one of the frames at an address that is of the loop's procedure, inlined by the same call; NULL: there
 * is none. */
static const struct ep_frame *find_frame(
	const struct locating *l, const struct place_frames *frames)
{
	uint32_t at = common_frame(&l->back, frames);

	return at >= l->at && frames->rows[l->at].symbol_idx == l->back.rows[l->at].symbol_idx
		       ? &frames->rows[l->at]
		       : NULL;
}

/* Looks at the lines of the loop's exits, since the test that ends it is at one of them. */
static int look_at_exits(const struct locating *l, struct ep_frame *best)
{
	struct place_frames frames;

	for (uint32_t i = 0; i < l->loop->n_exits; i++) {
		const struct ep_frame *frame;

		if (get_frames(l->question, l->loop->exits[i], &frames))
			return -ENOMEM;
		frame = find_frame(l, &frames);
		if (frame)
			take_earlier(l, l->loop->exits[i], frame, best);
	}
	return 0;
}

static void place_without_lines(const struct locating *l, struct ep_loop_place *out)
{
	out->symbol_idx = l->first.rows[0].symbol_idx;
	out->caller_idx = EP_NONE;
}

static bool has_no_lines(const struct place_frames *frames)
{
	return frames->n == 1 && !frames->rows[0].file;
}

static int locate(struct locating *l, struct ep_loop_place *out)
{
	struct ep_frame best = { 0 };

	/* Looking up symbols takes long. l->first still has the frames of the loop before; if they have no lines, the
	 * procedure has none, and no further look-up is needed. */
	if (has_no_lines(&l->first)) {
		place_without_lines(l, out);
		return 0;
	}
	if (get_frames(l->question, l->loop->head, &l->first) ||
		get_frames(l->question, l->loop->back, &l->back))
		return -ENOMEM;
	l->at = common_frame(&l->first, &l->back);
	take_earlier(l, l->loop->back, &l->back.rows[l->at], &best);
	take_earlier(l, l->loop->head, &l->first.rows[l->at], &best);
	if (look_at_exits(l, &best))
		return -ENOMEM;
	if (!has_line(&best))
		best = has_line(&l->back.rows[l->at]) ? l->back.rows[l->at] : l->first.rows[l->at];
	out->symbol_idx = l->first.rows[l->at].symbol_idx;
	out->file = has_line(&best) ? best.file : NULL;
	out->line = has_line(&best) ? best.line : 0;
	out->caller_idx = EP_NONE;
	if (l->at) {
		out->caller_idx = l->first.rows[l->at - 1].symbol_idx;
		out->call_file = l->first.rows[l->at - 1].file;
		out->call_line = l->first.rows[l->at - 1].line;
	}
	return 0;
}

/* ---- names ---- */

static int put_place(char *out, size_t size, const char *file, uint32_t line)
{
	return snprintf(out, size, "%s:%u", ep_base_name(file), line);
}

/* Returns a name as "loop at vec.h:30 in dot, inlined at fem.c:212 in assemble"; NULL: there is no memory. */
static const char *name_of(
	const struct ep_loop_question *question, const struct ep_loop_place *place)
{
	const struct ep_symbol *symbol = ep_symbols_get(question->symbols, place->symbol_idx);
	char where[512], text[2048];
	int n;

	snprintf(where, sizeof(where), "0x%" PRIx64, place->head);
	if (place->file)
		put_place(where, sizeof(where), place->file, place->line);
	n = snprintf(text, sizeof(text), "loop at %s in %.500s", where, symbol->short_name);
	if (place->caller_idx != EP_NONE && place->call_file) {
		put_place(where, sizeof(where), place->call_file, place->call_line);
		snprintf(text + n, sizeof(text) - n, ", inlined at %s in %.500s", where,
			ep_symbols_get(question->symbols, place->caller_idx)->short_name);
	}
	return ep_strings_add(question->strings, text, strlen(text));
}

/* ---- list of places without duplicates ---- */

/* Tells whether a loop is the one in key. Without line information two loops are the same only if
 * they begin at one instruction. */
static bool same_loop(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_loop_place *a = &((const struct ep_loop_places *)owner)->rows[idx],
				   *b = key;

	return a->module_idx == b->module_idx && a->symbol_idx == b->symbol_idx &&
	       a->parent_idx == b->parent_idx && a->file == b->file && a->line == b->line &&
	       a->caller_idx == b->caller_idx && a->call_file == b->call_file &&
	       a->call_line == b->call_line && (a->file || a->head == b->head);
}

static uint64_t hash_loop(const struct ep_loop_place *place)
{
	uint64_t hash = ep_hash_mix(place->module_idx, place->symbol_idx);

	hash = ep_hash_mix(hash, (uintptr_t)place->file + place->line);
	hash = ep_hash_mix(hash, place->parent_idx);
	return ep_hash_mix(hash, place->file ? 0 : place->head);
}

static int add_place(struct ep_loop_places *places, const struct ep_loop_question *question,
	struct ep_loop_place *place, uint32_t *out_idx)
{
	uint64_t hash = hash_loop(place);

	*out_idx = ep_index_find(&places->index, hash, same_loop, places, place);
	if (*out_idx != EP_NONE)
		return 0;
	place->name = name_of(question, place);
	if (!place->name || EP_ARRAY_RESERVE(places->rows, places->n_rows, places->capacity) ||
		ep_index_add(&places->index, hash, places->n_rows))
		return -ENOMEM;
	*out_idx = places->n_rows++;
	places->rows[*out_idx] = *place;
	return 0;
}

/* ---- procedures ---- */

/* Adds a procedure's loops, each after the loop around it. */
static int add_loops(struct ep_loop_places *places, const struct ep_loop_question *question,
	struct ep_loop_procedure *procedure)
{
	struct locating locating = { .question = question };
	int rc = 0;

	procedure->places = calloc(procedure->loops.n_rows + 1, sizeof(*procedure->places));
	if (!procedure->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < procedure->loops.n_rows && !rc; i++) {
		const struct ep_loop *loop = &procedure->loops.rows[i];
		struct ep_loop_place place = {
			.module_idx = question->module_idx,
			.head = loop->head,
			.depth = loop->depth,
			.parent_idx = loop->parent_idx == EP_NO_LOOP
					      ? EP_NONE
					      : procedure->places[loop->parent_idx],
		};

		locating.loop = loop;
		locating.around =
			place.parent_idx == EP_NONE ? NULL : &places->rows[place.parent_idx];
		rc = locate(&locating, &place);
		if (!rc)
			rc = add_place(places, question, &place, &procedure->places[i]);
	}
	return rc;
}

static bool same_procedure(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_loop_procedure *a =
		&((const struct ep_loop_places *)owner)->procedures[idx];
	const struct ep_loop_procedure *b = key;

	return a->module_idx == b->module_idx && a->start == b->start;
}

/* Finds a procedure's loops and adds them. Code for another machine is not searched, nor is a procedure that is larger
 * than any that people write. */
static int add_procedure(struct ep_loop_places *places, const struct ep_loop_question *question,
	const struct ep_procedure_code *code, uint64_t hash)
{
	struct ep_loop_procedure procedure = { .module_idx = question->module_idx,
		.start = code->address };
	int rc = ep_loops_find(code, &procedure.loops);

	procedure.is_searched = !rc;
	if (rc == -ENOTSUP || rc == -E2BIG)
		rc = 0;
	if (!rc)
		rc = add_loops(places, question, &procedure);
	if (!rc && (EP_ARRAY_RESERVE(
			    places->procedures, places->n_procedures, places->procedure_capacity) ||
			   ep_index_add(&places->procedure_index, hash, places->n_procedures)))
		rc = -ENOMEM;
	if (rc) {
		ep_loops_finish(&procedure.loops);
		free(procedure.places);
		return rc;
	}
	places->procedures[places->n_procedures++] = procedure;
	return 0;
}

/* Finds the procedure around an address, and its loops if they were not searched for yet; out->n_bytes is 0 if the
 * code is not found. */
static int find_procedure(struct ep_loop_places *places, const struct ep_loop_question *question,
	uint64_t address, struct ep_loop_cursor *out)
{
	struct ep_procedure_code code;
	struct ep_loop_procedure key = { .module_idx = question->module_idx };
	uint64_t hash;

	*out = (struct ep_loop_cursor){ .module_idx = question->module_idx };
	if (!ep_object_code(question->object, address, &code))
		return EP_HAS_CAPSTONE ? 0 : -ENOSYS;
	key.start = out->start = code.address;
	out->n_bytes = code.n_bytes;
	hash = ep_hash_mix(key.module_idx, key.start);
	out->procedure_idx =
		ep_index_find(&places->procedure_index, hash, same_procedure, places, &key);
	if (out->procedure_idx != EP_NONE)
		return 0;
	out->procedure_idx = places->n_procedures;
	return add_procedure(places, question, &code, hash);
}

int ep_loop_places_find(struct ep_loop_places *places, const struct ep_loop_question *question,
	uint64_t address, struct ep_loop_cursor *cursor, uint32_t *out_idx)
{
	const struct ep_loop_procedure *procedure;
	uint32_t loop;

	*out_idx = LOOP_UNSEARCHED;
	if (cursor->module_idx != question->module_idx ||
		address - cursor->start >= cursor->n_bytes) {
		int rc = find_procedure(places, question, address, cursor);

		if (rc || !cursor->n_bytes)
			return rc;
	}
	procedure = &places->procedures[cursor->procedure_idx];
	if (!procedure->is_searched)
		return 0;
	loop = ep_loops_at(&procedure->loops, address);
	*out_idx = loop == EP_NO_LOOP ? EP_NONE : procedure->places[loop];
	return 0;
}
