/* SPDX-License-Identifier: BSD-3-Clause */
/* The eleven branch kernels. Their branches are written in assembler: compilers move, invert and remove
 * branches, which would make the expectation matrix (kernels/sets/branch/basis.csv) wrong. */
#ifndef EVPROF_KERNELS_MICRO_BRANCH_H
#define EVPROF_KERNELS_MICRO_BRANCH_H

#include <stddef.h>
#include <stdint.h>

/* Runs n_iterations (at least 1) of the loop. *random_state must not be 0, and is updated. */
typedef void (*ep_branch_fn)(uint64_t n_iterations, uint64_t *random_state);

struct ep_branch_kernel {
	const char *point; /* name of the row in the basis */
	ep_branch_fn run;
	/* address of the first byte after the code of run; NULL: the kernel is written in C */
	const char *code_end;
};

#define EP_N_BRANCH_KERNELS 11
extern const struct ep_branch_kernel ep_branch_kernels[EP_N_BRANCH_KERNELS];

#endif
