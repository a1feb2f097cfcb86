/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects sentences that readers of an export's numbers must know, for formats that can hold sentences. */
#ifndef EVPROF_REPORTER_EXPORT_NOTES_H
#define EVPROF_REPORTER_EXPORT_NOTES_H

#include "reporter/export/cells.h"
#include "reporter/export/export.h"

/* Calls put with each sentence: the command, the meaning of columns, and the findings of the report. */
void ep_export_notes(const struct ep_export *export, const struct ep_cells *cells,
	void (*put)(void *context, const char *sentence), void *context);

#endif
