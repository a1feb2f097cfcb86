// SPDX-License-Identifier: BSD-3-Clause
/* From a finished report to metrics. */
#include "tests/unit/test.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/scopes.h"
#include "reporter/metrics/summary.h"

static void use_shipped_formulas(void)
{
	char root[4096];

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
}

enum { N_EVENTS = 3 };

#define KNOWN(v)                                                                                   \
	{                                                                                          \
		.value = (v), .state = EP_QUANTITY_KNOWN                                           \
	}

static struct ep_report_event events[N_EVENTS] = {
	{ .name = "CPU_CYCLES", .total = { .count = KNOWN(1000), .measured_share = 1 } },
	{ .name = "r7005",
		.total = { .count = KNOWN(40), .is_estimate = true, .measured_share = 0.25 } },
	{ .name = "arm_kunpeng::EXE_STALL_CYCLE" },
};
static struct ep_report_value thread_values[N_EVENTS] = { { .count = KNOWN(10) },
	{ .count = KNOWN(4) }, { .count = KNOWN(8) } };
static struct ep_report_value procedure_values[N_EVENTS] = { { .count = KNOWN(5) },
	{ .count = KNOWN(2) } };
static struct ep_report_thread thread = { .pid = 7,
	.tid = 8,
	.name = "worker",
	.duration_s = 2,
	.cpu_ns = 1500000000,
	.values = thread_values };
static struct ep_report_row procedure = {
	.name = "solve(int)", .self_ns = 500000000, .values = procedure_values
};
static double rates[2] = { 300, 200 }, busy[2] = { 0.5, 1 };
static struct ep_report_process process = { .pid = 7, .program = "app", .duration_s = 2.5 };
static const struct ep_report report = { .n_bins = 2,
	.bin_s = 2,
	.cpus_busy = busy,
	.processes = &process,
	.n_processes = 1,
	.n_threads = 1,
	.command = "./app",
	.duration_s = 3,
	.n_cpus = 4,
	.cpu_ns = 2000000000,
	.events = events,
	.n_events = N_EVENTS,
	.threads = &thread,
	.n_threads_shown = 1,
	.procedures = { .rows = &procedure, .n_rows = 1, .n_shown = 1 } };

#define by(what) ((struct ep_scope_request){ what, 0, NAN, NAN })

static void check_unknown(const struct ep_metric_scopes *scopes, const char *name)
{
	const struct ep_measured *m = ep_values_find(&scopes->scopes[0].values, name);

	CHECK_MSG(m && !m->is_measured, "%s is %g", name, m ? m->value : NAN);
}

static void check_value(const struct ep_metric_scopes *scopes, const char *name, double expected)
{
	const struct ep_measured *m = ep_values_find(&scopes->scopes[0].values, name);

	CHECK_MSG(m && m->is_measured, "no %s", name);
	if (m)
		CHECK_CLOSE(m->value, expected, 0);
}

TEST(a_scope_has_counts_times_and_formula_names)
{
	struct ep_chosen_models chosen = { 0 };
	struct ep_metric_scopes scopes = { 0 };
	struct ep_error err = { 0 };
	const struct ep_measured *m;

	use_shipped_formulas();
	CHECK_MSG(!ep_chosen_models_open(&chosen, "topdown", "kunpeng920", NULL, &err), "%s",
		err.message);
	CHECK_INT(
		ep_metric_scopes_create(&report, &by(EP_SCOPE_PROGRAM), &chosen.table, &scopes), 0);
	CHECK_INT(scopes.n_scopes, 1);
	CHECK_STR(scopes.scopes[0].name, "./app");
	check_value(&scopes, "CPU_CYCLES", 1000);
	check_value(&scopes, "MEM_STALL_ANYSTORE", 40);
	check_value(&scopes, "duration_time", 3);
	check_value(&scopes, "task-clock", 2e9);
	check_value(&scopes, "#num_cpus_online", 4);
	m = ep_values_find(&scopes.scopes[0].values, "MEM_STALL_ANYSTORE");
	CHECK(m && isnan(m->standard_error));
	CHECK_CLOSE(m ? m->coverage : 0, 0.25, 0);
	m = ep_values_find(&scopes.scopes[0].values, "EXE_STALL_CYCLE");
	CHECK(m && !m->is_measured);
	ep_metric_scopes_finish(&scopes);
	ep_chosen_models_close(&chosen);
}

/* The simulator's time is not the program's: no rate is of it. */
TEST(a_simulated_run_has_no_duration)
{
	struct ep_report simulated = report;
	struct ep_event_table none = { 0 };
	struct ep_metric_scopes scopes = { 0 };

	simulated.is_simulated = true;
	for (int by_what = EP_SCOPE_PROGRAM; by_what <= EP_SCOPE_PROCEDURE; by_what++) {
		CHECK_INT(ep_metric_scopes_create(
				  &simulated, &by((enum ep_scope_by)by_what), &none, &scopes),
			0);
		CHECK(scopes.n_scopes &&
			!ep_values_find(&scopes.scopes[0].values, "duration_time"));
		CHECK(scopes.n_scopes && ep_values_find(&scopes.scopes[0].values, "CPU_CYCLES"));
		ep_metric_scopes_finish(&scopes);
	}
}

TEST(threads_and_procedures_are_scopes)
{
	struct ep_event_table none = { 0 };
	struct ep_metric_scopes scopes = { 0 };

	CHECK_INT(ep_metric_scopes_create(&report, &by(EP_SCOPE_THREAD), &none, &scopes), 0);
	CHECK_STR(scopes.scopes[0].name, "worker 7/8");
	check_value(&scopes, "EXE_STALL_CYCLE", 8);
	check_value(&scopes, "duration_time", 2);
	ep_metric_scopes_finish(&scopes);
	CHECK_INT(ep_metric_scopes_create(&report, &by(EP_SCOPE_PROCEDURE), &none, &scopes), 0);
	CHECK_STR(scopes.scopes[0].name, "solve(int)");
	check_value(&scopes, "CPU_CYCLES", 5);
	check_value(&scopes, "duration_time", 0.5);
	ep_metric_scopes_finish(&scopes);
}

TEST(lines_are_scopes)
{
	struct ep_report_value values[2] = { { .count = KNOWN(7), .measured_share = 1 },
		{ .count = KNOWN(1) } };
	struct ep_report_row rows[2] = {
		{ .name = "f(int)",
			.short_name = "f",
			.file = "/a/b.c",
			.line = 12,
			.values = values,
			.n_samples = 3,
			.self_ns = 5 },
		{ .name = "g", .short_name = "g", .values = values },
	};
	struct ep_report_event two[2] = { { .name = "CPU_CYCLES" }, { .name = "x" } };
	struct ep_report by_lines = { .n_events = 2,
		.events = two,
		.cpu_ns = 10,
		.lines = { .rows = rows, .n_rows = 2, .n_shown = 2 } };
	const struct ep_scope_request by_line = { EP_SCOPE_LINE, 0, NAN, NAN };
	struct ep_event_table none = { 0 };
	struct ep_metric_scopes scopes = { 0 };

	CHECK_INT(ep_metric_scopes_create(&by_lines, &by_line, &none, &scopes), 0);
	CHECK_INT(scopes.n_scopes, 2);
	CHECK_STR(scopes.scopes[0].name, "f, b.c:12");
	CHECK_INT(scopes.scopes[0].n_samples, 3);
	CHECK(ep_values_find(&scopes.scopes[0].values, "CPU_CYCLES")->value == 7);
	CHECK_STR(scopes.scopes[1].name, "g");
	ep_metric_scopes_finish(&scopes);
}

TEST(estimates_carry_the_estimators_error)
{
	struct ep_event_table none = { 0 };
	struct ep_metric_scopes scopes = { 0 };
	const struct ep_measured *m;

	events[1].error = ep_quantity_exact(8);
	CHECK_INT(ep_metric_scopes_create(&report, &by(EP_SCOPE_PROGRAM), &none, &scopes), 0);
	m = ep_values_find(&scopes.scopes[0].values, "r7005");
	CHECK_CLOSE(m ? m->standard_error : NAN, 8, 1e-12);
	m = ep_values_find(&scopes.scopes[0].values, "CPU_CYCLES");
	CHECK_CLOSE(m ? m->standard_error : NAN, 0, 0);
	ep_metric_scopes_finish(&scopes);
	/* a quarter of the CPU time, estimated in the same share of it: a quarter of the variance
	 */
	procedure_values[1].is_estimate = true;
	procedure_values[1].measured_share = 0.25;
	CHECK_INT(ep_metric_scopes_create(&report, &by(EP_SCOPE_PROCEDURE), &none, &scopes), 0);
	m = ep_values_find(&scopes.scopes[0].values, "r7005");
	CHECK_CLOSE(m ? m->standard_error : NAN, 4, 1e-12);
	ep_metric_scopes_finish(&scopes);
	events[1].error = ep_quantity_unknown(NULL);
}

TEST(processes_add_up_their_threads)
{
	struct ep_event_table none = { 0 };
	struct ep_metric_scopes scopes = { 0 };

	CHECK_INT(ep_metric_scopes_create(&report, &by(EP_SCOPE_PROCESS), &none, &scopes), 0);
	CHECK_INT(scopes.n_scopes, 1);
	CHECK_STR(scopes.scopes[0].name, "app 7");
	check_value(&scopes, "CPU_CYCLES", 10);
	check_value(&scopes, "duration_time", 2.5);
	check_value(&scopes, "task-clock", 1.5e9);
	ep_metric_scopes_finish(&scopes);
}

/* A program that another one of the same pid executed, or two nodes' processes. */
TEST(processes_of_one_pid_have_their_own_threads)
{
	static struct ep_report_value more_values[N_EVENTS] = { { .count = KNOWN(70) } };
	struct ep_report_thread two_threads[2] = { thread, thread };
	struct ep_report_process two_processes[2] = { process, process };
	struct ep_report two = report;
	struct ep_event_table none = { 0 };
	struct ep_metric_scopes scopes = { 0 }, second;

	two_threads[1].values = more_values;
	two_threads[1].process_idx = two_processes[1].process_idx = 1;
	two.threads = two_threads;
	two.processes = two_processes;
	two.n_threads = two.n_processes = 2;
	CHECK_INT(ep_metric_scopes_create(&two, &by(EP_SCOPE_PROCESS), &none, &scopes), 0);
	CHECK_INT(scopes.n_scopes, 2);
	check_value(&scopes, "CPU_CYCLES", 10);
	check_value(&scopes, "task-clock", 1.5e9);
	second = (struct ep_metric_scopes){ .scopes = &scopes.scopes[1], .n_scopes = 1 };
	check_value(&second, "CPU_CYCLES", 70);
	ep_metric_scopes_finish(&scopes);
}

TEST(pieces_of_time_and_a_range_of_it)
{
	struct ep_scope_request late = { EP_SCOPE_PROGRAM, 0, 2.1, NAN };
	struct ep_event_table none = { 0 };
	struct ep_metric_scopes scopes = { 0 };

	events[0].rate = rates;
	CHECK_INT(ep_metric_scopes_create(&report, &by(EP_SCOPE_TIME), &none, &scopes), 0);
	CHECK_INT(scopes.n_scopes, 2);
	CHECK_STR(scopes.scopes[0].name, "0 s to 2 s");
	check_value(&scopes, "CPU_CYCLES", 600);
	check_value(&scopes, "task-clock", 1e9);
	check_unknown(&scopes, "r7005"); /* known of the whole run, not over time: no 0 */
	ep_metric_scopes_finish(&scopes);
	CHECK_INT(ep_metric_scopes_create(&report, &late, &none, &scopes), 0);
	CHECK_INT(scopes.n_scopes, 1);
	check_value(&scopes, "CPU_CYCLES", 400);
	check_unknown(&scopes, "r7005");
	check_value(&scopes, "duration_time", 2);
	ep_metric_scopes_finish(&scopes);
	events[0].rate = NULL;
}

TEST(models_are_those_of_the_traces_cpu)
{
	static const struct {
		const char *cpuid, *cpu;
		uint32_t n_models;
	} cases[] = {
		{ "GenuineIntel-6-55-7", "skx", 3 },
		{ "AuthenticAMD-23-31-0", "zen2", 3 },
		{ "0x00000000460f0010", "a64fx", 3 },
		{ "0x00000000410fd0c1", "neoverse-n1", 3 },
		{ "2.2 (pvr 004e 1202)", "power9", 3 },
		/* Linux's generic events, and software's */
		{ "GenuineIntel-6-3-1", NULL, 3 },
		{ "", NULL, 3 },
	};

	use_shipped_formulas();
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_chosen_models chosen = { 0 };
		struct ep_error err = { 0 };

		CHECK_MSG(!ep_chosen_models_open(&chosen, NULL, NULL, cases[i].cpuid, &err),
			"%s: %s", cases[i].cpuid, err.message);
		if (cases[i].cpu)
			CHECK_STR(chosen.cpu, cases[i].cpu);
		else
			CHECK_MSG(!chosen.cpu, "%s is %s", cases[i].cpuid, chosen.cpu);
		CHECK_INT(chosen.n_models, cases[i].n_models);
		ep_chosen_models_close(&chosen);
	}
}

TEST(unknown_models_list_what_there_is)
{
	struct ep_chosen_models chosen = { 0 };
	struct ep_error err = { 0 };

	use_shipped_formulas();
	CHECK_INT(ep_chosen_models_open(&chosen, "topdown,nope", "skx", NULL, &err), -ENOENT);
	CHECK(strstr(err.message, "no model 'nope' for skx; there are:"));
	const char *first = strstr(err.message, " topdown");

	CHECK(first && !strstr(first + 1, " topdown")); /* the CPU's, not everybody's as well */
	CHECK_INT(ep_chosen_models_open(&chosen, "nosuch.formula", "skx", NULL, &err), -ENOENT);
	CHECK(strstr(err.message, "cannot open"));
}

static const char summary_model[] =
	"evprof-formula 1\n\n[model]\nname = topdown\ntitle = A test\ncpu = test\n"
	"serves = TestVendor-1-1\n\n"
	"[metric Whole]\nexpr = CPU_CYCLES\n\n"
	"[metric Lost]\nexpr = r7005 / Whole\nlevel = 1\nkind = share\nbase = Whole\n\n"
	"[metric Deep]\nexpr = Lost / 2\nlevel = 2\nparent = Lost\n\n"
	"[metric Absent]\nexpr = NOT_COUNTED / Whole\nlevel = 1\n\n"
	"[metric Above]\nexpr = 2 * Whole / Whole\nlevel = 1\nkind = share\n\n"
	"[metric Doubtful]\nexpr = 3 * CPU_CYCLES\nlevel = 1\nverdict = contradicted: so\n";
static const char summary_software[] =
	"evprof-formula 1\n\n[model]\nname = software\ncpu = generic\n\n"
	"[metric Time]\nexpr = duration_time\nlevel = 1\n";

static void write_model(const char *folder, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	EP_AUTOFCLOSE FILE *out = fopen(path, "w");
	CHECK(out && fputs(text, out) >= 0);
}

/* Summarises the report above with these formulas; the caller finishes what was added. */
static struct ep_report summarize(const char *model, const char *cpuid)
{
	char root[] = "/tmp/evprof-summary-XXXXXX", folder[64], path[128];
	struct ep_report own = report;

	CHECK(mkdtemp(root) != NULL);
	snprintf(folder, sizeof(folder), "%s/x", root);
	CHECK_INT(mkdir(folder, 0700), 0);
	write_model(folder, "topdown.formula", model);
	write_model(folder, "software.formula", summary_software);
	setenv("EVPROF_FORMULAS", root, 1);
	CHECK_INT(ep_metrics_summarize(&own, cpuid), 0);
	snprintf(path, sizeof(path), "%s/topdown.formula", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/software.formula", folder);
	unlink(path);
	CHECK_INT(rmdir(folder) | rmdir(root), 0);
	return own;
}

static void finish_summary(struct ep_report *own)
{
	free(own->metrics);
	ep_said_finish(&own->said);
	ep_strings_finish(&own->own_texts);
}

TEST(the_report_gets_what_level_one_says)
{
	struct ep_report own = summarize(summary_model, "TestVendor-1-1-3");

	CHECK_INT(own.n_metrics, 3);
	CHECK_INT(own.n_metrics_hidden, 2);
	if (own.n_metrics == 3) {
		CHECK_STR(own.metrics[0].name, "Lost");
		CHECK_STR(own.metrics[0].base, "Whole");
		CHECK_STR(own.metrics[0].title, "A test");
		CHECK_CLOSE(own.metrics[0].value.value, 0.04, 1e-12);
		CHECK_INT(own.metrics[0].value.state, EP_QUANTITY_ROUGH);
		CHECK(own.metrics[0].is_share && isnan(ep_quantity_bar(&own.metrics[0].value)));
		CHECK_CLOSE(own.metrics[0].coverage, 0.25, 0);
		CHECK(!own.metrics[0].is_contradicted && !own.metrics[0].is_invalid);
		CHECK(own.metrics[1].is_invalid);
		CHECK_STR(own.metrics[2].name, "Doubtful");
		CHECK(own.metrics[2].is_contradicted);
		CHECK_CLOSE(ep_quantity_error(&own.metrics[2].value), 0, 0);
	}
	CHECK_INT(own.said.n_findings, 0);
	finish_summary(&own);
}

TEST(without_models_there_are_no_metrics_and_a_bad_file_is_named)
{
	struct ep_report other = summarize(summary_model, "OtherVendor-1-1-1");
	struct ep_report unknown = summarize(summary_model, NULL);
	struct ep_report bad = summarize("evprof-formula 1\n[nonsense]\n", "TestVendor-1-1-3");

	CHECK_INT(other.n_metrics + other.n_metrics_hidden + other.said.n_findings, 0);
	CHECK_INT(unknown.n_metrics + unknown.n_metrics_hidden + unknown.said.n_findings, 0);
	CHECK_INT(bad.n_metrics, 0);
	CHECK_INT(bad.said.n_findings, 1);
	if (bad.said.n_findings)
		CHECK_MSG(strstr(bad.said.findings[0].text, "topdown.formula:2"), "%s",
			bad.said.findings[0].text);
	finish_summary(&other);
	finish_summary(&unknown);
	finish_summary(&bad);
}
