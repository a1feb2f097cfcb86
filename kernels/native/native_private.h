/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface between the walk over the files (native.c) and the formats of each kind (kinds.c). */
#ifndef EVPROF_KERNELS_NATIVE_NATIVE_PRIVATE_H
#define EVPROF_KERNELS_NATIVE_NATIVE_PRIVATE_H

#include "kernels/native/native.h"

#include <stdbool.h>
#include <stdio.h>

/* A line of numbers. */
struct native_row {
	const char *title; /* the last "#" line above it, without "#"; "" before the first */
	const double *fields;
	size_t n_fields;
	size_t row; /* number of the line among the file's lines of numbers, from 0 */
};

enum { EP_NATIVE_MOST_COLUMNS = 12 };

/* The point that a line contributes. */
struct native_point {
	char name[64];
	const double *values; /* (T) counts of each thread, inside the row's fields */
	size_t n_threads;
	/* the point's row of the basis, for kinds that make their own basis */
	double expected[EP_NATIVE_MOST_COLUMNS];
};

struct native_state {
	double level_bytes[3]; /* cache sizes, from a title */
	/* pages of the largest blocks among the titles so far */
	double block_pages;
};

struct native_kind {
	const char *suffix;
	const char *name; /* name of the data set */
	/* name of a built-in set with basis and signatures; NULL: none */
	const char *builtin;
	/* columns of a basis that is made from the files, "A,B"; or NULL */
	const char *basis_columns;
	const char *signatures;
	const char *params;
	/* Takes a line that begins with "#"; may be NULL. */
	void (*take_title)(struct native_state *state, const char *title);
	/* Takes a line of numbers. Returns 1 if *point is filled; 0 if the line is not for the basis; or -EINVAL, with
	 * *out_fault. */
	int (*take_row)(struct native_state *state, const struct native_row *row,
		struct native_point *point, const char **out_fault);
};

extern const struct native_kind native_kinds[];

#endif
