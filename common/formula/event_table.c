// SPDX-License-Identifier: BSD-3-Clause
/* Reads event tables: a few lines "key = value", then rows with tabs. Any thread may call these functions. */
#include "common/formula/event_table.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"

enum { FORMAT_VERSION = 1, N_COLUMNS = 5, MAX_COUNTERS = 32 };

struct event_table_reader {
	struct ep_place place;
	struct ep_event_table table;
	struct ep_error *err;
};

static const struct {
	const char *name;
	size_t offset;
	bool is_count;
} keys[] = {
	{ "cpu", offsetof(struct ep_event_table, cpu), false },
	{ "title", offsetof(struct ep_event_table, title), false },
	{ "pmu", offsetof(struct ep_event_table, pmu), false },
	{ "always", offsetof(struct ep_event_table, always), false },
	{ "counters", offsetof(struct ep_event_table, n_counters), true },
	{ "counters_without_smt", offsetof(struct ep_event_table, n_counters_without_smt), true },
};

void ep_event_table_finish(struct ep_event_table *table)
{
	if (!table)
		return;
	for (uint32_t i = 0; i < table->n_rows; i++) {
		struct ep_event_row *row = &table->rows[i];

		free(row->name);
		free(row->code);
		free(row->counters);
		free(row->open);
		free(row->meaning);
		free(row->rides_with);
	}
	free(table->rows);
	free(table->cpu);
	free(table->title);
	free(table->pmu);
	free(table->always);
	*table = (struct ep_event_table){ 0 };
}

static int fail_memory(struct event_table_reader *r)
{
	return ep_fail(r->err, -ENOMEM, "out of memory");
}

static int read_count(struct event_table_reader *r, const char *text, uint32_t *out)
{
	char *end;
	unsigned long count = strtoul(text, &end, 10);

	if (end == text || *end || count > MAX_COUNTERS)
		return ep_fail_at(r->err, -EINVAL, r->place,
			"expected a number up to %d, found '%s'", MAX_COUNTERS, text);
	*out = (uint32_t)count;
	return 0;
}

static int read_key(struct event_table_reader *r, char *line)
{
	char *equals = strstr(line, " = ");

	if (!equals)
		return ep_fail_at(
			r->err, -EINVAL, r->place, "expected 'KEY = VALUE', found '%s'", line);
	*equals = '\0';
	for (size_t i = 0; i < EP_ARRAY_SIZE(keys); i++) {
		void *field = (char *)&r->table + keys[i].offset;

		if (strcmp(keys[i].name, line))
			continue;
		if (keys[i].is_count)
			return read_count(r, equals + 3, field);
		free(*(char **)field);
		*(char **)field = strcmp(equals + 3, "-") ? strdup(equals + 3) : NULL;
		return 0;
	}
	return ep_fail_at(r->err, -EINVAL, r->place, "unknown key '%s'", line);
}

static uint32_t range_mask(unsigned low, unsigned high)
{
	uint64_t upto = (1ull << (high + 1)) - 1;

	return (uint32_t)(upto & ~((1ull << low) - 1));
}

/* Reads one of "any", "pair", "N", "N-M", "fixed:N", "with:EVENT". */
static int read_counter_word(
	struct event_table_reader *r, const char *word, struct ep_event_row *row)
{
	unsigned low, high;
	int end = 0;

	if (!strcmp(word, "any")) {
		row->counter_mask = UINT32_MAX;
	} else if (!strcmp(word, "pair")) {
		row->counter_mask = UINT32_MAX;
		row->n_taken = 2;
	} else if (sscanf(word, "fixed:%u%n", &low, &end) == 1 && !word[end] &&
		   low < MAX_COUNTERS) {
		row->fixed = (int)low;
	} else if (!strncmp(word, "with:", 5) && word[5] && !row->rides_with) {
		row->rides_with = strdup(word + 5);
		return row->rides_with ? 0 : fail_memory(r);
	} else if (sscanf(word, "%u-%u%n", &low, &high, &end) == 2 && !word[end] && low <= high &&
		   high < MAX_COUNTERS) {
		row->counter_mask |= range_mask(low, high);
	} else if (sscanf(word, "%u%n", &low, &end) == 1 && !word[end] && low < MAX_COUNTERS) {
		row->counter_mask |= 1u << low;
	} else {
		return ep_fail_at(r->err, -EINVAL, r->place,
			"expected any, pair, N, N-M, fixed:N or with:EVENT, found '%s'", word);
	}
	return 0;
}

static int read_counters(struct event_table_reader *r, const char *text, struct ep_event_row *row)
{
	EP_AUTOFREE char *copy = strdup(text);
	char *rest = copy, *word;
	int rc = copy ? 0 : fail_memory(r);

	while (!rc && (word = strsep(&rest, "|")))
		rc = read_counter_word(r, word, row);
	return rc;
}

static uint64_t number_after(const char *code, const char *key)
{
	const char *at = strstr(code, key);

	return at ? strtoull(at + strlen(key), NULL, 0) : 0;
}

/* Makes the code for perf_event_open. A code with a umask is for x86: its fields are put where
 * /sys/bus/event_source/devices/cpu/format says, and the bits of AMD's events above bit 7 at bit 32 and above. A code
 * without a umask is the event's number alone. */
static void set_raw(struct ep_event_row *row)
{
	uint64_t event = number_after(row->code, "event="), config = event;

	if (strstr(row->code, "umask="))
		config = (event & 0xff) | number_after(row->code, "umask=") << 8 |
			 number_after(row->code, "edge=") << 18 |
			 number_after(row->code, "inv=") << 23 |
			 number_after(row->code, "cmask=") << 24 | event >> 8 << 32;
	snprintf(row->raw, sizeof(row->raw), "r%llx", (unsigned long long)config);
}

static int read_row(struct event_table_reader *r, char *line)
{
	char *fields[N_COLUMNS] = { 0 };
	struct ep_event_row *row;
	int n = 0;

	while (line && n < N_COLUMNS)
		fields[n++] = strsep(&line, "\t");
	if (line || n < N_COLUMNS)
		return ep_fail_at(r->err, -EINVAL, r->place, "expected %d columns, found %s",
			N_COLUMNS, line ? "more" : "less");
	if (!strcmp(fields[0], "event"))
		return 0;
	if (EP_ARRAY_RESERVE(r->table.rows, r->table.n_rows, r->table.capacity))
		return fail_memory(r);
	row = &r->table.rows[r->table.n_rows++];
	*row = (struct ep_event_row){
		.name = strdup(fields[0]),
		.code = strdup(fields[1]),
		.counters = strdup(fields[2]),
		.open = strcmp(fields[3], "-") ? strdup(fields[3]) : NULL,
		.meaning = strdup(fields[4]),
		.n_taken = 1,
		.fixed = -1,
	};
	if (!row->name || !row->code || !row->counters || !row->meaning)
		return fail_memory(r);
	set_raw(row);
	return read_counters(r, fields[2], row);
}

static int read_line(struct event_table_reader *r, char *line, bool *has_version)
{
	int version, end = 0;

	if (!*line || *line == '#')
		return 0;
	if (*has_version)
		return strchr(line, '\t') ? read_row(r, line) : read_key(r, line);
	*has_version = true;
	if (sscanf(line, "evprof-events %d%n", &version, &end) != 1 || line[end] ||
		version != FORMAT_VERSION)
		return ep_fail_at(r->err, -EINVAL, r->place,
			"expected 'evprof-events %d' in the first line, found '%s'", FORMAT_VERSION,
			line);
	return 0;
}

static void finish_reader(struct event_table_reader *r)
{
	ep_event_table_finish(&r->table);
}

int ep_event_table_parse(
	const char *path, char *text, struct ep_event_table *out, struct ep_error *err)
{
	__attribute__((cleanup(finish_reader))) struct event_table_reader r = {
		.place = { .file = path },
		.err = err,
	};
	bool has_version = false;
	char *rest = text, *line;
	int rc = 0;

	while (!rc && (line = strsep(&rest, "\n"))) {
		r.place.line++;
		line[strcspn(line, "\r")] = '\0';
		rc = read_line(&r, line, &has_version);
	}
	if (rc)
		return rc;
	if (!r.table.n_counters_without_smt)
		r.table.n_counters_without_smt = r.table.n_counters;
	*out = r.table;
	r.table = (struct ep_event_table){ 0 };
	return 0;
}

int ep_event_table_read(const char *path, struct ep_event_table *out, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	int rc = ep_file_read(path, &text, &size, err);

	return rc ? rc : ep_event_table_parse(path, text, out, err);
}

const struct ep_event_row *ep_event_table_find(const struct ep_event_table *table, const char *name)
{
	const char *rest = strstr(name, "::");

	for (uint32_t i = 0; i < table->n_rows; i++)
		if (!strcmp(table->rows[i].name, name) ||
			(rest && !strcmp(table->rows[i].name, rest + 2)))
			return &table->rows[i];
	return NULL;
}
