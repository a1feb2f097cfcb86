// SPDX-License-Identifier: BSD-3-Clause
/*
 * A tick names to the kernel all that the last one needed and gets it by one call, or by none where it is this thread's
 * own memory; what has changed since is read by further calls, 1.4 us each. Cache lines cost more than instructions
 * here: a tick comes when the program's own data have taken the caches. So frames that lie side by side are read as one
 * piece, and a code object is read again only now and then.
 */
#include "python.h"

#include <pthread.h>
#include <string.h>

#include "common/os/slice_code.h"
#include "own_memory.h"

#define MAX_INTERPRETERS 16
#define MAX_STATES 4096 /* links that are read while threads come and go may lead in a circle */
#define OWNED_BY_LOOP                                                                              \
	3 /* FRAME_OWNED_BY_CSTACK, from 3.14 on FRAME_OWNED_BY_INTERPRETER, and what is above */
#define TAG_BITS 7u /* of a reference to an object, from 3.14 on: objects lie at multiples of 16 */
#define IS_ACTIVE 16u   /* a bit of a thread's status */
#define MAX_SKIPPED 127 /* ticks, where nothing can be read for long */
#define MAX_STEPS (2 * EP_PYTHON_MAX_FRAMES)
#define MAX_FORETOLD 120 /* frames that are named ahead */
#define MAX_GAP 512      /* bytes that are read for nothing, between two frames */
#define MAX_TOGETHER 4096
#define MARGIN_BYTES 1024 /* for frames that were pushed since the last tick */
#define PAGE_BYTES 4096   /* the smallest there are */
/* Ticks for which a code object is taken for what was read there: twice as many each time that it was still that. */
#define BELIEVED_TICKS 64
#define MAX_BELIEVED_TICKS 1024

/* ---- code objects that are known ---- */

/* The place where a code object is, or the oldest of those where it may be: with one place each, two of 20 would
 * share theirs in every third program, and be read at each tick. */
static EP_SLICE_CODE struct ep_python_known *place_of(struct ep_python_frames *f, uint64_t code)
{
	struct ep_python_known *places = f->known[(code * 0x9e3779b97f4a7c15ull) >> 57];
	struct ep_python_known *oldest = places;

	for (uint32_t i = 0; i < EP_PYTHON_WAYS; i++) {
		if (places[i].code == code)
			return &places[i];
		if (f->n_ticks - places[i].tick > f->n_ticks - oldest->tick)
			oldest = &places[i];
	}
	return oldest;
}

static uint32_t end_of_belief(const struct ep_python_known *known)
{
	return known->tick + known->n_ticks;
}

static bool is_young(const struct ep_python_frames *f, uint32_t id, uint32_t until)
{
	return id && (int32_t)(until - f->n_ticks) > 0;
}

/* Tells whether the code object of a frame of the last tick need not be read again. */
static EP_SLICE_CODE bool is_believed(
	struct ep_python_frames *f, const struct ep_python_frame *frame)
{
	const struct ep_python_known *known;

	if (frame->is_doubtful)
		return false;
	if (is_young(f, frame->id, frame->until))
		return true;
	known = place_of(f, frame->code);
	return known->code == frame->code && is_young(f, known->id, end_of_belief(known));
}

/* A frame's function and its globals tell a code object from another that has come to lie where it was:
 * a frame keeps both alive, as it does its code. They tell nothing where exec runs one text after the
 * other in the same globals: such a frame, as a module's or a class's, has its names in a dict. The outermost
 * frame, a script's, has one too, but where the program is CPython's own it is believed as long as its call is the
 * same. */
static EP_SLICE_CODE uint64_t witness_of(const struct ep_python_layout *layout, const uint8_t *copy)
{
	uint64_t witness = ep_word_at(copy, layout->frame_globals);

	if (layout->frame_function != EP_LAYOUT_NONE)
		witness ^= ep_word_at(copy, layout->frame_function) * 0x9e3779b97f4a7c15ull;
	return witness;
}

void ep_python_know(struct ep_python_frames *f, uint32_t frame_idx, uint32_t id)
{
	struct ep_python_known *known = place_of(f, f->frames[frame_idx].code);

	if (known->code != f->frames[frame_idx].code || known->tick != f->n_ticks)
		return;
	known->id = id;
	if (!id || id != known->id_before)
		known->n_ticks = BELIEVED_TICKS;
	else if (known->n_ticks < MAX_BELIEVED_TICKS)
		known->n_ticks *= 2;
	known->id_before = id;
}

void ep_python_forget(struct ep_python_frames *f)
{
	memset(f->known, 0, sizeof(f->known));
	f->n_ticks += MAX_BELIEVED_TICKS; /* so that no frame of before is believed */
	f->python = NULL;
	f->state = 0;
	f->first_interpreter = 0;
	f->has_sub_interpreters = false;
	f->chunk = 0;
	f->n_frames = 0;
	f->n_to_skip = f->n_last_skipped = 0;
}

/* ---- what is read ahead ---- */

static uint64_t page_end(uint64_t address)
{
	return (address | (PAGE_BYTES - 1)) + 1;
}

/* Names frames of the last tick that lie side by side, the innermost mostly highest, as one piece: bytes
 * copied cost less than pieces (27 ns each). Returns the next frame's index. */
static EP_SLICE_CODE uint32_t want_frames(struct ep_python_frames *f, uint32_t i, uint32_t n)
{
	uint64_t low = f->frames[i].address, high = low + f->python->frame_bytes;
	uint64_t end = page_end(high - 1);

	if (i == 0 && f->python->layout.frame_last == EP_LAYOUT_NONE)
		high = end - high < MARGIN_BYTES ? end : high + MARGIN_BYTES;
	for (i++; i < n; i++) {
		uint64_t at = f->frames[i].address;

		if (low - at > MAX_GAP || high - at > MAX_TOGETHER)
			break;
		low = at;
	}
	ep_peek_want(&f->peek, low, (uint32_t)(high - low));
	return i;
}

/* The frames are still those of the last tick. */
static EP_SLICE_CODE void foretell(struct ep_python_frames *f)
{
	const struct ep_python *python = f->python;
	uint32_t n = f->n_frames < MAX_FORETOLD ? f->n_frames : MAX_FORETOLD;

	if (!f->state)
		return;
	if (!f->is_own) {
		ep_peek_want(&f->peek, f->linked_at, 8);
		ep_peek_want(&f->peek, python->runtime + python->layout.runtime_interpreters, 8);
	}
	ep_peek_want(&f->peek, f->state, python->thread_bytes);
	for (uint32_t i = 0; i < n;)
		i = ep_python_is_sure_object(f, f->frames[i].address) ? i + 1
								      : want_frames(f, i, n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t code = f->frames[i].code;

		if (!is_believed(f, &f->frames[i]) && (!i || code != f->frames[i - 1].code))
			ep_peek_want(&f->peek, code, python->code_bytes);
	}
	ep_peek_read_foretold(&f->peek);
}

/* ---- the thread ---- */

/* The frame that a thread's state is in; 0: it is in none. */
static EP_SLICE_CODE uint64_t innermost_of(struct ep_python_frames *f, uint64_t state)
{
	const struct ep_python_layout *layout = &f->python->layout;
	const void *copy = ep_peek_get(&f->peek, state, f->python->thread_bytes);
	const void *cframe;

	if (!copy)
		return 0;
	if (layout->thread_frame != EP_LAYOUT_NONE)
		return ep_word_at(copy, layout->thread_frame);
	cframe = ep_peek_get(
		&f->peek, ep_word_at(copy, layout->thread_cframe), layout->cframe_frame + 8u);
	return cframe ? ep_word_at(cframe, layout->cframe_frame) : 0;
}

static EP_SLICE_CODE bool is_of_thread(struct ep_python_frames *f, uint64_t state)
{
	const void *copy = ep_peek_get(&f->peek, state, f->python->thread_bytes);

	return copy && ep_word_at(copy, f->python->layout.thread_id) == (uint64_t)pthread_self();
}

/* A state that was freed is in no list, and one that is part of the interpreter's data has no thread then. */
static EP_SLICE_CODE bool is_alive(struct ep_python_frames *f)
{
	return f->state && (f->is_own || ep_peek_word(&f->peek, f->linked_at) == f->state) &&
	       is_of_thread(f, f->state) && innermost_of(f, f->state);
}

/* The thread is in this state's interpreter, and not in one that it called from there: the state has the
 * interpreter's lock, or from 3.12 on is active. */
static bool is_current(struct ep_python_frames *f)
{
	const struct ep_python_layout *layout = &f->python->layout;
	const void *copy;

	if (layout->runtime_current_thread != EP_LAYOUT_NONE)
		return ep_peek_word(&f->peek,
			       f->python->runtime + layout->runtime_current_thread) == f->state;
	copy = ep_peek_get(&f->peek, f->state, f->python->thread_bytes);
	return copy && ep_half_at(copy, layout->thread_status) & IS_ACTIVE;
}

static bool search_interpreter(struct ep_python_frames *f, uint64_t interpreter)
{
	uint64_t link = interpreter + f->python->layout.interpreter_threads, state;

	for (int i = 0; i < MAX_STATES && (state = ep_peek_word(&f->peek, link)); i++) {
		if (is_of_thread(f, state) && innermost_of(f, state)) {
			f->state = state;
			f->linked_at = link;
			return true;
		}
		link = state + f->python->layout.thread_next;
		if (f->peek.n_calls >= EP_PEEK_CALLS)
			return false;
	}
	return false;
}

static EP_SLICE_CODE bool has_sub_interpreters(struct ep_python_frames *f)
{
	const struct ep_python_layout *layout = &f->python->layout;
	uint64_t first = ep_peek_word(&f->peek, f->python->runtime + layout->runtime_interpreters);

	if (first != f->first_interpreter) {
		f->first_interpreter = first;
		f->has_sub_interpreters =
			first && ep_peek_word(&f->peek, first + layout->interpreter_next);
	}
	return f->has_sub_interpreters;
}

/* The state that is in a function; where there are sub-interpreters, follow_all takes each. */
static bool search(struct ep_python_frames *f)
{
	const struct ep_python_layout *layout = &f->python->layout;
	uint64_t at = ep_peek_word(&f->peek, f->python->runtime + layout->runtime_interpreters);

	f->state = 0;
	for (int i = 0; i < MAX_INTERPRETERS && at; i++) {
		if (search_interpreter(f, at))
			return true;
		at = ep_peek_word(&f->peek, at + layout->interpreter_next);
	}
	return false;
}

/* ---- frames ---- */

static EP_SLICE_CODE int64_t offset_of(
	const struct ep_python_layout *layout, const void *copy, uint64_t code)
{
	int64_t last;

	if (layout->frame_instruction != EP_LAYOUT_NONE)
		return (int64_t)(ep_word_at(copy, layout->frame_instruction) - code -
				 layout->code_instructions);
	last = (int32_t)ep_half_at(copy, layout->frame_last);
	return layout->minor == 10 ? 2 * last : last;
}

static EP_SLICE_CODE bool is_shim(const struct ep_python_layout *layout, const uint8_t *copy)
{
	return layout->frame_owner != EP_LAYOUT_NONE && copy[layout->frame_owner] >= OWNED_BY_LOOP;
}

/* Where a call of the loop begins without a frame of a function. */
static EP_SLICE_CODE void end_call(struct ep_python_frames *f)
{
	if (f->n_frames)
		f->frames[f->n_frames - 1].ends_call = true;
	else
		f->begins_empty = true;
}

/* An object that is no code object ends the list: the list was read while the interpreter changed it. */
static EP_SLICE_CODE bool is_code(struct ep_python_frames *f, uint64_t code)
{
	const void *copy = ep_peek_get(&f->peek, code, f->python->code_bytes);

	return copy && ep_word_at(copy, EP_OBJECT_TYPE) == f->python->code_type;
}

static EP_SLICE_CODE void note_reading(const struct ep_python_frames *f,
	struct ep_python_known *known, const struct ep_python_frame *frame)
{
	if (known->code != frame->code || known->witness != frame->witness)
		known->id_before = 0;
	else if (known->id)
		known->id_before = known->id;
	known->code = frame->code;
	known->witness = frame->witness;
	known->id = 0;
	known->tick = f->n_ticks;
}

/* Fills in the number where it is known. last: the frame that was in its place; most stay where they were, and their
 * row is written anyway. false: there is no code object. */
static EP_SLICE_CODE bool find_code(struct ep_python_frames *f, struct ep_python_frame *frame,
	const struct ep_python_frame *last)
{
	struct ep_python_known *known;

	if (!frame->is_doubtful && !last->is_doubtful && last->code == frame->code &&
		last->witness == frame->witness && is_young(f, last->id, last->until)) {
		frame->id = last->id;
		frame->until = last->until;
		return true;
	}
	known = place_of(f, frame->code);
	if (!frame->is_doubtful && known->code == frame->code && known->witness == frame->witness &&
		is_young(f, known->id, end_of_belief(known))) {
		frame->id = known->id;
		frame->until = end_of_belief(known);
		return true;
	}
	if (!is_code(f, frame->code))
		return false;
	if (!frame->is_doubtful)
		note_reading(f, known, frame);
	return true;
}

/* The frame of the script itself, which all others are called from. */
static EP_SLICE_CODE bool is_outermost(struct ep_python_frames *f, const uint8_t *copy)
{
	const struct ep_python_layout *layout = &f->python->layout;
	uint64_t previous = ep_word_at(copy, layout->frame_previous);
	const uint8_t *shim = NULL;

	if (previous && layout->frame_owner != EP_LAYOUT_NONE)
		shim = ep_peek_get(&f->peek, previous, f->python->frame_bytes);
	return !previous ||
	       (shim && is_shim(layout, shim) && !ep_word_at(shim, layout->frame_previous));
}

/* Differs from one call that a frame makes to another. */
static EP_SLICE_CODE uint64_t call_of(const struct ep_python_layout *layout, const uint8_t *copy)
{
	uint64_t at = layout->frame_instruction != EP_LAYOUT_NONE
			      ? ep_word_at(copy, layout->frame_instruction)
			      : ep_half_at(copy, layout->frame_last);

	return at * 0xff51afd7ed558ccdull;
}

static EP_SLICE_CODE bool add_frame(struct ep_python_frames *f, uint64_t at, const uint8_t *copy)
{
	const struct ep_python_layout *layout = &f->python->layout;
	struct ep_python_frame *frame = &f->frames[f->n_frames];
	struct ep_python_frame last = *frame;

	*frame = (struct ep_python_frame){
		.address = at,
		.code = ep_word_at(copy, layout->frame_code) & ~(uint64_t)TAG_BITS,
		.witness = witness_of(layout, copy),
		.is_doubtful = ep_word_at(copy, layout->frame_locals),
	};
	if (frame->is_doubtful && f->python->runs_one_script && !f->has_sub_interpreters &&
		is_outermost(f, copy)) {
		frame->is_doubtful = false;
		frame->witness ^= call_of(layout, copy);
	}
	if (!find_code(f, frame, &last))
		return false;
	f->n_frames++;
	frame->offset = offset_of(layout, copy, frame->code);
	if (layout->frame_is_entry != EP_LAYOUT_NONE)
		frame->ends_call = copy[layout->frame_is_entry];
	else
		frame->ends_call = layout->frame_owner == EP_LAYOUT_NONE;
	return true;
}

static EP_SLICE_CODE void follow(struct ep_python_frames *f, uint64_t at)
{
	const struct ep_python_layout *layout = &f->python->layout;

	/* each call of the loop has a frame at least, unless what is read is no list any more */
	for (int n = 0; at && f->n_frames < EP_PYTHON_MAX_FRAMES && n < MAX_STEPS; n++) {
		const uint8_t *copy = ep_python_frame_at(f, at);

		f->is_lost = !copy || (!is_shim(layout, copy) && !add_frame(f, at, copy));
		if (f->is_lost)
			return;
		if (is_shim(layout, copy))
			end_call(f);
		at = ep_word_at(copy, layout->frame_previous);
	}
	f->is_cut = at;
	if (!at && f->n_frames)
		f->frames[f->n_frames - 1].ends_call = true;
}

/* A thread has a state for each interpreter that it is in. A sub-interpreter is called by one that was made before it,
 * which comes behind it in the list. */
static void follow_all(struct ep_python_frames *f)
{
	uint64_t at = f->first_interpreter;

	f->state = 0;
	for (int i = 0; i < MAX_INTERPRETERS && at && !f->is_lost && !f->is_cut; i++) {
		if (search_interpreter(f, at))
			follow(f, innermost_of(f, f->state));
		at = ep_peek_word(&f->peek, at + f->python->layout.interpreter_next);
	}
	f->is_lost |= !f->state;
}

/* Ticks that do not try follow some that failed. */
static EP_SLICE_CODE void note_success(struct ep_python_frames *f)
{
	f->n_last_skipped = f->is_lost ? 2 * f->n_last_skipped + 1 : 0;
	if (f->n_last_skipped > MAX_SKIPPED)
		f->n_last_skipped = MAX_SKIPPED;
	f->n_to_skip = f->n_last_skipped / 2;
}

EP_SLICE_CODE void ep_python_read(
	struct ep_python_frames *f, const struct ep_python *python, struct ep_stack_bounds stack)
{
	if (f->python != python) {
		f->python = python;
		f->state = 0;
		f->first_interpreter = 0;
		f->n_frames = 0;
	}
	f->n_ticks++;
	f->is_cut = f->is_lost = f->begins_empty = false;
	ep_peek_start(&f->peek, stack);
	if (f->n_to_skip) {
		f->n_to_skip--;
		f->n_frames = 0;
		f->is_lost = true;
		return;
	}
	ep_python_trust_own(f);
	foretell(f);
	f->n_frames = 0;
	if (has_sub_interpreters(f) && !(is_alive(f) && is_current(f)))
		follow_all(f);
	else if (is_alive(f) || search(f))
		follow(f, innermost_of(f, f->state));
	else
		f->is_lost = true;
	note_success(f);
}
