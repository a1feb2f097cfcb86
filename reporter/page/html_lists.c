// SPDX-License-Identifier: BSD-3-Clause
/* Texts and lists of a page's data. */
#include <inttypes.h>
#include <math.h>

#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"
#include "reporter/text/utf8.h"

/* Text as HTML has it. Other control characters than the end of a line mean nothing there. */
void ep_html_put_text(FILE *out, const char *text)
{
	while (*text) {
		size_t size = ep_utf8_size(text);
		unsigned char byte = (unsigned char)*text;

		if (!size || (byte < ' ' && byte != '\n') || byte == 0x7f)
			fputs(EP_UTF8_UNKNOWN, out);
		else if (byte == '<' || byte == '>' || byte == '&')
			fprintf(out, "&#%d;", byte);
		else
			fwrite(text, size, 1, out);
		text += size ? size : 1;
	}
}

/* JSON as a script element may hold it: only strings have these characters. */
void ep_html_put_json(FILE *out, const char *json)
{
	while (*json) {
		size_t size = ep_utf8_size(json);

		if (!size)
			fputs(EP_UTF8_UNKNOWN, out);
		else if (*json == '<' || *json == '&')
			fprintf(out, "\\u%04x", *json);
		else
			fwrite(json, size, 1, out);
		json += size ? size : 1;
	}
}

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
