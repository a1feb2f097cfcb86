/* SPDX-License-Identifier: BSD-3-Clause */
/* Callgrind's events in the order of the columns of callgrind's files (valgrind manual, 6.2.3), and evprof's names. */
#ifndef EVPROF_COMMON_CALLGRIND_H
#define EVPROF_COMMON_CALLGRIND_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum ep_callgrind_event {
	EP_CALLGRIND_IR,
	EP_CALLGRIND_DR,
	EP_CALLGRIND_DW,
	EP_CALLGRIND_I1MR,
	EP_CALLGRIND_D1MR,
	EP_CALLGRIND_D1MW,
	EP_CALLGRIND_ILMR,
	EP_CALLGRIND_DLMR,
	EP_CALLGRIND_DLMW,
	EP_CALLGRIND_BC,
	EP_CALLGRIND_BCM,
	EP_CALLGRIND_BI,
	EP_CALLGRIND_BIM,
	EP_N_CALLGRIND_EVENTS,
};

static const struct {
	const char *name;
	const char *column;
} ep_callgrind_events[EP_N_CALLGRIND_EVENTS] = {
	[EP_CALLGRIND_IR] = { "instructions", "Ir" },
	[EP_CALLGRIND_DR] = { "L1-dcache-loads", "Dr" },
	[EP_CALLGRIND_DW] = { "L1-dcache-stores", "Dw" },
	[EP_CALLGRIND_I1MR] = { "L1-icache-load-misses", "I1mr" },
	[EP_CALLGRIND_D1MR] = { "L1-dcache-load-misses", "D1mr" },
	[EP_CALLGRIND_D1MW] = { "L1-dcache-store-misses", "D1mw" },
	[EP_CALLGRIND_ILMR] = { "LLC-icache-misses", "ILmr" },
	[EP_CALLGRIND_DLMR] = { "LLC-load-misses", "DLmr" },
	[EP_CALLGRIND_DLMW] = { "LLC-store-misses", "DLmw" },
	[EP_CALLGRIND_BC] = { "conditional-branches", "Bc" },
	[EP_CALLGRIND_BCM] = { "conditional-branch-misses", "Bcm" },
	[EP_CALLGRIND_BI] = { "indirect-branches", "Bi" },
	[EP_CALLGRIND_BIM] = { "indirect-branch-misses", "Bim" },
};

/*
 * Columns that evprof run adds after callgrind's columns: floating-point arithmetic by class. A column counts how often
 * the instructions of a class were executed; the costs of a call have no such counts. The disassembly tells the class
 * of an instruction. The operations are those that Intel's FP_ARITH events count. There is no class of 512 bits, since
 * valgrind does not execute such instructions.
 */
enum ep_floating_operation { EP_FLOATING_ADD, EP_FLOATING_MUL, EP_FLOATING_DIV, EP_FLOATING_FMA };
enum ep_floating_width { EP_FLOATING_SCALAR, EP_FLOATING_128, EP_FLOATING_256 };

#define EP_FLOATING_CLASS(width, is_single, operation)                                             \
	(((unsigned)(width)*2 + (is_single)) * 4 + (unsigned)(operation))
#define EP_N_FLOATING_CLASSES 24
#define EP_FLOATING_UNREAD EP_N_FLOATING_CLASSES /* code that is in no file or cannot be decoded */
#define EP_N_FLOATING_EVENTS (EP_N_FLOATING_CLASSES + 1)

#define EP_FLOATING_ROWS(width, precision, letters)                                                \
	{ "fp-" width "-" precision "-add", letters "Add" },                                       \
		{ "fp-" width "-" precision "-mul", letters "Mul" },                               \
		{ "fp-" width "-" precision "-div", letters "Div" },                               \
	{                                                                                          \
		"fp-" width "-" precision "-fma", letters "Fma"                                    \
	}

static const struct {
	const char *name;
	const char *column;
} ep_floating_events[EP_N_FLOATING_EVENTS] = {
	EP_FLOATING_ROWS("scalar", "double", "Fsd"),
	EP_FLOATING_ROWS("scalar", "single", "Fss"),
	EP_FLOATING_ROWS("128", "double", "F128d"),
	EP_FLOATING_ROWS("128", "single", "F128s"),
	EP_FLOATING_ROWS("256", "double", "F256d"),
	EP_FLOATING_ROWS("256", "single", "F256s"),
	{ "instructions-unread", "Iunread" },
};

/* Tells whether name is a floating-point event. evprof run counts these events from the executions of instructions, so
 * callgrind need not count them. */
static inline bool ep_is_floating_event(const char *name)
{
	for (int i = 0; i < EP_N_FLOATING_EVENTS; i++)
		if (!strcmp(name, ep_floating_events[i].name))
			return true;
	return false;
}

/* Returns KCachegrind's cycle estimation (event type CEst of KCachegrind): Ir + 10 Bm + 10 L1m + 20 Ge + 100 LLm. The
 * term of Ge, events of the bus, is left out, since evprof does not collect them. */
static inline uint64_t ep_callgrind_cycles(const uint64_t counts[EP_N_CALLGRIND_EVENTS])
{
	uint64_t mispredicted = counts[EP_CALLGRIND_BCM] + counts[EP_CALLGRIND_BIM];
	uint64_t missed_l1 =
		counts[EP_CALLGRIND_I1MR] + counts[EP_CALLGRIND_D1MR] + counts[EP_CALLGRIND_D1MW];
	uint64_t missed_last =
		counts[EP_CALLGRIND_ILMR] + counts[EP_CALLGRIND_DLMR] + counts[EP_CALLGRIND_DLMW];

	return counts[EP_CALLGRIND_IR] + 10 * mispredicted + 10 * missed_l1 + 100 * missed_last;
}

#endif
