/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch whose truth a test knows, filled by `path`. */
#ifndef EVPROF_TESTS_UNIT_FILLED_STRETCH_H
#define EVPROF_TESTS_UNIT_FILLED_STRETCH_H

#include "reporter/load/load.h"

enum { MAX_SLICES = 4000, MAX_EVENTS = 12 };

extern struct stretch_data {
	double cpu_us[MAX_SLICES];
	double values[MAX_SLICES * MAX_EVENTS], truth[MAX_SLICES * MAX_EVENTS];
	double variances[MAX_SLICES * MAX_EVENTS];
	uint8_t state[MAX_SLICES * MAX_EVENTS];
	struct ep_fill_quality quality[MAX_EVENTS];
	uint64_t places[MAX_SLICES], sites[MAX_SLICES];
	struct ep_value_change changes[MAX_SLICES * MAX_EVENTS];
} data;

/* The stretch of slices that holds the data above. */
extern struct ep_stretch stretch;

/* The first event is cycles, which all slices measured. */
extern const char *const names[MAX_EVENTS];
extern uint8_t always[MAX_EVENTS];

/* Slices of 1000 us, of which nothing is known. */
void begin(uint32_t n_slices, uint32_t n_events);

void put(uint32_t slice, uint32_t event, double truth, bool is_measured);

void fill(void);

/* The sum, the truth and the changes (EP_N_REPLICAS) of the slices in place (0: all). */
double sum_of(uint64_t place, uint32_t e, double *truth, float *changes);

#endif
