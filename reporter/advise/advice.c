// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/advice.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/catalog.h"

enum { N_COLUMNS = 11 };

static const char *const tags[EP_N_SYMPTOMS] = {
	[EP_SYMPTOM_L1_DATA] = "d-L1",
	[EP_SYMPTOM_L2_DATA] = "d-L2",
	[EP_SYMPTOM_MEMORY] = "d-mem",
	[EP_SYMPTOM_DATA_TLB] = "d-tlb",
	[EP_SYMPTOM_CODE] = "i-access",
	[EP_SYMPTOM_CODE_TLB] = "i-tlb",
	[EP_SYMPTOM_BRANCHES] = "br-i",
	[EP_SYMPTOM_FP_FAST] = "fpt-fast",
	[EP_SYMPTOM_FP_SLOW] = "fpt-slow",
};

/* ---- reading ---- */

void ep_advice_finish(struct ep_advice *advice)
{
	free(advice->text);
	free(advice->remedies);
	*advice = (struct ep_advice){ 0 };
}

static int read_row(char *line, struct ep_remedy *out)
{
	char *cells[N_COLUMNS], *rest = line;
	size_t n = 0;

	while (rest && n < N_COLUMNS)
		cells[n++] = strsep(&rest, "\t");
	if (rest || n < N_COLUMNS)
		return -EINVAL;
	*out = (struct ep_remedy){ cells[0], cells[1], cells[2], cells[3], cells[4], cells[5],
		cells[6], cells[7], cells[8], cells[9], cells[10] };
	return 0;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* Reads the rows of the file, whose first line names the columns. */
static int read_rows(const char *path, struct ep_advice *advice, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	char *rest = advice->text, *line;

	advice->remedies = calloc(count_lines(advice->text), sizeof(*advice->remedies));
	if (!advice->remedies)
		return ep_fail(err, -ENOMEM, "out of memory");
	while ((line = strsep(&rest, "\n"))) {
		place.line++;
		if (!*line || place.line == 1)
			continue;
		if (read_row(line, &advice->remedies[advice->n_remedies]))
			return ep_fail_at(err, -EINVAL, place,
				"not %d columns between tabs, as in the first line", N_COLUMNS);
		advice->n_remedies++;
	}
	return 0;
}

int ep_advice_read(const char *path, struct ep_advice *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_advice_finish))) struct ep_advice advice = { 0 };
	size_t size;
	int rc = ep_file_read(path, &advice.text, &size, err);

	if (!rc)
		rc = read_rows(path, &advice, err);
	if (rc)
		return rc;
	*out = advice;
	advice = (struct ep_advice){ 0 };
	return 0;
}

int ep_advice_read_shipped(struct ep_advice *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	EP_AUTOFREE char *path = NULL;
	int rc = ep_catalog_open(&catalog, err);

	if (rc)
		return rc;
	if (asprintf(&path, "%s/advice/remedies.tsv", catalog.root) < 0) {
		path = NULL;
		return ep_fail(err, -ENOMEM, "out of memory");
	}
	return ep_advice_read(path, out, err);
}

/* ---- ranking ---- */

static bool has_tag(const char *list, const char *tag)
{
	size_t size = strlen(tag);

	for (; *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == size && !memcmp(list, tag, size))
			return true;
	return false;
}

double ep_remedy_score(const struct ep_remedy *remedy, const double cycles[EP_N_SYMPTOMS])
{
	double largest = 0, score = 0;

	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		largest = fmax(largest, cycles[i]); /* fmax of a number and NaN is the number */
	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		if (has_tag(remedy->tags, tags[i]))
			score += isnan(cycles[i]) ? 0 : cycles[i] - 0.1 * largest;
	return score;
}

bool ep_remedy_is_for(const struct ep_remedy *remedy, enum ep_symptom symptom)
{
	return has_tag(remedy->tags, tags[symptom]);
}

static bool is_listed(
	const struct ep_remedy *remedy, const struct ep_remedy *const *taken, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (taken[i] == remedy)
			return true;
	return false;
}

/* Tells whether a remedy of the same category and subcategory was taken. */
static bool is_taken(
	const struct ep_remedy *remedy, const struct ep_remedy *const *taken, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(remedy->subcategory, taken[i]->subcategory) &&
			!strcmp(remedy->category, taken[i]->category))
			return true;
	return false;
}

/* Counts the remedy's symptoms of which nothing is known. */
static int count_unknown(const struct ep_remedy *remedy, const double cycles[EP_N_SYMPTOMS])
{
	int n = 0;

	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		n += isnan(cycles[i]) && has_tag(remedy->tags, tags[i]);
	return n;
}

static const char *const access_tags[EP_N_ACCESSES] = { [EP_ACCESS_UNKNOWN] = "",
	[EP_ACCESS_CONTIGUOUS] = "stream",
	[EP_ACCESS_VARIABLE] = "",
	[EP_ACCESS_STRIDED] = "strided",
	[EP_ACCESS_GATHER] = "gather",
	[EP_ACCESS_LINKED] = "linked" };

/* Tells whether a remedy does not fit because it is for data that lie apart in memory, while the code reads contiguous
 * data. */
static bool needs_apart(const struct ep_remedy *remedy, enum ep_access access)
{
	static const char *const apart[] = { "strided", "gather", "linked", "apart" };

	for (size_t i = 0; access == EP_ACCESS_CONTIGUOUS && i < EP_ARRAY_SIZE(apart); i++)
		if (has_tag(remedy->tags, apart[i]))
			return true;
	return false;
}

/* These tags say that a remedy is for nests of two or three loops. Where the depth is not known, the tags do not
 * matter. */
static const char *const depth_tags[] = { "loop2", "loop3" };

enum { N_DEPTHS = EP_ARRAY_SIZE(depth_tags) };

static bool needs_deeper_nest(const struct ep_remedy *remedy, uint32_t depth)
{
	for (uint32_t i = 0; depth && i < N_DEPTHS; i++)
		if (has_tag(remedy->tags, depth_tags[i]) && depth < i + 2)
			return true;
	return false;
}

/* Returns a remedy's rank; 0: it does not fit. The score is raised for remedies for the way in which the source line
 * or the loop's code accesses data. If they show nothing, but the counts show strides, it is raised for remedies for
 * strides. It is lowered for remedies for a structure of the code that counts do not show. Of two remedies with the
 * same score, the one with fewer unknown symptoms is better, then the one with the tag "boost"; the caller takes the
 * first in the file. */
static double rank(const struct ep_remedy *remedy, const struct ep_advice_case *of)
{
	static const char *const unseen[] = { "loop2", "loop3", "multiple_loops",
		"multiple_functions" };
	double score = ep_remedy_score(remedy, of->cycles);

	if (needs_deeper_nest(remedy, of->depth) || needs_apart(remedy, of->access))
		return 0;
	if (of->copies && has_tag(remedy->tags, "copy"))
		return 4 * score;
	if (has_tag(remedy->tags, "threads") && !of->has_threads)
		return 0;
	if (of->access != EP_ACCESS_UNKNOWN && has_tag(remedy->tags, access_tags[of->access]))
		return 3 * score;
	if (has_tag(remedy->tags, "strided") && of->miss_ratio > EP_STRIDED_MISS_RATIO &&
		of->access == EP_ACCESS_UNKNOWN)
		return 2 * score;
	for (size_t i = 0; i < EP_ARRAY_SIZE(unseen); i++)
		if (has_tag(remedy->tags, unseen[i]) && !(of->depth && i < N_DEPTHS))
			score *= 0.75;
	if (of->mispredicted > 0.5 && !strcmp(remedy->subcategory, "fewer branches"))
		score *= 0.5;
	score *= 1 - 1e-6 * count_unknown(remedy, of->cycles);
	return has_tag(remedy->tags, "boost") ? score * (1 + 1e-9) : score;
}

uint32_t ep_advice_choose(const struct ep_advice *advice, const struct ep_advice_case *of,
	uint32_t n, const struct ep_remedy **out_remedies)
{
	bool (*is_out)(const struct ep_remedy *, const struct ep_remedy *const *, uint32_t) =
		n == EP_REMEDIES_ALL ? is_listed : is_taken;

	for (uint32_t k = 0; k < n && k < EP_REMEDIES_MOST; k++) {
		const struct ep_remedy *best = NULL;
		double best_rank = 0;

		for (uint32_t i = 0; i < advice->n_remedies; i++) {
			const struct ep_remedy *remedy = &advice->remedies[i];

			if (is_out(remedy, out_remedies, k) || !(rank(remedy, of) > best_rank))
				continue;
			best = remedy;
			best_rank = rank(remedy, of);
		}
		if (!best)
			return k;
		out_remedies[k] = best;
	}
	return n < EP_REMEDIES_MOST ? n : EP_REMEDIES_MOST;
}
