/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that run at the speed of a machine's floating-point units, and of its caches and memory. */
#ifndef EVPROF_KERNELS_MICRO_ROOFS_H
#define EVPROF_KERNELS_MICRO_ROOFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Twelve independent chains keep two or four units of a latency of three to six cycles busy. */
struct ep_peak_kernel {
	const char *name;  /* "DP_256_FMA" */
	const char *about; /* "Double precision in 256-bit vectors, fused multiply-add" */
	void (*run)(uint64_t n_rounds);
	double n_operations; /* of a round; a fused multiply-add is two */
	bool (*is_supported)(void);
};
extern const struct ep_peak_kernel ep_peak_kernels[];
extern const size_t ep_n_peak_kernels;

enum { EP_STREAM_STEP_BYTES = 2048 }; /* an array's size is a multiple */

/* arrays (n_arrays) begin at multiples of 64 bytes and hold size_bytes each. */
typedef void (*ep_stream_fn)(char *const *arrays, size_t size_bytes);

/* The widest vectors that the CPU has. */
struct ep_stream_kernel {
	const char *name, *about;
	size_t n_arrays;
	ep_stream_fn (*choose)(void);
};
enum { EP_N_STREAM_KERNELS = 2 };
extern const struct ep_stream_kernel ep_stream_kernels[EP_N_STREAM_KERNELS];

#endif
