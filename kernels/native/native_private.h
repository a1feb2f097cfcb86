/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the walk over the files (native.c) and the layouts of each kind (kinds.c). */
#ifndef EVPROF_KERNELS_NATIVE_NATIVE_PRIVATE_H
#define EVPROF_KERNELS_NATIVE_NATIVE_PRIVATE_H

#include "kernels/native/native.h"

#include <stdbool.h>
#include <stdio.h>

/* One line of numbers. */
struct native_row {
	const char *title; /* the last "#" line above it, without "#"; "" before the first */
	const double *fields;
	size_t n_fields;
	size_t row; /* in the file, from 0, only lines of numbers */
};

enum { EP_NATIVE_MOST_COLUMNS = 12 };

/* The contribution of one line. */
struct native_point {
	char name[64];
	const double *values; /* (T) one per thread, inside the row's fields */
	size_t n_threads;
	double expected[EP_NATIVE_MOST_COLUMNS]; /* for kinds that make their own basis: its row */
};

struct native_state {
	double level_bytes[3]; /* cache sizes, from a title */
	double block_pages;    /* of the first parameter set: the largest blocks */
};

struct native_kind {
	const char *suffix;
	const char *name;          /* of the data set */
	const char *builtin;       /* basis and signatures, or NULL */
	const char *basis_columns; /* "A,B": of a basis made from the files; or NULL */
	const char *signatures;
	const char *params;
	/* A "#" line; may be NULL. */
	void (*take_title)(struct native_state *state, const char *title);
	/* 1: *point is filled; 0: this line is not for the basis; -EINVAL. */
	int (*take_row)(struct native_state *state, const struct native_row *row,
		struct native_point *point, const char **out_fault);
};

extern const struct native_kind native_kinds[];

#endif
