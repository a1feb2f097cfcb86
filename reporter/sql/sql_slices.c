// SPDX-License-Identifier: BSD-3-Clause
/* Writes slices while the trace is read. The events of a trace become known one after another: an event gets its column
 * when the next slice is read. SQLite adds a column without changing earlier rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "reporter/sql/sql_private.h"
#include "reporter/text/utf8.h"

#define MOST_COLUMNS 1900 /* most columns of events; SQLite's limit for all columns is 2000 */

static const char *const own_columns[] = { "slice", "thread", "path", "end_us", "wall_us", "cpu_us",
	"sample", "rowid", "oid", "_rowid_" };

void ep_sql_free_slices(struct ep_sql_slices *slices)
{
	ep_rows_finish(&slices->rows);
	for (uint32_t i = 0; i < slices->n_events; i++)
		free(slices->columns[i].name);
	free(slices->columns);
	free(slices->counts);
	*slices = (struct ep_sql_slices){ 0 };
}

const char *ep_sql_slice_column(const struct ep_sql *sql, uint32_t event_idx)
{
	return event_idx < sql->slices.n_events ? sql->slices.columns[event_idx].name : NULL;
}

/* ---- columns ---- */

/* Tells whether a column has the name already. SQLite does not distinguish upper and lower case. */
static bool is_taken(const struct ep_sql_slices *slices, const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(own_columns); i++)
		if (!strcasecmp(own_columns[i], name))
			return true;
	for (uint32_t i = 0; i < slices->n_events; i++)
		if (slices->columns[i].name && !strcasecmp(slices->columns[i].name, name))
			return true;
	return name[0] == '\0';
}

/* Returns a free name for an event's column. NULL: out of memory. */
static char *choose_name(const struct ep_sql_slices *slices, const char *event)
{
	EP_AUTOFREE char *clean = ep_utf8_copy(event);
	char *name = clean ? strdup(clean) : NULL;

	for (int i = 2; name && is_taken(slices, name); i++) {
		free(name);
		if (asprintf(&name, "%s (%d)", clean, i) < 0)
			return NULL;
	}
	return name;
}

static void add_column(struct ep_sql *sql, const char *event)
{
	struct ep_sql_slices *slices = &sql->slices;
	char *name = choose_name(slices, event), *statement;

	statement =
		name ? sqlite3_mprintf("ALTER TABLE slices ADD COLUMN \"%w\" REAL", name) : NULL;
	if (!statement) {
		free(name);
		ep_db_fail_memory(&sql->db);
		return;
	}
	ep_db_exec(&sql->db, statement);
	sqlite3_free(statement);
	slices->columns[slices->n_events++] = (struct ep_slice_column){ name, slices->n_columns++ };
}

static void add_columns(struct ep_sql *sql, const struct ep_trace *trace)
{
	struct ep_sql_slices *slices = &sql->slices;
	struct ep_slice_column *columns =
		realloc(slices->columns, (trace->n_events + 1) * sizeof(*columns));

	if (columns)
		slices->columns = columns;
	else
		ep_db_fail_memory(&sql->db);
	ep_rows_finish(&slices->rows);
	while (!sql->db.rc && slices->n_events < trace->n_events) {
		if (slices->n_columns < MOST_COLUMNS)
			add_column(sql, trace->events[slices->n_events].name);
		else
			slices->columns[slices->n_events++] = (struct ep_slice_column){ 0 };
	}
	free(slices->counts);
	slices->counts = malloc((slices->n_columns + 1) * sizeof(*slices->counts));
	if (!slices->counts)
		ep_db_fail_memory(&sql->db);
}

/* ---- rows ---- */

static void begin(struct ep_sql *sql, const struct ep_trace *trace)
{
	if (!sql->slices.rows.db && !sql->slices.base_us)
		sql->slices.base_us = trace->processes[0].born_ns / 1000;
	if (sql->slices.n_events < trace->n_events)
		add_columns(sql, trace);
	if (!sql->slices.rows.statement)
		sql->slices.rows = ep_rows_begin(&sql->db, "slices");
}

/* Takes the counts that were measured in the slice. Filled counts are left out: they are estimates for sums, not for
 * single slices. */
static void take_counts(struct ep_sql_slices *slices, const struct ep_seen_time *time)
{
	for (uint32_t c = 0; c < slices->n_columns; c++)
		slices->counts[c] = NAN;
	for (uint32_t e = 0; e < time->n_events; e++) {
		const struct ep_slice_column *column = &slices->columns[time->event_idx[e]];
		double *count;

		if (time->state[e] != EP_VALUE_MEASURED || !column->name)
			continue;
		count = &slices->counts[column->index];
		*count = isnan(*count) ? time->values[e] : *count + time->values[e];
	}
}

void ep_sql_add_slice(struct ep_sql *sql, const struct ep_seen_time *time)
{
	const struct ep_trace *trace = time->trace;
	struct ep_sql_slices *slices = &sql->slices;
	struct ep_rows *rows = &slices->rows;
	uint64_t born_us;

	if (!rows->statement || slices->n_events < trace->n_events)
		begin(sql, trace);
	if (sql->db.rc)
		return;
	born_us = trace->processes[trace->threads[time->thread_idx].process_idx].born_ns / 1000;
	take_counts(slices, time);
	ep_row_null(rows);
	ep_row_count(rows, time->thread_idx);
	ep_row_count(rows, time->path_idx);
	ep_row_signed(rows, (int64_t)(born_us + time->end_us - slices->base_us));
	ep_row_count(rows, time->wall_us);
	ep_row_count(rows, time->cpu_us);
	ep_row_flag(rows, time->is_sample);
	for (uint32_t c = 0; c < slices->n_columns; c++)
		ep_row_number(rows, slices->counts[c]);
	ep_row_end(rows);
}

void ep_sql_finish_slices(struct ep_sql *sql, const struct ep_trace *trace)
{
	int64_t late_us = (int64_t)(sql->slices.base_us - ep_trace_birth_ns(trace) / 1000);
	char *statement;

	ep_rows_finish(&sql->slices.rows);
	if (!late_us || !sql->slices.base_us)
		return;
	statement = sqlite3_mprintf("UPDATE slices SET end_us = end_us + %lld", (long long)late_us);
	if (statement)
		ep_db_exec(&sql->db, statement);
	else
		ep_db_fail_memory(&sql->db);
	sqlite3_free(statement);
}
