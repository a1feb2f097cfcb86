// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/sides.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/load/two_runs.h"

int ep_sides_count_after_dashes(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - 1 - i;
	return -1;
}

const char **ep_sides_take_names(const char *const *names, int n)
{
	const char **out = calloc((size_t)n + 1, sizeof(*out));

	for (int i = 0; out && i < n; i++)
		out[i] = names[i];
	return out;
}

int ep_sides_tell(const char *const *paths, bool *out_are_two_runs, struct ep_error *err)
{
	struct ep_load_options how = { .filler = &ep_filler_fixed, .skip_samples = true };
	struct ep_trace *trace;
	int rc = ep_traces_load(paths, &how, &trace, err);

	if (rc)
		return rc;
	*out_are_two_runs = ep_trace_is_of_two_runs(trace);
	ep_trace_destroy(trace);
	return 0;
}
