// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the filler of a trace: by name, or by the length of the traces. */
#include "reporter/fill/fill_choose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/fill/fill_auto.h"
#include "reporter/fill/fill_fit.h"
#include "reporter/fill/fill_path.h"

/* The least and the most slices of a stretch. The hold-out looks at eight windows of a thousand slices, which
 * are a smaller part of the work in a longer stretch. */
#define SLICES_AT_ONCE 4096
#define MOST_AT_ONCE 16384

/* Fills a stretch by the estimator that has the filler's name. */
static void fill_by_time(void *events, struct ep_stretch *stretch)
{
	const struct ep_fill_events *of = events;

	ep_fill_by_time(of, of->filler->name, stretch);
}

#define BY_TIME(estimator)                                                                         \
	{                                                                                          \
		.name = (estimator), .n_slices = SLICES_AT_ONCE, .n_slices_most = MOST_AT_ONCE,    \
		.tells_variances = true, .fill = fill_by_time                                      \
	}

/* Fillers for the estimators of reporter/estimate, except auto. */
static const struct ep_filler_ops by_time[] = { BY_TIME("fixed"), BY_TIME("linear"),
	BY_TIME("nonlinear"), BY_TIME("kernel"), BY_TIME("mlp"), BY_TIME("gru") };

const struct ep_filler_ops *ep_filler_find(const char *name)
{
	static const struct ep_filler_ops *const others[] = { &ep_filler_auto, &ep_filler_path,
		&ep_filler_fixed };

	for (size_t i = 0; i < EP_ARRAY_SIZE(others); i++)
		if (!strcmp(name, others[i]->name))
			return others[i];
	for (size_t i = 0; i < EP_ARRAY_SIZE(by_time); i++)
		if (!strcmp(name, by_time[i].name))
			return &by_time[i];
	return NULL;
}

/* The longest traces for each filler. With 15 events auto compares some 3,000 slices a second, path fills a
 * million slices in seconds, and the filler that holds the last rate takes as long as inflating the trace. */
static const struct filler_reach {
	const struct ep_filler_ops *filler;
	uint64_t most_slices;
	const char *for_what;
} reaches[] = {
	{ &ep_filler_auto, 10000, "so few that all estimators are compared" },
	{ &ep_filler_path, 2000000, "too many to compare all estimators in seconds" },
	{ &ep_filler_fixed, UINT64_MAX, "too many to estimate errors in seconds" },
};

/* The first row of reaches that a pipe may get, since the length of a pipe is not known. */
#define REACH_OF_PIPES 1

struct ep_filler_choice ep_filler_choose(const struct ep_traces_length *length)
{
	size_t i = 0;
	struct ep_filler_choice choice;

	while (length->n_slices > reaches[i].most_slices)
		i++;
	if (length->is_unknown && i < REACH_OF_PIPES)
		i = REACH_OF_PIPES;
	choice.filler = reaches[i].filler;
	if (length->is_unknown)
		snprintf(choice.why, sizeof(choice.why),
			"the number of slices in a pipe is not known in advance");
	else
		snprintf(choice.why, sizeof(choice.why), "about %" PRIu64 " slices, %s",
			length->n_slices, reaches[i].for_what);
	return choice;
}

struct ep_filler_choice ep_filler_default(const char *const *paths)
{
	struct ep_traces_length length = { 0 };

	ep_traces_length_add(&length, paths);
	return ep_filler_choose(&length);
}
