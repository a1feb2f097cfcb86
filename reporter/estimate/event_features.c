// SPDX-License-Identifier: BSD-3-Clause
/* Computes the outline of an event's samples, the distance to the run's ends, and the words of the event's
 * name. */
#include "reporter/estimate/event_features.h"

#include <math.h>
#include <string.h>

#include "reporter/estimate/event_words.h"

enum { END_SLICES = 16 }; /* 16 slices hold four samples of an event, if there are four groups */

struct outline {
	/* logs of rates: the highest in all samples, near the start, near the end */
	double most, most_early, most_late;
	double sum, sum_of_logs, n_positive;
};

static size_t slices_to_end(const struct ep_grid *g, size_t t)
{
	return g->n_all - 1 - (g->first_slice + t);
}

static struct outline outline_of(const struct ep_grid *g, size_t event)
{
	const struct ep_sampled *s = &g->samples[event];
	struct outline o = { 0 };

	for (size_t k = 0; k < s->n; k++) {
		double rate = g->rates[event * g->n_slices + s->at[k]], log_rate = log1p(rate);
		o.most = fmax(o.most, log_rate);
		if (g->first_slice + s->at[k] < END_SLICES)
			o.most_early = fmax(o.most_early, log_rate);
		if (slices_to_end(g, s->at[k]) < END_SLICES)
			o.most_late = fmax(o.most_late, log_rate);
		o.sum += rate;
		o.sum_of_logs += log_rate;
		o.n_positive += rate > 0;
	}
	return o;
}

static void put_outline(const struct outline *o, size_t n_samples, float out[EP_N_OUTLINE])
{
	out[0] = (float)(o->most / 5 - 1);
	out[1] = (float)(log1p(o->sum / n_samples) / 5 - 1);
	out[2] = (float)(o->sum_of_logs / fmax(o->n_positive, 1) / 5 - 1);
	out[3] = (float)(log1p(o->n_positive) / 3 - 1);
	out[4] = (float)(o->most_early / 5 - 1);
	out[5] = (float)(o->most_late / 5 - 1);
}

static void put_ends(const struct ep_grid *g, size_t t, float out[EP_N_ENDS])
{
	double from_start = (double)(g->first_slice + t), to_end = (double)slices_to_end(g, t);

	out[0] = (float)(3 * exp(-from_start));
	out[1] = (float)(2 * exp(-from_start / 4));
	out[2] = (float)(2 * exp(-to_end / 4));
}

void ep_event_features(const struct ep_grid *g, size_t event, float *x, size_t n_stride)
{
	struct outline o = outline_of(g, event);
	float outline[EP_N_OUTLINE];

	put_outline(&o, g->samples[event].n, outline);
	for (size_t t = 0; t < g->n_slices; t++, x += n_stride) {
		memcpy(x, outline, sizeof(outline));
		put_ends(g, t, x + EP_N_OUTLINE);
		for (unsigned i = 0; i < EP_N_WORDS; i++)
			x[EP_N_OUTLINE + EP_N_ENDS + i] = g->words[event] >> i & 1 ? 2 : 0;
	}
}
