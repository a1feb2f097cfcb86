/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that appear whole or not at all. */
#ifndef EVPROF_KERNELS_REPORT_OUTPUT_H
#define EVPROF_KERNELS_REPORT_OUTPUT_H

#include "kernels/report/report.h"

#include <stddef.h>

/* Makes the folder and those above it: a user who has no formulas yet has none of them. */
int ep_output_make_folder(const char *path, struct ep_error *err) EP_MUST_CHECK;
/* Writes text beside path and renames it into place. */
int ep_output_write(
	const char *path, const char *text, size_t size, struct ep_error *err) EP_MUST_CHECK;
/* Runs the report into memory and writes it to path. */
int ep_output_report(const char *path, ep_report_fn report, const struct ep_derivation *derivation,
	struct ep_error *err) EP_MUST_CHECK;

#endif
