/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes formula files, which define metrics for people and programs. docs/formula-format.md describes the
 * format. All texts are allocated. A text that the file does not have is NULL, and such a number is NaN.
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
	struct ep_ast expr;      /* empty: the expression could not be read (problem) */
	struct ep_ast threshold; /* a value other than 0 deserves attention; empty: none */
	double level; /* level in its tree, 1: the top; NaN or 0: an intermediate value */
	char *parent; /* the parent metric */
	char *base;   /* the metric or event to which it is relative */
	char *kind;   /* the name of a row in ep_formula_kinds */
	char *unit;
	char *role;  /* "useful": the metric is work, and not a loss */
	char *scale; /* perf's ScaleUnit, unchanged */
	char *group; /* names joined by ';' */
	char *about; /* a sentence for the user */
	char *note;
	double error;  /* calibrated metrics: backward error of the fit */
	double noise;  /* calibrated metrics: largest noise of the events */
	char *date;    /* the date of the calibration; only for calibrated metrics */
	char *fitness; /* the fitness of the calibration; only for calibrated metrics */
	char *verdict; /* the result of a check against this machine */
	char *problem; /* the reason why an imported expression could not be read */
};

struct ep_formula_parameter {
	char *name;
	double value; /* NaN: not known on this machine */
	double error; /* the error of a measured value; NaN: not known */
	char *unit;
	char *about;
	char *source;
	bool is_measured; /* measured by evcal on a CPU of this kind; ep_catalog_read sets it */
};

/* A condition that must hold, with at least one bound. */
struct ep_formula_check {
	char *name;
	struct ep_ast expr;
	struct ep_ast equals, at_most, at_least; /* empty: there is no such bound */
	/* the allowed error, relative to the bound; NaN: 1e-6 */
	double tolerance;
	char *cause; /* the probable cause if the check fails, and what to do */
	/* metrics, separated by blanks, that are invalid if the check fails; NULL: the check is a hint */
	char *doubts;
};

struct ep_formula_file {
	char *path;
	char *name;   /* the model's name for users: "topdown", "lcpi", "flops" */
	char *title;  /* a title of one line */
	char *cpu;    /* the CPU's key, such as "skx" */
	char *serves; /* patterns of vendor-family-model, separated by blanks */
	char *events; /* event table: a file in formulas/events, without its ending */
	/* paths of formula files, relative to this file's folder. Their definitions come after this file's own, which
	 * have priority over those of the same name. */
	char *include;
	char *source;
	char *date;
	char *kernel;     /* calibrated files: the machine's kernel */
	char *thresholds; /* calibrated files: the options of evcal derive */
	char *note;
	struct ep_formula_parameter *parameters;
	struct ep_formula_metric *metrics;
	struct ep_formula_check *checks;
	uint32_t n_parameters, n_metrics, n_checks;
};

/* The kind of a value: which values are suspicious, and how they are shown. */
struct ep_formula_kind {
	const char *name;
	bool flags_negative, flags_above_one, shows_percent;
};
extern const struct ep_formula_kind ep_formula_kinds[];

/* Returns the row of a kind's name. A NULL name means the kind "value", for which no value is suspicious. Returns NULL
 * if there is no such kind. */
const struct ep_formula_kind *ep_formula_kind_find(const char *name);

/* Parses a text that ends with a NUL at text[size_bytes]; included files are not read. Returns -EINVAL with
 * file:line:column and what was expected. */
int ep_formula_file_parse(const char *path, const char *text, size_t size_bytes,
	struct ep_formula_file *out, struct ep_error *err) EP_MUST_CHECK;
/* Reads the file and the files that it includes. The metrics of included files come after the file's own. */
int ep_formula_file_read(
	const char *path, struct ep_formula_file *out, struct ep_error *err) EP_MUST_CHECK;
/* Writes a file that has the same contents when it is parsed. Returns 0, -ENOMEM or -EIO. */
int ep_formula_file_write(const struct ep_formula_file *file, FILE *out) EP_MUST_CHECK;
void ep_formula_file_finish(struct ep_formula_file *file);

/* Adds an empty entry, which the caller fills; NULL: out of memory. Pointers to earlier entries become invalid. */
struct ep_formula_metric *ep_formula_file_add_metric(
	struct ep_formula_file *file, const char *name) EP_MUST_CHECK;
struct ep_formula_parameter *ep_formula_file_add_parameter(
	struct ep_formula_file *file, const char *name) EP_MUST_CHECK;
/* Sets a parameter from "NAME=NUMBER". Returns -ENOENT if the file has no such parameter, and -EINVAL if the text has
 * another form. */
int ep_formula_file_set_parameter(
	struct ep_formula_file *file, const char *text, struct ep_error *err) EP_MUST_CHECK;
/* Describes the parameters that evcal measured and the user has not set: "L1_dlat 4, mem_lat 310: measured by evcal on
 * GenuineIntel-6-6A, 2026-11-26". Returns false if there are none. */
bool ep_formula_file_describe_measured(const struct ep_formula_file *file, char *out, size_t size);
struct ep_formula_check *ep_formula_file_add_check(
	struct ep_formula_file *file, const char *name) EP_MUST_CHECK;

#endif
