/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that run at the full speed of the floating-point units, and of the caches and memory. */
#ifndef EVPROF_KERNELS_MICRO_ROOFS_H
#define EVPROF_KERNELS_MICRO_ROOFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loop of arithmetic. Twelve independent chains keep two or four units with a latency of three to six
 * cycles busy. */
struct ep_peak_kernel {
	const char *name;  /* "DP_256_FMA" */
	const char *about; /* "Double precision in 256-bit vectors, fused multiply-add" */
	void (*run)(uint64_t n_rounds);
	double n_operations; /* operations in a round; a fused multiply-add counts as two */
	bool (*is_supported)(void);
};
extern const struct ep_peak_kernel ep_peak_kernels[];
extern const size_t ep_n_peak_kernels;

enum { EP_STREAM_STEP_BYTES = 2048 }; /* the size of an array must be a multiple of this */

/* Runs over arrays (n_arrays), which begin at multiples of 64 bytes and have size_bytes each. */
typedef void (*ep_stream_fn)(char *const *arrays, size_t size_bytes);

/* A loop over memory; choose returns the version with the widest vectors that the CPU has. */
struct ep_stream_kernel {
	const char *name, *about;
	size_t n_arrays;
	ep_stream_fn (*choose)(void);
};
enum { EP_N_STREAM_KERNELS = 2 };
extern const struct ep_stream_kernel ep_stream_kernels[EP_N_STREAM_KERNELS];

#endif
