// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/text_ids.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/utf8.h"

uint32_t ep_text_ids_add(struct ep_text_ids *ids, const char *text)
{
	EP_AUTOFREE char *copy = text && *text ? ep_utf8_copy(text) : strdup("");
	uint32_t idx = 0;

	if (!copy || (!ids->names.n_names && ep_names_add(&ids->names, "", &idx)) ||
		ep_names_add(&ids->names, copy, &idx))
		ids->out_of_memory = true;
	return idx;
}

void ep_text_ids_finish(struct ep_text_ids *ids)
{
	ep_names_finish(&ids->names);
}
