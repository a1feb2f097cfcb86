// SPDX-License-Identifier: BSD-3-Clause
/* Writes formula files. Any thread may call these functions. */
#include <errno.h>
#include <math.h>

#include "common/formula/formula_keys.h"
#include "common/formula/parse.h"

static int write_expression(const char *key, const struct ep_ast *ast, FILE *out)
{
	int rc;

	if (!ast->n_nodes)
		return 0;
	fprintf(out, "%s = ", key);
	rc = ep_formula_print(ast, out);
	fputc('\n', out);
	return rc;
}

/* Writes line ends as blanks: texts from JSON files may have some, and a new line would begin a new key. */
static void write_text(const char *key, const char *text, FILE *out)
{
	fprintf(out, "%s = ", key);
	for (; *text; text++)
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	fputc('\n', out);
}

static int write_entry(const struct ep_formula_section *section, const void *entry, FILE *out)
{
	int rc = 0;

	for (const struct ep_formula_key *key = section->keys; !rc && key->name; key++) {
		const void *field = ep_key_field(key, entry);
		const char *text = key->type == EP_KEY_TEXT ? *(char *const *)field : NULL;

		if (text)
			write_text(key->name, text, out);
		if (key->type == EP_KEY_NUMBER && !isnan(*(const double *)field)) {
			fprintf(out, "%s = %s", key->name, *(const double *)field < 0 ? "-" : "");
			ep_formula_print_number(fabs(*(const double *)field), out);
			fputc('\n', out);
		}
		if (key->type == EP_KEY_EXPRESSION)
			rc = write_expression(key->name, field, out);
	}
	return rc;
}

static int write_named(int section, const char *name, const void *entry, FILE *out)
{
	fprintf(out, "\n[%s %s]\n", ep_formula_sections[section].name, name);
	return write_entry(&ep_formula_sections[section], entry, out);
}

int ep_formula_file_write(const struct ep_formula_file *file, FILE *out)
{
	int rc = 0;

	fprintf(out, "evprof-formula %d\n", EP_FORMULA_FORMAT_VERSION);
	if (file->name) { /* a file without a name has no model section */
		fputs("\n[model]\n", out);
		rc = write_entry(&ep_formula_sections[EP_SECTION_MODEL], file, out);
	}
	for (uint32_t i = 0; !rc && i < file->n_parameters; i++)
		rc = write_named(
			EP_SECTION_PARAMETER, file->parameters[i].name, &file->parameters[i], out);
	for (uint32_t i = 0; !rc && i < file->n_metrics; i++)
		rc = write_named(EP_SECTION_METRIC, file->metrics[i].name, &file->metrics[i], out);
	for (uint32_t i = 0; !rc && i < file->n_checks; i++)
		rc = write_named(EP_SECTION_CHECK, file->checks[i].name, &file->checks[i], out);
	if (!rc && ferror(out))
		rc = -EIO;
	return rc;
}
