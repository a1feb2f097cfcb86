// SPDX-License-Identifier: BSD-3-Clause
// How a program drives the test PMU: both the kernel module and the programs include this.
#pragma once

// An event's code is its index in the amounts that a program gives to EVPMU_ADD on /dev/evpmu.
enum {
	EVPMU_CYCLES = 1,
	EVPMU_INSTRUCTIONS,
	EVPMU_CACHE_REFERENCES,
	EVPMU_CACHE_MISSES,
	EVPMU_BRANCHES,
	EVPMU_BRANCH_MISSES,
	EVPMU_L1D_LOADS,
	EVPMU_L1D_LOAD_MISSES,
	// It opens and never gets a counter, as an event that a hypervisor hides.
	EVPMU_NEVER,
	// It fits only general counter 0; so does EVPMU_ONLY_0_TOO.
	EVPMU_ONLY_0,
	EVPMU_ONLY_0_TOO,
	EVPMU_PLAIN_FIRST,
	EVPMU_END = 64
};

// Adds the amounts of the argument (unsigned long[EVPMU_END]) to the calling thread's counters, and lets a
// counter overflow before the call returns.
#define EVPMU_ADD _IOW('e', 1, unsigned long[64])
