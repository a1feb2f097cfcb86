/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws PerfExpert's bars (Burtscher et al., SC10, figures 2 to 9). They compare an LCPI with the threshold, up to
 * which an LCPI is good. */
#ifndef EVPROF_REPORTER_ADVISE_BARS_H
#define EVPROF_REPORTER_ADVISE_BARS_H

#include <stdint.h>

enum { EP_BAR_CELLS = 51 };

/* Returns the number of cells of a bar, 1 to EP_BAR_CELLS: an LCPI as large as the threshold has ten cells. lcpi >= 0,
 * threshold > 0. */
uint32_t ep_bar_cells(double lcpi, double threshold);
/* Draws one bar for two runs of a procedure. Cells that both runs need are '>'; further cells are the number, 1 or 2,
 * of the run that needs more. */
void ep_bar_draw_two(uint32_t first_cells, uint32_t second_cells, char out[EP_BAR_CELLS + 1]);
/* Returns the range of an LCPI: "great", "good", "okay", "bad" or "problematic". Each but the last is as wide as the
 * threshold. */
const char *ep_bar_range(double lcpi, double threshold);
/* The line above the bars, with the names of the ranges in EP_BAR_CELLS columns. */
extern const char ep_bar_header[];

#endif
