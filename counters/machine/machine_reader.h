/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that belong to no thread: the energy of packages and memory by RAPL, and the bytes that memory controllers
 * moved. One process reads them, for all sockets together.
 */
#ifndef EVPROF_COUNTERS_MACHINE_MACHINE_READER_H
#define EVPROF_COUNTERS_MACHINE_MACHINE_READER_H

#include "common/trace.h"

#include <stdbool.h>
#include <stdint.h>

enum { EP_MACHINE_MAX_EVENTS = 128, EP_MACHINE_MAX_FILES = 32 };

struct ep_machine_event {
	enum ep_machine_time what;
	int fd;      /* descriptor of the perf event; -1: the program took the number */
	uint64_t id; /* perf's id, which shows whether fd is still this event */
	double scale;
	uint64_t last[3]; /* the last reading: count, ns enabled, ns running */
	double sum;       /* the sum up to the last reading */
};

struct ep_machine_file {
	enum ep_machine_time what;
	char path[160];
	uint64_t range; /* the value at which the file wraps to 0; 0: it does not wrap */
	uint64_t last, sum;
	uint64_t read_ns; /* CLOCK_MONOTONIC when the file was last read */
};

struct ep_machine_reader {
	uint32_t n_events, n_files;
	struct ep_machine_event events[EP_MACHINE_MAX_EVENTS];
	struct ep_machine_file files[EP_MACHINE_MAX_FILES];
	bool is_read[EP_N_MACHINE_TIMES]; /* all counters of this value are open */
	bool adds_up_moved;               /* moved bytes are the sum of bytes read and written */
	char why_not[EP_N_MACHINE_TIMES][160];
};

/* Opens the counters of energy, and with wants_traffic those of memory traffic, below root ("", except in tests).
 * Traffic should have one reader in a machine, which is enough: memory controllers have few counters. Counts start at
 * 0. Allocates nothing; must not run in signal handlers. */
void ep_machine_reader_open(struct ep_machine_reader *reader, const char *root, bool wants_traffic);
void ep_machine_reader_close(struct ep_machine_reader *reader);

/* Adds the counts since the opening. A value becomes unknown, and stays so, if the program has closed the counter's
 * descriptor, or if the energy may have wrapped more than once. Runs in signal handlers. */
void ep_machine_reader_read(struct ep_machine_reader *reader, struct ep_machine_times *times);

static inline bool ep_machine_reader_has_any(const struct ep_machine_reader *reader)
{
	return reader->n_events || reader->n_files;
}

/* ---- machine_events.c, machine_files.c: called by the functions above ---- */

/* Open, read and close the perf events of all PMUs. The reader's why_not tells why a value has no event. */
void ep_machine_events_open(struct ep_machine_reader *reader, const char *root, bool wants_traffic);
void ep_machine_events_read(struct ep_machine_reader *reader, struct ep_machine_times *times);
void ep_machine_events_close(struct ep_machine_reader *reader);
/* Open and read the energy files of powercap or hwmon, for values that no perf event counts. */
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
