/* SPDX-License-Identifier: BSD-3-Clause */
/* Text in columns: cells, numbers for people, bars. */
#ifndef EVPROF_REPORTER_TEXT_LAYOUT_H
#define EVPROF_REPORTER_TEXT_LAYOUT_H

#include "reporter/facts/report.h"

#include <stdio.h>

struct ep_layout {
	FILE *out;
	uint32_t width;
	bool utf8, colour;
};

#define EP_NUMBER_BYTES 48

/* "12.3 s", "4.56 ms": three digits, the unit that fits. */
void ep_format_seconds(char out[EP_NUMBER_BYTES], double seconds);
/* "1,234,567"; estimates get a ~ and four digits; "-" when missing. unit "ns" is shown as time. */
void ep_format_value(
	char out[EP_NUMBER_BYTES], const struct ep_report_value *value, const char *unit);
/* Formats a number with three digits and k, M or G. */
void ep_format_rate(char out[EP_NUMBER_BYTES], double rate);
/* "±1.2" of half an interval with n_digits behind the point; "±<0.1" where these would be zeros and half is
 * not: ±0.0 is for what is exact; "±?" where half is NaN, not known. */
void ep_format_bar(char out[EP_NUMBER_BYTES], bool utf8, double half, int n_digits);
void ep_format_count(char out[EP_NUMBER_BYTES], uint64_t count);

/* Returns the columns that text takes (its code points). */
uint32_t ep_text_width(const char *text);
/* Prints text in exactly width columns; a text that does not fit loses its middle to an ellipsis. */
void ep_put_cell(const struct ep_layout *layout, const char *text, uint32_t width);
/* A procedure's name, template arguments shortened to <...> when it does not fit otherwise. */
void ep_shorten_name(
	const struct ep_layout *layout, const char *name, uint32_t width, char *out, size_t size);
/* Prints it in exactly width columns. */
void ep_put_name(const struct ep_layout *layout, const char *name, uint32_t width);
/* A library's name without its version; "By program and library" has the whole file. */
void ep_format_library(char *out, size_t size, const char *module_name);
void ep_put_right(const struct ep_layout *layout, const char *text, uint32_t width);
/* Prints text at the right of exactly width columns; a text that does not fit loses its middle. */
void ep_put_right_cell(const struct ep_layout *layout, const char *text, uint32_t width);
/* The last cells of a line, two blanks apart, none at its end; a width of 0 leaves a cell out. */
struct ep_cell {
	const char *text;
	uint32_t width;
};
void ep_put_cells(const struct ep_layout *layout, const struct ep_cell *cells, size_t n);
/* Prints a line or more in lighter type below a table. */
void ep_put_remark(const struct ep_layout *layout, const char *text);
/* A heading with an explanation in lighter type, which gets lines of its own where it does not fit.
 */
void ep_put_heading(const struct ep_layout *layout, const char *title, const char *explanation);
/* Paragraph: first line after a label (indent columns, already put), the others indented. */
void ep_put_wrapped(const struct ep_layout *layout, const char *text, uint32_t indent);
void ep_put_dim_wrapped(const struct ep_layout *layout, const char *text, uint32_t indent);
/* Prints a bar of one column for each of the values (n), which are scaled to top. */
void ep_put_spark(const struct ep_layout *layout, const double *values, uint32_t n, double top);
void ep_put_bold(const struct ep_layout *layout, const char *text);
void ep_put_dim(const struct ep_layout *layout, const char *text);

#endif
