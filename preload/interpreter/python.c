// SPDX-License-Identifier: BSD-3-Clause
/*
 * A tick first reads all memory that the last tick needed, by one system call, or by none if this is the thread's own
 * memory. Memory that the tick needs besides is read by further calls, 1.4 us each. Cache lines cost more than
 * instructions here, since the program's own data have displaced the contents of the caches. So frames that lie side by
 * side are read as one piece, and a code object is read again only now and then.
 */
#include "python.h"

#include <pthread.h>
#include <string.h>

#include "common/os/slice_code.h"
#include "own_memory.h"

#define MAX_INTERPRETERS 16
/* bounds the search: links that are read while threads come and go may form a circle */
#define MAX_STATES 4096
#define OWNED_BY_LOOP                                                                              \
	3 /* FRAME_OWNED_BY_CSTACK, from 3.14 on FRAME_OWNED_BY_INTERPRETER, and all higher values */
#define TAG_BITS 7u     /* low bits of a reference, from 3.14 on; objects lie at multiples of 16 */
#define IS_ACTIVE 16u   /* a bit of a thread's status */
#define MAX_SKIPPED 127 /* the largest n_last_skipped: half as many ticks are skipped */
#define MAX_STEPS (2 * EP_PYTHON_MAX_FRAMES)
#define MAX_FORETOLD 120 /* frames of the last tick that are read ahead */
#define MAX_GAP 512      /* unneeded bytes between two frames that are read in one piece */
#define MAX_TOGETHER 4096
#define MARGIN_BYTES 1024 /* extra bytes, for frames that were pushed since the last tick */
#define PAGE_BYTES 4096   /* the smallest page size */
/* A code object is not read again for BELIEVED_TICKS ticks. The number doubles each time that the object proves
 * unchanged. */
#define BELIEVED_TICKS 64
#define MAX_BELIEVED_TICKS 1024

/* ---- code objects that are known ---- */

/* Returns the place of a code object, or else the oldest place that it may take. With one place for each address
 * instead of EP_PYTHON_WAYS, two of 20 objects would share a place in every third program, and both would be read at
 * each tick. */
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

/* Returns the witness of a code object, a value that differs from that of a later object at the same address. It is
 * made of the frame's function and globals, which the frame keeps alive like its code. The witness is not enough if
 * exec runs one text after another in the same globals: such a frame has its names in a dict, like that of a module or
 * class, and is doubtful (see add_frame). The outermost frame of a script has such a dict, too. If the program is
 * CPython itself, the code of that frame is taken as unchanged as long as the frame is in the same call. */
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
	f->n_ticks += MAX_BELIEVED_TICKS; /* makes the numbers in frames too old to be used */
	f->python = NULL;
	f->state = 0;
	f->first_interpreter = 0;
	f->has_sub_interpreters = false;
	f->chunk = 0;
	f->n_frames = 0;
	f->n_to_skip = f->n_last_skipped = 0;
}

/* ---- memory that is read ahead ---- */

static uint64_t page_end(uint64_t address)
{
	return (address | (PAGE_BYTES - 1)) + 1;
}

/* Names frames of the last tick that lie side by side as one piece, since more bytes to copy cost less than more pieces
 * (27 ns each). Of such frames the innermost mostly has the highest address. Returns the index of the next frame to
 * name. */
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

/* Reads ahead all memory that the last tick used, since most frames are still the same. */
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

/* Returns the innermost frame of a thread's state; 0: the thread is in no frame. */
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

/* Tells whether the state that an earlier tick found is still this thread's, and in a frame. A freed state is in no
 * list of states. A freed state that is part of the interpreter's data has no thread's id. */
static EP_SLICE_CODE bool is_alive(struct ep_python_frames *f)
{
	return f->state && (f->is_own || ep_peek_word(&f->peek, f->linked_at) == f->state) &&
	       is_of_thread(f, f->state) && innermost_of(f, f->state);
}

/* Tells whether the thread runs in this state's interpreter, and not in another interpreter that was called from there.
 * Up to 3.11 the state must have the interpreter's lock; from 3.12 on it must be active. */
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

/* Finds the first state of the thread that is in a function. If the thread is in several interpreters, follow_all finds
 * its states in all of them. */
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

/* Called at a frame that marks the beginning of a call of the loop and belongs to no function: the frame that was added
 * last is the call's outermost. If none was added, the innermost call has no frame yet. */
static EP_SLICE_CODE void end_call(struct ep_python_frames *f)
{
	if (f->n_frames)
		f->frames[f->n_frames - 1].ends_call = true;
	else
		f->begins_empty = true;
}

/* Tells whether an object is a code object. Any other object ends the list of frames: the interpreter was just changing
 * the list when it was read. */
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

/* Sets the frame's number if it is known. last: the entry that the last tick wrote at the same index. This entry is
 * checked first: most frames keep their index, and the entry is written anyway. Returns false if there is no code
 * object. */
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

/* Tells whether this is the frame of the script itself, from which all others are called. */
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

/* Returns a value that differs between the calls that a frame makes. */
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

	/* MAX_STEPS allows one call's mark for each frame: each call has at least one frame, unless the list changed
	 * while it was read. */
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

/* Reads the frames of all interpreters that the thread is in; the thread has a state in each of them. The innermost
 * interpreter is read first: a sub-interpreter is called from one that was created earlier, which comes later in the
 * list. */
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

/* Sets how many of the next ticks will not try to read. The number grows with the ticks that have failed in a row. */
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
