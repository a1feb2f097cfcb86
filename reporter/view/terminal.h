/* SPDX-License-Identifier: BSD-3-Clause */
/* How wide the lines may be, and whether they may have colours. */
#ifndef EVPROF_REPORTER_VIEW_TERMINAL_H
#define EVPROF_REPORTER_VIEW_TERMINAL_H

#include "reporter/view/view.h"

/* Fills width, utf8 and colour. is_stdout: what is printed goes there; setlocale was called. */
void ep_terminal_look(struct ep_view_options *options, bool is_stdout);

#endif
