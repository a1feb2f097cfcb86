// SPDX-License-Identifier: BSD-3-Clause
/*
 * libFuzzer target for everything that reads formulas. The first byte picks the reader, the rest is
 * its text. What parses must survive printing and parsing again, and the three evaluators must
 * agree with each other. tests/fuzz/run.sh builds and runs it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/formula/event_table.h"
#include "common/formula/formula_file.h"
#include "common/formula/model.h"
#include "common/formula/parse.h"
#include "reporter/formula/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static char *print_tree(const struct ep_ast *ast)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(!ep_formula_print(ast, out));
	fclose(out);
	return text;
}

static void check_evaluators(const struct ep_ast *ast)
{
	struct ep_definition definition = { "SELF", ast };
	struct ep_program *program;
	struct ep_scratch *scratch;
	struct ep_result strict, perf;

	must(!ep_program_create(&definition, 1, "1", &program));
	must(!ep_scratch_create(program, &scratch));
	uint32_t n = ep_program_n_inputs(program);
	struct ep_measured *inputs = calloc(n + 1, sizeof(*inputs));
	for (uint32_t i = 0; i < n; i++)
		inputs[i] = (struct ep_measured){ i % 5, i % 3, 0.5, 1, i % 7 != 6 };
	ep_program_eval(program, inputs, scratch, &strict);
	ep_program_eval_perf(program, inputs, scratch, &perf);
	must((strict.absence != EP_PRESENT) == isnan(strict.value));
	must(strict.coverage >= 0 && strict.coverage <= 1);
	free(inputs);
	ep_scratch_destroy(scratch);
	ep_program_destroy(program);
}

static void fuzz_expression(const char *text, size_t size, const struct ep_dialect *dialect)
{
	struct ep_formula_source source = {
		.text = text, .size_bytes = (uint32_t)size, .dialect = dialect
	};
	struct ep_ast ast = { 0 }, again = { 0 };
	struct ep_error err;

	if (ep_formula_parse(&source, &ast, &err))
		return;
	char *printed = print_tree(&ast);
	source.text = printed;
	source.size_bytes = (uint32_t)strlen(printed);
	must(!ep_formula_parse(&source, &again, &err));
	char *printed_again = print_tree(&again);
	must(!strcmp(printed, printed_again));
	check_evaluators(&ast);
	free(printed);
	free(printed_again);
	ep_ast_finish(&ast);
	ep_ast_finish(&again);
}

static char *print_file(const struct ep_formula_file *file)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(!ep_formula_file_write(file, out));
	fclose(out);
	return text;
}

static void fuzz_file(char *text, size_t size)
{
	struct ep_formula_file file = { 0 }, again = { 0 };
	struct ep_model *model;
	struct ep_error err;

	if (ep_formula_file_parse("f", text, size, &file, &err))
		return;
	char *printed = print_file(&file);
	must(!ep_formula_file_parse("f", printed, strlen(printed), &again, &err));
	char *printed_again = print_file(&again);
	must(!strcmp(printed, printed_again));
	must(!ep_model_create(&file, NULL, NULL, &model, &err));
	ep_model_destroy(model);
	ep_formula_file_finish(&again);
	free(printed);
	free(printed_again);
}

static void fuzz_table(char *text)
{
	struct ep_event_table table = { 0 };
	struct ep_error err;

	if (!ep_event_table_parse("t", text, &table, &err))
		ep_event_table_finish(&table);
}

static void fuzz_import(const char *text,
	int (*read)(const char *, const char *, struct ep_import *, struct ep_error *))
{
	struct ep_import import = { 0 };
	struct ep_error err;

	if (!read("i", text, &import, &err))
		for (uint32_t i = 0; i < import.n_files; i++)
			free(print_file(&import.files[i]));
	ep_import_finish(&import);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	char *text = strndup((const char *)data + 1, size - 1);
	size = strlen(text);
	switch (data[0] % 8) {
	case 0:
	case 1:
		fuzz_expression(text, size, &ep_dialect_perf);
		break;
	case 2:
		fuzz_expression(text, size, &ep_dialect_evprof);
		break;
	case 3:
		fuzz_expression(text, size, &ep_dialect_import);
		break;
	case 4:
		fuzz_file(text, size);
		break;
	case 5:
		fuzz_table(text);
		break;
	case 6:
		fuzz_import(text, ep_import_json);
		break;
	default:
		fuzz_import(text, ep_import_likwid);
	}
	free(text);
	return 0;
}
