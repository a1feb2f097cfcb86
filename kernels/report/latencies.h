/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes measured latencies as parameters of formulas. */
#ifndef EVPROF_KERNELS_REPORT_LATENCIES_H
#define EVPROF_KERNELS_REPORT_LATENCIES_H

#include "kernels/derive/params.h"

/* Writes OUTPUT/latencies.formula, whose parameters L1_dlat, L2_lat, L3_lat and mem_lat are the latencies in
 * FOLDER/latencies.csv in cycles; evreport uses them in place of those in the CPU's own files. Nothing is
 * written if the table is missing or has no cycles, or if params does not name the CPU. */
int ep_latencies_report(const char *folder, const struct ep_params *params, const char *output,
	struct ep_error *err) EP_MUST_CHECK;

#endif
