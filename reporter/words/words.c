// SPDX-License-Identifier: BSD-3-Clause
#include "words.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "reporter/text/layout.h"
#include "reporter/text/short_names.h"

const char *ep_text(struct ep_words *words, const char *format, ...)
{
	EP_AUTOFREE char *text = NULL;
	const char *kept = NULL;
	va_list args;
	int size;

	va_start(args, format);
	size = vasprintf(&text, format, args);
	va_end(args);
	if (size < 0)
		text = NULL;
	else
		kept = ep_strings_add(&words->said->texts, text, size);
	words->out_of_memory |= !kept;
	return kept ? kept : "";
}

const char *ep_name_say(struct ep_words *words, const char *name)
{
	char text[512];

	if (ep_text_width(name) <= EP_SPOKEN_WIDTH)
		return name;
	ep_name_fit(name, EP_SPOKEN_WIDTH, "...", text, sizeof(text));
	return ep_text(words, "%s", text);
}
