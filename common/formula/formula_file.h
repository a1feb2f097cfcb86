/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formula files: what metrics are, for people and programs; docs/formula-format.md has the format.
 * All texts are allocated and NULL where the file says nothing; numbers are NaN there.
 */
#ifndef EVPROF_COMMON_FORMULA_FORMULA_FILE_H
#define EVPROF_COMMON_FORMULA_FORMULA_FILE_H

#include "common/error.h"
#include "common/formula/ast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EP_FORMULA_FORMAT_VERSION = 1 };

struct ep_formula_metric {
	char *name;
	struct ep_ast expr;      /* empty: see problem */
	struct ep_ast threshold; /* empty: none; a value other than 0 is worth a look */
	double level; /* level in its tree, 1 is the top; NaN or 0: an intermediate value */
	char *parent; /* a metric */
	char *base;   /* the metric or event that it is relative to */
	char *kind;   /* a row of ep_formula_kinds */
	char *unit;
	char *role;  /* "useful": it is work, and no loss */
	char *scale; /* perf's ScaleUnit, kept as it is */
	char *group; /* names joined by ';' */
	char *about; /* one sentence for people */
	char *note;
	double error;  /* calibrated: backward error of the fit */
	double noise;  /* calibrated: largest noise of its events */
	char *date;    /* calibrated */
	char *fitness; /* calibrated */
	char *verdict; /* of a check against this machine */
	char *problem; /* why an imported expression could not be read */
};

struct ep_formula_parameter {
	char *name;
	double value; /* NaN: not known on this machine */
	double error; /* of a measured value; NaN: not told */
	char *unit;
	char *about;
	char *source;
	bool is_measured; /* by evcal on such a CPU: ep_catalog_read */
};

/* A condition that must hold, with at least one bound. */
struct ep_formula_check {
	char *name;
	struct ep_ast expr;
	struct ep_ast equals, at_most, at_least; /* empty: no such bound */
	double tolerance;                        /* relative to the bound; NaN: 1e-6 */
	char *cause; /* the probable cause when it does not hold, and what to do */
	char *doubts; /* blank-separated metrics that mean nothing if it does not hold; NULL: it is a hint */
};

struct ep_formula_file {
	char *path;
	char *name;    /* "topdown", "lcpi", "flops": what the user asks for */
	char *title;   /* one line */
	char *cpu;     /* short key: "skx" */
	char *serves;  /* blank-separated vendor-family-model patterns */
	char *events;  /* event table, a file of formulas/events without its ending */
	char *include; /* formula files, relative to this one; what they define comes behind these,
			  except what this file defines itself */
	char *source;
	char *date;
	char *kernel;     /* calibrated: the machine's kernel */
	char *thresholds; /* calibrated: what evcal derive was asked */
	char *note;
	struct ep_formula_parameter *parameters;
	struct ep_formula_metric *metrics;
	struct ep_formula_check *checks;
	uint32_t n_parameters, n_metrics, n_checks;
};

/* How a value is judged and shown. */
struct ep_formula_kind {
	const char *name;
	bool flags_negative, flags_above_one, shows_percent;
};
extern const struct ep_formula_kind ep_formula_kinds[];

/* The row of a kind's name; NULL name: "value", which flags nothing. NULL when there is none. */
const struct ep_formula_kind *ep_formula_kind_find(const char *name);

/* text ends with a NUL at text[size_bytes]. The include is not followed. -EINVAL with
 * file:line:column and what was expected. */
int ep_formula_file_parse(const char *path, const char *text, size_t size_bytes,
	struct ep_formula_file *out, struct ep_error *err) EP_MUST_CHECK;
/* Reads the file and, behind its own metrics, those of its includes. */
int ep_formula_file_read(
	const char *path, struct ep_formula_file *out, struct ep_error *err) EP_MUST_CHECK;
/* Parsing what this writes gives the same file. -ENOMEM, -EIO. */
int ep_formula_file_write(const struct ep_formula_file *file, FILE *out) EP_MUST_CHECK;
void ep_formula_file_finish(struct ep_formula_file *file);

/* Adds an empty entry, which the caller fills; NULL: out of memory. Pointers to earlier entries become invalid. */
struct ep_formula_metric *ep_formula_file_add_metric(
	struct ep_formula_file *file, const char *name) EP_MUST_CHECK;
struct ep_formula_parameter *ep_formula_file_add_parameter(
	struct ep_formula_file *file, const char *name) EP_MUST_CHECK;
/* "NAME=NUMBER". -ENOENT: the file has no parameter of that name; -EINVAL: it is something else. */
int ep_formula_file_set_parameter(
	struct ep_formula_file *file, const char *text, struct ep_error *err) EP_MUST_CHECK;
/* "L1_dlat 4, mem_lat 310: measured by evcal on GenuineIntel-6-6A, 2026-11-26": the parameters that evcal
 * measured and nobody set. False: there are none. */
bool ep_formula_file_describe_measured(const struct ep_formula_file *file, char *out, size_t size);
struct ep_formula_check *ep_formula_file_add_check(
	struct ep_formula_file *file, const char *name) EP_MUST_CHECK;

#endif
