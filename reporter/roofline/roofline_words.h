/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences on points below roofs, and on what their numbers lack. */
#ifndef EVPROF_REPORTER_ROOFLINE_ROOFLINE_WORDS_H
#define EVPROF_REPORTER_ROOFLINE_ROOFLINE_WORDS_H

#include "reporter/roofline/roofline.h"

#include <stddef.h>

/* Which roof bounds the point and how far below it the point is; "" where there is nothing to say. utf8: as
 * in reporter/text/signs.h. */
void ep_roofline_say_point(const struct ep_roofline *roofline,
	const struct ep_roofline_point *point, bool utf8, char *out, size_t size);
/* The roofs: where they are from, and where the roof of memory meets the peak. */
void ep_roofline_say_roofs(const struct ep_roofline *roofline, char *out, size_t size);
/* The note_idx-th note on what is missing; false: there are no more. */
bool ep_roofline_say_note(
	const struct ep_roofline *roofline, uint32_t note_idx, char *out, size_t size);

/* Three digits and k, M, G, T behind: "1.23 G". */
void ep_roofline_format(double number, char *out, size_t size);
/* "38 %", "1.5 %". */
void ep_roofline_format_share(double share, char *out, size_t size);

#endif
