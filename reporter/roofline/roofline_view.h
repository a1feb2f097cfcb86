/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the roofline as text with a picture, as JSON and as CSV. */
#ifndef EVPROF_REPORTER_ROOFLINE_ROOFLINE_VIEW_H
#define EVPROF_REPORTER_ROOFLINE_ROOFLINE_VIEW_H

#include "reporter/roofline/roofline.h"
#include "reporter/text/layout.h"

void ep_roofline_print_text(
	const struct ep_roofline *roofline, const char *trace_path, const struct ep_layout *layout);
/* Prints a picture of operations per second over operations per byte, both on logarithmic axes. It has the roofs of
 * one CPU and the points for which both numbers are known, marked with the letters of the table. Prints nothing if
 * there is no roof or no point. */
void ep_roofline_print_picture(const struct ep_roofline *roofline, const struct ep_layout *layout);
/* Returns the letter of a point, 'a' for the first; a blank if there are no more letters. */
char ep_roofline_letter(uint32_t point_idx);
/* Returns 0 or -ENOMEM. */
int ep_roofline_print_json(
	const struct ep_roofline *roofline, const char *trace_path, FILE *out) EP_MUST_CHECK;
void ep_roofline_print_csv(const struct ep_roofline *roofline, FILE *out);

#endif
