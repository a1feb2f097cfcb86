/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured latencies as parameters of formulas. */
#ifndef EVPROF_KERNELS_REPORT_LATENCIES_H
#define EVPROF_KERNELS_REPORT_LATENCIES_H

#include "kernels/derive/params.h"

/* Writes OUTPUT/latencies.formula, whose parameters L1_dlat, L2_lat, L3_lat and mem_lat are those of
 * FOLDER/latencies.csv in cycles; evreport takes them for the latencies of the CPU's own files. Writes
 * nothing where the table is not there or has no cycles, or params do not name the CPU. */
int ep_latencies_report(const char *folder, const struct ep_params *params, const char *output,
	struct ep_error *err) EP_MUST_CHECK;

#endif
