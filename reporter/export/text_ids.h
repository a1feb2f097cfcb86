/* SPDX-License-Identifier: BSD-3-Clause */
/* A format's table of strings, each kept once as UTF-8; 0 is the empty one. One thread. */
#ifndef EVPROF_REPORTER_EXPORT_TEXT_IDS_H
#define EVPROF_REPORTER_EXPORT_TEXT_IDS_H

#include "common/containers/names.h"

/* Begins as zero. */
struct ep_text_ids {
	struct ep_names names;
	bool out_of_memory; /* stays; what was not added is 0 */
};

/* text: any bytes; NULL is the empty text. */
uint32_t ep_text_ids_add(struct ep_text_ids *ids, const char *text);
void ep_text_ids_finish(struct ep_text_ids *ids);

#endif
