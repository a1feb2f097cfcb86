/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics in other people's containers, read into formula files of our own. */
#ifndef EVPROF_REPORTER_FORMULA_IMPORT_H
#define EVPROF_REPORTER_FORMULA_IMPORT_H

#include "common/error.h"
#include "common/formula/formula_file.h"

#include <stdint.h>

/* One file per PMU ("Unit"), because metrics of a hybrid CPU share names. */
struct ep_import {
	struct ep_formula_file *files;
	char **pmus; /* (n_files), "" where the source names none */
	uint32_t n_files;
};

/* PATH is a formula file, perf's metric JSON, Intel's perfmon JSON, a likwid group file, or a
 * folder whose *.json files are taken together. What a metric's expression lacks is told in its
 * problem, the others stay usable. -EINVAL with the place, -ENOENT, ... */
int ep_import_read(const char *path, struct ep_import *out, struct ep_error *err) EP_MUST_CHECK;
void ep_import_finish(struct ep_import *import);

/* The file for a PMU, added when it is new; NULL: out of memory. */
struct ep_formula_file *ep_import_file(struct ep_import *import, const char *pmu) EP_MUST_CHECK;

/* The readers of single texts; each adds to import. */
int ep_import_json(const char *path, const char *text, struct ep_import *import,
	struct ep_error *err) EP_MUST_CHECK;
int ep_import_likwid(const char *path, const char *text, struct ep_import *import,
	struct ep_error *err) EP_MUST_CHECK;

/* Parses text into metric->expr, or says in metric->problem why not. -ENOMEM. */
struct ep_dialect;
int ep_import_expression(struct ep_formula_metric *metric, const char *text,
	const struct ep_dialect *dialect) EP_MUST_CHECK;
/* Gives the name of nodes called from the name to, or the number that to spells. -ENOMEM. */
int ep_import_rename(struct ep_ast *ast, const char *from, const char *to) EP_MUST_CHECK;

#endif
