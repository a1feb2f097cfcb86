// SPDX-License-Identifier: BSD-3-Clause
/* Finds which thread (the holder) held the lock that another thread waited for, and the call path that the holder was
 * in during the wait. Runs in the thread that waited. */
#include "preload/thread/thread_write.h"
#include "waits.h"

static struct ep_thread *find_thread(int tid)
{
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next)
		if (t->state == EP_THREAD_LIVE && t->tid == tid)
			return t;
	return NULL;
}

/* Tells whether the holder's wait for something else (last) kept this thread waiting: it must begin in the first half
 * of this thread's wait, or before. If it begins later, the holder may have released the lock before, and other threads
 * may have held the lock since. */
static bool kept_us(const struct ep_wait_last *last, const struct ep_waited *waited)
{
	uint64_t middle_ns = waited->start_ns + (waited->end_ns - waited->start_ns) / 2;

	return last->end_ns && last->object != waited->wait.object &&
	       last->end_ns > waited->start_ns && last->start_ns < middle_ns;
}

/* Returns the holder's last wait that was passed over without a note. Its stamps are converted to CLOCK_MONOTONIC. */
static struct ep_wait_last last_passed(
	const struct ep_wait_now *now, const struct ep_waited *waited)
{
	return (struct ep_wait_last){
		.object = now->last_object,
		.start_ns = waited->end_ns - ep_stamps_ns(now->last_start, waited->end),
		.end_ns = waited->end_ns - ep_stamps_ns(now->last_end, waited->end),
	};
}

/* Finds the first wait of the holder that kept this thread waiting. Returns false if there is none, if the holder's
 * waits since the beginning of this thread's wait are partly overwritten, or if the holder adds a wait during the
 * search. The slot that the holder writes next is not read. Where the holder passed waits over before the wait that was
 * found, one of those may be the first one: then the node is 0, since the place is not known. */
static bool find_wait(const struct ep_thread *holder, const struct ep_waited *waited,
	struct ep_wait_last *out_last)
{
	const struct ep_wait_rows *rows = &holder->waits;
	uint32_t next = rows->next_last, n_passed = 0;

	for (uint32_t i = 1; i < EP_WAIT_N_LAST; i++) {
		*out_last = rows->last[(next + i) % EP_WAIT_N_LAST];
		if (i == 1 && out_last->end_ns > waited->start_ns)
			return false;
		if (kept_us(out_last, waited)) {
			if (out_last->n_passed != n_passed && out_last->start_ns > waited->start_ns)
				out_last->node_idx = 0;
			return rows->next_last == next;
		}
		n_passed = out_last->n_passed;
	}
	if (holder->wait_now.n_passed == n_passed)
		return false;
	*out_last = last_passed(&holder->wait_now, waited);
	return kept_us(out_last, waited) && rows->next_last == next;
}

/* Returns the node where the holder was while it kept this thread waiting: in a wait of its own, or at its last tick.
 * 0: not known. Called under the holder's lock. */
static uint32_t find_place(
	const struct ep_thread *holder, const struct ep_waited *waited, uint8_t *out_kind)
{
	uint64_t start_us = ep_recording_us_of(waited->start_ns);
	struct ep_wait_last last;
	bool has_waited = find_wait(holder, waited, &last);

	*out_kind = has_waited && last.node_idx ? last.kind : 0;
	if (has_waited)
		return last.node_idx;
	return holder->slice_start_us >= start_us &&
			       holder->slice_start_us <= ep_recording_us_of(waited->end_ns)
		       ? holder->last_node_idx
		       : 0;
}

/* Removes the functions of scripts from a stack: their numbers are valid only in the table of the holder's thread. */
static void leave_out_scripts(struct ep_stack *stack)
{
	unsigned n = 0;

	for (unsigned i = 0; i < stack->n_frames; i++)
		if (!ep_is_script_address(stack->addresses[i]))
			stack->addresses[n++] = stack->addresses[i];
	stack->n_frames = n;
}

/* Copies the holder's call path to the waiting thread's tree, since the holder's own tree may be written later than the
 * wait, or never. */
void ep_waits_take_holder(
	struct ep_thread *thread, const struct ep_waited *waited, struct ep_wait_sum *sum)
{
	int owner = waited->wait.owner;
	struct ep_thread *holder = owner ? find_thread(owner) : NULL;
	uint32_t node_idx;

	if (!holder || holder == thread)
		return;
	sum->holder = holder->idx + 1;
	if (!ep_thread_try_lock(holder))
		return;
	node_idx = find_place(holder, waited, &sum->holder_kind);
	if (node_idx)
		ep_tree_path(&holder->tree, node_idx, &thread->stack);
	ep_thread_unlock(holder);
	if (node_idx)
		leave_out_scripts(&thread->stack);
	if (node_idx && thread->stack.n_frames)
		sum->holder_node = ep_tree_add(
			&thread->tree, &thread->stack, ep_recording_us_of(waited->end_ns));
	if (sum->holder_node == EP_TREE_FULL)
		sum->holder_node = 0;
}
