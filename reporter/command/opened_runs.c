// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/opened_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/command/opened.h"
#include "reporter/command/select.h"
#include "reporter/command/sides.h"
#include "reporter/metrics/choose.h"

struct naming {
	const char *const *paths; /* (n_paths) traces; NULL follows the last */
	uint32_t n_paths;
	uint32_t *run_idxs; /* (n_paths) the run of each trace */
	uint32_t n_runs;
	const char **names; /* memory for the traces of one run and NULL */
};

static void naming_finish(struct naming *naming)
{
	free(naming->run_idxs);
	free(naming->names);
}

/* ---- runs of the traces ---- */

/* Finds the run of a trace: compares it with the first trace of each run that was found before. */
static int find_run(struct naming *naming, uint32_t path_idx, struct ep_error *err)
{
	uint32_t next_run = 0;

	for (uint32_t i = 0; i < path_idx; i++) {
		const char *pair[] = { naming->paths[i], naming->paths[path_idx], NULL };
		bool are_two;
		int rc;

		if (naming->run_idxs[i] < next_run)
			continue;
		next_run = naming->run_idxs[i] + 1;
		rc = ep_sides_tell(pair, &are_two, err);
		if (rc)
			return rc;
		if (!are_two) {
			naming->run_idxs[path_idx] = naming->run_idxs[i];
			return 0;
		}
	}
	naming->run_idxs[path_idx] = naming->n_runs++;
	return 0;
}

static int find_runs(struct naming *naming, struct ep_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < naming->n_paths && !rc; i++)
		rc = find_run(naming, i, err);
	return rc;
}

/* ---- reports ---- */

static int open_run(const char *const *paths, const struct ep_opened_how *how,
	struct ep_opened_report *out, struct ep_error *err)
{
	struct ep_report_options options = {
		.n_bins = 1,
		.trace_paths = paths,
		.callers = true, /* callers tell which procedures were renamed */
		.loops = how->loops,
		.loops_are_optional = how->loops_are_optional,
		.filler = how->filler,
		.filler_is_default = true,
	};

	int rc = how->selection ? ep_selection_take_part(how->selection, &options, err) : 0;

	return rc ? rc : ep_opened_report_create(&options, how->sysroot, out, err);
}

static int open_each(const struct naming *naming, const struct ep_opened_how *how,
	struct ep_opened_runs *o, struct ep_error *err)
{
	for (uint32_t run_idx = 0; run_idx < naming->n_runs; run_idx++) {
		uint32_t n = 0;
		int rc;

		for (uint32_t i = 0; i < naming->n_paths; i++)
			if (naming->run_idxs[i] == run_idx)
				naming->names[n++] = naming->paths[i];
		naming->names[n] = NULL;
		rc = open_run(naming->names, how, &o->opened[run_idx], err);
		if (rc)
			return rc;
		o->reports[run_idx] = o->opened[run_idx].report;
		o->runs.n++;
	}
	return 0;
}

int ep_opened_runs_create(const char *const *paths, const struct ep_opened_how *how,
	struct ep_opened_runs *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_opened_runs_finish))) struct ep_opened_runs o = { 0 };
	__attribute__((cleanup(naming_finish))) struct naming naming = { .paths = paths };
	size_t room;
	int rc;

	while (paths[naming.n_paths])
		naming.n_paths++;
	room = (size_t)naming.n_paths + 1;
	naming.run_idxs = calloc(room, sizeof(*naming.run_idxs));
	naming.names = calloc(room, sizeof(*naming.names));
	o.opened = calloc(room, sizeof(*o.opened));
	o.reports = calloc(room, sizeof(*o.reports));
	if (!naming.run_idxs || !naming.names || !o.opened || !o.reports)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = find_runs(&naming, err);
	if (!rc)
		rc = open_each(&naming, how, &o, err);
	if (rc)
		return rc;
	o.runs.reports = o.reports;
	*out = o;
	o = (struct ep_opened_runs){ 0 };
	return 0;
}

const char *ep_opened_runs_cpuid(const struct ep_opened_runs *runs)
{
	const char *cpuid = runs->runs.n ? ep_trace_cpuid(runs->opened[0].trace) : NULL;

	for (uint32_t i = 1; cpuid && i < runs->runs.n; i++) {
		const char *other = ep_trace_cpuid(runs->opened[i].trace);

		if (!other || strcmp(cpuid, other))
			return NULL;
	}
	return cpuid;
}

void ep_opened_runs_finish(struct ep_opened_runs *runs)
{
	for (uint32_t i = 0; i < runs->runs.n; i++)
		ep_opened_report_finish(&runs->opened[i]);
	free(runs->opened);
	free(runs->reports);
	*runs = (struct ep_opened_runs){ 0 };
}
