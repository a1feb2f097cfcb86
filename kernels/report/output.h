/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes files so that they appear complete or not at all. */
#ifndef EVPROF_KERNELS_REPORT_OUTPUT_H
#define EVPROF_KERNELS_REPORT_OUTPUT_H

#include "kernels/report/report.h"

#include <stddef.h>

/* Creates the folder and the folders above it, which may be missing for a user who has no formulas yet. */
int ep_output_make_folder(const char *path, struct ep_error *err) EP_MUST_CHECK;
/* Writes text to a new file beside path, and renames that file to path. */
int ep_output_write(
	const char *path, const char *text, size_t size, struct ep_error *err) EP_MUST_CHECK;
/* Runs the report into memory and writes it to path. */
int ep_output_report(const char *path, ep_report_fn report, const struct ep_derivation *derivation,
	struct ep_error *err) EP_MUST_CHECK;

#endif
