/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that are worth a second version for wider vectors, picked when the program starts. */
#ifndef EVPROF_COMMON_FORMULA_CLONES_H
#define EVPROF_COMMON_FORMULA_CLONES_H

/* AddressSanitizer and indirect functions do not go together; clang 14 refuses the attribute on
 * static functions; GCC of other architectures has no "avx2". */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
	!defined(__SANITIZE_ADDRESS__)
#define EP_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define EP_VECTOR_CLONES
#endif

#endif
