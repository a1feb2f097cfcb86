/* SPDX-License-Identifier: BSD-3-Clause */
/* How wide the lines may be, and whether they may have colours. */
#ifndef EVPROF_REPORTER_VIEW_TERMINAL_H
#define EVPROF_REPORTER_VIEW_TERMINAL_H

#include "reporter/view/view.h"

enum ep_colour {
	EP_COLOUR_AUTO, /* on a terminal, unless NO_COLOR or TERM=dumb forbids it */
	EP_COLOUR_ALWAYS,
	EP_COLOUR_NEVER,
};

#define EP_COLOUR_EXPECTED "auto, always or never"

/* An ep_option's take: the value of --color into an enum ep_colour. -EINVAL: another word. */
int ep_colour_take(void *into, const char *value);

/* Returns whether text may have signs that ASCII lacks (reporter/text/signs.h); setlocale was called. */
bool ep_terminal_is_utf8(void);

/* Fills width, utf8 and colour. is_stdout: what is printed goes there; setlocale was called. */
void ep_terminal_look(struct ep_view_options *options, bool is_stdout, enum ep_colour colour);

#endif
