// SPDX-License-Identifier: BSD-3-Clause
/* Words in event names (perf, PAPI, Intel, AMD, Arm, callgrind), and their meanings. */
#include "reporter/estimate/event_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/cleanup.h"

#define BIT(word) (1u << EP_WORD_##word)

/* Long words are found anywhere in a name; short ones only as whole words, not next to letters or digits. */
static const struct {
	const char *text;
	bool whole;
	unsigned says;
} vocabulary[] = {
	{ "icache", false, BIT(FETCH) },
	{ "itlb", false, BIT(FETCH) },
	{ "l1i", true, BIT(FETCH) },
	{ "l2i", true, BIT(FETCH) },
	{ "lli", true, BIT(FETCH) | BIT(LAST_LEVEL) },
	{ "icm", true, BIT(FETCH) | BIT(MISS) },
	{ "load", false, BIT(LOAD) },
	{ "ld", true, BIT(LOAD) },
	{ "ldm", true, BIT(LOAD) | BIT(MISS) },
	{ "store", false, BIT(STORE) },
	{ "st", true, BIT(STORE) },
	{ "stm", true, BIT(STORE) | BIT(MISS) },
	{ "branch", false, BIT(BRANCH) },
	{ "br", true, BIT(BRANCH) },
	{ "indirect", false, BIT(INDIRECT) },
	{ "ind", true, BIT(INDIRECT) },
	{ "miss", false, BIT(MISS) },
	{ "ll", true, BIT(LAST_LEVEL) },
	{ "llc", true, BIT(LAST_LEVEL) },
	{ "l3", true, BIT(LAST_LEVEL) },
	{ "misp", false, BIT(MISPREDICT) },
	{ "msp", true, BIT(MISPREDICT) },
};

static bool ends_word(const char *name, const char *at, size_t length)
{
	return (at == name || !isalnum((unsigned char)at[-1])) &&
	       !isalnum((unsigned char)at[length]);
}

static bool says(const char *name, const char *text, bool whole)
{
	size_t length = strlen(text);

	for (const char *at = name; (at = strcasestr(at, text)); at++)
		if (!whole || ends_word(name, at, length))
			return true;
	return false;
}

unsigned ep_event_words(const char *name)
{
	unsigned words = 0;

	for (size_t i = 0; name && i < EP_ARRAY_SIZE(vocabulary); i++)
		if (says(name, vocabulary[i].text, vocabulary[i].whole))
			words |= vocabulary[i].says;
	if (words & BIT(BRANCH) && words & BIT(MISS)) /* as in perf's branch-misses */
		words = (words & ~BIT(MISS)) | BIT(MISPREDICT);
	if (words & BIT(FETCH)) /* as in perf's L1-icache-load-misses */
		words &= ~(BIT(LOAD) | BIT(STORE));
	return words;
}
