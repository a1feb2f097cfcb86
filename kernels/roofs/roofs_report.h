/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured roofs as a table for people, and as parameters of a formula file. */
#ifndef EVPROF_KERNELS_ROOFS_ROOFS_REPORT_H
#define EVPROF_KERNELS_ROOFS_ROOFS_REPORT_H

#include "kernels/roofs/roofs.h"

#include <stdio.h>

void ep_roofs_print(const struct ep_roofs *roofs, const struct ep_cal_machine *machine, FILE *out);
/* FOLDER/roofs.formula: a parameter NAME of one CPU, NAME_All of all, each with its spread as error. */
int ep_roofs_write(const struct ep_roofs *roofs, const struct ep_cal_machine *machine,
	const char *folder, struct ep_error *err) EP_MUST_CHECK;

#endif
