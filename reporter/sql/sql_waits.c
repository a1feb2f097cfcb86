// SPDX-License-Identifier: BSD-3-Clause
/* Writes waits, and the holders of the resources waited for, by place, by thread and by lock. */
#include "reporter/sql/sql_private.h"

static void put_holders(struct ep_rows *rows, uint32_t number, const struct ep_report_wait *wait)
{
	for (uint32_t i = 0; i < wait->n_holders; i++) {
		ep_row_count(rows, number);
		ep_row_count(rows, i + 1);
		ep_row_text(rows, wait->holders[i].path);
		ep_row_text(rows, wait->holders[i].kind);
		ep_row_count(rows, wait->holders[i].ns);
		ep_row_end(rows);
	}
}

static void write_places(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "waits");
	struct ep_rows holders = ep_rows_begin(&sql->db, "holders");

	for (uint32_t i = 0; i < r->n_noted_waits_shown; i++) {
		const struct ep_report_wait *wait = &r->noted_waits[i];

		ep_row_count(&rows, i + 1);
		ep_row_text(&rows, wait->kind);
		ep_row_text(&rows, wait->what);
		ep_row_text(&rows, wait->path);
		ep_row_text(&rows, wait->procedure);
		ep_row_count(&rows, wait->n_threads);
		ep_row_count(&rows, wait->n_waits);
		ep_row_count(&rows, wait->ns);
		ep_row_count(&rows, wait->longest_ns);
		ep_row_number(&rows, wait->share);
		ep_row_flag(&rows, wait->is_estimate);
		ep_row_end(&rows);
		put_holders(&holders, i + 1, wait);
	}
	ep_rows_finish(&rows);
	ep_rows_finish(&holders);
}

static void write_threads(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "thread_waits");

	for (uint32_t i = 0; i < r->n_thread_waits; i++) {
		const struct ep_report_thread_wait *wait = &r->thread_waits[i];

		if (wait->wait_idx >= r->n_noted_waits_shown)
			continue;
		ep_row_count(&rows, r->threads[wait->thread_idx].thread_idx);
		ep_row_count(&rows, wait->wait_idx + 1);
		ep_row_count(&rows, wait->n_waits);
		ep_row_count(&rows, wait->ns);
		ep_row_count(&rows, wait->longest_ns);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

static void write_locks(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "locks");

	for (uint32_t i = 0; i < r->n_locks_shown; i++) {
		const struct ep_report_lock *lock = &r->locks[i];

		ep_row_count(&rows, i + 1);
		ep_row_text(&rows, lock->kind);
		ep_row_text(&rows, lock->name);
		ep_row_count(&rows, lock->pid);
		ep_row_count(&rows, lock->address);
		ep_row_text(&rows, lock->path);
		ep_row_text(&rows, lock->procedure);
		ep_row_count(&rows, lock->n_threads);
		ep_row_count(&rows, lock->n_waits);
		ep_row_count(&rows, lock->ns);
		ep_row_count(&rows, lock->longest_ns);
		ep_row_number(&rows, lock->share);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

void ep_sql_write_waits(struct ep_sql *sql, const struct ep_sql_source *source)
{
	write_places(sql, source->report);
	write_threads(sql, source->report);
	write_locks(sql, source->report);
}
