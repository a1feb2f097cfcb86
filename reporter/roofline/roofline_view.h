/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofline as text with a picture, as JSON and as CSV. */
#ifndef EVPROF_REPORTER_ROOFLINE_ROOFLINE_VIEW_H
#define EVPROF_REPORTER_ROOFLINE_ROOFLINE_VIEW_H

#include "reporter/roofline/roofline.h"
#include "reporter/text/layout.h"

void ep_roofline_print_text(
	const struct ep_roofline *roofline, const char *trace_path, const struct ep_layout *layout);
/* Operations per second over operations per byte, both on logarithmic axes: roofs of one CPU, and the
 * first points that have both as the letters of the table. Nothing without a roof or a point. */
void ep_roofline_print_picture(const struct ep_roofline *roofline, const struct ep_layout *layout);
/* 'a' for the first point; blank for one that the picture has no letter for. */
char ep_roofline_letter(uint32_t point_idx);
/* 0 or -ENOMEM. */
int ep_roofline_print_json(
	const struct ep_roofline *roofline, const char *trace_path, FILE *out) EP_MUST_CHECK;
void ep_roofline_print_csv(const struct ep_roofline *roofline, FILE *out);

#endif
