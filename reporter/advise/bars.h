/* SPDX-License-Identifier: BSD-3-Clause */
/* PerfExpert's bars (Burtscher et al., SC10, figures 2 to 9): LCPI against what is good. */
#ifndef EVPROF_REPORTER_ADVISE_BARS_H
#define EVPROF_REPORTER_ADVISE_BARS_H

#include <stdint.h>

enum { EP_BAR_CELLS = 51 };

/* Ten cells for each threshold of cycles per instruction, 1 to EP_BAR_CELLS. lcpi >= 0, threshold >
 * 0. */
uint32_t ep_bar_cells(double lcpi, double threshold);
/* Draws one bar for two runs of a procedure: cells that both need are '>', further ones are the number, 1
 * or 2, of the run that needs more. */
void ep_bar_draw_two(uint32_t first_cells, uint32_t second_cells, char out[EP_BAR_CELLS + 1]);
/* "great", "good", "okay", "bad", "problematic": each a threshold wide. */
const char *ep_bar_range(double lcpi, double threshold);
/* The ranges' names, EP_BAR_CELLS columns. */
extern const char ep_bar_header[];

#endif
