/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a database to a temporary file in the folder of its path, and moves it to the path when it is complete. The
 * first error is kept; all calls after it do nothing. One thread uses a database.
 */
#ifndef EVPROF_REPORTER_SQL_DB_PRIVATE_H
#define EVPROF_REPORTER_SQL_DB_PRIVATE_H

#include "common/error.h"
#include "reporter/sql/sql.h"

#include <sqlite3.h>

struct ep_db {
	sqlite3 *handle;
	char *path;       /* where the complete database will be */
	char *temporary;  /* path of the temporary file; NULL: there is none to remove */
	int unfinished;   /* number of the entry in common/unfinished.h */
	const char *said; /* the path as the user wrote it */
	int rc;           /* 0, or the negative errno of err */
	struct ep_error err;
};

/* Opens a new database, unless the file at path must not be replaced (ep_sql_create). ep_db_finish must be called in
 * any case. */
int ep_db_open(struct ep_db *db, const char *path) EP_MUST_CHECK;
void ep_db_exec(struct ep_db *db, const char *sql);
/* Writes the database to the disk, and moves the temporary file to the path. */
void ep_db_publish(struct ep_db *db);
void ep_db_finish(struct ep_db *db);

/* Keeps -ENOMEM as the error, unless an earlier error is kept. */
void ep_db_fail_memory(struct ep_db *db);

/* Adds rows to one table: the values of a row are given in the order of its columns, then ep_row_end is called. */
struct ep_rows {
	struct ep_db *db;
	sqlite3_stmt *statement; /* NULL: an error occurred */
	int n_columns, n_bound;
};

struct ep_rows ep_rows_begin(struct ep_db *db, const char *table);
void ep_rows_finish(struct ep_rows *rows);

/* Adds a text to the row. "" becomes NULL, and bytes that are not UTF-8 become U+FFFD. Control characters were
 * replaced when the trace was read. */
void ep_row_text(struct ep_rows *rows, const char *text);
void ep_row_count(struct ep_rows *rows, uint64_t count);
void ep_row_signed(struct ep_rows *rows, int64_t number);
/* Adds a number to the row; one that is not finite becomes NULL. */
void ep_row_number(struct ep_rows *rows, double number);
void ep_row_null(struct ep_rows *rows);
void ep_row_end(struct ep_rows *rows);

#endif
