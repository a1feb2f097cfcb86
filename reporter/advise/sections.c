// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* An assessed row of a run's report. */
struct place {
	const struct ep_report_row *row;
	const struct ep_assessment *assessment; /* NULL: the row was not assessed */
	/* the row of the comparison that has this row; NULL: there is none */
	const struct ep_compared_row *compared;
};

struct pairing {
	const struct ep_section_question *q;
	struct place *places; /* (n_places) of both runs, sorted by row */
	uint32_t n_places;
};

static int by_row(const void *one, const void *other)
{
	const struct place *a = one, *b = other;

	return (a->row > b->row) - (a->row < b->row);
}

static struct place *find_place(const struct pairing *p, const struct ep_report_row *row)
{
	const struct place key = { .row = row };

	return p->n_places ? bsearch(&key, p->places, p->n_places, sizeof(key), by_row) : NULL;
}

/* Collects the assessed rows of both runs, and finds their rows in the comparison. */
static int take_places(struct pairing *p)
{
	const struct ep_assessments *const *runs = p->q->runs;
	const struct ep_comparison *c = p->q->comparison;

	p->places = calloc((size_t)runs[0]->n_items + runs[1]->n_items + 1, sizeof(*p->places));
	if (!p->places)
		return -ENOMEM;
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < runs[k]->n_items; i++)
			p->places[p->n_places++] =
				(struct place){ runs[k]->items[i].row, &runs[k]->items[i], NULL };
	qsort(p->places, p->n_places, sizeof(*p->places), by_row);
	for (uint32_t i = 0; i < c->n_rows; i++)
		for (uint32_t s = c->rows[i].first_source; s != EP_NONE; s = c->sources[s].next) {
			struct place *place = find_place(p, c->sources[s].row);

			if (place)
				place->compared = &c->rows[i];
		}
	return 0;
}

/* The assessed rows of one run in one row of the comparison. any: the last of them; of_name: the one with a given
 * name; n: their number. */
struct members {
	const struct ep_assessment *any, *of_name;
	uint32_t n;
};

static struct members find_members(const struct pairing *p, const struct ep_compared_row *compared,
	uint32_t run_idx, const char *name)
{
	const struct ep_compared_source *sources = p->q->comparison->sources;
	struct members found = { 0 };

	for (uint32_t s = compared->first_source; s != EP_NONE; s = sources[s].next) {
		const struct place *place = find_place(p, sources[s].row);

		if (sources[s].run_idx != run_idx || !place)
			continue;
		found.any = place->assessment;
		found.n++;
		if (!strcmp(sources[s].row->name, name))
			found.of_name = place->assessment;
	}
	return found;
}

static const struct ep_assessment *find_partner(
	const struct pairing *p, const struct ep_assessment *of, uint32_t run_idx)
{
	const struct place *place = find_place(p, of->row);
	const char *name = of->row->name;
	struct members others;

	if (!place || !place->compared)
		return NULL;
	others = find_members(p, place->compared, !run_idx, name);
	if (others.of_name || others.n != 1)
		return others.of_name;
	return find_members(p, place->compared, run_idx, name).n == 1 ? others.any : NULL;
}

static void add_sections(const struct pairing *p, struct ep_sections *out)
{
	double min_share = p->q->min_share;

	for (uint32_t i = 0; i < p->q->runs[0]->n_items; i++) {
		const struct ep_assessment *item = &p->q->runs[0]->items[i];

		if (item->row->self_share >= min_share)
			out->rows[out->n_rows++] =
				(struct ep_section){ { item, find_partner(p, item, 0) } };
	}
	for (uint32_t i = 0; i < p->q->runs[1]->n_items; i++) {
		const struct ep_assessment *item = &p->q->runs[1]->items[i], *partner;

		if (item->row->self_share < min_share)
			continue;
		partner = find_partner(p, item, 1);
		if (!partner || partner->row->self_share < min_share)
			out->rows[out->n_rows++] = (struct ep_section){ { partner, item } };
	}
}

int ep_sections_create(const struct ep_section_question *question, struct ep_sections *out)
{
	struct pairing p = { .q = question };
	struct ep_sections made = { 0 };
	int rc = take_places(&p);

	made.rows = calloc((size_t)question->runs[0]->n_items + question->runs[1]->n_items + 1,
		sizeof(*made.rows));
	if (!made.rows)
		rc = -ENOMEM;
	if (!rc)
		add_sections(&p, &made);
	free(p.places);
	if (rc) {
		free(made.rows);
		return rc;
	}
	*out = made;
	return 0;
}

void ep_sections_finish(struct ep_sections *sections)
{
	free(sections->rows);
	*sections = (struct ep_sections){ 0 };
}
