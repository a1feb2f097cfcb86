// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the caller of code that has no unwind table and no frame pointer, such as OpenBLAS's assembler kernels
 * (dgemm_kernel_HASWELL). A word on the stack is taken as the return address if it can be one, and if the unwind tables
 * lead from there to the outermost frame. Runs in signal handlers.
 */
#include <string.h>

#include "preload/unwind/call_site.h"
#include "preload/unwind/modules.h"
#include "preload/unwind/walk.h"

#if defined(__x86_64__)
#define SEARCHED_WORDS 40
#define FARTHEST_ANCHOR                                                                            \
	(64 << 10) /* OpenBLAS's dgemm has up to 32 KiB between sp and its saved registers */
#define LARGEST_FUNCTION (1 << 20)

static bool read_bytes(struct ep_walk *walk, uint64_t address, uint8_t *out, size_t n)
{
	uint64_t words[4];

	for (size_t i = 0; i <= n / 8; i++)
		if (!ep_walk_read_word(walk, (address & ~7ull) + 8 * i, &words[i]))
			return false;
	memcpy(out, (const uint8_t *)words + address % 8, n);
	return true;
}

static bool is_entry_of(uint64_t entry, uint64_t pc)
{
	return entry <= pc && pc - entry < LARGEST_FUNCTION;
}

/* Tells whether a call of target, a function or a linkage stub, leads to the function that contains pc. */
static bool leads_to(struct ep_walk *walk, uint64_t target, uint64_t pc)
{
	uint8_t bytes[EP_STUB_BYTES];
	uint64_t entry;
	int64_t slot;

	if (is_entry_of(target, pc))
		return true;
	slot = read_bytes(walk, target, bytes, sizeof(bytes)) ? ep_stub_slot(bytes) : 0;
	return slot && ep_walk_read_word(walk, target + slot, &entry) && is_entry_of(entry, pc);
}

static bool can_return_to(struct ep_walk *walk, uint64_t address, uint64_t pc)
{
	uint8_t bytes[EP_CALL_BYTES];
	struct ep_code_range range;
	int64_t distance;

	if (address < EP_LOWEST_ADDRESS ||
		(address >= walk->bounds.low && address < walk->bounds.high) ||
		!ep_modules_find_code(address - 1, &range) ||
		!read_bytes(walk, address - EP_CALL_BYTES, bytes, sizeof(bytes)))
		return false;
	switch (ep_call_site_before(bytes, &distance)) {
	case EP_CALL_DIRECT:
		return leads_to(walk, address + distance, pc);
	case EP_CALL_INDIRECT:
		return true;
	default:
		return false;
	}
}

/* How far the frames of a guessed caller lead; with a later value the guess is more likely right. */
enum trust {
	LEADS_NOWHERE,
	/* the frames end at a return address of 0: the beginning of a thread, or memory that is 0 by chance */
	LEADS_TO_ZERO,
	/* the frames lead to a frame that is the outermost by its table, or there are EP_STACK_MAX_FRAMES of them */
	LEADS_TO_END,
};

/* Follows the frames of a guessed caller. Only from the true caller all frames up to the outermost can be followed. A
 * guess that is the outermost frame itself is rejected: if it were accepted, any address within _start that an earlier
 * call left on the stack would be. */
static enum trust try_frames(struct ep_walk *walk)
{
	struct ep_registers start = walk->regs;
	enum ep_step result;
	uint64_t last;

	walk->is_trial = true;
	walk->regs.is_exact = false;
	result = ep_walk_step(walk);
	if (result == EP_STEP_END)
		result = EP_STEP_BROKEN;
	for (unsigned i = 1; i < EP_STACK_MAX_FRAMES && result == EP_STEP_FRAME; i++)
		result = ep_walk_step(walk);
	walk->is_trial = false;
	last = walk->regs.pc;
	walk->regs = start;
	if (result == EP_STEP_BROKEN)
		return LEADS_NOWHERE;
	return last ? LEADS_TO_END : LEADS_TO_ZERO;
}

/* the number of words below a return address that may be registers which the function saved */
#define SAVED_WORDS 16
#define TRIED_FRAME_POINTERS 4

/* Returns the least value above low that may be a frame pointer; 0: there is none. */
static uint64_t next_frame_pointer(
	const uint64_t *values, unsigned n_values, uint64_t low, uint64_t high)
{
	uint64_t next = 0;

	for (unsigned i = 0; i < n_values; i++)
		if (values[i] % 8 == 0 && values[i] > low && values[i] < high &&
			(!next || values[i] < next))
			next = values[i];
	return next;
}

/* Finds the caller's frame pointer; the other registers of walk are the caller's already. The frame pointer is one of
 * the words that the function has saved, or is still in its register. Of values that lead equally far, the one nearest
 * to sp is taken. */
static bool finds_frame_pointer(struct ep_walk *walk, uint64_t from)
{
	uint64_t values[SAVED_WORDS + 1] = { walk->regs.fp }, best = walk->regs.fp,
				      low = walk->regs.sp - 8, high = low + FARTHEST_ANCHOR * 16;
	unsigned n_values = 1;
	enum trust trust = LEADS_NOWHERE, most = LEADS_NOWHERE;

	for (uint64_t at = low - 8; at >= from && n_values <= SAVED_WORDS; at -= 8)
		if (ep_walk_read_word(walk, at, &values[n_values]))
			n_values++;
	for (unsigned i = 0; i <= TRIED_FRAME_POINTERS && most < LEADS_TO_END; i++) {
		low = i < TRIED_FRAME_POINTERS && low
			      ? next_frame_pointer(values, n_values, low, high)
			      : 0;
		walk->regs.fp = low ? low : values[0];
		trust = try_frames(walk);
		if (trust > most) {
			most = trust;
			best = walk->regs.fp;
		}
		if (!low)
			break;
	}
	walk->regs.fp = best;
	return most != LEADS_NOWHERE;
}

static bool search_from(struct ep_walk *walk, uint64_t from)
{
	struct ep_registers start = walk->regs;
	uint64_t word;

	for (uint64_t at = from; at < from + 8 * SEARCHED_WORDS; at += 8) {
		if (!ep_walk_read_word(walk, at, &word))
			return false;
		if (!can_return_to(walk, word, start.pc))
			continue;
		walk->regs.pc = word;
		walk->regs.sp = at + 8;
		if (finds_frame_pointer(walk, from))
			return true;
		walk->regs = start;
	}
	return false;
}

/* Searches for the return address. It lies above sp, or above an address of the stack that is in a register, since code
 * that moves sp far away keeps the old value of sp in a register. */
static bool step_by_search(struct ep_walk *walk)
{
	enum { N_REGISTERS = 16 };
	uint64_t last = 0, next = walk->regs.sp, value;

	for (unsigned n = 0; n <= N_REGISTERS && next != UINT64_MAX; n++) {
		if (search_from(walk, next))
			return true;
		last = next;
		next = UINT64_MAX;
		for (unsigned reg = 0; reg < N_REGISTERS; reg++)
			if (ep_walk_read_context(walk, reg, &value) && value % 8 == 0 &&
				value > last && value - walk->regs.sp < FARTHEST_ANCHOR &&
				value < next)
				next = value;
	}
	return false;
}

/* Steps to the caller of code without a table. The caller is searched for only from code of modules. Code that was made
 * at run time has frame pointers, or its callers have no tables, so that no guess could be confirmed; in a JVM the
 * search would take 10 us at each tick. */
bool ep_walk_without_table(struct ep_walk *walk)
{
	struct ep_registers start = walk->regs;
	struct ep_code_range range;

	if (!start.is_exact || walk->is_trial || !ep_modules_find_code(start.pc, &range))
		return ep_walk_by_frame_pointer(walk);
	if (ep_walk_by_frame_pointer(walk) && try_frames(walk) != LEADS_NOWHERE)
		return true;
	walk->regs = start;
	if (step_by_search(walk))
		return true;
	walk->regs = start;
	return ep_walk_by_frame_pointer(walk);
}
#else
bool ep_walk_without_table(struct ep_walk *walk)
{
	return ep_walk_by_frame_pointer(walk);
}
#endif
