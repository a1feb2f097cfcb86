// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/sql/sql.h"

#include <stdlib.h>

#include "reporter/sql/schema.h"
#include "reporter/sql/sql_private.h"

int ep_sql_create(const char *path, struct ep_sql **out_sql, struct ep_error *err)
{
	struct ep_sql *sql = calloc(1, sizeof(*sql));
	int rc;

	if (!sql)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!ep_db_open(&sql->db, path))
		ep_db_exec(&sql->db, ep_sql_tables);
	rc = sql->db.rc;
	if (rc) {
		*err = sql->db.err;
		ep_sql_destroy(sql);
		return rc;
	}
	*out_sql = sql;
	return 0;
}

int ep_sql_see(void *context, const struct ep_seen_time *times, uint32_t n_times)
{
	struct ep_sql *sql = context;

	for (uint32_t i = 0; i < n_times; i++)
		ep_sql_add_slice(sql, &times[i]);
	return sql->db.rc;
}

void ep_sql_forget(struct ep_sql *sql)
{
	ep_db_exec(&sql->db, "DELETE FROM slices");
}

const struct ep_error *ep_sql_error(const struct ep_sql *sql)
{
	return sql->db.rc ? &sql->db.err : NULL;
}

int ep_sql_finish(struct ep_sql *sql, const struct ep_sql_source *source, struct ep_error *err)
{
	ep_sql_finish_slices(sql, source->trace);
	ep_sql_write_lists(sql, source);
	ep_sql_write_waits(sql, source);
	ep_sql_write_places(sql, source);
	ep_sql_write_tree(sql, source);
	ep_sql_write_loops(sql, source);
	ep_db_exec(&sql->db, ep_sql_views);
	ep_db_publish(&sql->db);
	if (sql->db.rc)
		*err = sql->db.err;
	return sql->db.rc;
}

void ep_sql_destroy(struct ep_sql *sql)
{
	if (!sql)
		return;
	ep_sql_free_slices(&sql->slices);
	free(sql->place_of_symbol);
	free(sql->place_of_loop);
	ep_db_finish(&sql->db);
	free(sql);
}
