// SPDX-License-Identifier: BSD-3-Clause
// How a program drives the test PMU: both the kernel module and the programs include this.
#pragma once

// Codes of the events that are no CPU's: no event of a real CPU has bit 16 set, which asks for user mode.
enum {
	EVPMU_FIRST = 0x10000,
	EVPMU_CACHE_REFERENCES = EVPMU_FIRST,
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
	EVPMU_END = 0x10040
};

// Two codes of Intel's own, which the fixed counters hold; Linux's generic events of these names have them too.
enum {
	EVPMU_CYCLES = 0x3c,
	EVPMU_INSTRUCTIONS = 0xc0,
};

#define EVPMU_MAX_AMOUNTS 32

// How often each event happened; other raw codes (below 2^32) are events as well.
struct evpmu_amounts {
	unsigned long n;
	struct {
		unsigned long code;
		unsigned long amount;
	} amounts[EVPMU_MAX_AMOUNTS];
};

// Adds the amounts to the calling thread's counters, and lets a counter overflow before the call returns. It returns 0,
// or EVPMU_REST where an event stopped itself with an overflow: the amounts are then what is left of that event, which the
// program adds by another call, behind the signal's handler.
#define EVPMU_REST 1
#define EVPMU_ADD _IOW('e', 1, struct evpmu_amounts)
