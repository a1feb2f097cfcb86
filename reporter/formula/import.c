// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the reader of a file by its first bytes, and reads all files of a folder. */
#include "reporter/formula/import.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/foreign_text.h"
#include "common/formula/parse.h"

void ep_import_finish(struct ep_import *import)
{
	if (!import)
		return;
	for (uint32_t i = 0; i < import->n_files; i++) {
		ep_formula_file_finish(&import->files[i]);
		free(import->pmus[i]);
	}
	free(import->files);
	free(import->pmus);
	*import = (struct ep_import){ 0 };
}

struct ep_formula_file *ep_import_file(struct ep_import *import, const char *pmu)
{
	struct ep_formula_file *files;
	char **pmus, *copy;

	for (uint32_t i = 0; i < import->n_files; i++)
		if (!strcmp(import->pmus[i], pmu))
			return &import->files[i];
	files = realloc(import->files, (import->n_files + 1) * sizeof(*files));
	if (files)
		import->files = files;
	pmus = realloc(import->pmus, (import->n_files + 1) * sizeof(*pmus));
	if (pmus)
		import->pmus = pmus;
	copy = strdup(pmu);
	if (!files || !pmus || !copy) {
		free(copy);
		return NULL;
	}
	files[import->n_files] = (struct ep_formula_file){ 0 };
	pmus[import->n_files] = copy;
	return &files[import->n_files++];
}

int ep_import_expression(
	struct ep_formula_metric *metric, const char *text, const struct ep_dialect *dialect)
{
	struct ep_formula_source source = { .text = text, .dialect = dialect };
	struct ep_error err;
	int rc;

	if (strlen(text) > INT32_MAX)
		return -ENOMEM;
	source.size_bytes = (uint32_t)strlen(text);
	rc = ep_formula_parse(&source, &metric->expr, &err);
	if (rc != -EINVAL)
		return rc;
	return asprintf(&metric->problem, "%s: %s", err.where, err.message) < 0 ? -ENOMEM : 0;
}

int ep_import_rename(struct ep_ast *ast, const char *from, const char *to)
{
	char *end;
	double number = strtod(to, &end);
	uint32_t offset;

	if (ep_ast_add_name(ast, to, (uint32_t)strlen(to), &offset))
		return -ENOMEM;
	for (uint32_t i = 0; i < ast->n_nodes; i++) {
		struct ep_node *node = &ast->nodes[i];

		if (ep_op_info[node->op].form != EP_FORM_TEXT ||
			strcmp(ep_ast_name(ast, node), from))
			continue;
		node->operand[0] = offset;
		if (*to == '#') {
			node->op = EP_OP_LITERAL;
		} else if (end > to && !*end) {
			*node = (struct ep_node){ .op = EP_OP_NUMBER, .number = number };
		}
	}
	return 0;
}

/* Reads a formula file from its path and not from text, since the file may include others by paths relative
 * to its own. */
static int import_formula(
	const char *path, const char *text, struct ep_import *import, struct ep_error *err)
{
	struct ep_formula_file *file = ep_import_file(import, "");

	return file ? ep_formula_file_read(path, file, err)
		    : ep_fail(err, -ENOMEM, "out of memory");
}

static const struct {
	const char *begins_with;
	int (*read)(const char *, const char *, struct ep_import *, struct ep_error *);
} readers[] = {
	/* a formula file that lacks its first line; the formula reader reports this error */
	{ "[model", import_formula },
	{ "[parameter", import_formula },
	{ "[metric", import_formula },
	{ "[check", import_formula },
	{ "[", ep_import_json },
	{ "{", ep_import_json },
	{ "evprof-formula", import_formula },
	{ "#", import_formula },
	{ "SHORT", ep_import_likwid },
};

static int import_file(const char *path, struct ep_import *import, struct ep_error *err)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	const char *begin;
	int rc = ep_file_read(path, &text, &size, err);

	if (rc)
		return rc;
	ep_foreign_text_clean(text, size, EP_FOREIGN_LINES);
	for (begin = text; isspace((unsigned char)*begin); begin++)
		;
	for (size_t i = 0; i < EP_ARRAY_SIZE(readers); i++)
		if (!strncmp(begin, readers[i].begins_with, strlen(readers[i].begins_with)))
			return readers[i].read(path, text, import, err);
	return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = path },
		"neither a formula file (whose first line is 'evprof-formula 1'), nor metric JSON, nor a likwid group");
}

static int import_folder(const char *path, struct ep_import *import, struct ep_error *err)
{
	EP_AUTOFREE char *pattern = NULL;
	glob_t found = { 0 };
	int rc = 0;

	if (asprintf(&pattern, "%s/*.json", path) < 0)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (glob(pattern, 0, NULL, &found))
		rc = ep_fail_at(err, -ENOENT, (struct ep_place){ .file = path },
			"no *.json files in this folder");
	for (size_t i = 0; !rc && i < found.gl_pathc; i++)
		rc = import_file(found.gl_pathv[i], import, err);
	globfree(&found);
	return rc;
}

int ep_import_read(const char *path, struct ep_import *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_import_finish))) struct ep_import import = { 0 };
	struct stat st;
	int rc = !stat(path, &st) && S_ISDIR(st.st_mode) ? import_folder(path, &import, err)
							 : import_file(path, &import, err);

	if (rc)
		return rc;
	*out = import;
	import = (struct ep_import){ 0 };
	return 0;
}
