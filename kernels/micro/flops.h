/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating-point kernels: straight code of 24, 48 or 96 instructions (alternating multiplications and additions on
 * twelve registers), or of 12, 24 or 48 fused multiply-adds, for each precision and width. */
#ifndef EVPROF_KERNELS_MICRO_FLOPS_H
#define EVPROF_KERNELS_MICRO_FLOPS_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*ep_flops_fn)(void);

struct ep_flops_kernel {
	const char *point; /* name of the row in the basis: "K_S_256_48", "K_D_FMA_SCAL_12" */
	ep_flops_fn run;   /* NULL: this instruction set has no such kernel */
	const char *code_end;
	bool (*is_supported)(void); /* tells whether this CPU and operating system can run it */
};

extern const struct ep_flops_kernel ep_flops_kernels[];
extern const size_t ep_n_flops_kernels;

#endif
