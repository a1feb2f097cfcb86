// SPDX-License-Identifier: BSD-3-Clause
/* Identifiers of CPUs and their patterns. Any thread may call these functions. */
#include "common/formula/cpuid.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* Compares two MIDRs: implementer 31:24, variant 23:20, architecture 19:16, part 15:4, revision 3:0. */
static bool midr_matches(unsigned long long pattern, unsigned long long cpuid)
{
	const unsigned long long version_mask = 0x00f0000full;
	unsigned long long pattern_version = pattern & version_mask;

	return (pattern & ~version_mask) == (cpuid & ~version_mask) &&
	       (cpuid & version_mask) >= pattern_version;
}

static bool parse_midr(const char *text, unsigned long long *out)
{
	char *end;

	if (strncmp(text, "0x", 2))
		return false;
	*out = strtoull(text, &end, 16);
	return !*end;
}

static bool regex_matches(const char *pattern, const char *text)
{
	regmatch_t match;
	regex_t regex;
	bool matches;

	if (regcomp(&regex, pattern, REG_EXTENDED))
		return false;
	matches = !regexec(&regex, text, 1, &match, 0) && match.rm_so == 0 && !text[match.rm_eo];
	regfree(&regex);
	return matches;
}

bool ep_cpuid_matches(const char *pattern, const char *cpuid)
{
	unsigned long long pattern_midr, cpuid_midr;

	if (!cpuid)
		return false;
	if (parse_midr(pattern, &pattern_midr) && parse_midr(cpuid, &cpuid_midr))
		return midr_matches(pattern_midr, cpuid_midr);
	return regex_matches(pattern, cpuid);
}

/* Returns the length of the literal text with which every match begins. Returns 0 for an expression that has
 * alternatives outside of brackets. */
static size_t literal_size(const char *pattern)
{
	size_t size = strcspn(pattern, ".[]()*+?{}|^$\\");
	int depth = 0;

	for (const char *at = pattern; *at; at++) {
		depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
		if (*at == '|' && !depth)
			return 0;
	}
	/* a repetition sign may follow the last character */
	return pattern[size] && size ? size - 1 : size;
}

bool ep_cpuid_is_served(const char *patterns, const char *cpuid)
{
	EP_AUTOFREE char *copy = strdup(patterns);
	char *rest = copy, *pattern;

	while (rest && (pattern = strsep(&rest, " "))) {
		EP_AUTOFREE char *with_stepping = NULL;

		if (!*pattern || strncmp(pattern, cpuid, literal_size(pattern)) ||
			asprintf(&with_stepping, "(%s)(-[0-9A-Fa-f]+)?", pattern) < 0)
			continue;
		if (ep_cpuid_matches(with_stepping, cpuid))
			return true;
	}
	return false;
}

char *ep_cpuid_normal(const char *cpuid)
{
	const char *pvr = strstr(cpuid, "(pvr ");
	unsigned long long midr;
	char *normal = NULL, *end;

	if (pvr)
		return asprintf(&normal, "power-0x%.4s", pvr + 5) < 0 ? NULL : normal;
	midr = strtoull(cpuid, &end, 16);
	if (strncmp(cpuid, "0x", 2) || *end)
		return strdup(cpuid);
	if (asprintf(&normal, "arm-0x%02llx-0x%03llx", midr >> 24 & 0xff, midr >> 4 & 0xfff) < 0)
		return NULL;
	return normal;
}
