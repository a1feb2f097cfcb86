// SPDX-License-Identifier: BSD-3-Clause
/* String interning for formulas. One owner at a time. */
#include "common/containers/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash(const char *text)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

/* The bucket that holds text, or the empty one where it belongs. */
static uint32_t find_bucket(const struct ep_names *names, const char *text)
{
	uint32_t mask = names->n_buckets - 1, at = hash(text) & mask;

	while (names->buckets[at] != EP_NAME_NONE && strcmp(names->texts[names->buckets[at]], text))
		at = (at + 1) & mask;
	return at;
}

static int grow(struct ep_names *names)
{
	uint32_t n_buckets = names->n_buckets ? names->n_buckets * 2 : 32;
	uint32_t *buckets = malloc(n_buckets * sizeof(*buckets));
	char **texts = realloc(names->texts, n_buckets / 2 * sizeof(*texts));

	if (texts)
		names->texts = texts;
	if (!buckets || !texts) {
		free(buckets);
		return -ENOMEM;
	}
	memset(buckets, 0xff, n_buckets * sizeof(*buckets));
	free(names->buckets);
	names->buckets = buckets;
	names->n_buckets = n_buckets;
	for (uint32_t i = 0; i < names->n_names; i++)
		buckets[find_bucket(names, names->texts[i])] = i;
	return 0;
}

int ep_names_add(struct ep_names *names, const char *text, uint32_t *out_idx)
{
	uint32_t at;

	if (names->n_names >= names->n_buckets / 2 && grow(names))
		return -ENOMEM;
	at = find_bucket(names, text);
	if (names->buckets[at] == EP_NAME_NONE) {
		char *copy = strdup(text);

		if (!copy)
			return -ENOMEM;
		names->texts[names->n_names] = copy;
		names->buckets[at] = names->n_names++;
	}
	*out_idx = names->buckets[at];
	return 0;
}

uint32_t ep_names_find(const struct ep_names *names, const char *text)
{
	return names->n_buckets ? names->buckets[find_bucket(names, text)] : EP_NAME_NONE;
}

char *ep_names_of_event(const char *in_formula)
{
	char *name = strdup(in_formula);

	for (char *at = name; at && (at = strchr(at, '@')); at++)
		*at = '/';
	return name;
}

void ep_names_finish(struct ep_names *names)
{
	if (!names)
		return;
	for (uint32_t i = 0; i < names->n_names; i++)
		free(names->texts[i]);
	free(names->texts);
	free(names->buckets);
	*names = (struct ep_names){ 0 };
}
