// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/json_out.h"

#include <string.h>

#include "reporter/text/utf8.h"

static void put_character(FILE *out, const char *at, size_t size)
{
	unsigned char byte = (unsigned char)*at;

	if (!size)
		fputs(EP_UTF8_UNKNOWN, out);
	else if (byte < ' ' || byte == '<' || byte == 0x7f)
		fprintf(out, "\\u%04x", byte);
	else if (byte == '"' || byte == '\\')
		fprintf(out, "\\%c", byte);
	else
		fwrite(at, size, 1, out);
}

void ep_json_put_text(FILE *out, const char *text)
{
	fputc('"', out);
	while (text && *text) {
		size_t size = ep_utf8_size(text);

		put_character(out, text, size);
		text += size ? size : 1;
	}
	fputc('"', out);
}
