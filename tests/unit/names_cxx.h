/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses inside procedures of C++ that have no linkage names (names_cxx.cc). */
#ifndef EVPROF_TESTS_UNIT_NAMES_CXX_H
#define EVPROF_TESTS_UNIT_NAMES_CXX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where it was called from. */
uint64_t names_here(void);

uint64_t names_of_unnamed_namespace(void);
uint64_t names_of_template(void);
uint64_t names_of_lambda(void);
uint64_t names_of_c(void);

#ifdef __cplusplus
}
#endif
#endif
