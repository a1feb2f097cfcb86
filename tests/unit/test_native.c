// SPDX-License-Identifier: BSD-3-Clause
/* cat_collect's own files. The stored ones are two runs of ideal events with an empty file. */
#include "tests/unit/test.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "kernels/derive/derive.h"
#include "kernels/native/gpu.h"
#include "kernels/native/native.h"

enum { KIND_BRANCH, KIND_VEC, KIND_FLOPS, KIND_READS, KIND_WRITES, KIND_ICACHE };

static int read_kind(struct ep_set *set, size_t kind, size_t *n_empty, struct ep_error *err)
{
	const char *root = getenv("EVPROF_SOURCE_ROOT");
	char path[PATH_MAX];
	struct ep_set_paths given = { .folder = path };

	snprintf(path, sizeof(path), "%s/tests/data/cat/native", root ? root : ".");
	*n_empty = 0;
	return ep_native_read(set, &given, kind, n_empty, err);
}

static const struct {
	size_t kind, n_events, n_rows, n_points, n_dims, n_empty;
	const char *metric, *event; /* rounded coefficient 1 */
} rows[] = {
	{ KIND_BRANCH, 3, 6, 11, 5, 2, "Conditional Branches Taken.",
		"BR_INST_RETIRED:COND_TAKEN" },
	{ KIND_VEC, 2, 4, 48, 16, 0, "SP Instrs.", "FP_ARITH_INST_RETIRED:SCALAR_SINGLE" },
	{ KIND_FLOPS, 2, 4, 300, 12, 0, "DP Ops.", "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE" },
	{ KIND_READS, 4, 8, 24, 4, 0, "L2 Hits.", "L2_RQSTS:DEMAND_DATA_RD_HIT" },
};

static double find_rounded(const struct ep_derivation *d, const char *metric, const char *event)
{
	long m = ep_labels_find(&d->set->signatures.rows, metric);
	long e = ep_labels_find(&d->set->events.names, event);

	for (size_t k = 0; m >= 0 && k < d->n_chosen; k++)
		if ((long)d->pivots[k].candidate == e)
			return d->rounded[(size_t)m * d->n_chosen + k];
	return NAN;
}

TEST(kinds_become_sets_that_derive)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_derivation d;
		struct ep_error err;
		struct ep_set set;
		size_t n_empty;
		int rc = read_kind(&set, rows[i].kind, &n_empty, &err);

		CHECK_MSG(!rc, "kind %zu: %s: %s", rows[i].kind, err.where, err.message);
		if (rc)
			continue;
		CHECK_INT(set.events.names.n, rows[i].n_events);
		CHECK_INT(set.events.n_rows, rows[i].n_rows);
		CHECK_INT(set.basis.rows.n, rows[i].n_points);
		CHECK_INT(set.events.n_points, rows[i].n_points);
		CHECK_INT(set.basis.columns.n, rows[i].n_dims);
		CHECK_INT(n_empty, rows[i].n_empty);
		CHECK_INT(ep_derive(&d, &set, &err), 0);
		CHECK_CLOSE(find_rounded(&d, rows[i].metric, rows[i].event), 1, 0);
		ep_derivation_finish(&d);
		ep_set_finish(&set);
	}
}

TEST(kinds_that_are_missing_or_have_no_expectations)
{
	struct ep_error err;
	struct ep_set set;
	size_t n_empty;

	CHECK_INT(read_kind(&set, KIND_WRITES, &n_empty, &err), -ENOENT);
	CHECK_INT(read_kind(&set, KIND_ICACHE, &n_empty, &err), -ENOTSUP);
}

TEST(bad_files_name_line_and_fault)
{
	static const struct {
		const char *name, *text;
		size_t kind;
		unsigned line;
		const char *message;
	} bad[] = {
		{ "A.branch", "1.00\n2.00 3.00\n", KIND_BRANCH, 2, "11 lines of one number" },
		{ "A.branch", "1.00\nx\n", KIND_BRANCH, 2, "\"x\" is not a finite number" },
		{ "A.branch", "nan\n", KIND_BRANCH, 1, "\"nan\" is not a finite number" },
		{ "A.vec", "# HP\n24 0\n96 0\n", KIND_VEC, 3, "expected count is not that" },
		{ "A.flops", "1 2 3 4 5 6 7 8 9 10\n", KIND_FLOPS, 1, "under a title" },
		{ "A.data.reads", "10332 1 1\n", KIND_READS, 1, "under \"# L1:\"" },
		{ "A.data.reads",
			"# L1:1 L2:2 L3:3\n# PTRN=3, STRIDE=64, PPB=512.0, ThreadCount=2\n5 1 1\n6 "
			"1\n",
			KIND_READS, 4, "1 threads, the lines above have 2" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(bad); i++) {
		char folder[] = "/tmp/evprof-native-XXXXXX", path[128], where[160];
		struct ep_set_paths given = { .folder = folder };
		struct ep_error err;
		struct ep_set set;
		size_t n_empty;

		CHECK(mkdtemp(folder) != NULL);
		snprintf(path, sizeof(path), "%s/%s", folder, bad[i].name);
		FILE *out = fopen(path, "w");
		fputs(bad[i].text, out);
		fclose(out);
		CHECK_INT(ep_native_read(&set, &given, bad[i].kind, &n_empty, &err), -EINVAL);
		snprintf(where, sizeof(where), "%s:%u", path, bad[i].line);
		CHECK_STR(err.where, where);
		CHECK_MSG(strstr(err.message, bad[i].message), "%zu: \"%s\"", i, err.message);
		unlink(path);
		rmdir(folder);
	}
}

/* Profilers' layouts of the same two launches of four points; all but one kernel is known. missing: the counters
 * without a number. */
static const struct {
	const char *name;
	size_t n_rows; /* events by repetitions */
	const char *text;
	const char *missing;
} gpu_tables[] = {
	{ "rocprof", 4,
		"Index,KernelName,gpu-id,grd,SQ_ADD,SQ_FMA\n"
		"0,\"K_A_H_256(float*, int) [clone .kd]\",0,64,256,0\n"
		"1,\"F_H_256(float*, int) [clone .kd]\",0,64,0,256\n"
		"2,\"warmup(int)\",0,64,7,7\n"
		"3,\"A_H_512(float*)\",0,64,512,0\n"
		"4,\"F_H_512(float*)\",0,64,0,512\n"
		"5,\"A_H_256.kd\",0,64,256,0\n"
		"6,\"F_H_256(float*)\",0,64,0,256\n"
		"7,\"A_H_512(float*)\",0,64,512,0\n"
		"8,\"F_H_512(float*)\",0,64,0,512\n",
		NULL },
	{ "launched more often here than there", 2,
		"Index,KernelName,gpu-id,grd,SQ_ADD,SQ_FMA\n"
		"0,\"A_H_256(float*)\",0,64,256,0\n"
		"1,\"F_H_256(float*)\",0,64,0,256\n"
		"3,\"A_H_512(float*)\",0,64,512,0\n"
		"4,\"F_H_512(float*)\",0,64,0,512\n"
		"7,\"A_H_512(float*)\",0,64,512,0\n"
		"8,\"F_H_512(float*)\",0,64,0,512\n",
		NULL },
	{ "a counter's name has a comma", 3,
		"Index,KernelName,gpu-id,SQ_ADD,SQ_FMA,\"TCC_HIT[0,1]\"\n"
		"0,\"A_H_256(float*)\",0,256,0,7\n"
		"1,\"F_H_256(float*)\",0,0,256,7\n"
		"2,\"A_H_512(float*)\",0,512,0,7\n"
		"3,\"F_H_512(float*)\",0,0,512,7\n",
		NULL },
	{ "ncu", 2,
		"==PROF== Connected\n"
		"\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
		"\"0\",\"A_H_256(float *)\",\"SQ_ADD\",\"inst\",\"256\"\n"
		"\"0\",\"A_H_256(float *)\",\"SQ_FMA\",\"inst\",\"0\"\n"
		"\"1\",\"A_H_1024(float *)\",\"SQ_ADD\",\"inst\",\"1,024\"\n"
		"\"1\",\"A_H_1024(float *)\",\"SQ_FMA\",\"inst\",\"0\"\n"
		"\"2\",\"F_H_256(float *)\",\"SQ_ADD\",\"inst\",\"0\"\n"
		"\"2\",\"F_H_256(float *)\",\"SQ_FMA\",\"inst\",\"256\"\n"
		"\"3\",\"F_H_512(float *)\",\"SQ_ADD\",\"inst\",\"0\"\n"
		"\"3\",\"F_H_512(float *)\",\"SQ_FMA\",\"inst\",\"512\"\n"
		"\"4\",\"A_S_512(float *)\",\"SQ_ADD\",\"inst\",\"512\"\n",
		NULL },
	{ "ncu, of a GPU that lacks two of the counters", 2,
		"\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
		"\"0\",\"A_H_256\",\"SQ_ADD\",\"inst\",\"256\"\n"
		"\"0\",\"A_H_256\",\"SQ_FMA\",\"inst\",\"0\"\n"
		"\"0\",\"A_H_256\",\"pipe_fp16\",\"\",\"n/a\"\n"
		"\"0\",\"A_H_256\",\"pipe_fp32\",\"\",\"n/a\"\n"
		"\"1\",\"A_H_1024\",\"SQ_ADD\",\"inst\",\"1,024\"\n"
		"\"1\",\"A_H_1024\",\"SQ_FMA\",\"inst\",\"0\"\n"
		"\"1\",\"A_H_1024\",\"pipe_fp16\",\"\",\"n/a\"\n"
		"\"2\",\"F_H_256\",\"SQ_ADD\",\"inst\",\"0\"\n"
		"\"2\",\"F_H_256\",\"SQ_FMA\",\"inst\",\"256\"\n"
		"\"3\",\"F_H_512\",\"SQ_ADD\",\"inst\",\"0\"\n"
		"\"3\",\"F_H_512\",\"SQ_FMA\",\"inst\",\"512\"\n",
		"pipe_fp16, pipe_fp32" },
};

TEST(gpu_tables_become_sets_that_derive)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(gpu_tables); i++) {
		char path[] = "/tmp/evprof-gpu-XXXXXX";
		struct ep_set_paths given = { .folder = "/tmp", .events = path };
		struct ep_derivation d;
		struct ep_error err;
		struct ep_set set;
		int fd = mkstemp(path);

		CHECK(write(fd, gpu_tables[i].text, strlen(gpu_tables[i].text)) > 0);
		close(fd);
		CHECK(ep_gpu_is_table(path));
		EP_AUTOFREE char *missing = NULL;
		int rc = ep_gpu_read(&set, &given, &missing, &err);
		CHECK_MSG(!rc, "%s: %s: %s", gpu_tables[i].name, err.where, err.message);
		unlink(path);
		if (rc)
			continue;
		CHECK_STR(
			missing ? missing : "", gpu_tables[i].missing ? gpu_tables[i].missing : "");
		CHECK_INT(set.basis.rows.n, 4);
		CHECK_INT(set.basis.columns.n, 2);
		CHECK_INT(set.events.n_rows, gpu_tables[i].n_rows);
		CHECK_INT(ep_derive(&d, &set, &err), 0);
		CHECK_CLOSE(find_rounded(&d, "All HP Ops.", "SQ_ADD"), 1, 0);
		CHECK_CLOSE(find_rounded(&d, "All HP Ops.", "SQ_FMA"), 2, 0);
		ep_derivation_finish(&d);
		ep_set_finish(&set);
	}
}

/* evcal-gpu below ncu on an H100: 9 counters of thread instructions, 32 for each of a warp. */
static int read_h100(struct ep_set *set, char **out_missing, struct ep_error *err)
{
	const char *root = getenv("EVPROF_SOURCE_ROOT");
	char path[PATH_MAX];
	struct ep_set_paths given = { .folder = "/tmp", .events = path };

	snprintf(path, sizeof(path), "%s/tests/data/cat/h100-ncu.csv.gz", root ? root : ".");
	return ep_gpu_read(set, &given, out_missing, err);
}

static double per_unit(const struct ep_set *set, const char *expectation, size_t point)
{
	long column = ep_labels_find(&set->basis.columns, expectation);

	CHECK(column >= 0);
	return set->basis.values[point * set->basis.columns.n + (size_t)column];
}

TEST(an_h100_counts_the_kernels_instructions)
{
	static const struct {
		const char *event, *what, *too; /* expectations; too: NULL: there is no other */
	} counters[] = {
		{ "hadd", "A_H", "S_H" },
		{ "hmul", "M_H", NULL },
		{ "hfma", "F_H", NULL },
		{ "fadd", "A_S", "S_S" },
		{ "fmul", "M_S", NULL },
		{ "ffma", "F_S", NULL },
		{ "dadd", "A_D", "S_D" },
		{ "dmul", "M_D", NULL },
		{ "dfma", "F_D", NULL },
	};
	EP_AUTOFREE char *missing = NULL;
	struct ep_error err;
	struct ep_set set;

	CHECK_INT(read_h100(&set, &missing, &err), 0);
	CHECK_STR(missing, "smsp__inst_executed_pipe_fp16.sum");
	CHECK_INT(set.basis.rows.n, 39);
	for (size_t i = 0; i < EP_ARRAY_SIZE(counters); i++) {
		char name[64];
		long event;

		snprintf(name, sizeof(name), "smsp__sass_thread_inst_executed_op_%s_pred_on.sum",
			counters[i].event);
		event = ep_labels_find(&set.events.names, name);
		CHECK(event >= 0);
		CHECK_INT(set.events.first_row[event + 1] - set.events.first_row[event], 5);
		for (size_t row = set.events.first_row[event];
			row < set.events.first_row[event + 1]; row++)
			for (size_t p = 0; p < set.events.n_points; p++) {
				double expected = per_unit(&set, counters[i].what, p);

				if (counters[i].too)
					expected += per_unit(&set, counters[i].too, p);
				CHECK_CLOSE(set.events.values[row * set.events.n_points + p],
					32 * expected, 0);
			}
	}
	ep_set_finish(&set);
}

TEST(what_an_h100_tells_apart)
{
	static const struct {
		const char *metric;
		enum ep_fitness fitness;
	} metrics[] = {
		{ "HP Add Ops.", EP_FITNESS_PARTIAL }, /* no counter is of additions alone */
		{ "HP Sub Ops.", EP_FITNESS_PARTIAL },
		{ "HP Add and Sub Ops.", EP_FITNESS_EXACT },
		{ "All HP Ops.", EP_FITNESS_EXACT },
		{ "All SP Ops.", EP_FITNESS_EXACT },
		{ "All DP Ops.", EP_FITNESS_EXACT },
	};
	EP_AUTOFREE char *missing = NULL;
	struct ep_derivation d;
	struct ep_error err;
	struct ep_set set;

	CHECK_INT(read_h100(&set, &missing, &err), 0);
	CHECK_INT(ep_derive(&d, &set, &err), 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(metrics); i++) {
		long m = ep_labels_find(&set.signatures.rows, metrics[i].metric);

		CHECK(m >= 0);
		CHECK_MSG(ep_derivation_fitness(&d, (size_t)m) == metrics[i].fitness, "%s",
			metrics[i].metric);
	}
	ep_derivation_finish(&d);
	ep_set_finish(&set);
}

TEST(a_gpu_table_of_too_many_columns_is_refused)
{
	char path[] = "/tmp/evprof-gpu-XXXXXX";
	struct ep_set_paths given = { .folder = "/tmp", .events = path };
	struct ep_error err;
	struct ep_set set;
	EP_AUTOFREE char *missing = NULL;
	FILE *out = fdopen(mkstemp(path), "w");

	fputs("Index,KernelName", out);
	for (int i = 0; i < 1023; i++)
		fprintf(out, ",C%d", i);
	fputc('\n', out);
	fclose(out);
	CHECK(!ep_gpu_is_table(path));
	CHECK_INT(ep_gpu_read(&set, &given, &missing, &err), -EINVAL);
	CHECK_MSG(strstr(err.message, "more than 1024 columns"), "%s", err.message);
	unlink(path);
}

TEST(bad_gpu_tables_name_line_and_fault)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *message;
	} bad[] = {
		{ "Index,KernelName,SQ\n0,A_H_256,x\n", 2, "\"x\" is not a finite number" },
		{ "Index,KernelName,SQ\n0,A_H_256,n/a\n", 0, "no kernel has a number" },
		{ "Index,KernelName,SQ\n0,A_H_256\n", 2, "2 fields, the header has 3" },
		{ "Index,KernelName,SQ\n0,other,1\n", 0, "no kernel is named like a point" },
		{ "KernelName,Counter_Name,Counter_Value\nA_H_256,A,1\nA_H_512,B,1\n", 0,
			"no point was launched for every counter" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(bad); i++) {
		char path[] = "/tmp/evprof-gpu-XXXXXX", where[64];
		struct ep_set_paths given = { .folder = "/tmp", .events = path };
		struct ep_error err;
		struct ep_set set;
		int fd = mkstemp(path);

		CHECK(write(fd, bad[i].text, strlen(bad[i].text)) > 0);
		close(fd);
		EP_AUTOFREE char *missing = NULL;
		CHECK_INT(ep_gpu_read(&set, &given, &missing, &err), -EINVAL);
		snprintf(where, sizeof(where), bad[i].line ? "%s:%u" : "%s", path, bad[i].line);
		CHECK_STR(err.where, where);
		CHECK_MSG(strstr(err.message, bad[i].message), "%zu: %s", i, err.message);
		unlink(path);
	}
}
