// SPDX-License-Identifier: BSD-3-Clause
/* Reads numbers and sizes from texts. Any thread may call these functions. */
#include "common/size.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define MOST_BYTES 1e18

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

double ep_scale_by_ten(double value, int exponent)
{
	for (; exponent > 0; exponent--)
		value *= 10;
	for (; exponent < 0; exponent++)
		value /= 10;
	return value;
}

const char *ep_decimal_read(const char *text, double *out_value)
{
	double value = 0;
	int n_digits = 0, n_after_point = 0;
	bool after_point = false;

	for (;; text++) {
		if (*text == '.' && !after_point) {
			after_point = true;
			continue;
		}
		if (!is_digit(*text))
			break;
		value = value * 10 + (*text - '0');
		n_after_point += after_point;
		if (++n_digits > 30)
			return NULL;
	}
	*out_value = ep_scale_by_ten(value, -n_after_point);
	return n_digits ? text : NULL;
}

int ep_size_parse(const char *text, uint64_t *out_bytes)
{
	static const char letters[] = "kKmMgG";
	double bytes = 0;
	const char *rest = ep_decimal_read(text, &bytes);
	const char *letter = rest && *rest ? strchr(letters, *rest) : NULL;

	for (long i = letter ? (letter - letters) / 2 : -1; i >= 0; i--)
		bytes *= 1024;
	if (!rest || (*rest && (!letter || rest[1])) || bytes > MOST_BYTES)
		return -EINVAL;
	*out_bytes = (uint64_t)bytes;
	return 0;
}
