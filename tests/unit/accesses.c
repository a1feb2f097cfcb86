// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/accesses.h"

#define PASTE(name, level) name##_##level
#define EXPAND(name, level) PASTE(name, level)
#define AT_LEVEL(name) EXPAND(name, LEVEL)

double AT_LEVEL(in_order)(const double *a, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[i];
	return sum;
}

void AT_LEVEL(backwards)(float *a, const float *b, long n)
{
	for (long i = n - 1; i >= 0; i--)
		a[i] = 2 * b[i];
}

double AT_LEVEL(by_bytes)(const unsigned char *a, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[i];
	return sum;
}

double AT_LEVEL(rows)(const double *a, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		for (long k = 0; k < n; k++)
			sum += a[i * n + k] * sum;
	return sum;
}

double AT_LEVEL(column)(const double *a, long n, long n_columns)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[i * n_columns];
	return sum;
}

double AT_LEVEL(field)(const struct particle *a, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[i].x;
	return sum;
}

double AT_LEVEL(by_index)(const double *a, const int *index, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[index[i]];
	return sum;
}

double AT_LEVEL(by_row_pointers)(double *const *a, long n, long column)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[i][column];
	return sum;
}

double AT_LEVEL(links)(const struct link *link)
{
	double sum = 0;

	for (; link; link = link->next)
		sum += link->value;
	return sum;
}

long AT_LEVEL(chain)(const long *next, long at)
{
	long n = 0;

	for (; at; at = next[at])
		n++;
	return n;
}

double AT_LEVEL(fixed_column)(double (*a)[100], long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[i][7];
	return sum;
}

/* Each loaded value tells where the next one is, as along a list. */
unsigned AT_LEVEL(checksum)(const unsigned char *a, long n, const unsigned *table)
{
	unsigned sum = ~0u;

	for (long i = 0; i < n; i++)
		sum = table[(sum ^ a[i]) & 255] ^ (sum >> 8);
	return sum;
}

/* The place follows from what was loaded in all turns before, but no load waits for the one before. */
double AT_LEVEL(rolling)(const unsigned *a, long n, const double *table)
{
	unsigned hash = 0;
	double sum = 0;

	for (long i = 0; i < n; i++) {
		hash = hash * 31 + a[i];
		sum += table[hash & 4095];
	}
	return sum;
}

/* Two loads wait for each other, but none for those of the turn before. */
double AT_LEVEL(two_pointers)(double **const *a, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++)
		sum += **a[i];
	return sum;
}

/* The next turn's index is loaded in this one. */
double AT_LEVEL(ahead)(const double *a, const int *index, long n)
{
	double sum = 0;
	int at = index[0];

	for (long i = 1; i < n; i++) {
		sum += a[at];
		at = index[i];
	}
	return sum;
}
