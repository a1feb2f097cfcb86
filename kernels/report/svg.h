/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws line and point charts as SVG, which is written in order: document, chart, series, end. */
#ifndef EVPROF_KERNELS_REPORT_SVG_H
#define EVPROF_KERNELS_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ep_svg_axis {
	double low, high; /* values at the two ends of the axis */
	bool is_log;      /* ticks are powers of ten; values below low are drawn at low */
	const char *title;
};

struct ep_svg {
	FILE *out;
	double left, top, width, height; /* place of the plot, in pixels */
	struct ep_svg_axis x, y;
	size_t n_series;
};

void ep_svg_document_start(FILE *out, double width, double height);
void ep_svg_document_stop(FILE *out);
/* Draws frame, axes and title of one chart inside the document. */
void ep_svg_chart(const struct ep_svg *svg, const char *title);
/* Draw y (n) over x (n; NULL: 0, 1, ...) in the next colour, with name in the legend. */
void ep_svg_line(struct ep_svg *svg, const char *name, const double *x, const double *y, size_t n);
void ep_svg_points(
	struct ep_svg *svg, const char *name, const double *x, const double *y, size_t n);
/* Draws a dashed line across the chart at y. */
void ep_svg_level(const struct ep_svg *svg, const char *name, double y);

#endif
