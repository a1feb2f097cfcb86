/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells what an instruction does from its text (listing.h): x86 in AT&T syntax, AArch64, or POWER. */
#ifndef EVPROF_REPORTER_LOOPS_INSTRUCTION_KIND_H
#define EVPROF_REPORTER_LOOPS_INSTRUCTION_KIND_H

#include <stdbool.h>
#include <stdint.h>

/* The kinds that an instruction belongs to. Loads, stores and moves do not count as arithmetic. */
struct ep_instruction_kind {
	bool is_floating; /* floating-point arithmetic, comparison or conversion */
	bool is_vector;   /* arithmetic on several elements, floating-point or integer */
	bool is_fma;      /* a product and a sum at once */
	bool is_divide;   /* division or square root, also of integers */
	bool is_gather;   /* loads or stores elements, each at an address of its own */
	bool is_call;
	/* size of the vector in bits; 0: no vector, or the text does not tell the size (AArch64's SVE) */
	uint32_t n_bits;
};

/* Returns the kinds of an instruction; machine is e_machine of the ELF file. All members are false on other machines,
 * and for an instruction of none of the kinds. */
struct ep_instruction_kind ep_instruction_kind_of(const char *text, uint16_t machine);

/* The number of instructions of each kind; an instruction may be of several. */
struct ep_instruction_mix {
	uint32_t n; /* number of all instructions */
	uint32_t n_scalar_floating, n_vector_floating, n_vector_integer;
	uint32_t n_fma, n_divide, n_gather, n_calls;
	uint32_t n_bits; /* size of the widest vector in bits; 0: none */
};

void ep_instruction_mix_add(struct ep_instruction_mix *mix, const char *text, uint16_t machine);

#endif
