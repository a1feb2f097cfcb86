/* SPDX-License-Identifier: BSD-3-Clause */
/* Identifiers of CPUs as perf's tables write them: "GenuineIntel-6-55-4", "arm-0x41-0xd40". */
#ifndef EVPROF_COMMON_FORMULA_CPUID_H
#define EVPROF_COMMON_FORMULA_CPUID_H

#include <stdbool.h>

/* perf's rule for strcmp_cpuid_str: two MIDRs agree when implementer and part do and the CPU's
 * variant and revision are not older; otherwise the pattern is an extended regular expression
 * for the whole identifier. */
bool ep_cpuid_matches(const char *pattern, const char *cpuid);

/* Tells whether one of the blank-separated patterns matches the identifier, as it is or without its stepping. */
bool ep_cpuid_is_served(const char *patterns, const char *cpuid);

/* The identifier as the patterns of formula files have it: a trace has the MIDR of an Arm CPU, and
 * POWER's "2.2 (pvr 004e 1202)". Allocated; NULL: out of memory. */
char *ep_cpuid_normal(const char *cpuid);

#endif
