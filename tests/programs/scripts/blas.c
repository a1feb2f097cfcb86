/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products with a known sum: by OpenBLAS inside and beside OpenMP, or (PLAIN_C) by loops alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef PLAIN_C
#include <cblas.h>
#endif

static void multiply(int n, const double *a, const double *b, double *c)
{
#ifdef PLAIN_C
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;
			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
#else
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
#endif
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 300;
	double *a = calloc(n * n, sizeof(*a)), *b = calloc(n * n, sizeof(*b)),
	       *c = calloc(n * n, sizeof(*c));
	double sum = 0;

	for (int i = 0; i < n * n; i++) {
		a[i] = i % 7;
		b[i] = i % 5;
	}
	for (int repeat = 0; repeat < 3; repeat++) {
		multiply(n, a, b, c);
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < n * n; i++)
			sum += c[i];
	}
	printf("%.0f\n", sum);
	free(a);
	free(b);
	free(c);
	return 0;
}
