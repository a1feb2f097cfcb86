// SPDX-License-Identifier: BSD-3-Clause
/*
 * A tick names to the kernel all that the last one needed and gets it by one call (2.1 us for 20
 * frames); what has changed since is read by further calls, 1 us each.
 */
#include "python.h"

#include <pthread.h>
#include <string.h>

#include "common/os/slice_code.h"

#define MAX_INTERPRETERS 16
#define OWNED_BY_C_STACK 3 /* FRAME_OWNED_BY_CSTACK of pycore_frame.h, from 3.12 on */
#define MAX_SKIPPED 127    /* ticks, where nothing can be read for long */
#define MAX_STEPS (2 * EP_PYTHON_MAX_FRAMES)
#define MAX_FORETOLD 120 /* frames that are named ahead */
#define MAX_GAP 512      /* bytes that are read for nothing, between two frames */
#define MAX_TOGETHER 4096

/* From 3.11 on frames lie one beside the other, the innermost mostly highest: bytes copied cost less than
 * pieces (27 ns each). Returns the next frame's index. */
static EP_SLICE_CODE uint32_t want_frames(struct ep_python_frames *f, uint32_t i, uint32_t n)
{
	uint64_t low = f->before[i].address, high = low + f->python->frame_bytes;

	for (i++; i < n; i++) {
		uint64_t at = f->before[i].address;

		if (low - at > MAX_GAP || high - at > MAX_TOGETHER)
			break;
		low = at;
	}
	ep_peek_want(&f->peek, low, (uint32_t)(high - low));
	return i;
}

static EP_SLICE_CODE void foretell(struct ep_python_frames *f)
{
	const struct ep_python *python = f->python;
	uint32_t n = f->n_before < MAX_FORETOLD ? f->n_before : MAX_FORETOLD;

	if (!f->state)
		return;
	ep_peek_want(&f->peek, f->linked_at, 8);
	ep_peek_want(&f->peek, f->state, python->thread_bytes);
	if (f->cframe)
		ep_peek_want(&f->peek, f->cframe, python->layout.cframe_frame + 8);
	for (uint32_t i = 0; i < n;)
		i = want_frames(f, i, n);
	for (uint32_t i = 0; i < n; i++)
		if (!i || f->before[i].code != f->before[i - 1].code)
			ep_peek_want(&f->peek, f->before[i].code, python->code_bytes);
	for (uint32_t i = 0; i < f->n_shims_before; i++)
		ep_peek_want(&f->peek, f->shims[i], python->frame_bytes);
	ep_peek_read_foretold(&f->peek);
}

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
	f->cframe = ep_word_at(copy, layout->thread_cframe);
	cframe = ep_peek_get(&f->peek, f->cframe, layout->cframe_frame + 8u);
	return cframe ? ep_word_at(cframe, layout->cframe_frame) : 0;
}

static EP_SLICE_CODE bool is_of_thread(struct ep_python_frames *f, uint64_t state)
{
	const void *copy = ep_peek_get(&f->peek, state, f->python->thread_bytes);

	return copy && ep_word_at(copy, f->python->layout.thread_id) == (uint64_t)pthread_self();
}

/* A state that was freed is in no list. */
static EP_SLICE_CODE bool is_alive(struct ep_python_frames *f)
{
	return f->state && ep_peek_word(&f->peek, f->linked_at) == f->state &&
	       is_of_thread(f, f->state) && innermost_of(f, f->state);
}

static bool search_interpreter(struct ep_python_frames *f, uint64_t interpreter)
{
	uint64_t link = interpreter + f->python->layout.interpreter_threads, state;

	while ((state = ep_peek_word(&f->peek, link))) {
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

/* The thread has one for each interpreter that it was in: the one that is in a function. */
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
	return layout->frame_owner != EP_LAYOUT_NONE &&
	       copy[layout->frame_owner] == OWNED_BY_C_STACK;
}

/* Where a call of the loop begins without a frame of a function. */
static EP_SLICE_CODE void end_call(struct ep_python_frames *f, uint64_t shim)
{
	if (f->n_shims < EP_PYTHON_MAX_SHIMS)
		f->shims[f->n_shims++] = shim;
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

static EP_SLICE_CODE bool add_frame(struct ep_python_frames *f, uint64_t at, const uint8_t *copy)
{
	const struct ep_python_layout *layout = &f->python->layout;
	struct ep_python_frame *frame = &f->frames[f->n_frames];

	if (!is_code(f, ep_word_at(copy, layout->frame_code)))
		return false;
	f->n_frames++;
	*frame = (struct ep_python_frame){
		.address = at,
		.previous = ep_word_at(copy, layout->frame_previous),
		.code = ep_word_at(copy, layout->frame_code),
	};
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
		const uint8_t *copy = ep_peek_get(&f->peek, at, f->python->frame_bytes);

		f->is_lost = !copy || (!is_shim(layout, copy) && !add_frame(f, at, copy));
		if (f->is_lost)
			return;
		if (is_shim(layout, copy))
			end_call(f, at);
		at = ep_word_at(copy, layout->frame_previous);
	}
	f->is_cut = at;
	if (!at && f->n_frames)
		f->frames[f->n_frames - 1].ends_call = true;
}

EP_SLICE_CODE void ep_python_read(struct ep_python_frames *f, const struct ep_python *python)
{
	if (f->python != python) {
		f->python = python;
		f->state = f->cframe = 0;
		f->n_frames = f->n_shims = 0;
	}
	f->n_before = f->n_frames;
	memcpy(f->before, f->frames, f->n_frames * sizeof(f->frames[0]));
	f->n_shims_before = f->n_shims;
	f->n_frames = f->n_shims = 0;
	f->is_cut = f->is_lost = f->begins_empty = false;
	ep_peek_start(&f->peek);
	if (f->n_to_skip) {
		f->n_to_skip--;
		f->is_lost = true;
		return;
	}
	foretell(f);
	if (is_alive(f) || search(f))
		follow(f, innermost_of(f, f->state));
	else
		f->is_lost = true;
	f->n_last_skipped = f->is_lost ? 2 * f->n_last_skipped + 1 : 0;
	if (f->n_last_skipped > MAX_SKIPPED)
		f->n_last_skipped = MAX_SKIPPED;
	f->n_to_skip = f->n_last_skipped / 2;
}
