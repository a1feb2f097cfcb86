/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes sentences about points below roofs, and about what is missing in their numbers. */
#ifndef EVPROF_REPORTER_ROOFLINE_ROOFLINE_WORDS_H
#define EVPROF_REPORTER_ROOFLINE_ROOFLINE_WORDS_H

#include "reporter/roofline/roofline.h"

#include <stddef.h>

/* Says which roof limits the point and how far the point is below it; "" if no limit is known. utf8: as in
 * reporter/text/signs.h. */
void ep_roofline_say_point(const struct ep_roofline *roofline,
	const struct ep_roofline_point *point, bool utf8, char *out, size_t size);
/* Says where the roofs are from, and at which intensity the roof of memory meets the peak. */
void ep_roofline_say_roofs(const struct ep_roofline *roofline, char *out, size_t size);
/* Writes note number note_idx about what is missing; false: there are no more notes. */
bool ep_roofline_say_note(
	const struct ep_roofline *roofline, uint32_t note_idx, char *out, size_t size);

/* Formats a number with three digits, followed by the prefix k, M, G, ...: "1.23 G". */
void ep_roofline_format(double number, char *out, size_t size);
/* Formats a share in per cent: "38 %", "1.5 %". */
void ep_roofline_format_share(double share, char *out, size_t size);

#endif
