/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of tests: tab-separated rows, a header line, gzip-compressed or not. Include test.h first.
 */
#ifndef EVPROF_TESTS_UNIT_TSV_H
#define EVPROF_TESTS_UNIT_TSV_H

#include "common/file.h"

struct tsv {
	char *text;
	char ***rows;  /* (n_rows, n_columns), the header not among them */
	char **header; /* (n_columns) */
	size_t n_rows, n_columns;
};

static inline char **tsv_split(char *line, size_t n_columns)
{
	char **fields = calloc(n_columns + 1, sizeof(*fields));

	for (size_t i = 0; i < n_columns; i++)
		fields[i] = line ? strsep(&line, "\t") : (char *)"";
	return fields;
}

/* false when the file cannot be read. */
static inline bool tsv_read(const char *path, struct tsv *out)
{
	struct tsv t = { 0 };
	struct ep_error err;
	size_t size;
	char *rest, *line;

	if (ep_file_read(path, &t.text, &size, &err))
		return false;
	rest = t.text;
	while ((line = strsep(&rest, "\n")) && (rest || *line)) {
		if (!t.header) {
			t.n_columns = 1;
			for (const char *c = line; *c; c++)
				t.n_columns += *c == '\t';
			t.header = tsv_split(line, t.n_columns);
			continue;
		}
		t.rows = realloc(t.rows, (t.n_rows + 1) * sizeof(*t.rows));
		t.rows[t.n_rows++] = tsv_split(line, t.n_columns);
	}
	*out = t;
	return true;
}

static inline void tsv_finish(struct tsv *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		free(t->rows[i]);
	free(t->rows);
	free(t->header);
	free(t->text);
	*t = (struct tsv){ 0 };
}

static inline size_t tsv_column(const struct tsv *t, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (!strcmp(t->header[i], name))
			return i;
	CHECK_MSG(false, "no column %s", name);
	return 0;
}

/* Reads DIRECTORY/NAME below the source root. */
static inline bool tsv_read_source(const char *name, struct tsv *out)
{
	char path[4096];
	const char *root = getenv("EVPROF_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/%s", root ? root : ".", name);
	return tsv_read(path, out);
}

#endif
