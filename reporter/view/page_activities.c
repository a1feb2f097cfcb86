// SPDX-License-Identifier: BSD-3-Clause
/* Prints the table of what the time was spent on. */
#include <math.h>

#include "reporter/view/page.h"

#define WORTH_A_TABLE 0.02 /* no table if no activity but own code and the kernel has this share */
#define LEAST_SHOWN 0.01
#define TEXT_COLUMN 20

static bool is_worth_a_table(const struct ep_report *r)
{
	for (uint32_t i = 0; i < r->n_activities; i++)
		if (ep_activity_words[r->activities[i].activity].is_telling &&
			r->activities[i].share >=
				fmax(WORTH_A_TABLE, 1.96 * r->activities[i].error))
			return true;
	return false;
}

/* Formats entries as "MPI_Send 43.1 % (most for exchange), MPI_Wait 24.0 %". */
static void format_entries(const struct ep_page *page, const struct ep_report_activity *activity,
	char *out, size_t capacity)
{
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < activity->n_entries; i++) {
		const struct ep_report_entry *entry = &activity->entries[i];
		double share = (double)entry->ns / (double)page->report->sampled_ns;
		const char *how = entry->caller_ns < entry->ns ? "most " : "";
		char caller[128];

		if (share < LEAST_SHOWN / 2 || used >= capacity)
			break;
		used += (size_t)snprintf(out + used, capacity - used, "%s%s %.1f %%",
			used ? ", " : "", entry->name, 100 * share);
		if (!entry->caller || entry->caller_ns < entry->ns / 2 || used >= capacity)
			continue;
		ep_shorten_name(&page->layout, entry->caller, 40, caller, sizeof(caller));
		used += (size_t)snprintf(out + used, capacity - used, " (%sfor %s)", how, caller);
	}
}

static void put_activity(const struct ep_page *page, const struct ep_report_activity *activity)
{
	char text[1024];

	ep_page_put_percent(page, activity->share);
	ep_page_put_error(page, activity->error);
	fputs("   ", page->layout.out);
	ep_put_wrapped(&page->layout, ep_report_activity_title(page->report, activity->activity),
		TEXT_COLUMN);
	format_entries(page, activity, text, sizeof(text));
	if (!text[0])
		return;
	fprintf(page->layout.out, "%*s", TEXT_COLUMN, "");
	ep_put_dim_wrapped(&page->layout, text, TEXT_COLUMN);
}

void ep_page_put_activities(const struct ep_page *page)
{
	const struct ep_report *r = page->report;

	if (!is_worth_a_table(r))
		return;
	ep_put_heading(&page->layout, "What it was doing",
		"a library's time is that of the procedure that was called first in it");
	for (uint32_t i = 0; i < r->n_activities; i++)
		if (r->activities[i].share >= LEAST_SHOWN)
			put_activity(page, &r->activities[i]);
}
