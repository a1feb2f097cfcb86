/* SPDX-License-Identifier: BSD-3-Clause */
/* Time per access of kernels whose accesses wait for each other. */
#ifndef EVPROF_KERNELS_MEASURE_LATENCY_H
#define EVPROF_KERNELS_MEASURE_LATENCY_H

#include "kernels/measure/kernel.h"

/* Runs every point of the kernel's first thread and writes FOLDER/latencies.csv,
 * "point,ns_per_access,cycles_per_access": the least of three; no cycles where nothing tells how long
 * one is. Leaves a file that is there already. */
int ep_latency_write(struct ep_run *run, const char *folder, struct ep_error *err) EP_MUST_CHECK;

/* Nanoseconds of a cycle, the least of n_times chains of additions; NaN: the machine has no such chain. */
double ep_latency_cycle_ns(unsigned n_times);

#endif
