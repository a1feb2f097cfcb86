// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/bars.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/cleanup.h"

const char ep_bar_header[] = "great.....good......okay......bad.......problematic";

/* Halves are rounded down, as in PerfExpert's tool of 2011. */
uint32_t ep_bar_cells(double lcpi, double threshold)
{
	double cells = ceil(10 * lcpi / threshold - 0.5);

	if (!(cells > 1))
		return 1;
	return cells < EP_BAR_CELLS ? (uint32_t)cells : EP_BAR_CELLS;
}

void ep_bar_draw_two(uint32_t first_cells, uint32_t second_cells, char out[EP_BAR_CELLS + 1])
{
	bool is_first_worse = first_cells > second_cells;
	uint32_t most = is_first_worse ? first_cells : second_cells;
	uint32_t least = is_first_worse ? second_cells : first_cells;

	memset(out, '>', least);
	memset(out + least, is_first_worse ? '1' : '2', most - least);
	out[most] = '\0';
}

const char *ep_bar_range(double lcpi, double threshold)
{
	static const char *const ranges[] = { "great", "good", "okay", "bad" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(ranges); i++)
		if (lcpi < threshold * (double)(i + 1))
			return ranges[i];
	return "problematic";
}
