// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/sql/db_private.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/unfinished.h"
#include "reporter/sql/schema.h"
#include "reporter/text/utf8.h"

/* ---- errors ---- */

void ep_db_fail_memory(struct ep_db *db)
{
	if (!db->rc)
		db->rc = ep_fail(&db->err, -ENOMEM, "out of memory");
}

static void fail(struct ep_db *db, int number)
{
	if (!db->rc)
		db->rc = ep_fail_at(&db->err, -number, (struct ep_place){ .file = db->said },
			"cannot write: %s", strerror(number));
}

/* Returns the errno of the last failure; 0: none is known. The errno that SQLite keeps for the file is tried first: the
 * one that it keeps for the database handle may be lost when SQLite cleans up after a write that failed. */
static int find_errno(struct ep_db *db)
{
	int number = 0;

	sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
	return number ? number : sqlite3_system_errno(db->handle);
}

/* Keeps SQLite's error, unless an earlier error is kept. If the disk is full, SQLite reports SQLITE_FULL without an
 * errno. */
static void fail_by_sqlite(struct ep_db *db)
{
	int number;

	if (db->rc)
		return;
	number = find_errno(db);
	if (sqlite3_errcode(db->handle) == SQLITE_NOMEM)
		ep_db_fail_memory(db);
	else if (sqlite3_errcode(db->handle) == SQLITE_FULL)
		fail(db, ENOSPC);
	else if (number)
		fail(db, number);
	else
		db->rc = ep_fail_at(&db->err, -EIO, (struct ep_place){ .file = db->said },
			"cannot write: %s", sqlite3_errmsg(db->handle));
}

/* ---- the file that lies at the path already ---- */

/* Offsets in the header of the database: sqlite.org/fileformat.html, section 1.3. */
#define MAGIC "SQLite format 3"
enum { HEADER_BYTES = 100, PAGE_SIZE_AT = 16, N_PAGES_AT = 28, APPLICATION_AT = 68 };

static uint32_t number_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static uint64_t size_said(const uint8_t *header)
{
	uint32_t page_bytes = (uint32_t)header[PAGE_SIZE_AT] << 8 | header[PAGE_SIZE_AT + 1];

	return (uint64_t)(page_bytes == 1 ? 65536 : page_bytes) * number_at(header + N_PAGES_AT);
}

/* Returns why the file at path must not be replaced; NULL: it may be replaced. */
static const char *find_objection(const char *path)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t header[HEADER_BYTES];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? NULL : strerror(errno);
	if (fstat(fd, &st))
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is no regular file";
	n = read(fd, header, sizeof(header));
	if (n == 0)
		return NULL;
	if (n < (ssize_t)sizeof(header) || memcmp(header, MAGIC, sizeof(MAGIC)) != 0 ||
		number_at(header + APPLICATION_AT) != EP_SQL_APPLICATION_ID)
		return "it is no database of evreport's";
	if ((uint64_t)st.st_size != size_said(header))
		return "it is damaged: its size is not that which it says";
	return NULL;
}

static int refuse_to_replace(struct ep_db *db)
{
	const char *objection = find_objection(db->path);

	if (!objection)
		return 0;
	db->rc = ep_fail_at(&db->err, -EEXIST, (struct ep_place){ .file = db->said },
		"%s, and stays as it is: remove it, or name another file with -o", objection);
	return db->rc;
}

/* ---- life of the file ---- */

/* Creates a file with the permissions of any new file, in the same folder as the file that it will replace. */
static int create_temporary(struct ep_db *db)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(&db->temporary, "%s.XXXXXX", db->path) < 0) {
		db->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkstemp(db->temporary);
	if (fd < 0) {
		int number = errno;

		free(db->temporary);
		db->temporary = NULL;
		return -number;
	}
	db->unfinished = ep_unfinished_begin(db->temporary);
	fchmod(fd, 0666 & ~mask);
	close(fd);
	return 0;
}

/* No journal is needed, since a file that is not complete is removed. */
static const char settings[] = "PRAGMA page_size = 8192;"
			       "PRAGMA journal_mode = OFF;"
			       "PRAGMA synchronous = OFF;"
			       "PRAGMA locking_mode = EXCLUSIVE;"
			       "BEGIN;";

int ep_db_open(struct ep_db *db, const char *path)
{
	int rc;

	*db = (struct ep_db){ .said = path, .path = realpath(path, NULL) };
	if (!db->path)
		db->path = strdup(path);
	if (!db->path) {
		ep_db_fail_memory(db);
		return db->rc;
	}
	if (refuse_to_replace(db))
		return db->rc;
	rc = create_temporary(db);
	if (rc) {
		fail(db, -rc);
		return db->rc;
	}
	if (sqlite3_open_v2(db->temporary, &db->handle, SQLITE_OPEN_READWRITE, NULL))
		fail_by_sqlite(db);
	ep_db_exec(db, settings);
	return db->rc;
}

void ep_db_exec(struct ep_db *db, const char *sql)
{
	if (!db->rc && sqlite3_exec(db->handle, sql, NULL, NULL, NULL))
		fail_by_sqlite(db);
}

static int sync_file(const char *path)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

static void forget_temporary(struct ep_db *db)
{
	ep_unfinished_end(db->unfinished);
	db->unfinished = 0;
	free(db->temporary);
	db->temporary = NULL;
}

void ep_db_publish(struct ep_db *db)
{
	int rc;

	ep_db_exec(db, "COMMIT");
	if (db->rc)
		return;
	if (sqlite3_close(db->handle)) {
		fail_by_sqlite(db);
		return;
	}
	db->handle = NULL;
	rc = sync_file(db->temporary);
	if (!rc && rename(db->temporary, db->path))
		rc = -errno;
	if (rc) {
		fail(db, -rc);
		return;
	}
	forget_temporary(db);
}

void ep_db_finish(struct ep_db *db)
{
	sqlite3_close_v2(db->handle);
	if (db->temporary)
		unlink(db->temporary);
	forget_temporary(db);
	free(db->path);
	*db = (struct ep_db){ 0 };
}

/* ---- rows ---- */

static int count_columns(struct ep_db *db, const char *table)
{
	EP_AUTOFREE char *sql = NULL;
	sqlite3_stmt *statement;
	int n;

	if (asprintf(&sql, "SELECT * FROM %s", table) < 0) {
		sql = NULL;
		ep_db_fail_memory(db);
		return 0;
	}
	if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL)) {
		fail_by_sqlite(db);
		return 0;
	}
	n = sqlite3_column_count(statement);
	sqlite3_finalize(statement);
	return n;
}

static char *text_of_insert(const char *table, int n_columns)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);

	if (!out)
		return NULL;
	fprintf(out, "INSERT INTO %s VALUES (", table);
	for (int i = 0; i < n_columns; i++)
		fputs(i ? ",?" : "?", out);
	fputc(')', out);
	if (!fclose(out))
		return sql;
	free(sql);
	return NULL;
}

struct ep_rows ep_rows_begin(struct ep_db *db, const char *table)
{
	struct ep_rows rows = { .db = db, .n_columns = db->rc ? 0 : count_columns(db, table) };
	EP_AUTOFREE char *sql = db->rc ? NULL : text_of_insert(table, rows.n_columns);

	if (db->rc)
		return rows;
	if (!sql)
		ep_db_fail_memory(db);
	else if (sqlite3_prepare_v3(
			 db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &rows.statement, NULL))
		fail_by_sqlite(db);
	return rows;
}

void ep_rows_finish(struct ep_rows *rows)
{
	sqlite3_finalize(rows->statement);
	*rows = (struct ep_rows){ 0 };
}

/* Adds an unsigned number to the row. SQLite has only signed numbers of 64 bits; larger ones, which only a damaged
 * trace has, become REAL. */
void ep_row_count(struct ep_rows *rows, uint64_t count)
{
	if (count > INT64_MAX)
		ep_row_number(rows, (double)count);
	else
		ep_row_signed(rows, (int64_t)count);
}

void ep_row_signed(struct ep_rows *rows, int64_t number)
{
	if (rows->statement)
		sqlite3_bind_int64(rows->statement, ++rows->n_bound, number);
}

void ep_row_number(struct ep_rows *rows, double number)
{
	if (!isfinite(number))
		ep_row_null(rows);
	else if (rows->statement)
		sqlite3_bind_double(rows->statement, ++rows->n_bound, number);
}

void ep_row_null(struct ep_rows *rows)
{
	if (rows->statement)
		sqlite3_bind_null(rows->statement, ++rows->n_bound);
}

void ep_row_text(struct ep_rows *rows, const char *text)
{
	char *copy;

	if (!rows->statement)
		return;
	if (!text || !text[0]) {
		ep_row_null(rows);
		return;
	}
	copy = ep_utf8_copy(text);
	if (!copy)
		ep_db_fail_memory(rows->db);
	sqlite3_bind_text(rows->statement, ++rows->n_bound, copy, -1, free);
}

void ep_row_end(struct ep_rows *rows)
{
	if (rows->db->rc || !rows->statement)
		return;
	assert(rows->n_bound == rows->n_columns);
	rows->n_bound = 0;
	sqlite3_step(rows->statement);
	if (sqlite3_reset(rows->statement))
		fail_by_sqlite(rows->db);
}
