/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the time per access of kernels in which each access waits for the one before. */
#ifndef EVPROF_KERNELS_MEASURE_LATENCY_H
#define EVPROF_KERNELS_MEASURE_LATENCY_H

#include "kernels/measure/kernel.h"

/* Runs all points of a kernel on one thread and writes FOLDER/latencies.csv,
 * "point,ns_per_access,cycles_per_access", with the least of three values; cycles are empty if the length of
 * a cycle is not known. A file that exists is not changed. */
int ep_latency_write(struct ep_run *run, const char *folder, struct ep_error *err) EP_MUST_CHECK;

/* Returns the nanoseconds of a cycle, as the least of n_times chains of additions; NaN: no such chain is
 * known for this machine. */
double ep_latency_cycle_ns(unsigned n_times);

#endif
