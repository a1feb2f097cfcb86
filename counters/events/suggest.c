// SPDX-License-Identifier: BSD-3-Clause
/*
 * Edit distance with transpositions (optimal string alignment), and a short list of the nearest names. Runs at the
 * start, for an unknown name; allocates nothing.
 */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

#define MAX_COMPARED 80

static char fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '-' ? '_' : c;
}

int ep_name_equal(const char *a, const char *b)
{
	while (*a && fold(*a) == fold(*b))
		a++, b++;
	return !*a && !*b;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Returns the edit distance. Keeps three rows of the alignment table: row, which is being filled, last, which is the
 * row before, and before, which precedes last. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][MAX_COMPARED + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];
	size_t n_a = strnlen(a, MAX_COMPARED), n_b = strnlen(b, MAX_COMPARED);

	for (size_t j = 0; j <= n_b; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n_b; j++) {
			char x = fold(a[i - 1]), y = fold(b[j - 1]);

			row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == fold(b[j - 2]) && fold(a[i - 2]) == y &&
				before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		unsigned *spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[n_b];
}

void ep_suggest_init(struct ep_suggest *out_suggest, const char *wanted)
{
	*out_suggest = (struct ep_suggest){ .wanted = wanted };
}

static int is_listed(const struct ep_suggest *suggest, const char *shown)
{
	for (int i = 0; i < suggest->n_names; i++)
		if (ep_name_equal(suggest->best[i].name, shown))
			return 1;
	return 0;
}

void ep_suggest_add(struct ep_suggest *suggest, const char *compared, const char *shown)
{
	size_t size = strlen(suggest->wanted);
	/* A third of the letters may differ, and two in a short name; with more, unrelated names would be suggested. */
	unsigned limit = size < 6 ? 2 : (unsigned)(size / 3);
	unsigned d = distance(suggest->wanted, compared);
	int at = suggest->n_names;

	if (d > limit || is_listed(suggest, shown))
		return;
	while (at > 0 && suggest->best[at - 1].distance > d)
		at--;
	if (at == EP_SUGGEST_MAX)
		return;
	if (suggest->n_names < EP_SUGGEST_MAX)
		suggest->n_names++;
	memmove(&suggest->best[at + 1], &suggest->best[at],
		(size_t)(suggest->n_names - 1 - at) * sizeof(suggest->best[0]));
	snprintf(suggest->best[at].name, sizeof(suggest->best[at].name), "%s", shown);
	suggest->best[at].distance = d;
}

const char *ep_suggest_text(const struct ep_suggest *suggest, char *out, size_t size_bytes)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < suggest->n_names && used < size_bytes; i++)
		used += (size_t)snprintf(out + used, size_bytes - used, "%s%s", i ? ", " : "",
			suggest->best[i].name);
	return out;
}
