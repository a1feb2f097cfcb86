/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that get at their data in known ways (accesses.c), compiled at each LEVEL of optimization. */
#ifndef EVPROF_TESTS_UNIT_ACCESSES_H
#define EVPROF_TESTS_UNIT_ACCESSES_H

struct link {
	struct link *next;
	double value;
};

struct particle {
	double x, others[15];
};

#define ACCESSES(level)                                                                            \
	double in_order_##level(const double *a, long n);                                          \
	void backwards_##level(float *a, const float *b, long n);                                  \
	double by_bytes_##level(const unsigned char *a, long n);                                   \
	double rows_##level(const double *a, long n);                                              \
	double column_##level(const double *a, long n, long n_columns);                            \
	double field_##level(const struct particle *a, long n);                                    \
	double by_index_##level(const double *a, const int *index, long n);                        \
	double by_row_pointers_##level(double *const *a, long n, long column);                     \
	double links_##level(const struct link *link);                                             \
	long chain_##level(const long *next, long at);                                             \
	double fixed_column_##level(double(*a)[100], long n);                                      \
	unsigned checksum_##level(const unsigned char *a, long n, const unsigned *table);          \
	double rolling_##level(const unsigned *a, long n, const double *table);                    \
	double two_pointers_##level(double **const *a, long n);                                    \
	double ahead_##level(const double *a, const int *index, long n);

ACCESSES(O0)
ACCESSES(O1)
ACCESSES(O2)
ACCESSES(O3)

#endif
