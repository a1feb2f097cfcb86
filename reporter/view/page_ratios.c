// SPDX-License-Identifier: BSD-3-Clause
/* Prints the table of procedures' ratios: IPC and misses, each with its error bar. */
#include "reporter/text/signs.h"
#include "reporter/view/page.h"

enum { RATIO_COLUMNS = 14, RATIO_NAME = 24 };

static void put_ratio(
	const struct ep_page *page, const struct ep_report_ratio *ratio, bool is_share)
{
	double scale = is_share ? 100 : 1;
	const char *unit = is_share ? " %" : "";
	int n_digits = is_share ? 1 : 2;
	double half = scale * ep_quantity_bar(&ratio->value);
	char bar[EP_NUMBER_BYTES] = "", text[128];

	if (half >= 100)
		snprintf(bar, sizeof(bar), "%s>100", ep_sign_plus_minus(page->layout.utf8));
	else if (half != 0) /* true for NaN, too */
		ep_format_bar(bar, page->layout.utf8, half, n_digits);
	if (ratio->is_mixed)
		snprintf(text, sizeof(text), "mixed");
	else if (ep_quantity_is_known(&ratio->value))
		snprintf(text, sizeof(text), "%.*f%s%s%s", n_digits, scale * ratio->value.value,
			unit, bar[0] ? " " : "", bar);
	else
		snprintf(text, sizeof(text), "-");
	ep_put_right_cell(&page->layout, text, RATIO_COLUMNS);
}

/* Chooses the kinds of ratios that some procedure has, as many as fit into a line. */
static uint32_t choose_kinds(const struct ep_page *page, uint32_t chosen[EP_N_RATIOS])
{
	uint32_t width = page->layout.width, n = 0;

	for (uint32_t k = 0; k < EP_N_RATIOS; k++)
		if (page->report->ratio_kinds[k].title &&
			2 + RATIO_NAME + (n + 1) * RATIO_COLUMNS <= width)
			chosen[n++] = k;
	return n;
}

static void put_ratios_of(
	const struct ep_page *page, uint32_t row, const uint32_t *chosen, uint32_t n)
{
	const struct ep_report *r = page->report;

	fputs("  ", page->layout.out);
	ep_put_name(&page->layout, r->procedures.rows[row].short_name, RATIO_NAME);
	for (uint32_t i = 0; i < n; i++)
		put_ratio(page, &r->ratios[row * EP_N_RATIOS + chosen[i]],
			r->ratio_kinds[chosen[i]].is_share);
	fputc('\n', page->layout.out);
}

static const char *heading_of(const struct ep_report *r)
{
	for (uint32_t i = 0; i < r->n_ratio_rows * EP_N_RATIOS; i++)
		if (ep_quantity_bar(&r->ratios[i].value) > 0)
			return "in the procedure itself; each with two standard errors";
	return "in the procedure itself";
}

void ep_page_put_ratios(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t chosen[EP_N_RATIOS], n = choose_kinds(page, chosen);
	bool has_shares = false;

	if (!n)
		return;
	ep_put_heading(&page->layout, "How well it ran there", heading_of(r));
	fprintf(page->layout.out, "  %-*s", RATIO_NAME, "procedure");
	for (uint32_t i = 0; i < n; i++) {
		ep_put_right_cell(&page->layout, r->ratio_kinds[chosen[i]].title, RATIO_COLUMNS);
		has_shares |= r->ratio_kinds[chosen[i]].is_share;
	}
	fputc('\n', page->layout.out);
	for (uint32_t row = 0; row < r->n_ratio_rows; row++)
		if (r->procedures.rows[row].n_samples || r->procedures.rows[row].totals)
			put_ratios_of(page, row, chosen, n);
	if (has_shares)
		ep_put_remark(&page->layout,
			"misses: of the accesses to that cache; mispredicts: of all branches");
}
