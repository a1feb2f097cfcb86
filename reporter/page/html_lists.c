// SPDX-License-Identifier: BSD-3-Clause
/* Writes texts and lists of the page's data. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"
#include "reporter/text/utf8.h"

const char ep_html_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

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

/* Returns how many bytes from json on can be written unchanged. */
static size_t plain_size(const char *json, bool in_text)
{
	const char *at = json;

	while ((*at > ' ' || (in_text && *at == ' ')) && *at != '"' && *at != '\\' && *at != '<' &&
		*at != '&' && *at != 0x7f)
		at++;
	return (size_t)(at - json);
}

/* Writes a character of JSON that cannot be written unchanged, or leaves out a blank. Returns how many bytes of json
 * the character takes. */
static size_t put_rest(FILE *out, const char *json, bool *in_text)
{
	size_t size = ep_utf8_size(json);

	if (*json == '"')
		*in_text = !*in_text;
	if (*json == '\\' && (json[1] == '"' || json[1] == '\\')) {
		fwrite(json, 2, 1, out);
		return 2;
	}
	if (!size)
		fputs(EP_UTF8_UNKNOWN, out);
	else if (*json == '<' || *json == '&')
		fprintf(out, "\\u%04x", *json);
	else if (*in_text || !strchr(" \n\t\r", *json))
		fwrite(json, size, 1, out);
	return size ? size : 1;
}

/* Writes < and & as \u003c and \u0026, which is correct since in JSON only strings have these characters. Blanks
 * between values are for people and are a third of a large report, so they are left out. */
void ep_html_put_json(FILE *out, const char *json)
{
	bool in_text = false;

	while (*json) {
		size_t size = plain_size(json, in_text);

		if (size)
			fwrite(json, size, 1, out);
		json += size;
		if (*json)
			json += put_rest(out, json, &in_text);
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

/* Writes all digits, so that the page's sums are equal to those of the report. */
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
