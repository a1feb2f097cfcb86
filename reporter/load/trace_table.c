// SPDX-License-Identifier: BSD-3-Clause
/* Reads a trace with a filler that fills no gap, but copies every slice that it gets. Only the copy of the
 * thread with the most slices is kept. */
#include "reporter/load/trace_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/load.h"

struct slices {
	struct ep_fill_events events;
	size_t n_slices;
	double *values;          /* (T, E + 1): T slices, E events, and the CPU time last */
	unsigned char *measured; /* (T, E + 1) whether each value was measured */
};

/* The slices of the thread that has the most slices so far. */
struct keeping {
	struct slices longest;
	bool out_of_memory;
};

static void slices_finish(struct slices *slices)
{
	free(slices->values);
	free(slices->measured);
	*slices = (struct slices){ 0 };
}

static void *thread_create(void *process)
{
	struct slices *slices = calloc(1, sizeof(*slices));

	if (slices)
		slices->events = *(const struct ep_fill_events *)process;
	return slices;
}

static void thread_destroy(void *thread)
{
	struct slices *slices = thread;
	struct keeping *keeping = slices->events.context;

	if (slices->n_slices > keeping->longest.n_slices) {
		struct slices shorter = keeping->longest;
		keeping->longest = *slices;
		*slices = shorter;
	}
	slices_finish(slices);
	free(slices);
}

static bool reserve(struct slices *slices, size_t n_slices)
{
	size_t n_cells = n_slices * (slices->events.n_events + 1);
	double *values = realloc(slices->values, n_cells * sizeof(*values));
	unsigned char *measured;

	if (!values)
		return false;
	slices->values = values;
	measured = realloc(slices->measured, n_cells);
	if (!measured)
		return false;
	slices->measured = measured;
	return true;
}

static void keep(void *thread, struct ep_stretch *stretch)
{
	struct slices *slices = thread;
	size_t n_events = stretch->n_events, to = slices->n_slices * (n_events + 1);

	if (!reserve(slices, slices->n_slices + stretch->n_slices)) {
		((struct keeping *)slices->events.context)->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < stretch->n_slices; i++, to++) {
		for (size_t e = 0; e < n_events; e++, to++) {
			size_t from = i * n_events + e;
			slices->measured[to] = stretch->state[from] == EP_VALUE_MEASURED;
			slices->values[to] = slices->measured[to] ? stretch->values[from] : 0;
		}
		slices->measured[to] = 1;
		slices->values[to] = stretch->cpu_us[i];
	}
	slices->n_slices += stretch->n_slices;
}

static const struct ep_filler_ops keeper = {
	.name = "none",
	.n_slices = UINT32_MAX,
	.thread_create = thread_create,
	.thread_destroy = thread_destroy,
	.fill = keep,
};

static size_t counted_slices(const struct slices *s)
{
	size_t n_events = s->events.n_events, n = s->n_slices;

	while (n && !memchr(s->measured + (n - 1) * (n_events + 1), 1, n_events))
		n--;
	return n;
}

static int make_table(
	const struct slices *longest, struct ep_table *out, size_t n_rows, struct ep_error *err)
{
	size_t n_columns = longest->events.n_events + 1;
	char **names = calloc(n_columns, sizeof(*names));
	int rc = names ? 0 : -ENOMEM;

	for (size_t e = 0; !rc && e < n_columns; e++)
		names[e] = e + 1 < n_columns ? (char *)longest->events.names[e] : "cpu-time";
	if (!rc)
		rc = ep_table_init(out, n_rows, n_columns, names);
	free(names);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	memcpy(out->values, longest->values, n_rows * n_columns * sizeof(*out->values));
	memcpy(out->measured, longest->measured, n_rows * n_columns);
	return 0;
}

static int take(const char *path, const struct ep_trace *trace, const struct keeping *keeping,
	struct ep_trace_table *out, struct ep_error *err)
{
	const struct ep_loss *loss = &trace->loss;
	size_t n_rows = counted_slices(&keeping->longest);

	if (keeping->out_of_memory)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!n_rows)
		return ep_fail_at(err, -EBADMSG, (struct ep_place){ .file = path },
			"has no slice with a count; record events by: evprof run -e EVENTS");
	*out = (struct ep_trace_table){
		.period_ns = ep_trace_process_number(&trace->processes[0], EP_META_PERIOD, 0),
		.n_slices_absent = loss->n_lost_slices + loss->n_missing_slices + loss->n_odd,
		.n_threads = trace->n_threads,
	};
	return make_table(&keeping->longest, &out->table, n_rows, err);
}

int ep_trace_table_read(const char *path, struct ep_trace_table *out, struct ep_error *err)
{
	struct keeping keeping = { 0 };
	struct ep_load_options options = {
		.filler = &keeper, .filler_context = &keeping, .needs_slices = true
	};
	struct ep_trace *trace = NULL;
	int rc;

	rc = ep_trace_load(path, &options, &trace, err);
	if (!rc)
		rc = take(path, trace, &keeping, out, err);
	slices_finish(&keeping.longest);
	ep_trace_destroy(trace);
	return rc;
}

void ep_trace_table_finish(struct ep_trace_table *trace)
{
	ep_table_finish(&trace->table);
}
