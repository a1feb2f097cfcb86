/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes measured roofs as a table for people, and as parameters of a formula file. */
#ifndef EVPROF_KERNELS_ROOFS_ROOFS_REPORT_H
#define EVPROF_KERNELS_ROOFS_ROOFS_REPORT_H

#include "kernels/roofs/roofs.h"

#include <stdio.h>

void ep_roofs_print(const struct ep_roofs *roofs, const struct ep_cal_machine *machine, FILE *out);
/* Writes FOLDER/roofs.formula: a parameter NAME for one CPU and NAME_All for all CPUs, each with its spread
 * as error. */
int ep_roofs_write(const struct ep_roofs *roofs, const struct ep_cal_machine *machine,
	const char *folder, struct ep_error *err) EP_MUST_CHECK;

#endif
