// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/text/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"

/* Ranges of first bytes, with the second bytes that are allowed and the size of the character (RFC 3629, section
 * 4). They exclude overlong forms, surrogates, and characters above U+10FFFF. */
static const struct {
	uint8_t first, last, low, high; /* low, high: range of the second byte */
	uint8_t size;
} leads[] = {
	{ 0x01, 0x7f, 0, 0, 1 },
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 },
	{ 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static bool is_within(uint8_t byte, uint8_t low, uint8_t high)
{
	return byte >= low && byte <= high;
}

size_t ep_utf8_size(const char *text)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t row = 0, i;

	while (row < EP_ARRAY_SIZE(leads) &&
		!is_within(bytes[0], leads[row].first, leads[row].last))
		row++;
	if (row == EP_ARRAY_SIZE(leads))
		return 0;
	if (leads[row].size > 1 && !is_within(bytes[1], leads[row].low, leads[row].high))
		return 0;
	for (i = 2; i < leads[row].size; i++)
		if (!is_within(bytes[i], 0x80, 0xbf))
			return 0;
	return leads[row].size;
}

char *ep_utf8_copy(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);

	if (!out)
		return NULL;
	while (*text) {
		size_t n = ep_utf8_size(text);

		if (n)
			fwrite(text, n, 1, out);
		else
			fputs(EP_UTF8_UNKNOWN, out);
		text += n ? n : 1;
	}
	if (!fclose(out))
		return copy;
	free(copy);
	return NULL;
}
