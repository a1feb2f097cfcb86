// SPDX-License-Identifier: BSD-3-Clause
/* Sums of counts by event, and the changes of these sums in replicas of the estimates. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/sums.h"

int ep_sums_reserve_replicas(struct ep_sums *sums)
{
	if (!sums->replicas)
		sums->replicas =
			calloc((size_t)sums->n_rows * EP_N_REPLICAS + 1, sizeof(*sums->replicas));
	return sums->replicas ? 0 : -ENOMEM;
}

static int grow_replicas(struct ep_sums *sums, uint32_t n_events)
{
	size_t n_old = (size_t)sums->n_rows * EP_N_REPLICAS, n = (size_t)n_events * EP_N_REPLICAS;
	float *bigger;

	if (!sums->replicas)
		return 0;
	bigger = realloc(sums->replicas, n * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + n_old, 0, (n - n_old) * sizeof(*bigger));
	sums->replicas = bigger;
	return 0;
}

int ep_sums_reserve(struct ep_sums *sums, uint32_t n_events)
{
	struct ep_event_sum *rows;

	if (n_events <= sums->n_rows)
		return 0;
	rows = realloc(sums->rows, n_events * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	sums->rows = rows;
	if (grow_replicas(sums, n_events))
		return -ENOMEM;
	memset(rows + sums->n_rows, 0, (n_events - sums->n_rows) * sizeof(*rows));
	sums->n_rows = n_events;
	return 0;
}

int ep_sums_add(struct ep_sums *sums, const struct ep_sums *more)
{
	if (ep_sums_reserve(sums, more->n_rows) ||
		(more->replicas && ep_sums_reserve_replicas(sums)))
		return -ENOMEM;
	for (uint32_t e = 0; e < more->n_rows; e++)
		ep_event_sum_add(&sums->rows[e], &more->rows[e]);
	for (size_t i = 0; more->replicas && i < (size_t)more->n_rows * EP_N_REPLICAS; i++)
		sums->replicas[i] += more->replicas[i];
	return 0;
}

void ep_sums_finish(struct ep_sums *sums)
{
	free(sums->rows);
	free(sums->replicas);
	*sums = (struct ep_sums){ 0 };
}

int ep_tick_sums_reserve(struct ep_tick_sums *sums, uint32_t n_events)
{
	struct ep_tick_sum *rows;

	if (n_events <= sums->n_rows)
		return 0;
	rows = realloc(sums->rows, n_events * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	memset(rows + sums->n_rows, 0, (n_events - sums->n_rows) * sizeof(*rows));
	sums->rows = rows;
	sums->n_rows = n_events;
	return 0;
}

static void add_windows(struct ep_window_sum *sum, const struct ep_window_sum *more)
{
	sum->all += more->all;
	for (int j = 0; j < EP_N_REPLICAS; j++)
		sum->by_replica[j] += more->by_replica[j];
}

static void add_sizes(struct ep_window_sizes *sizes, const struct ep_window_sizes *more)
{
	sizes->of_ticks += more->of_ticks;
	sizes->both += more->both;
	sizes->squares += more->squares;
	sizes->fourths += more->fourths;
}

int ep_tick_sums_add(struct ep_tick_sums *sums, const struct ep_tick_sums *more)
{
	if (ep_tick_sums_reserve(sums, more->n_rows))
		return -ENOMEM;
	for (uint32_t e = 0; e < more->n_rows; e++) {
		struct ep_tick_sum *sum = &sums->rows[e];

		sum->n_ticks += more->rows[e].n_ticks;
		sum->squares += more->rows[e].squares;
		add_windows(&sum->met, &more->rows[e].met);
		add_windows(&sum->foretold, &more->rows[e].foretold);
		add_windows(&sum->of_ticks, &more->rows[e].of_ticks);
		for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++)
			sum->parted[kind] += more->rows[e].parted[kind];
		add_sizes(&sum->sizes, &more->rows[e].sizes);
	}
	return 0;
}

double ep_replica_variance(const float *changes)
{
	double sum = 0;

	for (int j = 0; j < EP_N_REPLICAS; j++)
		sum += (double)changes[j] * (double)changes[j];
	return sum * (EP_N_REPLICAS - 1) / EP_N_REPLICAS;
}
