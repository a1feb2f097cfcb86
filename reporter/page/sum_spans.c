// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/page/sum_spans.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/index.h"

#define MOST_BINS_JOINED 8
#define LEAST_SHARE 1e-4
#define LITTLE 0.01 /* rows with a smaller share are joined before threads are joined */
#define ALL 4       /* larger than any row's share */

/* Each row's share of the time, and the row into which it is joined. */
struct row_folds {
	double *share;     /* (n_rows) */
	uint32_t *fold_to; /* (n_rows) a row that stays has its own number */
	uint32_t n_rows;
};

static int by_place(const void *a, const void *b)
{
	const struct ep_sum_span *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

static void merge(struct ep_sum_spans *spans)
{
	uint32_t n = 0;

	if (!spans->n_spans)
		return;
	qsort(spans->spans, spans->n_spans, sizeof(*spans->spans), by_place);
	for (uint32_t i = 1; i < spans->n_spans; i++) {
		struct ep_sum_span *to = &spans->spans[n], *span = &spans->spans[i];

		if (by_place(to, span)) {
			spans->spans[++n] = *span;
			continue;
		}
		to->first = fmin(to->first, span->first);
		to->last = fmax(to->last, span->last);
		to->n += span->n;
		to->ns += span->ns;
		to->cpu_ns += span->cpu_ns;
		to->longest_ns = fmax(to->longest_ns, span->longest_ns);
	}
	spans->n_spans = n + 1;
}

int ep_sum_spans_add(struct ep_sum_spans *spans, const struct ep_sum_span *span)
{
	if (spans->n_spans == spans->capacity)
		merge(spans);
	if (EP_ARRAY_RESERVE(spans->spans, spans->n_spans, spans->capacity))
		return -ENOMEM;
	spans->spans[spans->n_spans++] = *span;
	return 0;
}

void ep_sum_spans_finish(struct ep_sum_spans *spans)
{
	free(spans->spans);
	*spans = (struct ep_sum_spans){ 0 };
}

/* ---- bounds ---- */

typedef void (*span_change)(struct ep_sum_span *span, const void *how);

/* Changes all spans if that lowers their number. Returns 1 if it did, 0 if the spans stay unchanged, or -ENOMEM. */
static int try_change(struct ep_sum_spans *spans, span_change change, const void *how)
{
	size_t bytes = spans->n_spans * sizeof(*spans->spans);
	struct ep_sum_spans changed = { .n_spans = spans->n_spans, .spans = malloc(bytes + 1) };

	if (!changed.spans)
		return -ENOMEM;
	memcpy(changed.spans, spans->spans, bytes);
	for (uint32_t i = 0; i < changed.n_spans; i++)
		change(&changed.spans[i], how);
	merge(&changed);
	if (changed.n_spans >= spans->n_spans) {
		ep_sum_spans_finish(&changed);
		return 0;
	}
	free(spans->spans);
	spans->spans = changed.spans;
	spans->capacity = spans->n_spans;
	spans->n_spans = changed.n_spans;
	return 1;
}

/* Makes bins twice as long. The members first and last stay in steps of the timeline, so that the page still knows,
 * exact to one step, when a sum may begin and end. */
static void join_bins(struct ep_sum_span *span, const void *how)
{
	(void)how;
	span->bin /= 2;
}

static int lengthen_steps(struct ep_sum_spans *spans, uint32_t most)
{
	while (spans->n_spans > most && spans->bins_joined < MOST_BINS_JOINED) {
		int rc = try_change(spans, join_bins, NULL);

		if (rc <= 0)
			return rc;
		spans->bins_joined *= 2;
	}
	return 0;
}

/* Joins a row into another. A region's time and entries are not added there: the time is part of the outer region's
 * time already. Its CPU time is added, since CPU time counts for the innermost region only. */
static void fold_row(struct ep_sum_span *span, const void *how)
{
	const struct row_folds *rows = how;
	uint32_t to = span->row < rows->n_rows ? rows->fold_to[span->row] : EP_NONE;

	if (to == span->row && to != EP_NONE)
		return;
	span->row = to;
	span->node = 0;
	if (to != EP_NONE)
		span->n = span->ns = span->longest_ns = 0;
}

static void find_shares(const struct ep_sum_spans *spans, const struct row_folds *rows)
{
	double all = 0;

	for (uint32_t i = 0; i < spans->n_spans; i++) {
		all += spans->spans[i].ns;
		if (spans->spans[i].row < rows->n_rows)
			rows->share[spans->spans[i].row] += spans->spans[i].ns;
	}
	for (uint32_t i = 0; i < rows->n_rows; i++)
		rows->share[i] /= all > 0 ? all : 1;
}

/* Chooses the row into which each row with a small share is joined. Returns the number of these rows. */
static uint32_t find_folds(const struct row_folds *rows, const uint32_t *around, double least_share)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		uint32_t out = around ? around[i] : EP_NONE;

		if (rows->share[i] >= least_share) {
			rows->fold_to[i] = i;
			continue;
		}
		rows->fold_to[i] = out == EP_NONE ? EP_NONE : rows->fold_to[out];
		n++;
	}
	return n;
}

static int join_rows(struct ep_sum_spans *spans, const struct ep_sum_bounds *bounds,
	const struct row_folds *rows, double most_share)
{
	double share = spans->least_share > 0 ? 2 * spans->least_share : LEAST_SHARE;
	uint32_t n_before = UINT32_MAX;

	for (; spans->n_spans > bounds->most && share < most_share; share *= 2) {
		uint32_t n = find_folds(rows, bounds->around, share);
		int rc = n == n_before ? 0 : try_change(spans, fold_row, rows);

		if (rc < 0)
			return rc;
		if (rc)
			spans->least_share = share;
		n_before = n;
	}
	return 0;
}

static void join_thread(struct ep_sum_span *span, const void *how)
{
	if (span->thread >= *(const uint32_t *)how)
		span->thread = EP_NONE;
}

static int join_threads(struct ep_sum_spans *spans, uint32_t most)
{
	for (uint32_t n = spans->n_threads / 2; spans->n_spans > most && n; n /= 2) {
		int rc = try_change(spans, join_thread, &n);

		if (rc < 0)
			return rc;
		if (rc)
			spans->n_threads = n;
	}
	return 0;
}

/* Tells what join_rest_of() joins: the threads from n_threads on, and the rows of these threads. If is_all is set,
 * which it is for regions, it joins the rows of all threads. */
struct rest {
	struct row_folds rows;
	uint32_t n_threads;
	bool is_all;
};

static void join_rest_of(struct ep_sum_span *span, const void *how)
{
	const struct rest *rest = how;

	if (rest->is_all || span->thread >= rest->n_threads)
		fold_row(span, &rest->rows);
	join_thread(span, &rest->n_threads);
}

/* Joins threads and rows together. If each thread has rows of its own, joining only threads or only rows does not lower
 * the number of spans. */
static int join_rest(struct ep_sum_spans *spans, const struct ep_sum_bounds *bounds,
	const struct row_folds *rows)
{
	struct rest rest = { .rows = *rows, .is_all = bounds->around };

	find_folds(rows, bounds->around, INFINITY);
	for (uint32_t n = spans->n_threads / 2; spans->n_spans > bounds->most && n; n /= 2) {
		int rc;

		rest.n_threads = n;
		rc = try_change(spans, join_rest_of, &rest);
		if (rc < 0)
			return rc;
		if (rc) {
			spans->n_threads = n;
			spans->least_share = fmax(1, spans->least_share);
		}
	}
	return 0;
}

static int lower(struct ep_sum_spans *spans, const struct ep_sum_bounds *bounds,
	const struct row_folds *rows)
{
	int rc = lengthen_steps(spans, bounds->most);

	if (!rc)
		rc = join_rows(spans, bounds, rows, LITTLE);
	if (!rc)
		rc = join_threads(spans, bounds->most);
	if (!rc)
		rc = join_rows(spans, bounds, rows, ALL);
	return rc ? rc : join_rest(spans, bounds, rows);
}

int ep_sum_spans_bound(struct ep_sum_spans *spans, const struct ep_sum_bounds *bounds)
{
	EP_AUTOFREE double *share = calloc((size_t)bounds->n_rows + 1, sizeof(*share));
	EP_AUTOFREE uint32_t *fold_to = malloc(((size_t)bounds->n_rows + 1) * sizeof(*fold_to));
	const struct row_folds rows = { share, fold_to, bounds->n_rows };

	if (!share || !fold_to)
		return -ENOMEM;
	merge(spans);
	spans->bins_joined = 1;
	spans->n_threads = bounds->n_threads;
	spans->least_share = 0;
	find_shares(spans, &rows);
	return lower(spans, bounds, &rows);
}
