// SPDX-License-Identifier: BSD-3-Clause
/* Stretches that follow each other as the same kinds in turn: a program's iterations. */
#include "reporter/phases/segment.h"

enum { LONGEST_TURN = 8, LEAST_TURNS = 3 };

static uint32_t count_turns(const struct ep_segmentation *of, uint32_t first, uint32_t length)
{
	uint32_t n = 0;

	while (first + (n + 1) * length <= of->n_stretches) {
		for (uint32_t i = 0; i < length; i++)
			if (of->stretches[first + i].kind !=
				of->stretches[first + n * length + i].kind)
				return n;
		n++;
	}
	return n;
}

uint32_t ep_repeats_find(const struct ep_segmentation *segmentation, struct ep_repeat *out_repeats)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < segmentation->n_stretches;) {
		struct ep_repeat best = { i, 1, 1 };

		for (uint32_t length = 2; length <= LONGEST_TURN; length++) {
			uint32_t n_turns = count_turns(segmentation, i, length);

			if (n_turns >= LEAST_TURNS && n_turns * length > best.n_turns * best.length)
				best = (struct ep_repeat){ i, length, n_turns };
		}
		out_repeats[n++] = best;
		i += best.length * best.n_turns;
	}
	return n;
}
