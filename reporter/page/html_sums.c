// SPDX-License-Identifier: BSD-3-Clause
/* Writes when threads waited, and when they were in regions: sums for each thread and step of the page's timeline. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/export/sum_log.h"
#include "reporter/page/html_private.h"
#include "reporter/page/sum_spans.h"

#define MOST_SPANS 50000 /* each takes about 40 bytes of the page */

struct page_sums {
	struct ep_html_page *page;
	uint32_t *region_row; /* (regions of the trace) row in the report, or EP_NONE */
	double bin_us;
	uint32_t n_bins;
	struct ep_sum_spans waits, regions;
};

/* Limits the number of a step: all times before the timeline are in step -1, and all after it in step n_bins. */
static double step_of(const struct page_sums *sums, double step)
{
	return fmin(fmax(step, -1), sums->n_bins);
}

/* Returns the position of a moment of a process on the page's timeline, in steps from the timeline's beginning. */
static double steps_of(
	const struct page_sums *sums, const struct ep_trace_process *process, uint64_t us)
{
	const struct ep_trace *trace = sums->page->source->trace;
	double birth_us = (double)(process->born_ns - ep_trace_birth_ns(trace)) / 1e3;

	return (birth_us + (double)us - sums->page->source->report->from_s * 1e6) / sums->bin_us;
}

/* Spreads a sum evenly over the steps in which it lies. The parts before and after the timeline are left out. */
static int spread(const struct page_sums *sums, struct ep_sum_spans *spans,
	const struct ep_sum_span *all, double from, double to)
{
	double long_steps = to - from;

	for (double bin = fmax(floor(from), 0); bin < sums->n_bins && (bin < to || bin == from);
		bin++) {
		double inside = fmin(to, bin + 1) - fmax(from, bin);
		double share = long_steps > 0 ? inside / long_steps : 1;
		struct ep_sum_span span = *all;

		if (share <= 0)
			continue;
		span.bin = (uint32_t)bin;
		span.n *= share;
		span.ns *= share;
		span.cpu_ns *= share;
		if (ep_sum_spans_add(spans, &span))
			return -ENOMEM;
	}
	return 0;
}

/* Gives each step in which a slice lay the same part of its CPU time, as html_times.c does for the other tables. */
static int spread_cpu(const struct page_sums *sums, struct ep_sum_spans *spans,
	const struct ep_sum_span *all, double from, double to)
{
	double last = sums->n_bins - 1., first_bin = fmin(fmax(floor(from), 0), last);
	double last_bin = fmin(fmax(floor(to), first_bin), last);
	struct ep_sum_span span = *all;

	span.cpu_ns /= last_bin - first_bin + 1;
	for (double bin = first_bin; bin <= last_bin; bin++) {
		span.bin = (uint32_t)bin;
		if (ep_sum_spans_add(spans, &span))
			return -ENOMEM;
	}
	return 0;
}

static uint32_t row_of_wait(const struct page_sums *sums, uint32_t idx)
{
	uint32_t row = sums->page->source->trace->waits[idx].row_idx;

	return row < sums->page->source->report->n_noted_waits_shown ? row : EP_NONE;
}

static uint32_t node_of(const struct ep_html_page *page, uint32_t path_idx)
{
	return page->number[page->kept[page->walk.node_of_path[path_idx]]];
}

static int add_entry(struct page_sums *sums, const struct ep_sum_entry *entry)
{
	struct ep_html_page *page = sums->page;
	const struct ep_trace *trace = page->source->trace;
	const struct ep_trace_process *process =
		&trace->processes[trace->threads[entry->thread_idx].process_idx];
	double from = steps_of(sums, process, entry->start_us),
	       to = steps_of(sums, process, entry->end_us);
	bool is_spread = entry->first_us <= entry->last_us;
	struct ep_sum_span span = { .thread = page->row_of_thread[entry->thread_idx],
		.first = step_of(
			sums, floor(is_spread ? steps_of(sums, process, entry->first_us) : from)),
		.last = step_of(
			sums, ceil(is_spread ? steps_of(sums, process, entry->last_us) : to) - 1),
		.n = entry->n,
		.ns = entry->ns,
		.cpu_ns = entry->cpu_ns,
		.longest_ns = (double)entry->longest_ns };

	if (entry->is_region) {
		span.row = sums->region_row[entry->idx];
		return (is_spread ? spread : spread_cpu)(sums, &sums->regions, &span, from, to);
	}
	if (entry->ns <= 0) /* a call that evprof did not examine has no time */
		return 0;
	span.row = row_of_wait(sums, entry->idx);
	span.node = node_of(page, trace->waits[entry->idx].path_idx);
	return spread(sums, &sums->waits, &span, from, to);
}

/* ---- writing ---- */

static double number_of(uint32_t idx)
{
	return idx == EP_NONE ? -1. : idx;
}

#define PUT_LIST(name, value)                                                                      \
	do {                                                                                       \
		struct ep_html_list list = ep_html_list_begin(out, name);                          \
                                                                                                   \
		for (uint32_t i = 0; i < spans->n_spans; i++) {                                    \
			const struct ep_sum_span *span = &spans->spans[i];                         \
                                                                                                   \
			ep_html_list_put_number(&list, value);                                     \
		}                                                                                  \
		ep_html_list_end(&list, ",");                                                      \
	} while (0)

static void put_spans(FILE *out, const char *name, const struct ep_sum_spans *spans)
{
	fprintf(out, "\"%s\":{", name);
	PUT_LIST("row", number_of(span->row));
	PUT_LIST("node", span->node);
	PUT_LIST("thread", number_of(span->thread));
	PUT_LIST("bin", span->bin);
	PUT_LIST("first", span->first);
	PUT_LIST("last", span->last);
	PUT_LIST("n", span->n);
	PUT_LIST("ns", span->ns);
	PUT_LIST("cpu_ns", span->cpu_ns);
	PUT_LIST("longest_ns", span->longest_ns);
	fprintf(out, "\"bins_joined\":%" PRIu32 ",\"n_threads\":%" PRIu32 ",\"least_share\":%.3g}",
		spans->bins_joined, spans->n_threads, spans->least_share);
}

static int find_region_rows(struct page_sums *sums)
{
	const struct ep_report *report = sums->page->source->report;
	uint32_t n = sums->page->source->trace->regions.n_rows;

	sums->region_row = malloc(((size_t)n + 1) * sizeof(*sums->region_row));
	if (!sums->region_row)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		sums->region_row[i] = EP_NONE;
	for (uint32_t i = 0; i < report->n_regions; i++)
		sums->region_row[report->regions[i].region_idx] = i;
	return 0;
}

/* Finds for each region of the report the region around it. That region is an earlier row of the report. */
static void find_around(const struct ep_report *report, uint32_t *around)
{
	for (uint32_t i = 0; i < report->n_regions; i++) {
		uint32_t out = i ? i - 1 : EP_NONE;

		while (out != EP_NONE && report->regions[out].depth >= report->regions[i].depth)
			out = around[out];
		around[i] = out;
	}
}

static int bound(struct page_sums *sums)
{
	const struct ep_report *report = sums->page->source->report;
	EP_AUTOFREE uint32_t *around = malloc(((size_t)report->n_regions + 1) * sizeof(*around));
	const struct ep_sum_bounds of_waits = { .most = MOST_SPANS,
		.n_rows = report->n_noted_waits_shown,
		.n_threads = report->n_threads_shown };
	const struct ep_sum_bounds of_regions = { .most = MOST_SPANS,
		.n_rows = report->n_regions,
		.n_threads = report->n_threads_shown,
		.around = around };

	if (!around)
		return -ENOMEM;
	find_around(report, around);
	if (ep_sum_spans_bound(&sums->waits, &of_waits))
		return -ENOMEM;
	return ep_sum_spans_bound(&sums->regions, &of_regions);
}

static int find_spans(struct page_sums *sums)
{
	const struct ep_page_source *source = sums->page->source;
	const struct ep_sum_log *log = source->times->sums;

	for (uint32_t i = 0; log && i < log->n_entries && sums->n_bins; i++)
		if (add_entry(sums, &log->entries[i]))
			return -ENOMEM;
	return bound(sums);
}

int ep_html_sums_put(struct ep_html_page *page)
{
	const struct ep_report *report = page->source->report;
	struct page_sums sums = { .page = page,
		.bin_us = report->bin_s * 1e6 * page->bins_joined,
		.n_bins = (report->n_bins + page->bins_joined - 1) / page->bins_joined };
	int rc = find_region_rows(&sums);

	if (!rc)
		rc = find_spans(&sums);
	if (!rc) {
		fprintf(page->out, ",\n\"sums\":{\"has_all\":%s,",
			page->source->trace->has_reduced ? "false" : "true");
		put_spans(page->out, "waits", &sums.waits);
		fputc(',', page->out);
		put_spans(page->out, "regions", &sums.regions);
		fputc('}', page->out);
	}
	ep_sum_spans_finish(&sums.waits);
	ep_sum_spans_finish(&sums.regions);
	free(sums.region_row);
	return rc;
}
