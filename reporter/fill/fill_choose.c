// SPDX-License-Identifier: BSD-3-Clause
/* Which filler a trace gets: by name, or by how long the traces are. */
#include "reporter/fill/fill_choose.h"

#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "reporter/fill/fill_auto.h"
#include "reporter/fill/fill_fit.h"
#include "reporter/fill/fill_path.h"

/* Slices at once, at least and at most: the hold-out looks at eight windows of a thousand slices,
 * which are a smaller part of a longer stretch. */
#define SLICES_AT_ONCE 4096
#define MOST_AT_ONCE 16384

/* The filler that only holds the last rate takes as long as inflating. */
#define MOST_PATH_BYTES 50000000 /* some 2 million slices */
#define MOST_AUTO_BYTES 100000   /* some 10,000, which take three seconds */

/* The estimator has its filler's name. */
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

/* The estimators of reporter/estimate but auto. */
static const struct ep_filler_ops by_time[] = { BY_TIME("fixed"), BY_TIME("linear"),
	BY_TIME("nonlinear"), BY_TIME("kernel"), BY_TIME("mlp"), BY_TIME("gru") };

/* The size of the traces together. A pipe's is not known and counts as too much for auto. */
static off_t size_of(const char *const *paths)
{
	off_t size = 0;
	struct stat st;

	for (; *paths; paths++)
		size += !stat(*paths, &st) && S_ISREG(st.st_mode) ? st.st_size
								  : MOST_AUTO_BYTES + 1;
	return size;
}

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

const struct ep_filler_ops *ep_filler_default(const char *const *paths)
{
	off_t size = size_of(paths);

	if (size > MOST_PATH_BYTES)
		return &ep_filler_fixed;
	return size > MOST_AUTO_BYTES ? &ep_filler_path : &ep_filler_auto;
}
