/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints text in columns: cells, numbers for people, and bars. */
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

/* Formats a time with three digits in the unit that fits: "12.3 s", "4.56 ms". */
void ep_format_seconds(char out[EP_NUMBER_BYTES], double seconds);
/* Formats a count, such as "1,234,567". An estimate is rounded to four digits and gets a ~; an unknown count
 * is "-". A count whose unit is "ns" is shown as time. */
void ep_format_value(
	char out[EP_NUMBER_BYTES], const struct ep_report_value *value, const char *unit);
/* Formats a number with three digits and k, M or G. */
void ep_format_rate(char out[EP_NUMBER_BYTES], double rate);
/* Formats half of an interval as "±1.2" with n_digits after the decimal point. If these digits would be zeros
 * and half is not zero, the text is "±<0.1", since ±0.0 means that a value is exact. If half is NaN, which
 * means not known, the text is "±?". */
void ep_format_bar(char out[EP_NUMBER_BYTES], bool utf8, double half, int n_digits);
void ep_format_count(char out[EP_NUMBER_BYTES], uint64_t count);

/* Returns the columns that text takes (its code points). */
uint32_t ep_text_width(const char *text);
/* Prints text in exactly width columns. If it does not fit, an ellipsis replaces its middle. */
void ep_put_cell(const struct ep_layout *layout, const char *text, uint32_t width);
/* Shortens a procedure's name of more than width columns, as ep_name_fit in short_names.h does: template
 * arguments become <...>, then namespaces are removed. */
void ep_shorten_name(
	const struct ep_layout *layout, const char *name, uint32_t width, char *out, size_t size);
/* Prints a procedure's name, shortened, in exactly width columns. */
void ep_put_name(const struct ep_layout *layout, const char *name, uint32_t width);
/* Formats a library's name without its version; the table "By program and library" shows the whole file name. */
void ep_format_library(char *out, size_t size, const char *module_name);
void ep_put_right(const struct ep_layout *layout, const char *text, uint32_t width);
/* Prints text at the right of exactly width columns. If it does not fit, an ellipsis replaces its middle. */
void ep_put_right_cell(const struct ep_layout *layout, const char *text, uint32_t width);
/* A cell of a table's line. Cells are separated by two blanks, and a line does not end in blanks. A cell whose
 * width is 0 is left out. */
struct ep_cell {
	const char *text;
	uint32_t width;
};
void ep_put_cells(const struct ep_layout *layout, const struct ep_cell *cells, size_t n);
/* Prints a line or more in lighter type below a table. */
void ep_put_remark(const struct ep_layout *layout, const char *text);
/* Prints a heading with an explanation in lighter type, which starts on a new line where it does not fit. */
void ep_put_heading(const struct ep_layout *layout, const char *title, const char *explanation);
/* Prints a paragraph after a label of indent columns, which the caller has printed. Lines after the first are
 * indented. */
void ep_put_wrapped(const struct ep_layout *layout, const char *text, uint32_t indent);
void ep_put_dim_wrapped(const struct ep_layout *layout, const char *text, uint32_t indent);
/* Prints a bar of one column for each of the values (n), which are scaled so that top gives the highest bar. */
void ep_put_spark(const struct ep_layout *layout, const double *values, uint32_t n, double top);
void ep_put_bold(const struct ep_layout *layout, const char *text);
void ep_put_dim(const struct ep_layout *layout, const char *text);

#endif
