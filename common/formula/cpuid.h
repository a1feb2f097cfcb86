/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares identifiers of CPUs, which have the form of perf's tables: "GenuineIntel-6-55-4", "arm-0x41-0xd40". */
#ifndef EVPROF_COMMON_FORMULA_CPUID_H
#define EVPROF_COMMON_FORMULA_CPUID_H

#include <stdbool.h>

/* Tells whether a pattern matches, by perf's rule for strcmp_cpuid_str. If both texts are MIDRs (an Arm CPU's
 * identification register), they match if implementer, architecture and part are equal and the CPU's variant and
 * revision are not older. Else the pattern is an extended regular expression for the whole identifier. */
bool ep_cpuid_matches(const char *pattern, const char *cpuid);

/* Tells whether one of the patterns, which are separated by blanks, matches the identifier, with or without its
 * stepping. */
bool ep_cpuid_is_served(const char *patterns, const char *cpuid);

/* Returns an identifier in the form of the patterns in formula files. A trace has other forms: an Arm CPU's MIDR, and
 * "2.2 (pvr 004e 1202)" for POWER. The result is allocated; NULL: out of memory. */
char *ep_cpuid_normal(const char *cpuid);

#endif
