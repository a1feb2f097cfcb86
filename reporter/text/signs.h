/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signs that ASCII lacks, and the ASCII text that replaces them where the user's locale does not use UTF-8. All text
 * for people takes these signs from here.
 */
#ifndef EVPROF_REPORTER_TEXT_SIGNS_H
#define EVPROF_REPORTER_TEXT_SIGNS_H

#include <stdbool.h>

/* This sign stands before an error bar. */
static inline const char *ep_sign_plus_minus(bool utf8)
{
	return utf8 ? "\u00b1" : "+-";
}

static inline const char *ep_sign_minus(bool utf8)
{
	return utf8 ? "\u2212" : "-";
}

/* This sign stands for what was left out of a text. */
static inline const char *ep_sign_ellipsis(bool utf8)
{
	return utf8 ? "\u2026" : "..";
}

#endif
