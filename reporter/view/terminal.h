/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the width of lines, and whether they may have colours. */
#ifndef EVPROF_REPORTER_VIEW_TERMINAL_H
#define EVPROF_REPORTER_VIEW_TERMINAL_H

#include "reporter/view/view.h"

enum ep_colour {
	EP_COLOUR_AUTO, /* colours on a terminal, unless NO_COLOR or TERM=dumb forbids them */
	EP_COLOUR_ALWAYS,
	EP_COLOUR_NEVER,
};

#define EP_COLOUR_EXPECTED "auto, always or never"

/* Takes the value of --color into an enum ep_colour. It serves as the member take of struct ep_option. Returns 0, or
 * -EINVAL for another word. */
int ep_colour_take(void *into, const char *value);

/* Tells whether text may have signs that ASCII lacks (reporter/text/signs.h). setlocale must have been called. */
bool ep_terminal_is_utf8(void);

/* Sets width, utf8 and colour. is_stdout: the text is printed to standard output. setlocale must have been called. */
void ep_terminal_look(struct ep_view_options *options, bool is_stdout, enum ep_colour colour);

#endif
