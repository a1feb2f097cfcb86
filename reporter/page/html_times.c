// SPDX-License-Identifier: BSD-3-Clause
/* Writes how much time each call of the page had in each bin of the timeline, for each thread. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reporter/page/html_private.h"

#define MOST_SPANS 250000 /* each takes about 20 bytes of the page */
#define MOST_BINS_JOINED 8

/* The CPU time of one node in one bin of one thread. */
struct busy_span {
	uint32_t row, node, bin;
	double us;
};

struct busy_spans {
	struct busy_span *spans; /* (n_spans) */
	uint32_t n_spans, capacity;
};

static int by_place(const void *a, const void *b)
{
	const struct busy_span *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

static void merge(struct busy_spans *spans)
{
	uint32_t n = 0;

	if (!spans->n_spans)
		return;
	qsort(spans->spans, spans->n_spans, sizeof(*spans->spans), by_place);
	for (uint32_t i = 1; i < spans->n_spans; i++)
		if (by_place(&spans->spans[n], &spans->spans[i]))
			spans->spans[++n] = spans->spans[i];
		else
			spans->spans[n].us += spans->spans[i].us;
	spans->n_spans = n + 1;
}

static int add_span(struct busy_spans *spans, const struct busy_span *span)
{
	if (spans->n_spans == spans->capacity && spans->n_spans)
		merge(spans);
	if (EP_ARRAY_RESERVE(spans->spans, spans->n_spans, spans->capacity))
		return -ENOMEM;
	spans->spans[spans->n_spans++] = *span;
	return 0;
}

/* Spreads the CPU time of a slice evenly over the bins in which the slice lay. */
static int add_entry(struct ep_html_page *page, struct busy_spans *spans, uint32_t thread_idx,
	const struct ep_time_entry *entry)
{
	const struct ep_trace *trace = page->source->trace;
	const struct ep_report *report = page->source->report;
	const struct ep_trace_process *process =
		&trace->processes[trace->threads[thread_idx].process_idx];
	uint64_t birth_ns = ep_trace_birth_ns(trace);
	double bin_us = report->bin_s * 1e6, last = report->n_bins - 1;
	double end_us = (double)(process->born_ns - birth_ns) / 1e3 + (double)entry->end_us -
			report->from_s * 1e6;
	double first = fmin(fmax(floor((end_us - (double)entry->wall_us) / bin_us), 0), last);
	double to = fmin(fmax(floor(end_us / bin_us), first), last);
	struct busy_span span = { .row = page->row_of_thread[thread_idx],
		.node = page->number[page->kept[page->walk.node_of_path[entry->path_idx]]],
		.us = (double)entry->cpu_us / (to - first + 1) };

	for (span.bin = (uint32_t)first; span.bin <= (uint32_t)to; span.bin++)
		if (add_span(spans, &span))
			return -ENOMEM;
	return 0;
}

static int find_spans(struct ep_html_page *page, struct busy_spans *spans)
{
	const struct ep_time_log *times = page->source->times;

	for (uint32_t t = 0; t < times->n_threads && page->source->report->n_bins; t++)
		for (uint32_t i = 0; i < times->threads[t].n_entries; i++)
			if (add_entry(page, spans, t, &times->threads[t].entries[i]))
				return -ENOMEM;
	merge(spans);
	return 0;
}

/* Limits the number of spans, since a large page consists mostly of them. First bins become wider, up to
 * MOST_BINS_JOINED times. Then the threads with less time are joined into one. */
static void bound(struct ep_html_page *page, struct busy_spans *spans)
{
	uint32_t most_rows = page->source->report->n_threads_shown;

	page->bins_joined = 1;
	while (spans->n_spans > MOST_SPANS && page->bins_joined < MOST_BINS_JOINED) {
		page->bins_joined *= 2;
		for (uint32_t i = 0; i < spans->n_spans; i++)
			spans->spans[i].bin /= 2;
		merge(spans);
	}
	while (spans->n_spans > MOST_SPANS && most_rows) {
		most_rows /= 2;
		for (uint32_t i = 0; i < spans->n_spans; i++)
			if (spans->spans[i].row >= most_rows)
				spans->spans[i].row = EP_NONE;
		merge(spans);
	}
	page->n_rows_timed = most_rows;
}

/* Writes for each bin the factor by which its CPU time becomes latency. The list is empty if latency is not known. */
static void put_latency_weights(struct ep_html_page *page, uint32_t n_bins)
{
	const struct ep_trace *trace = page->source->trace;
	const struct ep_report *report = page->source->report;
	double first_us = (double)ep_trace_birth_ns(trace) / 1e3 + report->from_s * 1e6;
	double bin_us = report->bin_s * 1e6 * page->bins_joined;
	bool is_known = trace->latency && report->parallel.busy_s > 0;
	struct ep_html_list list = ep_html_list_begin(page->out, "latency_weight");

	for (uint32_t i = 0; is_known && i < n_bins; i++)
		ep_html_list_put_number(&list,
			ep_latency_mean_weight(trace->latency, (uint64_t)(first_us + i * bin_us),
				(uint64_t)(first_us + (i + 1.) * bin_us)));
	ep_html_list_end(&list, ",");
}

static void put_spans(struct ep_html_page *page, const struct busy_spans *spans)
{
	const struct ep_report *report = page->source->report;
	struct ep_html_list list;
	uint32_t joined = page->bins_joined;

	fprintf(page->out,
		"\"times\":{\"n_bins\":%" PRIu32 ",\"bin_s\":%.9g,\"n_threads\":%" PRIu32 ",",
		(report->n_bins + joined - 1) / joined, report->bin_s * joined, page->n_rows_timed);
	put_latency_weights(page, (report->n_bins + joined - 1) / joined);
	list = ep_html_list_begin(page->out, "thread");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		ep_html_list_put_number(
			&list, spans->spans[i].row == EP_NONE ? -1. : spans->spans[i].row);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "node");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		ep_html_list_put_number(&list, spans->spans[i].node);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "bin");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		ep_html_list_put_number(&list, spans->spans[i].bin);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "us");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		ep_html_list_put_number(&list, round(10 * spans->spans[i].us) / 10);
	ep_html_list_end(&list, "}");
}

/* Finds each thread's row in the report. Rows are in the order of their CPU time, and some threads may have none. */
static int find_rows(struct ep_html_page *page)
{
	const struct ep_report *report = page->source->report;

	page->row_of_thread =
		malloc((page->source->trace->n_threads + 1) * sizeof(*page->row_of_thread));
	if (!page->row_of_thread)
		return -ENOMEM;
	for (uint32_t i = 0; i < page->source->trace->n_threads; i++)
		page->row_of_thread[i] = EP_NONE;
	for (uint32_t i = 0; i < report->n_threads_shown; i++)
		page->row_of_thread[report->threads[i].thread_idx] = i;
	return 0;
}

int ep_html_times_put(struct ep_html_page *page)
{
	struct busy_spans spans = { 0 };
	int rc = find_rows(page);

	if (!rc)
		rc = find_spans(page, &spans);
	if (!rc) {
		bound(page, &spans);
		put_spans(page, &spans);
	}
	free(spans.spans);
	return rc;
}
