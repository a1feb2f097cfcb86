/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares how evprof's own walker and libunwind follow a stack of this machine. Used by the launcher only. */
#ifndef EVPROF_LAUNCHER_SECOND_OPINION_H
#define EVPROF_LAUNCHER_SECOND_OPINION_H

#include <stddef.h>

/* Writes the answer as text for a person. The walkers follow this process's own stack, from a signal that arrives in
 * the C library's raise, which a callback of qsort calls. */
void ep_second_opinion(char *out_text, size_t size);

#endif
