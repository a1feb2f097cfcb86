/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps a file's table of strings. Each string is kept once, as UTF-8, and has a number; number 0 is the empty string.
 * All of this runs on one thread. */
#ifndef EVPROF_REPORTER_EXPORT_TEXT_IDS_H
#define EVPROF_REPORTER_EXPORT_TEXT_IDS_H

#include "common/containers/names.h"

/* All members are 0 at the beginning. */
struct ep_text_ids {
	struct ep_names names;
	bool out_of_memory; /* stays set after the first failure; a text that could not be added gets 0 */
};

/* Returns the number of a text of any bytes; NULL is the empty text. */
uint32_t ep_text_ids_add(struct ep_text_ids *ids, const char *text);
void ep_text_ids_finish(struct ep_text_ids *ids);

#endif
