// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

static const char *base_name_of(const struct ep_report_row *row)
{
	return ep_base_name(row->module ? row->module : "");
}

struct namesakes {
	const struct ep_assessment *any, *of_file;
	uint32_t n;
};

static struct namesakes find_namesakes(
	const struct ep_assessments *among, const struct ep_report_row *row)
{
	struct namesakes found = { 0 };

	for (uint32_t i = 0; i < among->n_items; i++) {
		const struct ep_assessment *item = &among->items[i];

		if (strcmp(item->row->name, row->name) != 0)
			continue;
		found.any = item;
		found.n++;
		if (!strcmp(base_name_of(item->row), base_name_of(row)))
			found.of_file = item;
	}
	return found;
}

/* A program may have been renamed between the runs. */
static const struct ep_assessment *find_partner(const struct ep_assessment *of,
	const struct ep_assessments *own, const struct ep_assessments *other)
{
	struct namesakes there = find_namesakes(other, of->row);

	if (there.of_file || there.n != 1)
		return there.of_file;
	return find_namesakes(own, of->row).n == 1 ? there.any : NULL;
}

int ep_sections_create(const struct ep_assessments *first, const struct ep_assessments *second,
	double min_share, struct ep_sections *out)
{
	struct ep_section *rows =
		calloc((size_t)first->n_items + second->n_items + 1, sizeof(*rows));
	uint32_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < first->n_items; i++) {
		const struct ep_assessment *item = &first->items[i];

		if (item->row->self_share >= min_share)
			rows[n++] =
				(struct ep_section){ { item, find_partner(item, first, second) } };
	}
	for (uint32_t i = 0; i < second->n_items; i++) {
		const struct ep_assessment *item = &second->items[i], *partner;

		if (item->row->self_share < min_share)
			continue;
		partner = find_partner(item, second, first);
		if (!partner || partner->row->self_share < min_share)
			rows[n++] = (struct ep_section){ { partner, item } };
	}
	*out = (struct ep_sections){ rows, n };
	return 0;
}

void ep_sections_finish(struct ep_sections *sections)
{
	free(sections->rows);
	*sections = (struct ep_sections){ 0 };
}
