// SPDX-License-Identifier: BSD-3-Clause
/* Reads the text of callgrind's files into the sums of costs.h. Names and positions are compressed there: a
 * number in parentheses stands for a name, and a position may be relative to the one before. One thread runs
 * it. */
#include "reporter/load/costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/costs_private.h"

/* ---- names ---- */

/* no program has so many names: with a damaged, huge number the table would take gigabytes of memory */
#define MAX_NAMES (1u << 21)

/* Reads a name: "(12) name" defines number 12, "(12)" stands for that name again, and "name" alone is not
 * compressed. */
static int take_name(struct ep_costs_reader *r, enum names kind, const char *text, const char **out)
{
	struct ep_costs_names *table = &r->names[kind];
	char *end;
	unsigned long number;

	if (*text != '(') {
		*out = ep_strings_add(r->strings, text, strlen(text));
		return *out ? 0 : -ENOMEM;
	}
	number = strtoul(text + 1, &end, 10);
	if (*end != ')' || number >= MAX_NAMES)
		return -EBADMSG;
	while (table->n_rows <= number) {
		if (EP_ARRAY_RESERVE(table->rows, table->n_rows, table->capacity))
			return -ENOMEM;
		table->rows[table->n_rows++] = NULL;
	}
	if (end[1] == ' ') {
		table->rows[number] = ep_strings_add(r->strings, end + 2, strlen(end + 2));
		if (!table->rows[number])
			return -ENOMEM;
	}
	*out = table->rows[number];
	return *out ? 0 : -EBADMSG;
}

static int take_object(struct ep_costs_reader *r, const char *text)
{
	return take_name(r, OBJECTS, text, &r->object);
}

static int take_file(struct ep_costs_reader *r, const char *text)
{
	return take_name(r, FILES, text, &r->file);
}

static int take_called_object(struct ep_costs_reader *r, const char *text)
{
	return take_name(r, OBJECTS, text, &r->called_object);
}

static int take_called_file(struct ep_costs_reader *r, const char *text)
{
	return take_name(r, FILES, text, &r->called_file);
}

static int take_procedure(struct ep_costs_reader *r, const char *text)
{
	struct ep_costs_procedure key = { .object = r->object, .file = r->file };
	int rc = take_name(r, PROCEDURES, text, &key.name);

	return rc ? rc : ep_costs_find_procedure(r->costs, &key, &r->procedure_idx);
}

/* Reads the called procedure's name. Where its object or its file is not given, the caller's is taken. */
static int take_called(struct ep_costs_reader *r, const char *text)
{
	struct ep_costs_procedure key = {
		.object = r->called_object ? r->called_object : r->object,
		.file = r->called_file ? r->called_file : r->file,
	};
	int rc = take_name(r, PROCEDURES, text, &key.name);

	r->called_object = r->called_file = NULL;
	return rc ? rc : ep_costs_find_procedure(r->costs, &key, &r->called_idx);
}

/* Reads the file's name in a record of a jump. The jump itself is ignored, but later lines may use the number
 * that is defined here. */
static int take_jumps_file(struct ep_costs_reader *r, const char *text)
{
	const char *name;

	return take_name(r, FILES, text, &name);
}

static int take_jumps_procedure(struct ep_costs_reader *r, const char *text)
{
	const char *name;

	return take_name(r, PROCEDURES, text, &name);
}

static int take_calls(struct ep_costs_reader *r, const char *text)
{
	r->n_calls = strtoull(text, NULL, 10);
	r->is_call = true;
	return r->called_idx == EP_NONE ? -EBADMSG : 0;
}

/* ---- the header ---- */

static bool is_word(const char *word, const char *text, size_t size)
{
	return strlen(word) == size && !strncmp(word, text, size);
}

/* Reads the names of the columns. A file has no floating-point columns if evprof recorded it without reading
 * instructions. */
static int take_events(struct ep_costs_reader *r, const char *text)
{
	int n_floating = 0;

	memset(r->column, -1, sizeof(r->column));
	memset(r->floating_column, -1, sizeof(r->floating_column));
	for (int column = 0; *text; column++) {
		size_t size = strcspn(text, " ");

		for (int i = 0; i < EP_N_CALLGRIND_EVENTS; i++)
			if (is_word(ep_callgrind_events[i].column, text, size))
				r->column[i] = column;
		for (int i = 0; i < EP_N_FLOATING_EVENTS; i++)
			if (is_word(ep_floating_events[i].column, text, size)) {
				n_floating += r->floating_column[i] < 0;
				r->floating_column[i] = column;
			}
		text += size;
		text += strspn(text, " ");
	}
	r->has_events = true;
	r->has_floating = n_floating == EP_N_FLOATING_EVENTS;
	return r->column[EP_CALLGRIND_IR] < 0 ? -EBADMSG : 0;
}

static int take_positions(struct ep_costs_reader *r, const char *text)
{
	r->n_positions = 0;
	for (; *text; text += strspn(text, " ")) {
		text += strcspn(text, " ");
		r->n_positions++;
	}
	return r->n_positions == 1 || r->n_positions == 2 ? 0 : -EBADMSG;
}

/* ---- costs ---- */

static bool is_position(char c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

/* Reads the positions of a line: "12" and "0x4f0" are absolute, "+3" and "-3" are relative to the position
 * before, "*" repeats it. The last position is the line number. */
static const char *read_positions(struct ep_costs_reader *r, const char *at)
{
	for (uint32_t i = 2 - r->n_positions; i < 2; i++) {
		char sign = *at;
		char *end = (char *)at + 1;
		uint64_t value = 0;

		if (!is_position(sign))
			return NULL;
		if (sign != '*')
			value = strtoull(sign == '+' || sign == '-' ? at + 1 : at, &end, 0);
		r->at[i] = sign == '+'   ? r->at[i] + value
			   : sign == '-' ? r->at[i] - value
			   : sign == '*' ? r->at[i]
					 : value;
		at = end + strspn(end, " ");
	}
	return at;
}

#define MOST_COLUMNS 64

/* Reads the columns of a line; zeros at its end are left out in the file. Returns how many columns are there. */
static int read_columns(const char *at, uint64_t columns[MOST_COLUMNS])
{
	int n = 0;

	while (n < MOST_COLUMNS && *at) {
		char *end;

		columns[n++] = strtoull(at, &end, 10);
		at = end == at ? "" : end;
	}
	return n;
}

static uint64_t at_column(const uint64_t *columns, int n_columns, int column)
{
	return column < 0 || column >= n_columns ? 0 : columns[column];
}

static void read_counts(const struct ep_costs_reader *r, const char *at, struct ep_counts *out,
	struct ep_floating_counts *out_floating)
{
	uint64_t columns[MOST_COLUMNS];
	int n = read_columns(at, columns);

	for (int i = 0; i < EP_N_CALLGRIND_EVENTS; i++)
		out->of[i] = at_column(columns, n, r->column[i]);
	for (int i = 0; i < EP_N_FLOATING_EVENTS; i++)
		out_floating->of[i] = at_column(columns, n, r->floating_column[i]);
}

static int take_costs(struct ep_costs_reader *r, const char *text)
{
	bool is_call = r->is_call;
	struct ep_floating_counts floating;
	struct ep_counts counts;

	r->is_call = false;
	text = read_positions(r, text);
	if (!text || !r->has_events || r->procedure_idx == EP_NONE)
		return -EBADMSG;
	if (!*text) /* a line without costs gives the place of a jump */
		return 0;
	read_counts(r, text, &counts, &floating);
	return is_call ? ep_costs_add_call(r, &counts) : ep_costs_add_self(r, &counts, &floating);
}

static int take_summary(struct ep_costs_reader *r, const char *text)
{
	struct ep_floating_counts floating;

	read_counts(r, text, &r->summary, &floating);
	return 0;
}

static const struct {
	const char *beginning;
	int (*take)(struct ep_costs_reader *r, const char *rest);
} lines[] = {
	{ "fn=", take_procedure },
	{ "fl=", take_file },
	{ "fi=", take_file },
	{ "fe=", take_file },
	{ "ob=", take_object },
	{ "cob=", take_called_object },
	{ "cfi=", take_called_file },
	{ "cfl=", take_called_file },
	{ "cfn=", take_called },
	{ "calls=", take_calls },
	{ "jfi=", take_jumps_file },
	{ "jfn=", take_jumps_procedure },
	{ "events: ", take_events },
	{ "positions: ", take_positions },
	{ "summary: ", take_summary },
};

/* Reads a line. Lines with other beginnings ("desc:", "cmd:", ...) are ignored: they hold no costs. */
static int take_line(struct ep_costs_reader *r, const char *line)
{
	if (is_position(*line))
		return take_costs(r, line);
	for (size_t i = 0; i < EP_ARRAY_SIZE(lines); i++) {
		size_t size = strlen(lines[i].beginning);

		if (!strncmp(line, lines[i].beginning, size))
			return lines[i].take(r, line + size);
	}
	return 0;
}

/* ---- pieces of a file ---- */

static int keep_line(struct ep_costs_reader *r, const char *text, size_t size)
{
	if (r->line_size + size + 1 > r->line_capacity) {
		size_t capacity = 2 * (r->line_size + size + 1);
		char *bigger = realloc(r->line, capacity);

		if (!bigger)
			return -ENOMEM;
		r->line = bigger;
		r->line_capacity = capacity;
	}
	memcpy(r->line + r->line_size, text, size);
	r->line_size += size;
	r->line[r->line_size] = '\0';
	return 0;
}

int ep_costs_reader_take(struct ep_costs_reader *r, const char *text, size_t size)
{
	int rc = 0;

	while (!rc && size) {
		const char *end = memchr(text, '\n', size);
		size_t n = end ? (size_t)(end - text) : size;

		rc = keep_line(r, text, n);
		if (!rc && end) {
			rc = take_line(r, r->line);
			r->line_size = 0;
		}
		n += end != NULL;
		text += n;
		size -= n;
	}
	return rc;
}

struct ep_costs_reader *ep_costs_reader_create(struct ep_costs *costs, struct ep_strings *strings)
{
	struct ep_costs_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->costs = costs;
	r->strings = strings;
	r->n_positions = 1;
	r->procedure_idx = r->called_idx = EP_NONE;
	return r;
}

/* Adds a procedure's inclusive costs as callgrind_annotate --inclusive=yes does: the sum of the calls of the
 * procedure, or, where none is recorded, its own costs and those of the calls that it made. */
static void add_inclusive(struct ep_costs_procedure *sum, const struct ep_costs_in_file *procedure)
{
	if (procedure->is_called) {
		ep_counts_add(&sum->inclusive, &procedure->called);
		return;
	}
	ep_counts_add(&sum->inclusive, &procedure->self);
	ep_counts_add(&sum->inclusive, &procedure->calls);
}

#define FEW_IN_HANDLERS 1.01
/* If the sum over procedures is above callgrind's total by this or less, or by 1 % or less, evprof's ticks
 * are the reason: a tick takes some hundred instructions, a tick that writes to the trace some thousand. */
#define FEW_INSTRUCTIONS 10000

/* Ends a file and finds its total. Callgrind's own total leaves out signal handlers; the sum over procedures
 * contains them. If the two differ by little, the difference is the work of evprof's ticks, and callgrind's
 * total is taken. If they differ by more, the program itself works in signal handlers, and the sum is taken.
 * A limit in per cent alone would fail for a short file, such as that between two attempts to exec. */
void ep_costs_reader_finish(struct ep_costs_reader *r, struct ep_counts *out_total,
	struct ep_floating_counts *out_floating)
{
	uint64_t said = r->summary.of[EP_CALLGRIND_IR], sum = r->self.of[EP_CALLGRIND_IR];

	*out_total = (double)sum <= FEW_IN_HANDLERS * (double)said ||
				     (said && sum <= said + FEW_INSTRUCTIONS)
			     ? r->summary
			     : r->self;
	ep_counts_add(&r->costs->total, out_total);
	*out_floating = r->floating;
	ep_floating_add(&r->costs->floating, out_floating);
	r->costs->lacks_floating |= !r->has_floating;
	for (uint32_t i = 0; i < r->n_procedures; i++) {
		ep_counts_add(&r->costs->procedures[i].self, &r->procedures[i].self);
		add_inclusive(&r->costs->procedures[i], &r->procedures[i]);
	}
}

void ep_costs_reader_destroy(struct ep_costs_reader *r)
{
	if (!r)
		return;
	for (int i = 0; i < N_NAMES; i++)
		free(r->names[i].rows);
	free(r->procedures);
	free(r->line);
	free(r);
}
