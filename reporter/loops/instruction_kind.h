/* SPDX-License-Identifier: BSD-3-Clause */
/* The work that an instruction does, told by its text (listing.h): x86 as AT&T writes it, AArch64, POWER. */
#ifndef EVPROF_REPORTER_LOOPS_INSTRUCTION_KIND_H
#define EVPROF_REPORTER_LOOPS_INSTRUCTION_KIND_H

#include <stdbool.h>
#include <stdint.h>

/* Loads, stores and moves are no arithmetic. */
struct ep_instruction_kind {
	bool is_floating; /* floating-point arithmetic, comparison or conversion */
	bool is_vector;   /* arithmetic on several elements, floating-point or integer */
	bool is_fma;      /* a product and a sum at once */
	bool is_divide;   /* or a square root; integer divisions too */
	bool is_gather;   /* loads or stores elements at addresses of their own */
	bool is_call;
	uint32_t n_bits; /* of the vector; 0: none, or not told by the text (AArch64's SVE) */
};

/* machine: e_machine of the ELF file. All false: of another machine, or no arithmetic. */
struct ep_instruction_kind ep_instruction_kind_of(const char *text, uint16_t machine);

/* How many instructions of each kind there are; one may be of several. */
struct ep_instruction_mix {
	uint32_t n; /* of all */
	uint32_t n_scalar_floating, n_vector_floating, n_vector_integer;
	uint32_t n_fma, n_divide, n_gather, n_calls;
	uint32_t n_bits; /* of the widest vector */
};

void ep_instruction_mix_add(struct ep_instruction_mix *mix, const char *text, uint16_t machine);

#endif
