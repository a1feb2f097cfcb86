// SPDX-License-Identifier: BSD-3-Clause
/* Writes charts without a library: a frame, ticks, polylines, circles. */
#include "kernels/report/svg.h"

#include <math.h>

#include "common/cleanup.h"

/* Okabe and Ito's palette, whose colours colour-blind readers can distinguish, too. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
	"#56b4e9", "#000000", "#999933" };

static void print_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

void ep_svg_document_start(FILE *out, double width, double height)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		width, height, width, height);
}

void ep_svg_document_stop(FILE *out)
{
	fputs("</svg>\n", out);
}

/* Returns the position of a value along the axis, from 0 to 1. */
static double place(const struct ep_svg_axis *axis, double value)
{
	double low = axis->low, high = axis->high;

	if (axis->is_log) {
		value = log10(fmax(value, low));
		low = log10(low);
		high = log10(high);
	}
	return high > low ? (value - low) / (high - low) : 0.5;
}

static double pixel_x(const struct ep_svg *svg, double value)
{
	return svg->left + svg->width * place(&svg->x, value);
}

static double pixel_y(const struct ep_svg *svg, double value)
{
	return svg->top + svg->height * (1 - place(&svg->y, value));
}

static void print_label(
	const struct ep_svg *svg, double x, double y, const char *anchor, const char *text)
{
	fprintf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	print_text(svg->out, text);
	fputs("</text>\n", svg->out);
}

static void draw_y_tick(const struct ep_svg *svg, double value)
{
	double y = pixel_y(svg, value);
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	fprintf(svg->out,
		"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
		svg->left, svg->left + svg->width, y, y);
	print_label(svg, svg->left - 5, y + 4, "end", text);
}

/* Returns the distance of ticks: 1, 2 or 5 times a power of ten, at least a fifth of the range. */
static double tick_step(double range)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(range / 5)));

	for (size_t i = 0; i < EP_ARRAY_SIZE(steps); i++)
		if (power * steps[i] >= range / 5 * 0.999)
			return power * steps[i];
	return power * 10;
}

static void draw_y_ticks(const struct ep_svg *svg)
{
	if (svg->y.is_log) {
		double step = ceil(log10(svg->y.high / svg->y.low) / 8);

		for (double e = log10(svg->y.low); e <= log10(svg->y.high) + 1e-9; e += step)
			draw_y_tick(svg, pow(10, e));
		return;
	}
	double step = tick_step(svg->y.high - svg->y.low);
	for (double v = ceil(svg->y.low / step) * step; v <= svg->y.high + step * 1e-6; v += step)
		draw_y_tick(svg, fabs(v) < step * 1e-6 ? 0 : v);
}

static void draw_x_ends(const struct ep_svg *svg)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", svg->x.low);
	print_label(svg, svg->left, svg->top + svg->height + 14, "start", text);
	snprintf(text, sizeof(text), "%.6g", svg->x.high);
	print_label(svg, svg->left + svg->width, svg->top + svg->height + 14, "end", text);
	print_label(svg, svg->left + svg->width / 2, svg->top + svg->height + 14, "middle",
		svg->x.title);
}

void ep_svg_chart(const struct ep_svg *svg, const char *title)
{
	draw_y_ticks(svg);
	draw_x_ends(svg);
	print_label(svg, svg->left, svg->top - 8, "start", title);
	print_label(svg, svg->left + svg->width, svg->top - 8, "end", svg->y.title);
	fprintf(svg->out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"black\"/>\n",
		svg->left, svg->top, svg->width, svg->height);
}

static const char *next_colour(struct ep_svg *svg, const char *name)
{
	const char *colour = colours[svg->n_series % EP_ARRAY_SIZE(colours)];
	double y = svg->top + 12 + 14 * (double)svg->n_series++, x = svg->left + svg->width + 8;

	fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" fill=\"%s\"/>\n", x,
		y - 8, colour);
	print_label(svg, x + 12, y, "start", name);
	return colour;
}

void ep_svg_line(struct ep_svg *svg, const char *name, const double *x, const double *y, size_t n)
{
	const char *colour = next_colour(svg, name);

	fprintf(svg->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" points=\"",
		colour);
	for (size_t i = 0; i < n; i++)
		fprintf(svg->out, "%.1f,%.1f ", pixel_x(svg, x ? x[i] : (double)i),
			pixel_y(svg, y[i]));
	fputs("\"/>\n", svg->out);
}

void ep_svg_points(struct ep_svg *svg, const char *name, const double *x, const double *y, size_t n)
{
	const char *colour = next_colour(svg, name);

	for (size_t i = 0; i < n; i++)
		fprintf(svg->out,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"none\" stroke=\"%s\"/>\n",
			pixel_x(svg, x ? x[i] : (double)i), pixel_y(svg, y[i]), colour);
}

void ep_svg_level(const struct ep_svg *svg, const char *name, double y)
{
	fprintf(svg->out,
		"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d55e00\" stroke-dasharray=\"6 3\"/>\n",
		svg->left, svg->left + svg->width, pixel_y(svg, y), pixel_y(svg, y));
	print_label(svg, svg->left + svg->width + 8, pixel_y(svg, y) + 4, "start", name);
}
