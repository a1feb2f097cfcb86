/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a run as an SQLite database: the report's tables, the whole call tree, and every slice. Slices are written
 * while the trace is read. docs/sql.md describes the schema. One thread uses a database.
 */
#ifndef EVPROF_REPORTER_SQL_SQL_H
#define EVPROF_REPORTER_SQL_SQL_H

#include "common/error.h"
#include "reporter/facts/report.h"

#include <errno.h>

struct ep_sql;

struct ep_sql_source {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report; /* a report that has all rows and calls */
};

#if EP_HAS_SQLITE

/* Begins a database that replaces the file at path only when it is complete. -EEXIST: the file at path is not a
 * complete database of evreport. ep_sql_destroy must be called in any case. */
int ep_sql_create(const char *path, struct ep_sql **out_sql, struct ep_error *err) EP_MUST_CHECK;
/* Adds slices. It serves as see_times of struct ep_load_options, whose seer must be the struct ep_sql. Returns 0, or a
 * negative errno with which loading ends; ep_sql_error then says why. */
int ep_sql_see(void *sql, const struct ep_seen_time *times, uint32_t n_times) EP_MUST_CHECK;
/* Deletes the slices written so far. Called before the trace is read a second time, which gives the same slices
 * again. */
void ep_sql_forget(struct ep_sql *sql);
/* Returns the error; NULL: there was none. */
const struct ep_error *ep_sql_error(const struct ep_sql *sql);
/* Writes the other tables, and moves the file to its path. */
int ep_sql_finish(
	struct ep_sql *sql, const struct ep_sql_source *source, struct ep_error *err) EP_MUST_CHECK;
/* Releases sql, and removes a database that was not finished. */
void ep_sql_destroy(struct ep_sql *sql);

#else

static inline EP_MUST_CHECK int ep_sql_create(
	const char *path, struct ep_sql **out_sql, struct ep_error *err)
{
	return ep_fail(err, -ENOSYS,
		"this evreport was built without SQLite: install libsqlite3-dev, then build it again");
}

static inline EP_MUST_CHECK int ep_sql_see(
	void *sql, const struct ep_seen_time *times, uint32_t n_times)
{
	return -ENOSYS;
}

static inline void ep_sql_forget(struct ep_sql *sql)
{
}

static inline const struct ep_error *ep_sql_error(const struct ep_sql *sql)
{
	return NULL;
}

static inline EP_MUST_CHECK int ep_sql_finish(
	struct ep_sql *sql, const struct ep_sql_source *source, struct ep_error *err)
{
	return -ENOSYS;
}

static inline void ep_sql_destroy(struct ep_sql *sql)
{
}

#endif
#endif
