// SPDX-License-Identifier: BSD-3-Clause
/* Lists of the page's data, as JSON. */
#include <inttypes.h>
#include <math.h>

#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"

struct ep_html_list ep_html_list_begin(FILE *out, const char *name)
{
	fprintf(out, "\"%s\":[", name);
	return (struct ep_html_list){ out, "" };
}

void ep_html_list_put_number(struct ep_html_list *list, double number)
{
	fprintf(list->out, "%s%.7g", list->between, isfinite(number) ? number : 0.);
	list->between = ",";
}

/* With all digits, so that sums are the report's. */
void ep_html_list_put_whole(struct ep_html_list *list, int64_t number)
{
	fprintf(list->out, "%s%" PRId64, list->between, number);
	list->between = ",";
}

void ep_html_list_put_text(struct ep_html_list *list, const char *text)
{
	fputs(list->between, list->out);
	ep_json_put_text(list->out, text);
	list->between = ",";
}

void ep_html_list_end(const struct ep_html_list *list, const char *behind)
{
	fprintf(list->out, "]%s", behind);
}
