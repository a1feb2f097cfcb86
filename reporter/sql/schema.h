/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the SQL statements that make the database's tables and views. docs/sql.md describes these. */
#ifndef EVPROF_REPORTER_SQL_SCHEMA_H
#define EVPROF_REPORTER_SQL_SCHEMA_H

/* PRAGMA user_version: it is increased by one when the meaning of a column changes. */
#define EP_SQL_VERSION 1
/* PRAGMA application_id: "evpf". */
#define EP_SQL_APPLICATION_ID 0x65767066

extern const char ep_sql_tables[];
/* The SQL statements that make the views. */
extern const char ep_sql_views[];

#endif
