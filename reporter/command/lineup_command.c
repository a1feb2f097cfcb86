// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/lineup_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/command/opened_runs.h"
#include "reporter/command/pager.h"
#include "reporter/fill/fill_choose.h"

struct columns {
	const char **names;            /* traces of all columns; NULL follows those of each */
	struct ep_opened_runs *opened; /* (n) reports of each column */
	struct ep_compared_runs *runs; /* (n) the same reports, for the comparison */
	uint32_t n;
};

static void columns_finish(struct columns *c)
{
	for (uint32_t k = 0; k < c->n; k++)
		ep_opened_runs_finish(&c->opened[k]);
	free(c->names);
	free(c->opened);
	free(c->runs);
}

bool ep_lineup_is_wanted(char *const *names, int n_names, int n_after)
{
	for (int i = n_names - n_after; n_after > 0 && i < n_names; i++)
		if (!strcmp(names[i], "--"))
			return true;
	return false;
}

/* Opens the traces of one column; names is NULL-terminated. */
static int open_column(struct columns *c, const char **names, const struct ep_opened_how *how,
	struct ep_error *err)
{
	int rc;

	if (!names[0])
		return ep_fail(err, -EINVAL, "there is no trace on one side of --");
	rc = ep_opened_runs_create(names, how, &c->opened[c->n], err);
	if (rc)
		return rc;
	c->runs[c->n] = c->opened[c->n].runs;
	c->n++;
	return 0;
}

/* All columns get the same estimator, so that no difference between them comes from it. */
static const struct ep_filler_ops *choose_filler(const struct ep_lineup_request *q)
{
	struct ep_traces_length length = { 0 };

	for (int i = 0; i < q->n_names; i++) {
		const char *const one[] = { q->names[i], NULL };

		if (strcmp(one[0], "--"))
			ep_traces_length_add(&length, one);
	}
	return ep_filler_choose(&length).filler;
}

/* getopt removes the first "--", so the first column ends n_after names before the end of the list. The other columns
 * end at a "--". Reports keep a pointer to the list of their traces; therefore each column has a list of its own in
 * c->names. */
static int open_columns(const struct ep_lineup_request *q, struct columns *c, struct ep_error *err)
{
	const struct ep_opened_how how = { .sysroot = q->sysroot,
		.loops = q->page.options.by == EP_BY_LOOPS,
		.filler = choose_filler(q),
		.selection = q->selection };
	int first_end = q->n_names - q->n_after, at = 0, begin = 0, rc = 0;

	for (int i = 0; i <= q->n_names && !rc; i++) {
		bool is_end = i == q->n_names || !strcmp(q->names[i], "--");

		for (int n_ends = (i == first_end) + is_end; n_ends && !rc; n_ends--) {
			c->names[at++] = NULL;
			rc = open_column(c, c->names + begin, &how, err);
			begin = at;
		}
		if (!is_end)
			c->names[at++] = q->names[i];
	}
	return rc;
}

/* Returns the CPU of all columns; NULL: the columns' CPUs differ, or one is not known. */
static const char *cpuid_of(const struct columns *c)
{
	const char *cpuid = ep_opened_runs_cpuid(&c->opened[0]);

	for (uint32_t k = 1; cpuid && k < c->n; k++) {
		const char *other = ep_opened_runs_cpuid(&c->opened[k]);

		if (!other || strcmp(cpuid, other))
			return NULL;
	}
	return cpuid;
}

int ep_lineup_command(struct ep_lineup_request *request, struct ep_error *err)
{
	__attribute__((cleanup(columns_finish))) struct columns c = { 0 };
	__attribute__((cleanup(ep_lineup_finish))) struct ep_lineup series = { 0 };
	size_t room = (size_t)request->n_names + 2;
	int rc;

	c.names = calloc(2 * room, sizeof(*c.names));
	c.opened = calloc(room, sizeof(*c.opened));
	c.runs = calloc(room, sizeof(*c.runs));
	if (!c.names || !c.opened || !c.runs)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = open_columns(request, &c, err);
	if (rc)
		return rc;
	if (ep_lineup_create(c.runs, c.n, request->page.options.by, &series))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (ep_lineup_count(&series, c.runs, cpuid_of(&c)))
		return ep_fail(err, -ENOMEM, "out of memory");
	request->page.series = &series;
	ep_pager_start();
	if (request->print(&request->page, stdout))
		return ep_fail(err, -ENOMEM, "out of memory");
	return 0;
}
