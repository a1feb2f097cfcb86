// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/export.h"

#include <string.h>

const struct ep_export_format ep_export_sqlite = { .name = "sqlite", .is_database = true };

/* The formats in the order of their use, the most used first. */
const struct ep_export_format *const ep_export_formats[] = {
	&ep_export_folded,
	&ep_export_pprof,
	&ep_export_firefox,
	&ep_export_perfetto,
	&ep_export_speedscope,
	&ep_export_callgrind,
	&ep_export_sqlite,
	NULL,
};

const struct ep_export_format *ep_export_format_find(const char *name)
{
	for (const struct ep_export_format *const *format = ep_export_formats; *format; format++)
		if (!strcmp((*format)->name, name))
			return *format;
	return NULL;
}
