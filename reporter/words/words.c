// SPDX-License-Identifier: BSD-3-Clause
#include "words.h"

#include <stdarg.h>
#include <stdio.h>

#include "reporter/text/layout.h"
#include "reporter/text/short_names.h"

const char *ep_text(struct ep_words *words, const char *format, ...)
{
	const char *kept;
	va_list args;

	va_start(args, format);
	kept = ep_strings_format(&words->said->texts, format, args);
	va_end(args);
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
