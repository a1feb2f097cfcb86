// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/source_hint.h"

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/cleanup.h"

static bool matches(const char *pattern, const char *text)
{
	regex_t regex;
	bool does;

	if (regcomp(&regex, pattern, REG_NOSUB))
		return false;
	does = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return does;
}

enum ep_access ep_access_of_text(const char *text)
{
	if (matches("\\([A-Za-z_][A-Za-z_0-9]*\\) *= *\\1 *->", text))
		return EP_ACCESS_LINKED;
	/* a name and a bracket inside brackets that are not closed before */
	if (matches("[])A-Za-z_0-9] *\\[[^][]*[A-Za-z_0-9)] *\\[", text))
		return EP_ACCESS_GATHER;
	return EP_ACCESS_UNKNOWN;
}

enum ep_access ep_access_of_line(const char *path, uint32_t line)
{
	EP_AUTOFCLOSE FILE *file = path ? fopen(path, "re") : NULL;
	enum ep_access access = EP_ACCESS_UNKNOWN;
	char text[1024];

	for (uint32_t i = 1; file && i <= line + 1 && fgets(text, sizeof(text), file); i++)
		if (i >= line && access == EP_ACCESS_UNKNOWN)
			access = ep_access_of_text(text);
	return access;
}
