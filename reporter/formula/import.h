/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads metrics in the file formats of other projects into formula files of this project. */
#ifndef EVPROF_REPORTER_FORMULA_IMPORT_H
#define EVPROF_REPORTER_FORMULA_IMPORT_H

#include "common/error.h"
#include "common/formula/formula_file.h"

#include <stdint.h>

/* The metrics that were read. Each PMU (the key "Unit" of perf's JSON) has its own file, because the PMUs of
 * a hybrid CPU have metrics of the same names. */
struct ep_import {
	struct ep_formula_file *files;
	char **pmus; /* (n_files) PMU of each file; "" if the source names none */
	uint32_t n_files;
};

/* Reads the metrics at path, which is a formula file, perf's metric JSON, Intel's perfmon JSON, a likwid
 * group file, or a folder whose *.json files are taken together. If a metric's expression cannot be read,
 * metric->problem says why, and the other metrics stay usable. Returns -EINVAL with the place of the error,
 * -ENOENT, ... */
int ep_import_read(const char *path, struct ep_import *out, struct ep_error *err) EP_MUST_CHECK;
void ep_import_finish(struct ep_import *import);

/* Returns the file for a PMU, and adds it when it is new. NULL: out of memory. */
struct ep_formula_file *ep_import_file(struct ep_import *import, const char *pmu) EP_MUST_CHECK;

/* Read one text in JSON or in likwid's format, and add its metrics to import. */
int ep_import_json(const char *path, const char *text, struct ep_import *import,
	struct ep_error *err) EP_MUST_CHECK;
int ep_import_likwid(const char *path, const char *text, struct ep_import *import,
	struct ep_error *err) EP_MUST_CHECK;

/* Parses text into metric->expr, or says in metric->problem why it cannot be parsed. Returns 0 or -ENOMEM. */
struct ep_dialect;
int ep_import_expression(struct ep_formula_metric *metric, const char *text,
	const struct ep_dialect *dialect) EP_MUST_CHECK;
/* Renames all nodes with the name from to the name to. If to is a number, the nodes become that number; if it
 * begins with '#', they become literals. Returns 0 or -ENOMEM. */
int ep_import_rename(struct ep_ast *ast, const char *from, const char *to) EP_MUST_CHECK;

#endif
