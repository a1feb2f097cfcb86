// SPDX-License-Identifier: BSD-3-Clause
/*
 * Walks a stack frame by frame. Runs in the slice's signal handler, on a stack of evprof's own. So it allocates
 * nothing, takes no locks, and makes no access that could fault.
 *
 * Costs (bench/programs/walk.c, 2 GHz): a frame takes 14 ns if the thread has its rule in its memory, as much as in
 * libunwind's unw_backtrace, and 2 us the first time. In libunwind's unw_step it takes 660 ns, and 5 us the first time.
 */
#include "unwind.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>

#include "cfi.h"
#include "common/os/large.h"
#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "modules.h"
#include "unwinder.h"
#include "walk.h"

#define N_CACHED_RULES 16384 /* 256 KiB, of which only used pages are touched */

/* Rules by key, which is made of the program counter and the number of unloads. If two threads write an entry at once,
 * it may get the rule of one thread and the check of the other: such an entry matches no key. */
static struct cached_rule {
	_Atomic uint64_t rule;
	_Atomic uint64_t check; /* the value of check_of for the key and the rule */
} rule_cache[N_CACHED_RULES] EP_LARGE;

static uint64_t check_of(uint64_t key, uint64_t rule)
{
	return key ^ rule * 0x9e3779b97f4a7c15ull;
}

/* The number of unloads in the upper 16 bits, which are part of the rules' keys, and the number of forks in the lower
 * bits. */
static _Atomic uint64_t generation;

#define ONE_UNLOAD (1ull << 48)
#define UNLOADS (0xffff * ONE_UNLOAD)

static void clear_rules(void)
{
	for (size_t i = 0; i < N_CACHED_RULES; i++) {
		atomic_store_explicit(&rule_cache[i].check, 0, memory_order_relaxed);
		atomic_store_explicit(&rule_cache[i].rule, 0, memory_order_relaxed);
	}
}

/* Increments the number of unloads, which is part of the rules' keys. When the number begins at 0 again, all rules are
 * removed, since an old rule would have a valid key. */
void ep_unwind_forget(void)
{
	uint64_t before = atomic_load(&generation), after;

	do {
		after = before + ONE_UNLOAD;
		if (before >= UNLOADS) {
			clear_rules();
			/* the number of forks grows, too, so that this generation was never used: threads forget their
			 * rules */
			after++;
		}
	} while (!atomic_compare_exchange_weak(&generation, &before, after));
}

void ep_unwind_after_fork(void)
{
	atomic_fetch_add(&generation, 1);
}

static bool copy_page(struct ep_walk *walk, uint64_t page)
{
	struct iovec to = { walk->memory->page, EP_PAGE_BYTES },
		     from = { (void *)page, EP_PAGE_BYTES };
	long n = ep_sys(__NR_process_vm_readv, ep_sys_getpid(), &to, 1, &from, 1, 0);

	walk->memory->is_new = true;
	walk->page = n == EP_PAGE_BYTES ? page : 0;
	return n == EP_PAGE_BYTES;
}

bool ep_walk_read_foreign(struct ep_walk *walk, uint64_t address, uint64_t *out_value)
{
	uint64_t page = address & ~(uint64_t)(EP_PAGE_BYTES - 1);

	if (address % 8 || address < EP_LOWEST_ADDRESS)
		return false;
	if (page != walk->page && !copy_page(walk, page))
		return false;
	*out_value = walk->memory->page[(address - page) / 8];
	return true;
}

static struct ep_frame_rule find_rule(uint64_t pc)
{
	struct ep_frame_rule unknown = { .cfa = EP_CFA_UNKNOWN };
	struct ep_code_range range;

	if (!ep_modules_find_code(pc, &range) || !range.eh_frame_header)
		return unknown;
	return ep_cfi_find(pc, range.eh_frame_header, range.start, range.end);
}

static EP_UNUSUAL struct ep_frame_rule learn_rule(
	struct ep_unwind_memory *memory, struct cached_rule *entry, uint64_t pc, uint64_t key)
{
	struct ep_frame_rule rule = find_rule(pc);
	uint64_t packed;

	memory->is_new = true;
	memcpy(&packed, &rule, sizeof(packed));
	atomic_store_explicit(&entry->rule, packed, memory_order_relaxed);
	atomic_store_explicit(&entry->check, check_of(key, packed), memory_order_relaxed);
	return rule;
}

static struct ep_frame_rule look_up_rule(struct ep_unwind_memory *memory, uint64_t pc)
{
	struct cached_rule *entry = &rule_cache[(pc ^ pc >> 14) % N_CACHED_RULES];
	uint64_t packed = atomic_load_explicit(&entry->rule, memory_order_relaxed);
	uint64_t check = atomic_load_explicit(&entry->check, memory_order_relaxed);
	uint64_t key = pc ^ (memory->generation & UNLOADS);
	struct ep_frame_rule rule;

	if (check != check_of(key, packed))
		return learn_rule(memory, entry, pc, key);
	memcpy(&rule, &packed, sizeof(rule));
	return rule;
}

/* Tells whether the walk is at the vDSO's signal trampoline. The unwind tables of Arm (Linux
 * arch/arm64/kernel/vdso/sigreturn.S) and POWER have no entry for the trampoline, so its instructions are compared, as
 * libgcc does. */
static EP_UNUSUAL bool is_at_trampoline(struct ep_walk *walk)
{
#if defined(__aarch64__)
	static const uint32_t code[] = { 0xd2801168, 0xd4000001 }; /* mov x8, 139; svc 0 */
#elif defined(__powerpc64__)
	static const uint32_t code[] = { 0x38210080, 0x380000ac }; /* addi 1,1,128; li 0,172 */
#else
	static const uint32_t code[] = { 0, 0 }; /* x86-64 has a table for the trampoline */
#endif
	uint64_t words[2], at = walk->regs.pc & ~7ull;

	return code[0] && !walk->regs.is_exact && ep_walk_read_word(walk, at, &words[0]) &&
	       ep_walk_read_word(walk, at + 8, &words[1]) &&
	       !memcmp((const char *)words + (walk->regs.pc & 7), code, sizeof(code));
}

/* Steps by the frame pointer, for code without tables. Returns false if the register does not look like a frame
 * pointer. */
bool ep_walk_by_frame_pointer(struct ep_walk *walk)
{
#if defined(__powerpc64__)
	/* ELFv2: the back chain is at 0(r1), and the saved link register at 16 of the caller's frame (Power ABI 1.4,
	 * 2.2.2). */
	uint64_t caller_sp, ra;

	if (!ep_walk_read_word(walk, walk->regs.sp, &caller_sp))
		return false;
	if (!caller_sp) {
		walk->regs.pc = 0; /* the end of the stack by the ABI */
		return true;
	}
	if (caller_sp <= walk->regs.sp || !ep_walk_read_word(walk, caller_sp + 16, &ra))
		return false;
	walk->regs.sp = caller_sp;
	walk->regs.pc = ra;
	return true;
#else
	uint64_t fp = walk->regs.fp, caller_fp, ra;

	if (fp < walk->regs.sp || fp - walk->regs.sp > 1 << 20 ||
		!ep_walk_read_word(walk, fp, &caller_fp) || !ep_walk_read_word(walk, fp + 8, &ra))
		return false;
	walk->regs.sp = fp + 16;
	walk->regs.fp = caller_fp;
	walk->regs.pc = ra;
	return true;
#endif
}

static bool read_register(struct ep_walk *walk, unsigned reg, uint64_t *out_value)
{
	if (reg == EP_REG_SP)
		*out_value = walk->regs.sp;
	else if (reg == EP_REG_FP)
		*out_value = walk->regs.fp;
	else if (reg == (unsigned)EP_REG_BX)
		*out_value = walk->regs.bx;
	else
		return walk->regs.is_exact && ep_walk_read_context(walk, reg, out_value);
	return true;
}

static bool find_cfa(struct ep_walk *walk, struct ep_frame_rule rule, uint64_t *out_cfa)
{
	int64_t offset = (int64_t)rule.cfa_words * 8;
	bool ok;

	switch (rule.cfa) {
	case EP_CFA_REGISTER:
		ok = read_register(walk, rule.reg, out_cfa);
		*out_cfa += offset;
		return ok;
	case EP_CFA_FP_DEREF:
		return ep_walk_read_word(walk, walk->regs.fp + offset, out_cfa);
	case EP_CFA_SP_DEREF:
		ok = ep_walk_read_word(walk, walk->regs.sp + offset, out_cfa);
		*out_cfa += 8;
		return ok;
	default:
		return false;
	}
}

/* Restores the registers that the function has saved for its caller. */
static bool restore_registers(struct ep_walk *walk, struct ep_frame_rule rule, uint64_t cfa)
{
	struct ep_registers *regs = &walk->regs;
	uint64_t base = rule.fp == EP_SLOT_SAVED_AT_FP ? regs->fp : cfa;

#if defined(__x86_64__)
	if (rule.bx == EP_SLOT_SAVED &&
		!ep_walk_read_word(walk, cfa + (int64_t)rule.bx_words * 8, &regs->bx))
		return false;
#endif
	return rule.fp == EP_SLOT_SAME ||
	       ep_walk_read_word(walk, base + (int64_t)rule.fp_words * 8, &regs->fp);
}

static bool step_by_rule(struct ep_walk *walk, struct ep_frame_rule rule)
{
	struct ep_registers *regs = &walk->regs;
	uint64_t cfa = 0, ra = regs->ra;

	if (!find_cfa(walk, rule, &cfa) || cfa < regs->sp || (cfa == regs->sp && !regs->is_exact))
		return false;
	if (rule.ra == EP_SLOT_SAVED) {
		if (!ep_walk_read_word(walk, cfa + (int64_t)rule.ra_words * 8, &ra))
			return false;
	} else if (!regs->is_exact) {
		return false; /* only a leaf has its return address in a register */
	}
	if (!restore_registers(walk, rule, cfa))
		return false;
	regs->sp = cfa;
	regs->pc = ra;
	return true;
}

/* Steps from any frame but the outermost. */
static __attribute__((noinline)) enum ep_step step_any(
	struct ep_walk *walk, struct ep_frame_rule rule)
{
	bool ok;

	if (rule.cfa == EP_CFA_SIGNAL || (rule.cfa == EP_CFA_UNKNOWN && is_at_trampoline(walk)))
		return ep_walk_leave_signal_frame(walk) ? EP_STEP_FRAME : EP_STEP_BROKEN;
	ok = rule.cfa == EP_CFA_UNKNOWN ? ep_walk_without_table(walk) : step_by_rule(walk, rule);
	return ok ? ep_walk_arrive(walk) : EP_STEP_BROKEN;
}

#if defined(__x86_64__)
/* Tells whether a word lies in the frame, between sp and the CFA. words: its distance from the CFA; n_words: the
 * frame's size. */
static bool is_in_frame(int64_t words, uint64_t n_words)
{
	return (uint64_t)-words - 1 < n_words;
}

static __attribute__((no_sanitize_address)) uint64_t word_of_frame(uint64_t cfa, int64_t words)
{
	return ((const uint64_t *)cfa)[words];
}

/* Does the same as step_any with a third of the instructions, for a frame whose words are all in the thread's own
 * stack, as is nearly every frame. */
static inline __attribute__((no_sanitize_address)) bool step_usual(
	struct ep_walk *walk, struct ep_frame_rule rule)
{
	struct ep_registers *regs = &walk->regs;
	uint64_t cfa, n_words, pc;

	if (rule.cfa != EP_CFA_REGISTER || rule.ra != EP_SLOT_SAVED ||
		rule.fp == EP_SLOT_SAVED_AT_FP || (rule.reg != EP_REG_SP && rule.reg != EP_REG_FP))
		return false;
	cfa = (rule.reg == EP_REG_SP ? regs->sp : regs->fp) + (int64_t)rule.cfa_words * 8;
	if (cfa % 8 || cfa <= regs->sp || regs->sp < walk->bounds.low || cfa > walk->bounds.high)
		return false;
	n_words = (cfa - regs->sp) / 8;
	if (!is_in_frame(rule.ra_words, n_words) ||
		(rule.fp == EP_SLOT_SAVED && !is_in_frame(rule.fp_words, n_words)) ||
		(rule.bx == EP_SLOT_SAVED && !is_in_frame(rule.bx_words, n_words)))
		return false;
	pc = word_of_frame(cfa, rule.ra_words);
	if (pc < EP_LOWEST_ADDRESS)
		return false;
	if (rule.fp == EP_SLOT_SAVED)
		regs->fp = word_of_frame(cfa, rule.fp_words);
	if (rule.bx == EP_SLOT_SAVED)
		regs->bx = word_of_frame(cfa, rule.bx_words);
	regs->sp = cfa;
	regs->pc = pc;
	regs->is_exact = false;
	return true;
}
#else
static bool step_usual(struct ep_walk *walk, struct ep_frame_rule rule)
{
	(void)walk;
	(void)rule;
	return false;
}
#endif

static EP_UNUSUAL struct ep_frame_rule keep_rule(
	struct ep_unwind_memory *memory, uint32_t slot, uint64_t pc)
{
	struct ep_frame_rule rule = look_up_rule(memory, pc);

	memcpy(&memory->rules[slot].rule, &rule, sizeof(rule));
	memory->rules[slot].pc = pc;
	return rule;
}

static inline struct ep_frame_rule near_rule(struct ep_unwind_memory *memory, uint64_t pc)
{
	uint32_t slot = (pc * 0x9e3779b97f4a7c15ull >> 32) % EP_UNWIND_RULES;
	struct ep_frame_rule rule;

	if (memory->rules[slot].pc != pc)
		return keep_rule(memory, slot, pc);
	memcpy(&rule, &memory->rules[slot].rule, sizeof(rule));
	return rule;
}

static inline __attribute__((always_inline)) enum ep_step step(struct ep_walk *walk)
{
	struct ep_frame_rule rule = near_rule(walk->memory, walk->regs.pc - !walk->regs.is_exact);

	if (step_usual(walk, rule))
		return EP_STEP_FRAME;
	return rule.cfa == EP_CFA_OUTERMOST ? EP_STEP_END : step_any(walk, rule);
}

EP_UNUSUAL enum ep_step ep_walk_step(struct ep_walk *walk)
{
	return step(walk);
}

static void forget_near_rules(struct ep_unwind_memory *memory)
{
	uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);

	if (memory->generation == now)
		return;
	memset(memory->rules, 0, sizeof(memory->rules));
	memory->generation = now;
	memory->is_new = true;
}

EP_SLICE_CODE void ep_walk_begin(struct ep_walk *walk, const void *context,
	struct ep_stack_bounds bounds, struct ep_unwind_memory *memory)
{
	uint64_t n_stack;

	walk->bounds = bounds;
	walk->page = 0;
	walk->memory = memory;
	walk->is_trial = false;
	memory->is_new = false;
	ep_walk_take_context(context, &walk->regs);
	if (walk->regs.sp < bounds.low || walk->regs.sp >= bounds.high)
		walk->bounds.low = walk->bounds.high; /* the stack is not the thread's own */
	else
		walk->bounds.low = walk->regs.sp & ~(uint64_t)7;
	n_stack = walk->bounds.high - walk->bounds.low;
	walk->n_direct = n_stack > 7 ? n_stack - 7 : 0;
}

EP_SLICE_CODE void ep_unwind(const void *context, struct ep_stack_bounds bounds,
	struct ep_unwind_memory *memory, struct ep_stack *out_stack)
{
	struct ep_walk walk;
	enum ep_step result;

	ep_walk_begin(&walk, context, bounds, memory);
	forget_near_rules(memory);
	out_stack->own = walk.bounds;
	out_stack->n_frames = 0;
	do {
		out_stack->addresses[out_stack->n_frames++] = walk.regs.pc;
		result = step(&walk);
	} while (result == EP_STEP_FRAME && out_stack->n_frames < EP_STACK_MAX_FRAMES);
	out_stack->cut = result == EP_STEP_FRAME;
	out_stack->broken = result == EP_STEP_BROKEN;
}

const struct ep_unwinder ep_unwinder_own = { .name = "own", .walk = ep_unwind };
