// SPDX-License-Identifier: BSD-3-Clause
/* Parameters that evcal measured on a CPU take the place of the shipped file's, for that CPU alone. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/formula_file.h"

static const char model_text[] = "evprof-formula 1\n[model]\nname = m\ncpu = spr\n"
				 "[parameter L1_dlat]\nvalue = 3\n[parameter L2_lat]\nvalue = 9\n"
				 "[parameter L3_lat]\nvalue = -\n";
static const char measured_text[] =
	"evprof-formula 1\n[model]\nname = latencies\ncpu = spr\n"
	"[parameter L1_dlat]\nvalue = 4.5\nsource = a run\n"
	"[parameter L3_lat]\nvalue = 70\n[parameter mem_lat]\nvalue = 300\n";

static char model_path[] = "/tmp/evprof-model-XXXXXX",
	    measured_path[] = "/tmp/evprof-latencies-XXXXXX";

static void write_file(char *path, const char *text)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
}

static int read_model(char *measured_cpu, struct ep_formula_file *out, struct ep_error *err)
{
	struct ep_catalog_entry entries[] = {
		{ .path = measured_path,
			.name = (char[]){ EP_CATALOG_LATENCIES },
			.cpu = measured_cpu },
		{ .path = model_path, .name = (char[]){ "m" }, .cpu = (char[]){ "spr" } },
	};
	struct ep_catalog catalog = { .entries = entries, .n_entries = EP_ARRAY_SIZE(entries) };

	return ep_catalog_read(&catalog, &entries[1], out, err);
}

static void check(const struct ep_formula_parameter *parameter, double value, bool is_measured)
{
	CHECK(isnan(value) ? isnan(parameter->value) : parameter->value == value);
	CHECK(parameter->is_measured == is_measured);
}

TEST(measured_values_replace_known_ones)
{
	struct ep_formula_file file;

	write_file(model_path, model_text);
	write_file(measured_path, measured_text);
	CHECK_INT(read_model((char[]){ "spr" }, &file, NULL), 0);
	CHECK_INT(file.n_parameters, 3);
	check(&file.parameters[0], 4.5, true);
	CHECK_STR(file.parameters[0].source, "a run");
	check(&file.parameters[1], 9, false);
	check(&file.parameters[2], NAN, false); /* the CPU has no such cache */
	ep_formula_file_finish(&file);
}

TEST(values_of_another_cpu_change_nothing)
{
	struct ep_formula_file file;

	CHECK_INT(read_model((char[]){ "skx" }, &file, NULL), 0);
	check(&file.parameters[0], 3, false);
	check(&file.parameters[1], 9, false);
	ep_formula_file_finish(&file);
}

TEST(a_bad_file_of_measured_values_is_an_error)
{
	FILE *out = fopen(measured_path, "we");
	struct ep_formula_file file;
	struct ep_error err;

	CHECK(out && fputs("nonsense\n", out) >= 0 && !fclose(out));
	CHECK(read_model((char[]){ "spr" }, &file, &err) < 0);
	CHECK(strstr(err.where, measured_path) != NULL);
	unlink(model_path);
	unlink(measured_path);
}
