// SPDX-License-Identifier: BSD-3-Clause
/* Gives the values of a trace the names that formulas use. Any thread may call these functions. */
#include "common/formula/event_table.h"

int ep_event_table_alias(const struct ep_event_table *table, struct ep_values *values)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < table->n_rows; i++) {
		const struct ep_event_row *row = &table->rows[i];
		const struct ep_measured *found =
			row->open ? ep_values_find(values, row->open) : NULL;

		found = found ? found : ep_values_find(values, row->raw);
		if (found && !ep_values_find(values, row->name))
			rc = ep_values_set(values, row->name, *found);
	}
	return rc;
}
