// SPDX-License-Identifier: BSD-3-Clause
/* Writes how much each replica of the estimates changes an event's count in each bin of the timeline. The page derives
 * the errors of a chosen range from these changes. */
#include <inttypes.h>
#include <math.h>

#include "reporter/page/html_private.h"

/* A change is written as a digit of base 64, which stands for -31 to 31 times its bin's scale. Rounding changes an
 * error bar by a few percent, which is little, since 17 replicas give the bar only to about 18 %. Digits take a tenth
 * of the bytes that numbers would take. */
#define MOST_LEVEL 31

bool ep_html_changes_are_known(const float *changes, uint32_t n_bins)
{
	for (size_t i = 0; i < (size_t)n_bins * EP_N_REPLICAS; i++)
		if (!isfinite(changes[i]))
			return false;
	return true;
}

/* Returns the change that a digit's step stands for in a bin. The shape of changes is (EP_N_REPLICAS). */
static double scale_of(const float *changes)
{
	double most = 0;

	for (int j = 0; j < EP_N_REPLICAS; j++)
		most = fmax(most, fabs((double)changes[j]));
	return most / MOST_LEVEL;
}

/* Writes the changes of one event. A bin without changes has a scale of 0 and no digits. */
static void put_event(FILE *out, const float *changes, uint32_t n_bins)
{
	fputs("{\"scales\":[", out);
	for (uint32_t b = 0; b < n_bins; b++)
		fprintf(out, "%s%.4g", b ? "," : "", scale_of(changes + (size_t)b * EP_N_REPLICAS));
	fputs("],\"digits\":\"", out);
	for (uint32_t b = 0; b < n_bins; b++) {
		const float *of_bin = changes + (size_t)b * EP_N_REPLICAS;
		double scale = scale_of(of_bin);

		for (int j = 0; scale > 0 && j < EP_N_REPLICAS; j++)
			fputc(ep_html_digits[MOST_LEVEL + lround((double)of_bin[j] / scale)], out);
	}
	fputs("\"}", out);
}

void ep_html_changes_put(const struct ep_html_page *page, const bool *is_used)
{
	const struct ep_report *report = page->source->report;
	const char *between = "";

	fprintf(page->out, "\"changes\":{\"n_replicas\":%d,\"events\":{", EP_N_REPLICAS);
	for (uint32_t e = 0; e < report->n_events; e++) {
		if (!is_used[e])
			continue;
		fprintf(page->out, "%s\n\"%" PRIu32 "\":", between, e);
		put_event(page->out, report->events[e].bin_changes, report->n_bins);
		between = ",";
	}
	fputs("}},\n", page->out);
}
