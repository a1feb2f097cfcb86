// SPDX-License-Identifier: BSD-3-Clause
/*
 * Assigns the interpreter's frames to the calls of its loop in the native stack. If the outer ends of both lists are
 * known, this begins at the outermost call, else at the innermost one. The two lists differ by one call during a few
 * instructions at the beginning and at the end of a call.
 */
#include "merge.h"

#include <string.h>

#include "common/os/slice_code.h"
#include "find.h"

void ep_interpreted_reset(struct ep_interpreted *interpreted)
{
	ep_codes_reset(&interpreted->codes);
	ep_python_forget(&interpreted->python);
	interpreted->n_most_frames = 0;
	interpreted->outermost = 0;
}

/* Returns an address in the code of a frame. A return address stands for the call before it, hence the subtraction of
 * 1. */
static uint64_t code_at(const struct ep_stack *stack, uint32_t idx)
{
	return stack->addresses[idx] - (idx > 0);
}

static EP_SLICE_CODE const struct ep_python *find_python(const struct ep_stack *stack)
{
	const struct ep_python *python;

	for (uint32_t i = 0; i < stack->n_frames; i++) {
		python = ep_interpreter_at(code_at(stack, i));
		if (python)
			return python;
	}
	return NULL;
}

static EP_SLICE_CODE int count_loops(const struct ep_stack *stack, const struct ep_python *python)
{
	int n = 0;

	for (uint32_t i = 0; i < stack->n_frames; i++)
		n += ep_python_is_loop(python, code_at(stack, i));
	return n;
}

static EP_SLICE_CODE int count_calls(const struct ep_python_frames *f)
{
	int n = f->begins_empty;

	for (uint32_t i = 0; i < f->n_frames; i++)
		n += f->frames[i].ends_call;
	return n;
}

struct merge {
	struct ep_interpreted *own;
	struct ep_stack *stack;
	uint32_t n; /* the number of addresses in merged */
	uint32_t next_frame;
};

static EP_SLICE_CODE void push(struct merge *m, uint64_t address)
{
	if (m->n < EP_STACK_MAX_FRAMES)
		m->own->merged[m->n++] = address;
	else
		m->stack->cut = true;
}

static EP_SLICE_CODE uint64_t address_of(struct ep_interpreted *own, uint32_t frame_idx)
{
	const struct ep_python_frame *frame = &own->python.frames[frame_idx];
	uint32_t id = frame->id;

	if (!id) {
		id = ep_codes_number(
			&own->codes, &own->python.peek, own->python.python, frame->code);
		ep_python_know(&own->python, frame_idx, id);
	}
	return id ? ep_script_address(id, frame->offset) : 0;
}

/* Adds the frames of one call of the loop. If a frame cannot be named, the native frame of the loop is added, too. */
static EP_SLICE_CODE void push_call(struct merge *m, uint64_t native)
{
	const struct ep_python_frames *f = &m->own->python;
	bool is_unnamed = false, is_last = false;

	while (!is_last && m->next_frame < f->n_frames) {
		uint64_t address = address_of(m->own, m->next_frame);

		is_last = f->frames[m->next_frame++].ends_call;
		is_unnamed |= !address;
		m->own->codes.n_unread += !address;
		if (address)
			push(m, address);
	}
	m->own->codes.has_news |= is_unnamed;
	if (is_unnamed)
		push(m, native);
}

static void skip_call(struct merge *m)
{
	const struct ep_python_frames *f = &m->own->python;

	while (m->next_frame < f->n_frames && !f->frames[m->next_frame++].ends_call)
		;
}

/* Merges the two stacks. n_bare: the number of calls of the loop, innermost first, for which the interpreter has no
 * frame. */
static EP_SLICE_CODE void merge_stack(struct merge *m, int n_bare)
{
	for (uint32_t i = 0; i < m->stack->n_frames; i++) {
		uint64_t address = m->stack->addresses[i];

		if (!ep_python_is_loop(m->own->python.python, code_at(m->stack, i)) ||
			n_bare-- > 0 || m->next_frame == m->own->python.n_frames)
			push(m, address);
		else
			push_call(m, address);
	}
}

static EP_SLICE_CODE bool ends_are_known(
	const struct ep_stack *stack, const struct ep_python_frames *f)
{
	return !stack->cut && !stack->broken && !f->is_cut && !f->is_lost;
}

/*
 * Returns how many calls of the loop, innermost first, have no frame: at most one, at the call's beginning or end. A
 * result below 0 tells how many calls in the list of frames have no native frame. Returns 0 for a coroutine with a
 * stack of its own (greenlet), which is recognised by its outermost frame, since this is not the thread's: its list of
 * frames ends at its start, while the native stack continues to the code that started it, so that the outer calls have
 * no frames.
 */
static EP_SLICE_CODE int count_bare(struct ep_interpreted *own, const struct ep_stack *stack)
{
	const struct ep_python_frames *f = &own->python;
	uint64_t outermost = f->n_frames ? f->frames[f->n_frames - 1].address : 0;
	int n;

	if (!ends_are_known(stack, f))
		return 0;
	n = count_loops(stack, f->python) - count_calls(f);
	if (!n)
		own->outermost = outermost;
	return n > 0 && own->outermost && outermost != own->outermost ? 0 : n;
}

EP_SLICE_CODE bool ep_interpreted_merge(struct ep_interpreted *own, struct ep_stack *stack)
{
	const struct ep_python *python = find_python(stack);
	struct merge m = { .own = own, .stack = stack };
	uint32_t n_codes = own->codes.n_codes;
	int n_more;

	own->is_new = false;
	if (!python)
		return false;
	ep_python_read(&own->python, python, stack->own);
	own->codes.n_unread += own->python.is_lost;
	own->codes.has_news |= own->python.is_lost;
	n_more = count_bare(own, stack);
	for (int i = n_more; i < 0; i++)
		skip_call(&m);
	merge_stack(&m, (n_more > 0 ? n_more : 0) + own->python.begins_empty);
	own->is_new = own->codes.n_codes != n_codes || own->python.n_frames > own->n_most_frames;
	if (own->python.n_frames > own->n_most_frames)
		own->n_most_frames = own->python.n_frames;
	stack->n_frames = m.n;
	memcpy(stack->addresses, own->merged, m.n * sizeof(own->merged[0]));
	return true;
}
