// SPDX-License-Identifier: BSD-3-Clause
/* Sentences on a file and on its samples, over traces that are nothing but numbers. */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"
#include "reporter/words/words.h"

/* A whole run: 1000 samples of 2 s in one thread. */
static struct ep_trace trace;
static struct ep_report report;
static struct ep_trace_thread threads[1];
static struct ep_trace_process processes[2];
static struct ep_report_thread rows_of_threads[1];

static void begin(void)
{
	trace = (struct ep_trace){ .threads = threads,
		.n_threads = 1,
		.processes = processes,
		.n_processes = 2,
		.reader.n_files = 1 };
	report = (struct ep_report){ .threads = rows_of_threads,
		.n_threads = 1,
		.n_samples = 1000,
		.period_ms = 2,
		.cpu_ns = 2000000000,
		.sampled_ns = 2000000000 };
}

static void find(void)
{
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	ep_build_findings(&words);
	CHECK(!words.out_of_memory);
}

static void finish(void)
{
	ep_said_finish(&report.said);
	ep_strings_finish(&trace.strings);
}

/* One loss each, and all that is said of it. */
TEST(one_loss_one_finding)
{
	static const struct {
		uint64_t *n;
		uint64_t value;
		enum ep_finding_kind kind;
		const char *text;
	} rows[] = {
		{ &trace.reader.cut_bytes, 12, EP_FINDING_WARNING,
			"The trace was cut: its last 12 bytes are the beginning of an incomplete block. "
			"Everything after them is missing." },
		{ &trace.reader.n_bad_frames, 1, EP_FINDING_WARNING,
			"The inside of 1 piece of the trace could not be decoded from some point "
			"on; what follows there was left out." },
		{ &trace.loss.n_undecodable, 2, EP_FINDING_WARNING,
			"Left out because they made no sense: 2 blocks." },
		{ &trace.loss.n_without_meta, 3, EP_FINDING_WARNING,
			"Left out because the description of their process is not in the trace: 3 "
			"blocks of samples." },
		{ &trace.loss.n_unknown_types, 1, EP_FINDING_NOTE,
			"Skipped because a newer evprof wrote them: 1 block of unknown kind." },
		{ &trace.loss.n_missing_slices, 4, EP_FINDING_WARNING,
			"Missing, as gaps in their numbers show: 4 samples. They were in a part of the trace "
			"that is lost." },
		{ &trace.loss.n_without_path, 5, EP_FINDING_WARNING,
			"The call path of 5 samples is not in the trace; their time is under [call "
			"path lost]." },
		{ &trace.loss.n_odd, 6, EP_FINDING_WARNING,
			"Left out because their times are impossible: 6 samples." },
		{ &trace.loss.n_lost_slices, 1000, EP_FINDING_WARNING,
			"Lost while recording: 1000 samples (50.0 %), because a thread could not "
			"write in time. A longer period (evprof run --period) loses fewer." },
		{ &trace.loss.n_lost_slices, 1, EP_FINDING_NOTE,
			"Lost while recording: 1 sample, less than 0.1 % of all." },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		begin();
		*rows[i].n = rows[i].value;
		find();
		CHECK_INT(report.said.n_findings, 1);
		if (report.said.n_findings == 1) {
			CHECK_STR(report.said.findings[0].text, rows[i].text);
			CHECK_INT(report.said.findings[0].kind, rows[i].kind);
		}
		finish();
	}
}

TEST(a_whole_run_has_nothing_to_say)
{
	begin();
	find();
	CHECK_INT(report.said.n_findings, 0);
	finish();
}

TEST(losses_come_in_order_and_notes_of_the_library_behind_them)
{
	struct ep_note notes[] = { { "no call paths here", false }, { "no counters", true } };

	begin();
	trace.loss.n_odd = 1;
	trace.loss.n_undecodable = 1;
	trace.reader.cut_bytes = 1;
	trace.notes = notes;
	trace.n_notes = 2;
	find();
	CHECK_INT(report.said.n_findings, 4);
	CHECK(strstr(report.said.findings[0].text, "was cut"));
	CHECK(strstr(report.said.findings[1].text, "1 block."));
	CHECK(strstr(report.said.findings[2].text, "impossible"));
	CHECK_STR(report.said.findings[3].text, "no call paths here");
	CHECK_INT(report.said.n_missing, 1);
	CHECK_STR(report.said.missing[0], "no counters");
	finish();
}

TEST(samples_that_say_little)
{
	static const struct {
		uint64_t n_samples, cpu_ms, sampled_ms, hidden_ms;
		const char *said;
	} rows[] = {
		{ 99, 198, 198, 0,
			"Only 99 samples: shares are rough (50 % may as well be 40 or 60)" },
		{ 0, 1, 0, 0,
			"There is no sample: 1 ms of CPU time is less than one slice (2 ms)" },
		{ 1000, 2000, 1800, 0, "Samples cover 90 % of the CPU time" },
		{ 1000, 2000, 2000, 100,
			"evprof run --kernel shows which procedures called the kernel." },
		{ 1000, 2000, 2000, 500, "is a guess. evprof run --kernel measures it." },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		begin();
		report.n_samples = rows[i].n_samples;
		report.cpu_ns = rows[i].cpu_ms * 1000000;
		report.sampled_ns = rows[i].sampled_ms * 1000000;
		report.hidden_ns = rows[i].hidden_ms * 1000000;
		find();
		CHECK_INT(report.said.n_findings, 1);
		CHECK_MSG(report.said.n_findings &&
				  strstr(report.said.findings[0].text, rows[i].said),
			"row %zu: %s", i,
			report.said.n_findings ? report.said.findings[0].text : "");
		finish();
	}
}

TEST(another_run_in_the_file)
{
	begin();
	processes[1].is_other_run = true;
	find();
	CHECK_INT(report.said.n_findings, 1);
	CHECK(strstr(report.said.findings[0].text,
		"The file holds more than one run: 1 process is not of the first one's tree."));
	processes[1].is_other_run = false;
	finish();
}

/* The symbols of two processes' code that was made at run time, with folders where their
 * maps would be. */
static struct ep_symbols *look_up_in(const char *root, struct ep_module_info modules[2])
{
	struct ep_symbols_options options = { .sysroot = root };
	struct ep_symbols *symbols;
	const struct ep_frame *frames;
	uint32_t n;

	trace.modules = modules;
	trace.n_modules = 2;
	symbols = ep_symbols_create(&trace, &options);
	for (uint32_t i = 0; i < 2; i++)
		CHECK_INT(ep_symbols_resolve(symbols, i, 0x1000, false, &frames, &n), 0);
	return symbols;
}

TEST(maps_that_are_not_read)
{
	struct ep_module_info modules[2] = { { .path = "", .pid = 77 }, { .path = "", .pid = 78 } };
	char root[] = "/tmp/evprof-findings-XXXXXX", paths[3][64];
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	CHECK(mkdtemp(root) != NULL);
	snprintf(paths[0], sizeof(paths[0]), "%s/tmp", root);
	snprintf(paths[1], sizeof(paths[1]), "%s/tmp/perf-77.map", root);
	snprintf(paths[2], sizeof(paths[2]), "%s/tmp/perf-78.map", root);
	for (int i = 0; i < 3; i++)
		CHECK_INT(mkdir(paths[i], 0700), 0);
	begin();
	words.symbols = look_up_in(root, modules);
	ep_build_findings(&words);
	CHECK_INT(report.said.n_findings, 1);
	if (report.said.n_findings == 1)
		CHECK_STR(report.said.findings[0].text,
			"/tmp/perf-77.map is no regular file (but a link, a pipe, a folder): it is not read. "
			"The same holds for 1 more map.");
	ep_symbols_destroy(words.symbols);
	finish();
	for (int i = 2; i >= 0; i--)
		rmdir(paths[i]);
	rmdir(root);
}
