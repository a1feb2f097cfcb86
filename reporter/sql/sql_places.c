// SPDX-License-Identifier: BSD-3-Clause
/* Writes the report's tables of procedures, lines, modules and loops: places, their counts and their callers. */
#include <stdlib.h>

#include "reporter/sql/sql_private.h"

struct place_rows {
	struct ep_sql *sql;
	const struct ep_report *report;
	struct ep_rows places, counts, callers;
	uint32_t n_places;
};

static void put_place(struct place_rows *w, const char *kind, const struct ep_report_row *row)
{
	struct ep_rows *rows = &w->places;

	ep_row_count(rows, w->n_places);
	ep_row_text(rows, kind);
	ep_row_text(rows, row->name);
	ep_row_text(rows, row->short_name);
	ep_row_text(rows, row->module);
	ep_row_text(rows, row->file);
	ep_row_some(rows, row->line);
	ep_row_text(rows, row->hot_file);
	ep_row_some(rows, row->hot_line);
	ep_row_flag(rows, row->is_known);
	ep_row_flag(rows, row->is_inlined);
	ep_row_count(rows, row->n_samples);
	ep_row_count(rows, row->self_ns);
	ep_row_count(rows, row->total_ns);
	ep_row_number(rows, row->self_share);
	ep_row_number(rows, row->total_share);
	ep_row_number(rows, row->self_latency_share);
	ep_row_number(rows, row->total_latency_share);
	ep_row_number(rows, row->alone_share);
	ep_row_number(rows, row->self_error);
	ep_row_number(rows, row->total_error);
	ep_row_end(rows);
}

static void put_counts(struct place_rows *w, const struct ep_report_row *row)
{
	for (uint32_t e = 0; e < w->report->n_events; e++) {
		if (!ep_quantity_is_known(&row->values[e].count))
			continue;
		ep_row_count(&w->counts, w->n_places);
		ep_row_value(&w->counts, e, &row->values[e]);
		ep_row_number(&w->counts, row->totals ? row->totals[e] : NAN);
		ep_row_end(&w->counts);
	}
}

static void put_callers(struct place_rows *w, const struct ep_report_row *row)
{
	for (uint32_t i = 0; i < row->n_callers; i++) {
		ep_row_count(&w->callers, w->n_places);
		ep_row_count(&w->callers, i + 1);
		ep_row_text(&w->callers, row->callers[i].name);
		ep_row_count(&w->callers, row->callers[i].ns);
		ep_row_end(&w->callers);
	}
}

static void write_table(struct place_rows *w, const char *kind, const struct ep_report_table *table)
{
	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct ep_report_row *row = &table->rows[i];

		w->n_places++;
		put_place(w, kind, row);
		put_counts(w, row);
		put_callers(w, row);
		if (table == &w->report->procedures && row->symbol_idx < w->sql->n_symbols)
			w->sql->place_of_symbol[row->symbol_idx] = w->n_places;
		if (row->depth && row->loop_idx < w->sql->n_loops)
			w->sql->place_of_loop[row->loop_idx] = w->n_places;
	}
}

void ep_sql_write_places(struct ep_sql *sql, const struct ep_sql_source *source)
{
	struct place_rows w = { .sql = sql, .report = source->report };

	sql->n_symbols = ep_symbols_count(source->symbols);
	sql->n_loops = ep_symbols_count_loops(source->symbols);
	sql->place_of_symbol = calloc(sql->n_symbols + 1, sizeof(*sql->place_of_symbol));
	sql->place_of_loop = calloc(sql->n_loops + 1, sizeof(*sql->place_of_loop));
	if (!sql->place_of_symbol || !sql->place_of_loop) {
		ep_db_fail_memory(&sql->db);
		return;
	}
	w.places = ep_rows_begin(&sql->db, "places");
	w.counts = ep_rows_begin(&sql->db, "counts");
	w.callers = ep_rows_begin(&sql->db, "callers");
	write_table(&w, "procedure", &source->report->procedures);
	write_table(&w, "line", &source->report->lines);
	write_table(&w, "module", &source->report->modules);
	write_table(&w, "loop", &source->report->loops);
	ep_rows_finish(&w.places);
	ep_rows_finish(&w.counts);
	ep_rows_finish(&w.callers);
}
