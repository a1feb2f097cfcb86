// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/bars.h"

#include <math.h>
#include <stddef.h>

#include "common/cleanup.h"

const char ep_bar_header[] = "great.....good......okay......bad.......problematic";

/* Rounding is half-down, as in the tool of 2011. */
uint32_t ep_bar_cells(double lcpi, double threshold)
{
	double cells = ceil(10 * lcpi / threshold - 0.5);

	if (!(cells > 1))
		return 1;
	return cells < EP_BAR_CELLS ? (uint32_t)cells : EP_BAR_CELLS;
}

const char *ep_bar_range(double lcpi, double threshold)
{
	static const char *const ranges[] = { "great", "good", "okay", "bad" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(ranges); i++)
		if (lcpi < threshold * (double)(i + 1))
			return ranges[i];
	return "problematic";
}
