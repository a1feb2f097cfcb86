// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/notes.h"

#include <stdio.h>

static bool has_kind(const struct ep_cells *cells, enum ep_column_kind kind)
{
	for (uint32_t c = 0; c < cells->n_columns; c++)
		if (cells->columns[c].kind == kind)
			return true;
	return false;
}

static bool has_error_of(const struct ep_cells *cells, uint32_t event_idx)
{
	for (uint32_t c = 0; c < cells->n_columns; c++)
		if (cells->columns[c].kind == EP_CELL_ERROR &&
			cells->columns[c].event_idx == event_idx)
			return true;
	return false;
}

void ep_export_notes(const struct ep_export *export, const struct ep_cells *cells,
	void (*put)(void *context, const char *sentence), void *context)
{
	const struct ep_report *report = export->report;
	char text[512];

	snprintf(text, sizeof(text), "evprof " EVPROF_VERSION ": %.400s", report->command);
	put(context, text);
	if (has_kind(cells, EP_CELL_MEASURED))
		put(context,
			"EVENT_measured is the part of EVENT that was counted; the rest is an estimate for the time in which other events were counted.");
	if (has_kind(cells, EP_CELL_ERROR))
		put(context,
			"EVENT_stderr is the standard error of each stack's count. Added up it is more than the error of the sum.");
	for (uint32_t e = 0; e < report->n_events; e++) {
		if (!ep_quantity_is_known(&report->events[e].total.count) || has_error_of(cells, e))
			continue;
		snprintf(text, sizeof(text), "The standard error of %.300s is not known.",
			report->events[e].name);
		put(context, text);
	}
	for (uint32_t i = 0; i < report->said.n_findings; i++)
		put(context, report->said.findings[i].text);
}
