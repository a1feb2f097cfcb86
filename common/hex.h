/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats bytes as hexadecimal digits, as in build-ids. */
#ifndef EVPROF_COMMON_HEX_H
#define EVPROF_COMMON_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Writes two digits for each of n bytes and a NUL: out has room for 2 * n + 1. */
static inline void ep_hex_format(char *out, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

#endif
