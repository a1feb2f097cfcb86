// SPDX-License-Identifier: BSD-3-Clause
/* Draws the roofline as text. The sizes below are in characters; both axes are logarithms to the base 10. */
#include <math.h>
#include <string.h>

#include "reporter/roofline/roofline_view.h"

enum { n_rows = 13, n_columns = 60, margin = 10, n_letters = 26 };

struct picture {
	double left, right, bottom, top;
	char cells[n_rows][n_columns + 1];
};

char ep_roofline_letter(uint32_t point_idx)
{
	return point_idx < n_letters ? (char)('a' + point_idx) : ' ';
}

static bool is_drawn(const struct ep_roofline_point *point)
{
	return ep_quantity_is_known(&point->rate) && ep_quantity_is_known(&point->intensity) &&
	       point->rate.value > 0 && point->intensity.value > 0;
}

/* Chooses axes of whole decades that enclose all points and the place where the roofs meet. */
static bool choose_axes(const struct ep_roofline *roofline, struct picture *picture)
{
	struct ep_roof_limit peak = ep_roofs_peak(&roofline->roofs, EP_PRECISION_DOUBLE, false, 1);
	struct ep_roof_limit memory = ep_roofs_bandwidth(&roofline->roofs, "MEM", 1);
	bool has_points = false;

	if (!peak.roof || !memory.roof)
		return false;
	picture->left = picture->right = log10(peak.value / memory.value);
	picture->bottom = picture->top = log10(peak.value);
	for (uint32_t i = 0; i < roofline->n_points; i++) {
		const struct ep_roofline_point *point = &roofline->points[i];

		if (!is_drawn(point))
			continue;
		has_points = true;
		picture->left = fmin(picture->left, log10(point->intensity.value));
		picture->right = fmax(picture->right, log10(point->intensity.value));
		picture->bottom = fmin(picture->bottom, log10(point->rate.value));
		picture->top = fmax(picture->top, log10(point->rate.value));
	}
	picture->left = floor(picture->left - 0.05);
	picture->right = ceil(picture->right + 0.3);
	picture->bottom = floor(picture->bottom - 0.05);
	picture->top = ceil(picture->top + 0.05);
	return has_points;
}

static int column_of(const struct picture *picture, double log_intensity)
{
	return (int)round((log_intensity - picture->left) / (picture->right - picture->left) *
			  (n_columns - 1));
}

static int row_of(const struct picture *picture, double log_rate)
{
	return (int)round(
		(picture->top - log_rate) / (picture->top - picture->bottom) * (n_rows - 1));
}

static void put_mark(struct picture *picture, int row, int column, char mark)
{
	if (row >= 0 && row < n_rows && column >= 0 && column < n_columns)
		picture->cells[row][column] = mark;
}

/* Draws a roof: in every column the lower of the bandwidth's slope and the peak's level. */
static void draw_roof(struct picture *picture, double bandwidth, double peak)
{
	for (int column = 0; column < n_columns; column++) {
		double x =
			picture->left + (picture->right - picture->left) * column / (n_columns - 1);
		double slope = log10(bandwidth) + x;

		put_mark(picture, row_of(picture, fmin(slope, log10(peak))), column,
			slope < log10(peak) ? '/' : '-');
	}
}

static void draw(struct picture *picture, const struct ep_roofline *roofline)
{
	const struct ep_machine_roofs *roofs = &roofline->roofs;
	double memory = ep_roofs_bandwidth(roofs, "MEM", 1).value;
	double scalar = ep_roofs_peak(roofs, EP_PRECISION_DOUBLE, true, 1).value;

	memset(picture->cells, ' ', sizeof(picture->cells));
	if (scalar > 0)
		draw_roof(picture, INFINITY, scalar);
	draw_roof(picture, memory, ep_roofs_peak(roofs, EP_PRECISION_DOUBLE, false, 1).value);
	/* points are drawn from last to first, so that the first of two at one place stays visible */
	for (uint32_t i = roofline->n_points; i--;)
		if (is_drawn(&roofline->points[i]))
			put_mark(picture, row_of(picture, log10(roofline->points[i].rate.value)),
				column_of(picture, log10(roofline->points[i].intensity.value)),
				ep_roofline_letter(i));
}

/* Prints a row of the picture; the row nearest to a whole decade has that decade's label. */
static void put_row(const struct picture *picture, int row, FILE *out)
{
	char label[24] = "";
	int n = n_columns;

	for (double decade = picture->bottom; decade <= picture->top; decade++)
		if (row_of(picture, decade) == row)
			snprintf(label, sizeof(label), "%g", pow(10, decade - 9));
	while (n && picture->cells[row][n - 1] == ' ')
		n--;
	fprintf(out, "%*s |%.*s\n", margin, label, n, picture->cells[row]);
}

static void put_axis(const struct picture *picture, FILE *out)
{
	char line[n_columns + 24];
	int end = 0;

	memset(line, ' ', sizeof(line));
	fprintf(out, "%*s +", margin, "");
	for (int i = 0; i < n_columns; i++)
		fputc('-', out);
	for (double decade = picture->left; decade <= picture->right; decade++) {
		char label[24];
		int n = snprintf(label, sizeof(label), "%g", pow(10, decade));
		int at = column_of(picture, decade);

		if (at < end || at + n >= (int)sizeof(line))
			continue;
		memcpy(line + at, label, (size_t)n);
		end = at + n + 1;
	}
	fprintf(out, "\n%*s  %.*s\n", margin, "", end ? end - 1 : 0, line);
}

void ep_roofline_print_picture(const struct ep_roofline *roofline, const struct ep_layout *layout)
{
	struct picture picture;

	if (!choose_axes(roofline, &picture))
		return;
	draw(&picture, roofline);
	ep_put_heading(layout, "Roofline",
		"GFLOP/s over FLOP/byte; roofs of one CPU: / memory, - peaks of vectors and of scalar code");
	for (int row = 0; row < n_rows; row++)
		put_row(&picture, row, layout->out);
	put_axis(&picture, layout->out);
}
