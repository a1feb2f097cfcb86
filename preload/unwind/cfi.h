/* SPDX-License-Identifier: BSD-3-Clause */
/* The row of an .eh_frame table for one program counter, reduced to what a stack walk needs. */
#ifndef EVPROF_PRELOAD_UNWIND_CFI_H
#define EVPROF_PRELOAD_UNWIND_CFI_H

#include <stdint.h>

enum ep_cfa_kind {
	EP_CFA_UNKNOWN,   /* there is no table, or a rule that is not understood */
	EP_CFA_REGISTER,  /* CFA = register + offset */
	EP_CFA_FP_DEREF,  /* CFA = *(frame pointer + offset): a realigned stack */
	EP_CFA_SP_DEREF,  /* CFA = *(stack pointer + offset) + 8: OpenSSL's assembler code */
	EP_CFA_SIGNAL,    /* a signal's return trampoline: the registers are in the signal frame */
	EP_CFA_OUTERMOST, /* the return address is undefined: the stack ends here */
};

enum ep_slot_kind {
	EP_SLOT_SAME,        /* the value is still in its register */
	EP_SLOT_SAVED,       /* the value is at CFA + offset */
	EP_SLOT_SAVED_AT_FP, /* the value is at frame pointer + offset: a realigned stack */
};

/* The rule has 8 bytes, so that a table of rules fits into the cache. Offsets are in words of 8 bytes. */
struct ep_frame_rule {
	uint64_t cfa : 3; /* enum ep_cfa_kind */
	uint64_t reg : 5; /* DWARF's number of the register; for EP_CFA_REGISTER */
	uint64_t ra : 1;  /* enum ep_slot_kind of the return address */
	uint64_t fp : 2;  /* enum ep_slot_kind of the caller's frame pointer */
	/* enum ep_slot_kind of the caller's rbx (x86), which the dynamic linker's frames need for their CFA */
	uint64_t bx : 1;
	int64_t cfa_words : 20;
#if defined(__x86_64__)
	int64_t ra_words : 6; /* distance from the CFA, which is small: calls push the return address */
	int64_t fp_words : 13;
	int64_t bx_words : 13;
#else
	int64_t ra_words : 16;
	int64_t fp_words : 16;
#endif
};

/* DWARF's numbers of registers. */
#if defined(__x86_64__)
enum { EP_REG_SP = 7, EP_REG_FP = 6, EP_REG_RA = 16, EP_REG_BX = 3 };
#elif defined(__aarch64__)
enum { EP_REG_SP = 31, EP_REG_FP = 29, EP_REG_RA = 30, EP_REG_BX = -1 };
#elif defined(__powerpc64__)
enum { EP_REG_SP = 1, EP_REG_FP = 31, EP_REG_RA = 65, EP_REG_BX = -1 };
#endif

/* Finds the rule for pc in the module that contains it. eh_frame_header is the module's PT_GNU_EH_FRAME segment; [low,
 * high) is the module's memory, outside of which nothing is read. Returns EP_CFA_UNKNOWN where there is no rule. Runs
 * in signal handlers. */
struct ep_frame_rule ep_cfi_find(
	uint64_t pc, const uint8_t *eh_frame_header, uint64_t low, uint64_t high);

#endif
