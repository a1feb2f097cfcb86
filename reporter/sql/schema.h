/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the database, as docs/sql.md has them. */
#ifndef EVPROF_REPORTER_SQL_SCHEMA_H
#define EVPROF_REPORTER_SQL_SCHEMA_H

/* PRAGMA user_version: a change of a column's meaning makes it one more. */
#define EP_SQL_VERSION 1
/* PRAGMA application_id: "evpf". */
#define EP_SQL_APPLICATION_ID 0x65767066

extern const char ep_sql_tables[];
/* The statements that make the views. */
extern const char ep_sql_views[];

#endif
