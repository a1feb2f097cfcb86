// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/sides.h"

#include <stdlib.h>
#include <string.h>

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
