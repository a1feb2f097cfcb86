/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses inside parallel regions of OpenMP (regions_cxx.cc). */
#ifndef EVPROF_TESTS_UNIT_REGIONS_CXX_H
#define EVPROF_TESTS_UNIT_REGIONS_CXX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint64_t region_of_c(void);
uint64_t region_of_method(void);
uint64_t region_of_template(void);

#ifdef __cplusplus
}
#endif
#endif
