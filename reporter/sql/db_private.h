/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A database that is written beside its place and moved there when it is whole. The first thing that
 * goes wrong is kept; what is asked for afterwards does nothing. One thread.
 */
#ifndef EVPROF_REPORTER_SQL_DB_PRIVATE_H
#define EVPROF_REPORTER_SQL_DB_PRIVATE_H

#include "common/error.h"
#include "reporter/sql/sql.h"

#include <sqlite3.h>

struct ep_db {
	sqlite3 *handle;
	char *path;       /* where it belongs */
	char *temporary;  /* where it is; NULL: there is nothing to take away */
	int unfinished;   /* common/unfinished.h */
	const char *said; /* the path as the user wrote it */
	int rc;           /* 0, or the negative errno of err */
	struct ep_error err;
};

/* As ep_sql_create. Finish in any case. */
int ep_db_open(struct ep_db *db, const char *path) EP_MUST_CHECK;
void ep_db_exec(struct ep_db *db, const char *sql);
/* To the disk, and to its place. */
void ep_db_publish(struct ep_db *db);
void ep_db_finish(struct ep_db *db);

/* Keeps it as what went wrong, if it is the first thing. */
void ep_db_fail_memory(struct ep_db *db);

/* Rows for one table: the values of a row in the order of its columns, then ep_row_end. */
struct ep_rows {
	struct ep_db *db;
	sqlite3_stmt *statement; /* NULL: something went wrong */
	int n_columns, n_bound;
};

struct ep_rows ep_rows_begin(struct ep_db *db, const char *table);
void ep_rows_finish(struct ep_rows *rows);

/* "" is NULL; bytes that are no UTF-8 become U+FFFD. Control characters were replaced when the
 * trace was read. */
void ep_row_text(struct ep_rows *rows, const char *text);
void ep_row_count(struct ep_rows *rows, uint64_t count);
void ep_row_signed(struct ep_rows *rows, int64_t number);
/* Adds a number to the row; one that is not finite becomes NULL. */
void ep_row_number(struct ep_rows *rows, double number);
void ep_row_null(struct ep_rows *rows);
void ep_row_end(struct ep_rows *rows);

#endif
