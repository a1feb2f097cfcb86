// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads likwid group files. Lines in EVENTSET assign a counter to each event; lines in METRICS end in a
 * formula over counters. A value that was not measured stays absent here, whereas likwid takes it as 0.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/names.h"
#include "common/formula/parse.h"
#include "reporter/formula/import.h"

struct group {
	const char *path;
	unsigned line;
	struct ep_names counters; /* (n) names of counters */
	struct ep_names events;   /* names of events, each only once */
	uint32_t *event_of;       /* (n) index into events for each counter */
	struct ep_formula_file *file;
	struct ep_error *err;
};

static void finish_group(struct group *g)
{
	ep_names_finish(&g->counters);
	ep_names_finish(&g->events);
	free(g->event_of);
}

static int fail_memory(struct group *g)
{
	return ep_fail(g->err, -ENOMEM, "out of memory");
}

/* Reads a line "COUNTER[:OPTIONS] EVENT". */
static int read_event(struct group *g, char *line)
{
	char *counter = strtok(line, " \t"), *event = strtok(NULL, " \t");
	uint32_t counter_idx, n_before = g->counters.n_names, *bigger;
	struct ep_place place = { g->path, g->line, 1 };

	if (!event)
		return ep_fail_at(g->err, -EINVAL, place, "expected 'COUNTER EVENT'");
	counter[strcspn(counter, ":")] = '\0';
	bigger = realloc(g->event_of, (n_before + 1) * sizeof(*bigger));
	if (!bigger)
		return fail_memory(g);
	g->event_of = bigger;
	if (ep_names_add(&g->counters, counter, &counter_idx) ||
		ep_names_add(&g->events, event, &g->event_of[counter_idx]))
		return fail_memory(g);
	return 0;
}

/* Changes exponents such as 1.0E-06 and 1e+6 in likwid's formulas to 1.0e-06 and 1e6, since the metric
 * language would take E-06 and e+6 for names. */
static void normalise_exponents(char *formula)
{
	char *to = formula;
	bool in_number = true;

	for (const char *from = formula; *from; from++) {
		if ((*from == 'E' || *from == 'e') && in_number && from > formula &&
			(isdigit((unsigned char)from[-1]) || from[-1] == '.')) {
			*to++ = 'e';
			from += from[1] == '+';
			continue;
		}
		in_number = isdigit((unsigned char)*from) || *from == '.'
				    ? in_number
				    : !isalnum((unsigned char)*from) && *from != '_';
		*to++ = *from;
	}
	*to = '\0';
}

static void trim_end(char *line)
{
	size_t size = strlen(line);

	while (size && isspace((unsigned char)line[size - 1]))
		line[--size] = '\0';
}

/* Cuts a trailing "[unit]" off name and returns a copy of the unit. */
static char *cut_unit(char *name)
{
	char *open = strrchr(name, '['), *unit;
	size_t size = strlen(name);

	if (!open || open == name || name[size - 1] != ']')
		return NULL;
	unit = strndup(open + 1, strcspn(open + 1, "]"));
	*open = '\0';
	trim_end(name);
	return unit;
}

static int rename_counters(struct group *g, struct ep_ast *ast)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g->counters.n_names; i++)
		rc = ep_import_rename(ast, g->counters.texts[i], g->events.texts[g->event_of[i]]);
	return rc;
}

/* Reads a line "NAME WITH BLANKS [unit] FORMULA". */
static int read_metric(struct group *g, char *line)
{
	char *formula = strrchr(line, ' ');
	struct ep_place place = { g->path, g->line, 1 };
	EP_AUTOFREE char *unit = NULL;
	struct ep_formula_metric *metric;

	if (!formula)
		return ep_fail_at(g->err, -EINVAL, place, "expected 'NAME FORMULA'");
	*formula++ = '\0';
	trim_end(line);
	unit = cut_unit(line);
	metric = ep_formula_file_add_metric(g->file, line);
	if (!metric)
		return fail_memory(g);
	metric->unit = unit;
	unit = NULL;
	normalise_exponents(formula);
	if (strchr(formula, '^')) {
		metric->problem = strdup("likwid's power operator ^ is not supported");
		return metric->problem ? 0 : fail_memory(g);
	}
	if (ep_import_expression(metric, formula, &ep_dialect_import) ||
		rename_counters(g, &metric->expr))
		return fail_memory(g);
	return 0;
}

static int skip_line(struct group *g, char *line)
{
	return 0;
}

static const struct {
	const char *heading;
	int (*read)(struct group *, char *);
} sections[] = {
	{ "SHORT", skip_line },
	{ "EVENTSET", read_event },
	{ "REQUIRE_NOHT", skip_line },
	{ "METRICS", read_metric },
	{ "LONG", skip_line },
	{ "LUA", skip_line },
};

/* Returns the section that a line opens, or -1. Only SHORT has its text on the same line. */
static int find_section(const char *line)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(sections); i++) {
		size_t size = strlen(sections[i].heading);

		if (!strncmp(line, sections[i].heading, size) &&
			(!line[size] || (!i && isspace((unsigned char)line[size]))))
			return (int)i;
	}
	return -1;
}

int ep_import_likwid(
	const char *path, const char *text, struct ep_import *import, struct ep_error *err)
{
	__attribute__((cleanup(finish_group))) struct group g = { .path = path, .err = err };
	EP_AUTOFREE char *copy = strdup(text);
	char *rest = copy, *line;
	int section = 0, rc = 0;

	g.file = ep_import_file(import, "");
	if (!copy || !g.file)
		return fail_memory(&g);
	while (!rc && (line = strsep(&rest, "\n"))) {
		int opened;

		g.line++;
		trim_end(line);
		line += strspn(line, " \t");
		opened = find_section(line);
		if (opened >= 0)
			section = opened;
		else if (*line)
			rc = sections[section].read(&g, line);
	}
	return rc;
}
