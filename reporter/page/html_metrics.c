// SPDX-License-Identifier: BSD-3-Clause
/* Writes the models' metrics for the page. */
#include <inttypes.h>
#include <math.h>

#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"

static void put_or_null(FILE *out, double number)
{
	if (isfinite(number))
		fprintf(out, "%.6g", number);
	else
		fputs("null", out);
}

static void put_key_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\":", key);
	if (text)
		ep_json_put_text(out, text);
	else
		fputs("null", out);
	fputc(',', out);
}

static void put_over_time(FILE *out, const double *values, uint32_t n)
{
	fputs("\"over_time\":", out);
	if (!values)
		fputs("null", out);
	for (uint32_t i = 0; values && i < n; i++) {
		fputc(i ? ',' : '[', out);
		put_or_null(out, values[i]);
	}
	fputs(values && n ? "]" : "", out);
}

static void put_metric(FILE *out, const struct ep_tree_metric *metric, uint32_t n_bins)
{
	const struct ep_report_metric *row = &metric->row;

	fputc('{', out);
	put_key_text(out, "model", row->model);
	put_key_text(out, "title", row->title);
	put_key_text(out, "name", row->name);
	put_key_text(out, "about", metric->about);
	put_key_text(out, "base", row->base);
	put_key_text(out, "unit", row->unit);
	put_key_text(out, "lacks", row->value.reason);
	fprintf(out,
		"\"index\":%" PRIu32 ",\"depth\":%" PRIu32
		",\"is_loss\":%s,\"is_share\":%s,\"is_invalid\":%s,\"is_contradicted\":%s,\"value\":",
		metric->metric_idx, metric->depth, metric->is_loss ? "true" : "false",
		row->is_share ? "true" : "false", row->is_invalid ? "true" : "false",
		row->is_contradicted ? "true" : "false");
	put_or_null(out, ep_quantity_or(&row->value, NAN));
	fputs(",\"error\":", out);
	put_or_null(out, ep_quantity_error(&row->value));
	fputs(",\"coverage\":", out);
	put_or_null(out, row->coverage);
	fputc(',', out);
	put_over_time(out, metric->over_time, n_bins);
	fputc('}', out);
}

void ep_html_metrics_put(const struct ep_html_page *page)
{
	const struct ep_metric_tree *tree = page->source->metrics;

	fputs("\"metrics\":[", page->out);
	for (uint32_t i = 0; i < tree->n_metrics; i++) {
		fputs(i ? ",\n" : "", page->out);
		put_metric(page->out, &tree->metrics[i], page->source->report->n_bins);
	}
	fputs("],\n", page->out);
}
