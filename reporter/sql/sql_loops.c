// SPDX-License-Identifier: BSD-3-Clause
/* Writes the loops that contain the addresses of call paths. A loop's number in the database is its index in struct
 * ep_symbols plus one. */
#include <errno.h>

#include "reporter/sql/sql_private.h"

void ep_sql_put_loop_of_path(
	struct ep_rows *rows, const struct ep_sql_source *source, uint32_t path_idx)
{
	const struct ep_path *path = &source->trace->paths[path_idx];
	uint32_t loop = EP_NONE;
	int rc = 0;

	/* paths of callgrind have no samples, and get no loop */
	if (path->module_idx != EP_NONE && !source->trace->exact)
		rc = ep_symbols_loop(source->symbols, path->module_idx, path->address,
			path->cost_idx == EP_NONE, &loop);
	if (rc || loop == EP_NONE)
		ep_row_null(rows);
	else
		ep_row_count(rows, loop + 1);
	if (rc == -ENOMEM)
		ep_db_fail_memory(rows->db);
}

/* Returns the loop's row in places; 0: none. A loop in which no sample ended, but which has calls on call paths, may
 * have no row in the report. */
static uint32_t place_of(const struct ep_sql *sql, uint32_t loop_idx)
{
	return loop_idx < sql->n_loops ? sql->place_of_loop[loop_idx] : 0;
}

static void put_loop(struct ep_rows *rows, const struct ep_sql *sql,
	const struct ep_sql_source *source, uint32_t i)
{
	const struct ep_loop_place *loop = ep_symbols_loop_get(source->symbols, i);

	ep_row_count(rows, i + 1);
	ep_row_text(rows, loop->name);
	if (loop->parent_idx == EP_NONE)
		ep_row_null(rows);
	else
		ep_row_count(rows, loop->parent_idx + 1);
	ep_row_count(rows, loop->depth);
	ep_row_text(rows, ep_symbols_get(source->symbols, loop->symbol_idx)->name);
	ep_row_text(rows, loop->file);
	ep_row_some(rows, loop->line);
	ep_row_count(rows, loop->module_idx);
	ep_row_signed(rows, (int64_t)loop->head);
	ep_row_some(rows, place_of(sql, i));
	ep_row_end(rows);
}

void ep_sql_write_loops(struct ep_sql *sql, const struct ep_sql_source *source)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "loops");
	uint32_t n = ep_symbols_count_loops(source->symbols);

	for (uint32_t i = 0; i < n; i++)
		put_loop(&rows, sql, source, i);
	ep_rows_finish(&rows);
}
