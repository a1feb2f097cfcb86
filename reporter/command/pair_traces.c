// SPDX-License-Identifier: BSD-3-Clause
/* Reads traces of the same program as tables. It is part of the commands, since it prints messages. */
#include "reporter/command/pair_traces.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void say_what_is_amiss(const char *path, const struct ep_trace_table *t)
{
	if (t->n_threads > 1)
		fprintf(stderr, "evreport: %s: %u threads; the one with the most slices is taken\n",
			path, t->n_threads);
	if (t->n_slices_absent)
		fprintf(stderr,
			"evreport: %s: %" PRIu64
			" slices are not there: aligned by step, what follows them is compared with its neighbours\n",
			path, t->n_slices_absent);
}

static int read_trace(const char *path, struct ep_trace_table *out, struct ep_error *err)
{
	int rc = ep_trace_table_read(path, out, err);

	if (!rc)
		say_what_is_amiss(path, out);
	return rc;
}

static int read_ocoe(
	char *const *paths, size_t i, struct ep_pair_traces *pair, struct ep_error *err)
{
	EP_AUTOTRACETABLE struct ep_trace_table t = { 0 };
	int rc = read_trace(paths[i + 1], &t, err);

	if (rc)
		return rc;
	if (t.period_ns != pair->mpx.period_ns)
		return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = paths[i + 1] },
			"slices of %g ms, those of %s are of %g ms; record both with the same period (-p)",
			(double)t.period_ns / 1e6, paths[0], (double)pair->mpx.period_ns / 1e6);
	pair->ocoe[i] = t.table;
	t.table = (struct ep_table){ 0 };
	return 0;
}

void ep_pair_traces_finish(struct ep_pair_traces *traces)
{
	for (size_t i = 0; traces->ocoe && i < traces->n_ocoe; i++)
		ep_table_finish(&traces->ocoe[i]);
	free(traces->ocoe);
	ep_trace_table_finish(&traces->mpx);
	*traces = (struct ep_pair_traces){ 0 };
}

int ep_pair_traces_read(
	char *const *paths, size_t n_paths, struct ep_pair_traces *out, struct ep_error *err)
{
	EP_AUTOPAIRTRACES struct ep_pair_traces pair = { .n_ocoe = n_paths - 1 };
	int rc = read_trace(paths[0], &pair.mpx, err);

	pair.ocoe = calloc(pair.n_ocoe, sizeof(*pair.ocoe));
	if (!rc && !pair.ocoe)
		rc = ep_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < pair.n_ocoe && !rc; i++)
		rc = read_ocoe(paths, i, &pair, err);
	if (rc)
		return rc;
	*out = pair;
	pair = (struct ep_pair_traces){ 0 };
	return 0;
}
