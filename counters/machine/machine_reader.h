/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that belong to no thread: the energy of packages and memory by RAPL, the bytes that memory
 * controllers moved. One process reads them, for all sockets together.
 */
#ifndef EVPROF_COUNTERS_MACHINE_MACHINE_READER_H
#define EVPROF_COUNTERS_MACHINE_MACHINE_READER_H

#include "common/trace.h"

#include <stdbool.h>
#include <stdint.h>

enum { EP_MACHINE_MAX_EVENTS = 128, EP_MACHINE_MAX_FILES = 32 };

struct ep_machine_event {
	enum ep_machine_time what;
	int fd;      /* of a perf event; -1: the program took its number */
	uint64_t id; /* perf's, to know it again */
	double scale;
	uint64_t last[3]; /* read: count, ns enabled, ns running */
	double sum;       /* up to then */
};

struct ep_machine_file {
	enum ep_machine_time what;
	char path[160];
	uint64_t range; /* where it begins at 0 again; 0: nowhere */
	uint64_t last, sum;
	uint64_t read_ns; /* CLOCK_MONOTONIC */
};

struct ep_machine_reader {
	uint32_t n_events, n_files;
	struct ep_machine_event events[EP_MACHINE_MAX_EVENTS];
	struct ep_machine_file files[EP_MACHINE_MAX_FILES];
	bool is_read[EP_N_MACHINE_TIMES]; /* all that has it is open */
	bool adds_up_moved;               /* controllers tell reads from writes */
	char why_not[EP_N_MACHINE_TIMES][160];
};

/* Opens what there is of energy, and with wants_traffic of memory traffic, below root ("" but in
 * tests). Memory controllers have few counters, and one reader in a machine is enough. Counts start
 * at 0. Allocates nothing; not for signal handlers. */
void ep_machine_reader_open(struct ep_machine_reader *reader, const char *root, bool wants_traffic);
void ep_machine_reader_close(struct ep_machine_reader *reader);

/* Adds what was counted since then. Not known any more: what a program's closing of all descriptors
 * took, and energy that may have passed its range more than once. Signal handlers. */
void ep_machine_reader_read(struct ep_machine_reader *reader, struct ep_machine_times *times);

static inline bool ep_machine_reader_has_any(const struct ep_machine_reader *reader)
{
	return reader->n_events || reader->n_files;
}

/* ---- machine_events.c, machine_files.c: called by the above ---- */

/* Opens one kind of event in all units that have it; why_not says what stood against it. */
void ep_machine_events_open(struct ep_machine_reader *reader, const char *root, bool wants_traffic);
void ep_machine_events_read(struct ep_machine_reader *reader, struct ep_machine_times *times);
void ep_machine_events_close(struct ep_machine_reader *reader);
/* Energy from powercap or hwmon, where events did not have it. */
void ep_machine_files_open(struct ep_machine_reader *reader, const char *root);
void ep_machine_files_read(
	struct ep_machine_reader *reader, uint64_t now_ns, struct ep_machine_times *times);

static inline void ep_machine_times_add(
	struct ep_machine_times *times, enum ep_machine_time what, uint64_t value)
{
	times->is_known[what] = true;
	times->values[what] += value;
}

#endif
