// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <glob.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/formula_file.h"
#include "common/formula/parse.h"

static int parse(const char *text, struct ep_formula_file *out, struct ep_error *err)
{
	return ep_formula_file_parse("f", text, strlen(text), out, err);
}

static char *print(const struct ep_formula_file *file)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK_INT(ep_formula_file_write(file, out), 0);
	fclose(out);
	return text;
}

static const char example[] = "# a comment\n"
			      "evprof-formula 1\n"
			      "[model]\n"
			      "name = topdown\n"
			      "note = first line\n"
			      "   and the second\n"
			      "\n"
			      "[parameter Width]\n"
			      "value = 4\n"
			      "unit = slots/cycle\n"
			      "[parameter Latency]\n"
			      "value = -\n"
			      "[metric A]\n"
			      "expr = x::Y:Z /\n"
			      "\t(Width * cycles)\n"
			      "kind = share\n"
			      "level = 1\n"
			      "[check Sum]\n"
			      "expr = A + B\n"
			      "equals = 1\n";

TEST(reads_sections_and_continued_lines)
{
	struct ep_formula_file file;
	struct ep_error err = { 0 };
	EP_AUTOFREE char *text = NULL;

	CHECK_MSG(!parse(example, &file, &err), "%s: %s", err.where, err.message);
	CHECK_STR(file.name, "topdown");
	CHECK_STR(file.note, "first line and the second");
	CHECK_INT(file.n_parameters, 2);
	CHECK_CLOSE(file.parameters[0].value, 4, 0);
	CHECK(isnan(file.parameters[1].value));
	CHECK_INT(file.n_metrics, 1);
	CHECK(isnan(file.metrics[0].error));
	CHECK_INT(file.n_checks, 1);
	text = print(&file);
	CHECK(strstr(text, "expr = x::Y:Z / (Width * cycles)\n"));
	CHECK(!strstr(text, "error ="));
	ep_formula_file_finish(&file);
}

TEST(errors_say_where_and_what_was_expected)
{
	static const struct {
		const char *text, *where, *message;
	} cases[] = {
		{ "", "f", "empty, expected 'evprof-formula 1'" },
		{ "hello\n", "f:1:1",
			"expected 'evprof-formula 1' in the first line, found 'hello'" },
		{ "evprof-formula 2\n", "f:1:1",
			"format version 2, this evprof reads 1: use the evprof that wrote it" },
		{ "evprof-formula 1\nname = x\n", "f:2:1",
			"expected [model] or another section before 'name = x'" },
		{ "evprof-formula 1\n[metrik A]\n", "f:2:2",
			"expected [model], [parameter NAME], [metric NAME] or [check NAME], "
			"found '[metrik A]'" },
		{ "evprof-formula 1\n[metric A\n", "f:2:1",
			"expected ']' at the end of '[metric A'" },
		{ "evprof-formula 1\n[metric]\n", "f:2:8", "expected a name before ']'" },
		{ "evprof-formula 1\n[metric A]\nexpr = a\n  + * b\n", "f:4:5",
			"expected a number, a name or '(', found '*'" },
		{ "evprof-formula 1\n[metric A]\nexpr =\n  * b\n", "f:4:3",
			"expected a number, a name or '(', found '*'" },
		{ "evprof-formula 1\n[metric A]\nlevel = 1\n[metric B]\nexpr = 1\n", "f:2:1",
			"this [metric] section has no 'expr = ...'" },
		{ "evprof-formula 1\n[parameter A]\nvalue = four\n", "f:3:9",
			"expected a number or '-', found 'four'" },
		{ "evprof-formula 1\n[parameter A]\nvalue = 1\nvalue = 2\n", "f:4:1",
			"'value' is given twice" },
		{ "evprof-formula 1\n[parameter A]\nvalue =\n", "f:3:8",
			"expected a value behind 'value ='" },
		{ "evprof-formula 1\n[parameter A]\nvalu = 1\n", "f:3:1",
			"unknown key 'valu' in a [parameter] section, expected one of: value, "
			"error, unit, about, source" },
		{ "evprof-formula 1\n[parameter A]\nvalue\n", "f:3:1",
			"expected 'KEY = VALUE', found 'value'" },
		{ "evprof-formula 1\n[metric A]\nexpr = 1\n[metric A]\nexpr = 2\n", "f:4:9",
			"[metric A] is there twice" },
		{ "evprof-formula 1\n[check A]\nexpr = 1\ncause = none\n", "f:2:1",
			"this [check] section has nothing to hold 'expr' against, expected "
			"'equals = ...', 'at_most = ...' or 'at_least = ...'" },
		{ "evprof-formula 1\n[metric A]\nexpr = 1\nkind = percent\n", "f:4:8",
			"kind cannot be 'percent', expected value, share, ratio, count, cycles, "
			"cpi "
			"or rate" },
		{ "evprof-formula 1\n[metric A]\nrole = useless\n", "f:3:8",
			"role cannot be 'useless', expected useful" },
		{ "evprof-formula 1\n[model]\nserves = amd-[0-9] intel-[\n", "f:3:10",
			"serves cannot be 'amd-[0-9] intel-[', expected extended regular "
			"expressions with blanks between" },
		{ "evprof-formula 1\n[metric A]\nexpr = 1\nunit = \x1b[31mhours\n", "f:4:8",
			"a control character (byte 0x1b), which a terminal would obey: take it "
			"out" },
		{ "evprof-formula 1\n[metric a\xe2\x80\xae]\nexpr = 1\n", "f:2:10",
			"a control character (byte 0xe2), which a terminal would obey: take it "
			"out" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_formula_file file = { 0 };
		struct ep_error err = { 0 };

		CHECK_MSG(parse(cases[i].text, &file, &err) < 0, "accepted: %s", cases[i].text);
		CHECK_STR(err.where, cases[i].where);
		CHECK_STR(err.message, cases[i].message);
		ep_formula_file_finish(&file);
	}
}

/* Cut anywhere, a file is read or refused, never followed beyond its end. */
TEST(truncation_at_every_byte)
{
	for (size_t size = 0; size < sizeof(example); size++) {
		EP_AUTOFREE char *text = strndup(example, size);
		struct ep_formula_file file = { 0 };
		struct ep_error err = { 0 };
		int rc = ep_formula_file_parse("f", text, size, &file, &err);

		CHECK_MSG(!rc || *err.message, "no message at %zu", size);
		ep_formula_file_finish(&file);
	}
}

static void check_round_trip(const char *path)
{
	struct ep_formula_file file = { 0 }, again = { 0 };
	struct ep_error err = { 0 };
	EP_AUTOFREE char *text = NULL, *printed = NULL, *printed_again = NULL;
	size_t size;

	CHECK_INT(ep_file_read(path, &text, &size, &err), 0);
	CHECK_MSG(!ep_formula_file_parse(path, text, size, &file, &err), "%s: %s", err.where,
		err.message);
	printed = print(&file);
	CHECK_MSG(
		!parse(printed, &again, &err), "%s printed: %s: %s", path, err.where, err.message);
	printed_again = print(&again);
	CHECK_STR(printed_again, printed);
	CHECK_INT(again.n_metrics, file.n_metrics);
	CHECK_INT(again.n_checks, file.n_checks);
	CHECK_INT(again.n_parameters, file.n_parameters);
	ep_formula_file_finish(&file);
	ep_formula_file_finish(&again);
}

static size_t check_shipped(const char *pattern)
{
	char path[4096];
	glob_t found = { 0 };
	size_t n;

	snprintf(path, sizeof(path), "%s/formulas/%s", getenv("EVPROF_SOURCE_ROOT"), pattern);
	glob(path, 0, NULL, &found);
	for (n = 0; n < found.gl_pathc; n++)
		check_round_trip(found.gl_pathv[n]);
	globfree(&found);
	return n;
}

TEST(shipped_files_round_trip)
{
	CHECK(check_shipped("*/*.formula") > 5);
	CHECK(check_shipped("*/*/*.formula") >= 5);
}

TEST(the_example_of_the_documentation_parses)
{
	EP_AUTOFREE char *text = NULL;
	struct ep_formula_file file = { 0 };
	struct ep_error err = { 0 };
	char path[4096], *begin, *end;
	size_t size;

	snprintf(path, sizeof(path), "%s/docs/formula-format.md", getenv("EVPROF_SOURCE_ROOT"));
	CHECK_INT(ep_file_read(path, &text, &size, &err), 0);
	begin = text ? strstr(text, "```\n") : NULL;
	end = begin ? strstr(begin + 4, "```") : NULL;
	CHECK(end);
	if (!end)
		return;
	*end = '\0';
	CHECK_MSG(!parse(begin + 4, &file, &err), "%s: %s", err.where, err.message);
	CHECK_INT(file.n_metrics, 2);
	ep_formula_file_finish(&file);
}

TEST(a_file_without_a_model_round_trips)
{
	struct ep_formula_file file = { 0 }, again = { 0 };
	struct ep_error err = { 0 };
	EP_AUTOFREE char *printed = NULL;

	CHECK_INT(parse("evprof-formula 1\n[metric m]\nexpr = a\n", &file, &err), 0);
	printed = print(&file);
	CHECK_MSG(!parse(printed, &again, &err), "%s: %s", err.where, err.message);
	CHECK_INT(again.n_metrics, 1);
	ep_formula_file_finish(&file);
	ep_formula_file_finish(&again);
}
