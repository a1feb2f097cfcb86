// SPDX-License-Identifier: BSD-3-Clause
/* Joins stalls, which are short times in which a run got no CPU, to the phase around them, since they are no phases of
 * the program. The kernel may let a run wait when its first event begins (17 to 33 ms on an idle machine:
 * synchronize_rcu), or a host may have taken the CPU. */
#include "reporter/phases/stalls.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/cleanup.h"

#define HARDLY_ANY_CPU 0.05
#define STALL_WINDOWS 20
#define STALL_SHARE 0.03 /* share of the run's time */
#define STALL_US 50000   /* a longer time may be the program's own waiting */
/* a kind with at least this many stretches and OWN_SHARE of the run's time is the program's own waiting */
#define OWN_TURNS 5
#define OWN_SHARE 0.1

static bool is_stall(const struct ep_stall_series *of, const struct ep_stretch_of_windows *stretch,
	double run_us)
{
	double time_us = of->edges_us[stretch->to] - of->edges_us[stretch->from], cpu_us = 0;

	for (uint32_t t = stretch->from; t < stretch->to; t++)
		cpu_us += of->cpu_us[t];
	if (stretch->to - stretch->from >= STALL_WINDOWS || time_us >= STALL_US ||
		cpu_us >= HARDLY_ANY_CPU * time_us)
		return false;
	return !stretch->from || time_us < STALL_SHARE * run_us;
}

/* Returns a stretch of the kind that a stall gets: that of its two neighbours, or of its only neighbour. NULL: its
 * neighbours are of different kinds. */
static const struct ep_stretch_of_windows *neighbour(const struct ep_segmentation *in, uint32_t i)
{
	const struct ep_stretch_of_windows *before = i ? &in->stretches[i - 1] : NULL;
	const struct ep_stretch_of_windows *behind =
		i + 1 < in->n_stretches ? &in->stretches[i + 1] : NULL;

	if (before && behind && before->kind != behind->kind)
		return NULL;
	return before ? before : behind;
}

/* Tells whether the stretches of a kind are the program's own waits. If a program waits in each iteration, these waits
 * are a kind, however short each wait is. */
static bool comes_in_turns(const struct ep_stall_series *of, const struct ep_segmentation *in,
	uint32_t kind, double run_us)
{
	double time_us = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < in->n_stretches; i++) {
		const struct ep_stretch_of_windows *stretch = &in->stretches[i];

		if (stretch->kind != kind)
			continue;
		time_us += of->edges_us[stretch->to] - of->edges_us[stretch->from];
		n++;
	}
	return n >= OWN_TURNS && time_us >= OWN_SHARE * run_us;
}

/* Makes an array (n_kinds) of whether each kind is the program's own waits. */
static int find_turns(const struct ep_stall_series *of, const struct ep_segmentation *in,
	double run_us, bool **out_turns)
{
	*out_turns = calloc((size_t)in->n_kinds + 1, sizeof(**out_turns));
	for (uint32_t kind = 0; *out_turns && kind < in->n_kinds; kind++)
		(*out_turns)[kind] = comes_in_turns(of, in, kind, run_us);
	return *out_turns ? 0 : -ENOMEM;
}

int ep_stalls_join(const struct ep_stall_series *of, uint32_t n_windows, struct ep_segmentation *in)
{
	double run_us = of->edges_us[n_windows];
	EP_AUTOFREE bool *is_in_turns = NULL;
	int rc = find_turns(of, in, run_us, &is_in_turns);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < in->n_stretches; i++) {
		struct ep_stretch_of_windows *stretch = &in->stretches[i];
		const struct ep_stretch_of_windows *other = neighbour(in, i);

		if (other && !is_in_turns[stretch->kind] && is_stall(of, stretch, run_us))
			stretch->kind = other->kind;
	}
	return ep_segmentation_tidy(in);
}
