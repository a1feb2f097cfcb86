// SPDX-License-Identifier: BSD-3-Clause
/* evreport export-training: what models/train.py would read of tables and of a pair. */
#include "reporter/command/estimate_commands.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/safetensors.h"
#include "tests/unit/command.h"
#include "tests/unit/runs.h"

enum { N = 40 };

static double count_at(int t, int e)
{
	return e == 0 ? 10 + t % 4 : 100 + t * 3 % 7;
}

/* A clock of 1000, 2000 in slice 1; a and b times scale. */
static void write_table(const char *name, double scale)
{
	EP_AUTOFCLOSE FILE *out = fopen(name, "w");

	fprintf(out, "CYCLES,INSTR,a,b\n");
	for (int t = 0; t < N; t++)
		fprintf(out, "%d,%d,%g,%g\n", t == 1 ? 2000 : 1000, 500 + t % 5,
			scale * count_at(t, 0), scale * count_at(t, 1));
}

/* The caller's to destroy. */
static struct ep_safetensors *read_tensors(const char *name)
{
	EP_AUTOFREE char *bytes = NULL;
	struct ep_safetensors *file = NULL;
	struct ep_error err = { 0 };
	size_t size;

	CHECK_INT(ep_file_read(name, &bytes, &size, NULL), 0);
	CHECK_MSG(!ep_safetensors_parse(name, bytes, size, &file, &err), "%s", err.message);
	return file;
}

static const float *column_of(
	const struct ep_safetensors *file, const char *name, size_t n_rows, size_t n_columns)
{
	const struct ep_tensor *t = ep_safetensors_find(file, name);

	CHECK(t);
	CHECK_INT(t->shape[0], n_rows);
	CHECK_INT(t->shape[1], n_columns);
	return t->values;
}

/* Two groups of one: a in even slices, b in odd ones; the clock's mean is 1025. */
TEST(a_table_is_masked_as_a_rotation_would)
{
	write_table("p-1.csv", 1);
	RUN(ep_cmd_export_training, "p-1.csv", "-o", "out.st", "--counters", "1", "--seed", "0");
	EP_AUTOFREE char *list = read_file("out.st.series");
	struct ep_safetensors *file = read_tensors("out.st");
	const float *truth = column_of(file, "truth", 2 * N, 1);
	const float *judged = column_of(file, "judged", 2 * N, 1);
	const float *exposure = column_of(file, "exposure", 2 * N, 1);
	const float *base = column_of(file, "base", 2 * N, 1);

	CHECK_INT(status, 0);
	CHECK_STR(err, "");
	CHECK_STR(list, "p-1:a:40;p-1:b:40;");
	CHECK_STR(ep_safetensors_metadata(file, "features"), EP_FEATURES_NAME);
	column_of(file, "features", 2 * N, EP_N_FEATURES);
	for (int i = 0; i < 2 * N; i++) {
		int t = i % N, e = i / N;
		double mine = t == 1 ? 2000 / 1025.0 : 1000 / 1025.0;

		CHECK_CLOSE(exposure[i], mine, 1e-6);
		CHECK_CLOSE(truth[i], count_at(t, e) / mine, 1e-6);
		/* the tail, 5 slices of 40, is part of totals only */
		CHECK_INT(judged[i], t % 2 == e ? 0 : t < N - 5 ? 1 : -1);
		if (t % 2 == e)
			CHECK_CLOSE(base[i], log1p(truth[i]), 1e-5);
	}
	ep_safetensors_destroy(file);
}

TEST(rotations_and_small_runs)
{
	write_table("p-1.csv", 1);
	write_table("p-2.csv", 0.01);
	write_table("q-1.csv", 0.01);
	RUN(ep_cmd_export_training, "p-1.csv", "p-2.csv", "q-1.csv", "-o", "out.st", "--counters",
		"1", "--rotations", "2");
	EP_AUTOFREE char *list = read_file("out.st.series");
	struct ep_safetensors *file = read_tensors("out.st");

	CHECK_INT(status, 0);
	/* clocks alike: p-2's counts are a tenth of all, above 0.2 with them */
	CHECK_STR(err, "");
	CHECK_HAS(list, "p-1:a:40;p-1:b:40;p-1:a:40;p-1:b:40;p-2:a:40;");
	column_of(file, "truth", 3 * 2 * 2 * N, 1);
	ep_safetensors_destroy(file);
}

TEST(runs_that_broke_off_are_left_out)
{
	EP_AUTOFREE char *whole = NULL;

	write_table("p-1.csv", 1);
	write_table("q-1.csv", 1);
	whole = read_file("p-1.csv");
	*strstr(whole, "\n1000,503,") = '\0'; /* three slices */
	write_file("p-2.csv", whole);
	RUN(ep_cmd_export_training, "p-1.csv", "p-2.csv", "q-1.csv", "-o", "out.st", "--counters",
		"1");
	EP_AUTOFREE char *list = read_file("out.st.series");
	CHECK_INT(status, 0);
	CHECK_STR(err, "evreport: p-2.csv: below 0.2 of its program's largest run, left out\n");
	CHECK_STR(list, "p-1:a:40;p-1:b:40;q-1:a:40;q-1:b:40;");
}

TEST(a_pair_is_as_its_truth)
{
	write_run("mpx.gz", (struct run_of){ true, 0, RUN_SLICES, 1000, 1 });
	write_run("all.gz", (struct run_of){ false, 0, RUN_SLICES, 1000, 1 });
	char pair[] = "mpx.gz,all.gz"; /* cut at its comma */
	RUN(ep_cmd_export_training, "--pair", pair, "-o", "out.st");
	EP_AUTOFREE char *list = read_file("out.st.series");
	struct ep_safetensors *file = read_tensors("out.st");
	const float *truth = column_of(file, "truth", 2 * RUN_SLICES, 1);
	const float *exposure = column_of(file, "exposure", 2 * RUN_SLICES, 1);

	CHECK_INT(status, 0);
	CHECK_STR(list, "mpx:a:60;mpx:b:60;");
	for (uint32_t i = 0; i < 2 * RUN_SLICES; i++)
		CHECK_CLOSE(truth[i] * exposure[i],
			(double)run_count(i % RUN_SLICES, 1 + i / RUN_SLICES), 1e-5);
	ep_safetensors_destroy(file);
}

TEST(what_cannot_be_is_refused)
{
	static const struct {
		char *arguments[6], *says;
		int status;
	} rows[] = {
		{ { "p-1.csv" }, "usage: evreport export-training", 2 },
		{ { "-o", "out.st" }, "usage: evreport export-training", 2 },
		{ { "nosuch.csv", "-o", "out.st" }, "nosuch.csv: cannot open", 1 },
		{ { "p-1.csv", "-o", "no/such/folder" }, "no/such/folder: cannot write", 1 },
		{ { "short.csv", "-o", "out.st", "--counters", "1" },
			"short.csv: 1 slices, fewer than the 2 groups that take turns", 1 },
		{ { "--pair", "mpx.gz", "-o", "out.st" },
			"--pair mpx.gz: expected MPX.gz,OCOE.gz[,OCOE.gz...]", 1 },
		{ { "--pair", "all.gz,all.gz", "-o", "out.st" }, "all.gz: nothing to learn", 1 },
	};

	write_table("p-1.csv", 1);
	write_file("short.csv", "CYCLES,INSTR,a,b\n1000,500,1,2\n");
	write_run("mpx.gz", (struct run_of){ true, 0, RUN_SLICES, 1000, 1 });
	write_run("all.gz", (struct run_of){ false, 0, RUN_SLICES, 1000, 1 });
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const char *given = rows[i].arguments[1];
		char pair[32];

		snprintf(pair, sizeof(pair), "%s", given ? given : "");
		RUN(ep_cmd_export_training, rows[i].arguments[0], given ? pair : NULL,
			rows[i].arguments[2], rows[i].arguments[3], rows[i].arguments[4]);
		CHECK_MSG(status == rows[i].status, "row %zu: status %d", i, status);
		CHECK_HAS(err, rows[i].says);
	}
}
