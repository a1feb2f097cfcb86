// SPDX-License-Identifier: BSD-3-Clause
/* Finds repeats: stretches that follow each other in the same order of kinds, as a program's iterations do. */
#include <math.h>

#include "reporter/phases/phases.h"

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

static double deviation(double sum, double squares, uint32_t n)
{
	double mean = sum / n;

	return n ? sqrt(fmax(0, squares / n - mean * mean)) : NAN;
}

struct ep_turn_times ep_repeat_times(const struct ep_phases *phases, const struct ep_repeat *repeat)
{
	struct ep_turn_times turns = { .shortest_s = INFINITY };
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < repeat->n_turns; i++) {
		uint32_t first = repeat->first + i * repeat->length;
		double s = ep_phase_to_s(phases, first + repeat->length - 1) -
			   ep_phase_from_s(phases, first);

		sum += s;
		squares += s * s;
		turns.shortest_s = fmin(turns.shortest_s, s);
		if (s > turns.longest_s) {
			turns.longest_s = s;
			turns.longest = i;
		}
	}
	turns.mean_s = sum / repeat->n_turns;
	turns.deviation_s = deviation(sum, squares, repeat->n_turns);
	sum -= turns.longest_s;
	squares -= turns.longest_s * turns.longest_s;
	turns.others_mean_s = sum / (repeat->n_turns - 1);
	turns.others_deviation_s = deviation(sum, squares, repeat->n_turns - 1);
	return turns;
}
