/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws PerfExpert's bars (Burtscher et al., SC10, figures 2 to 9), which compare an LCPI with the threshold of a
 * good one. */
#ifndef EVPROF_REPORTER_ADVISE_BARS_H
#define EVPROF_REPORTER_ADVISE_BARS_H

#include <stdint.h>

enum { EP_BAR_CELLS = 51 };

/* Returns the number of cells of a bar, 1 to EP_BAR_CELLS: ten cells for each threshold of cycles per instruction.
 * lcpi >= 0, threshold > 0. */
uint32_t ep_bar_cells(double lcpi, double threshold);
/* Draws one bar for two runs of a procedure: cells that both need are '>', further ones are the number, 1
 * or 2, of the run that needs more. */
void ep_bar_draw_two(uint32_t first_cells, uint32_t second_cells, char out[EP_BAR_CELLS + 1]);
/* Returns the range of an LCPI: "great", "good", "okay", "bad" or "problematic". Each is as wide as the threshold. */
const char *ep_bar_range(double lcpi, double threshold);
/* The line above the bars, with the names of the ranges in EP_BAR_CELLS columns. */
extern const char ep_bar_header[];

#endif
