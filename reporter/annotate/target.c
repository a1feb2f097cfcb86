// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/annotate/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

void ep_annotate_target_finish(struct ep_annotate_target *target)
{
	free(target->is_wanted);
	*target = (struct ep_annotate_target){ 0 };
}

/* ---- procedures ---- */

static bool is_named(const struct ep_report_row *row, const char *what)
{
	return !strcmp(row->name, what) || !strcmp(row->short_name, what);
}

/* Tells whether the text what names a method without its class, as solve names Mesh::solve. Arguments of
 * templates are not part of the name. */
static bool is_method(const struct ep_report_row *row, const char *what)
{
	size_t n = strlen(row->short_name), n_what = strlen(what);

	return n > n_what + 2 && !strcmp(row->short_name + n - n_what, what) &&
	       !strncmp(row->short_name + n - n_what - 2, "::", 2);
}

/* Tells whether the text what names a script's procedure without its file. Such a procedure is called
 * FILE:NAME, and names of other procedures may contain NAME: roundtrip means "t.py:roundtrip", not
 * "t.py:roundtrip.<locals>.<genexpr>". */
static bool is_behind_file(const struct ep_report_row *row, const char *what)
{
	size_t n = strlen(row->name), n_what = strlen(what);

	return n > n_what + 1 && row->name[n - n_what - 1] == ':' &&
	       !strcmp(row->name + n - n_what, what);
}

/* Accepts each row, for a request without a name. */
static bool is_any(const struct ep_report_row *row, const char *what)
{
	return true;
}

/* Finds the first row for which is_meant is true. Rows are sorted by time, so that the first one has the most
 * time. */
static bool find_first(const struct ep_report_table *table, const char *what,
	bool (*is_meant)(const struct ep_report_row *row, const char *what),
	struct ep_annotate_target *out)
{
	const struct ep_report_row *found = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct ep_report_row *row = &table->rows[i];

		if (!ep_report_row_is_place(row) || !is_meant(row, what))
			continue;
		n++;
		found = found ? found : row;
	}
	if (found)
		*out = (struct ep_annotate_target){ .name = found->name,
			.symbol_idx = found->symbol_idx,
			.n_others = what ? n - 1 : 0 };
	return found != NULL;
}

/* Returns the number of procedures whose names contain the text what, and sets *out to the first one. */
static uint32_t find_by_part(
	const struct ep_report_table *table, const char *what, struct ep_annotate_target *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		if (!ep_report_row_is_place(&table->rows[i]) || !strstr(table->rows[i].name, what))
			continue;
		if (!n++)
			*out = (struct ep_annotate_target){ .name = table->rows[i].name,
				.symbol_idx = table->rows[i].symbol_idx };
	}
	return n;
}

/* ---- loops ---- */

/* Asks for the loop of each instruction that callgrind has costs for. */
static int ask_for_exact_loops(const struct ep_trace *trace, struct ep_symbols *symbols)
{
	const struct ep_costs *costs = trace->exact;
	struct ep_loop_cursor cursor = { 0 };
	bool is_searched;
	uint32_t loop;
	int rc = 0;

	for (uint32_t i = 0; i < costs->n_instructions && !rc; i++) {
		const struct ep_costs_instruction *row = &costs->instructions[i];
		uint32_t module_idx = costs->procedures[row->procedure_idx].module_idx;

		if (module_idx != EP_NONE && row->address != EP_COSTS_NO_ADDRESS)
			rc = ep_symbols_loop_near(
				symbols, module_idx, row->address, &cursor, &loop, &is_searched);
	}
	return rc == -ENOSYS ? 0 : rc;
}

/* Makes all loops of the run known to symbols, by asking for the loop of each sample and of each call. */
static int ask_for_loops(const struct ep_trace *trace, struct ep_symbols *symbols)
{
	uint32_t loop;
	int rc = trace->exact ? ask_for_exact_loops(trace, symbols) : 0;

	for (uint32_t i = 0; i < trace->n_paths && !rc && !trace->exact; i++) {
		const struct ep_path *path = &trace->paths[i];

		if (path->module_idx == EP_NONE)
			continue;
		rc = ep_symbols_loop(
			symbols, path->module_idx, path->address, path->cost_idx == EP_NONE, &loop);
	}
	return rc == -ENOSYS ? 0 : rc;
}

/* Reads a place: "fem.c:208 > 212" is line 212 of fem.c, and "fem.c:208 > vec.h:30" is vec.h:30. */
static bool read_place(const char *what, char *out_file, size_t size, uint32_t *out_line)
{
	const char *last = strrchr(what, '>'), *colon;
	char *end;

	last = last ? last + 1 + strspn(last + 1, " ") : what;
	*out_line = (uint32_t)strtoul(last, &end, 10);
	colon = strchr(last, ':') ? strrchr(last, ':') : strchr(what, ':');
	if (colon && strchr(last, ':')) {
		*out_line = (uint32_t)strtoul(colon + 1, &end, 10);
		what = last;
	}
	if (!colon || *end || !*out_line || (size_t)(colon - what) >= size)
		return false;
	snprintf(out_file, size, "%.*s", (int)(colon - what), what);
	return true;
}

/* Tells whether name is the path or its last parts: fem.c and src/fem.c mean /app/src/fem.c. */
static bool is_file(const char *path, const char *name)
{
	size_t n = path ? strlen(path) : 0, n_name = strlen(name);

	return n >= n_name && !strcmp(path + n - n_name, name) &&
	       (n == n_name || path[n - n_name - 1] == '/');
}

struct wanted_loop {
	const char *what, *file; /* file NULL: what has not the form FILE:LINE */
	uint32_t line;
	uint64_t head;
};

static bool is_wanted_loop(const struct wanted_loop *wanted, const struct ep_loop_place *loop)
{
	return !strcmp(loop->name, wanted->what) ||
	       (wanted->file && loop->line == wanted->line && is_file(loop->file, wanted->file)) ||
	       (wanted->head && loop->head == wanted->head);
}

/* Finds loops by name, line or address. Returns 1 if there are some, 0 if there are none, or -ENOMEM. */
static int find_loops(struct ep_symbols *symbols, const struct wanted_loop *wanted,
	struct ep_annotate_target *out)
{
	struct ep_annotate_target target = { .is_loop = true,
		.n_loops = ep_symbols_count_loops(symbols) };
	EP_AUTOFREE bool *is_wanted = calloc(target.n_loops + 1, sizeof(*is_wanted));

	if (!is_wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < target.n_loops; i++) {
		const struct ep_loop_place *loop = ep_symbols_loop_get(symbols, i);

		if (!is_wanted_loop(wanted, loop))
			continue;
		is_wanted[i] = true;
		target.symbol_idx = loop->symbol_idx;
		target.name = target.name ? target.name : loop->name;
	}
	if (!target.name)
		return 0;
	target.is_wanted = is_wanted;
	is_wanted = NULL;
	*out = target;
	return 1;
}

static bool find_by_line(const struct ep_report *report, const char *file, uint32_t line,
	struct ep_annotate_target *out)
{
	for (uint32_t i = 0; i < report->lines.n_rows; i++) {
		const struct ep_report_row *row = &report->lines.rows[i];

		if (row->line != line || !is_file(row->file, file))
			continue;
		*out = (struct ep_annotate_target){ .name = row->name,
			.symbol_idx = row->symbol_idx };
		return true;
	}
	return false;
}

/* ---- all ---- */

static int refuse(
	const struct ep_report_table *table, const char *what, uint32_t n_fit, struct ep_error *err)
{
	char names[400] = "";
	size_t at = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < table->n_rows && n < 5 && at < sizeof(names); i++) {
		const struct ep_report_row *row = &table->rows[i];

		if (!ep_report_row_is_place(row) ||
			(n_fit ? !strstr(row->name, what) : !row->self_ns))
			continue;
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%.80s", n++ ? ", " : "",
			row->short_name);
	}
	if (!n)
		return ep_fail(
			err, -ENOENT, "the run has no procedure with a name: evreport says why");
	if (n_fit)
		return ep_fail(err, -EINVAL,
			"%s is in the names of %u procedures: %s%s; give the whole name of one",
			what, n_fit, names, n_fit > n ? ", ..." : "");
	return ep_fail(err, -ENOENT,
		"no procedure and no loop of the run is called %s; most time is in %s; evreport and evreport --by loop list them all",
		what, names);
}

static int find_named(const struct ep_report *report, struct ep_symbols *symbols, const char *what,
	struct ep_annotate_target *out, struct ep_error *err)
{
	char file[4096];
	struct wanted_loop wanted = { .what = what };
	uint32_t n_fit;
	int rc;

	if (read_place(what, file, sizeof(file), &wanted.line))
		wanted.file = file;
	if (!strncmp(what, "0x", 2))
		wanted.head = strtoull(what, NULL, 16);
	rc = find_loops(symbols, &wanted, out);
	if (rc)
		return rc < 0 ? ep_fail(err, rc, "out of memory") : 0;
	if (wanted.file && find_by_line(report, file, wanted.line, out))
		return 0;
	n_fit = find_by_part(&report->procedures, what, out);
	return n_fit == 1 ? 0 : refuse(&report->procedures, what, n_fit, err);
}

int ep_annotate_target_find(const struct ep_report *report, struct ep_symbols *symbols,
	const struct ep_trace *trace, const char *what, struct ep_annotate_target *out,
	struct ep_error *err)
{
	*out = (struct ep_annotate_target){ 0 };
	if (find_first(&report->procedures, what, what ? is_named : is_any, out))
		return 0;
	if (!what)
		return refuse(&report->procedures, "", 0, err);
	if (find_first(&report->procedures, what, is_method, out) ||
		find_first(&report->procedures, what, is_behind_file, out))
		return 0;
	if (ask_for_loops(trace, symbols))
		return ep_fail(err, -ENOMEM, "out of memory");
	return find_named(report, symbols, what, out, err);
}
