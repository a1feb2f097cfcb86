// SPDX-License-Identifier: BSD-3-Clause
/*
 * What a reader of the report must know, in plain words: first what makes numbers less sure, then
 * what is worth knowing. One function per matter, one row in the table.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reporter/report/internal.h"

static void add(struct ep_builder *builder, enum ep_finding_kind kind, const char *text)
{
	struct ep_report *report = builder->report;

	if (ep_array_reserve((void **)&report->findings, report->n_findings,
		    &report->finding_capacity, sizeof(*report->findings))) {
		builder->out_of_memory = true;
		return;
	}
	report->findings[report->n_findings++] = (struct ep_report_finding){ kind, text };
}

#define WARN(builder, ...) add(builder, EP_FINDING_WARNING, ep_text(builder, __VA_ARGS__))
#define NOTE(builder, ...) add(builder, EP_FINDING_NOTE, ep_text(builder, __VA_ARGS__))

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- the file ---- */

static void find_damage(struct ep_builder *b)
{
	const struct ep_reader_stats *r = &b->trace->reader;

	if (r->n_damages)
		WARN(b,
			"The trace is damaged: %" PRIu64 " byte%s in %" PRIu64
			" place%s could not be read "
			"(the first at byte %" PRIu64 "); the report is of the rest.",
			r->damaged_bytes, plural(r->damaged_bytes), r->n_damages,
			plural(r->n_damages), r->first_damage_at);
	if (r->cut_bytes)
		WARN(b,
			"The trace was cut: its last %" PRIu64
			" bytes are a block that is not whole, "
			"and what came after is not there.",
			r->cut_bytes);
	if (r->n_bad_frames)
		WARN(b,
			"The inside of %" PRIu64
			" piece%s of the trace made no sense beyond some point and was left out.",
			r->n_bad_frames, plural(r->n_bad_frames));
	if (r->n_other_version)
		WARN(b,
			"%" PRIu64 " piece%s of the trace are of format version %u, which this "
				   "evreport does not read.",
			r->n_other_version, plural(r->n_other_version), r->other_version);
}

static void find_blocks(struct ep_builder *b)
{
	const struct ep_loss *l = &b->trace->loss;

	if (l->n_undecodable)
		WARN(b, "%" PRIu64 " block%s made no sense and %s left out.", l->n_undecodable,
			plural(l->n_undecodable), l->n_undecodable == 1 ? "was" : "were");
	if (l->n_without_meta)
		WARN(b,
			"%" PRIu64
			" block%s of samples belong to processes whose description is not in the "
			"trace; they are left out.",
			l->n_without_meta, plural(l->n_without_meta));
	if (l->n_unknown_types)
		NOTE(b,
			"%" PRIu64
			" block%s of a kind that this evreport does not know %s skipped: a newer "
			"evprof wrote them.",
			l->n_unknown_types, plural(l->n_unknown_types),
			l->n_unknown_types == 1 ? "was" : "were");
}

static void find_other_runs(struct ep_builder *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->trace->n_processes; i++)
		n += b->trace->processes[i].is_other_run;
	if (n)
		WARN(b,
			"The file holds more than one run: %u process%s are not of the first one's "
			"tree. "
			"Sums are over all; --process PID shows one.",
			n, n == 1 ? "" : "es");
}

/* ---- samples ---- */

static void find_lost(struct ep_builder *b)
{
	const struct ep_loss *l = &b->trace->loss;

	if (l->n_lost_slices)
		WARN(b,
			"%" PRIu64 " sample%s (%.2g %%) were lost while recording, because a "
				   "thread could not write "
			"in time. A longer period (EVPROF_PERIOD) loses fewer.",
			l->n_lost_slices, plural(l->n_lost_slices),
			100 * (double)l->n_lost_slices /
				(double)(l->n_lost_slices + b->report->n_samples));
	if (l->n_missing_slices)
		WARN(b,
			"%" PRIu64 " sample%s are missing by their numbers: they were in the part "
				   "of the trace that is "
			"not there.",
			l->n_missing_slices, plural(l->n_missing_slices));
	if (l->n_without_path)
		WARN(b,
			"The call path of %" PRIu64
			" sample%s is not in the trace; their time is under "
			"[no call path].",
			l->n_without_path, plural(l->n_without_path));
	if (l->n_odd)
		WARN(b, "%" PRIu64 " sample%s had impossible times and %s left out.", l->n_odd,
			plural(l->n_odd), l->n_odd == 1 ? "was" : "were");
}

static void find_too_short(struct ep_builder *b)
{
	const struct ep_report *r = b->report;

	if (!r->n_samples)
		WARN(b,
			"There is no sample: %.3g ms of CPU time is less than one slice (%.3g ms). "
			"Totals are "
			"right, procedures cannot be told. A longer run, or a shorter "
			"EVPROF_PERIOD, helps.",
			(double)r->cpu_ns / 1e6, r->period_ms);
	else if (r->n_samples < 100)
		WARN(b,
			"Only %" PRIu64
			" sample%s: shares are rough (a share of 50 %% is sure to %.0f points). "
			"A longer run, or a shorter EVPROF_PERIOD, helps.",
			r->n_samples, plural(r->n_samples),
			100 / __builtin_sqrt((double)r->n_samples));
}

static void find_uncovered(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	double covered = r->cpu_ns ? (double)r->sampled_ns / (double)r->cpu_ns : 1;

	if (r->n_samples && covered < 0.95)
		WARN(b,
			"Samples cover %.0f %% of the CPU time; the rest is in threads that were "
			"too short for a "
			"sample, or in samples that are not there. Shares of procedures are of "
			"what is covered.",
			100 * covered);
}

static void find_hidden(struct ep_builder *b)
{
	const struct ep_report *r = b->report;

	if (r->hidden_ns)
		NOTE(b,
			"%.1f %% of the CPU time was in kernel mode, where this clock "
			"(task-clock:u) cannot look. "
			"It is shown as one row and counted in no procedure. "
			"kernel.perf_event_paranoid=1 "
			"lets the clock see it.",
			100 * (double)r->hidden_ns / (double)r->sampled_ns);
}

static double share_of_samples(const struct ep_builder *b, uint64_t n)
{
	return b->report->n_samples ? 100 * (double)n / (double)b->report->n_samples : 0;
}

static void find_stacks(struct ep_builder *b)
{
	const struct ep_loss *l = &b->trace->loss;

	if (share_of_samples(b, l->n_broken_stacks) >= 1)
		NOTE(b,
			"%.0f %% of the call paths could not be followed to their beginning (code "
			"without unwinding "
			"tables); total of their callers is too small, self is right.",
			share_of_samples(b, l->n_broken_stacks));
	if (share_of_samples(b, l->n_cut_stacks) >= 1)
		NOTE(b,
			"%.0f %% of the call paths were deeper than is recorded; total of their "
			"outermost callers is "
			"too small, self is right.",
			share_of_samples(b, l->n_cut_stacks));
}

/* ---- counters ---- */

static void find_counters(struct ep_builder *b)
{
	const struct ep_loss *l = &b->trace->loss;

	if (l->n_not_run)
		WARN(b,
			"In %.1f %% of the slices the counters did not run; their values are "
			"estimated.",
			share_of_samples(b, l->n_not_run));
	if (l->n_incomplete)
		WARN(b, "In %.1f %% of the slices the counts are incomplete.",
			share_of_samples(b, l->n_incomplete));
	if (l->idle_us)
		WARN(b,
			"Something else used the counters for %.1f %% of the time (the kernel "
			"shared them out); counts are "
			"scaled for that.",
			b->report->sampled_ns
				? 100 * (double)l->idle_us * 1000 / (double)b->report->sampled_ns
				: 0);
	if (b->report->has_estimates)
		NOTE(b,
			"More events than counters: each was measured in a part of the slices and "
			"estimated for the "
			"others (%s). Such values are marked with ~.",
			b->report->filler_summary);
}

static void find_unmeasured(struct ep_builder *b)
{
	for (uint32_t e = 0; e < b->report->n_events; e++)
		if (b->report->events[e].total.is_missing && b->report->n_samples)
			WARN(b,
				"%s was never measured: the run was too short for its turn, or it "
				"could not "
				"be counted.",
				b->report->events[e].name);
}

/* ---- names ---- */

static void say_status(
	struct ep_builder *b, enum ep_module_status status, const struct ep_report_row *row)
{
	double percent = 100 * row->self_share;

	if (status == EP_MODULE_CHANGED)
		WARN(b,
			"%s is not the file that ran (its build-id differs): its %.1f %% of the "
			"time has no "
			"names.",
			row->module, percent);
	if (status == EP_MODULE_NEWER)
		WARN(b,
			"%s is newer than the run and has no build-id: its names (%.1f %% of the "
			"time) may be "
			"wrong.",
			row->module, percent);
	if (status == EP_MODULE_ABSENT)
		WARN(b,
			"%s is not on this machine: its %.1f %% of the time has no names. "
			"--sysroot DIR tells "
			"where its files are.",
			row->module, percent);
}

static void find_modules(struct ep_builder *b)
{
	for (uint32_t i = 0; i < b->report->modules.n_rows; i++) {
		const struct ep_report_row *row = &b->report->modules.rows[i];

		if (!row->module[0] || row->self_share < 0.001)
			continue;
		for (uint32_t m = 0; m < b->trace->n_modules; m++)
			if (b->trace->modules[m].path == row->module)
				say_status(b, ep_symbols_module_status(b->symbols, m), row);
	}
}

static void find_debug_info(struct ep_builder *b)
{
	double without = 0;

	for (uint32_t i = 0; i < b->report->lines.n_rows; i++)
		if (b->report->lines.rows[i].is_known && !b->report->lines.rows[i].file)
			without += b->report->lines.rows[i].self_share;
	if (without >= 0.2)
		NOTE(b,
			"%.0f %% of the time is in code without line information; compiled with -g "
			"(optimisation may "
			"stay on), the report names source lines and inlined procedures.",
			100 * without);
}

/* ---- what happened ---- */

static void find_unfinished(struct ep_builder *b)
{
	const struct ep_loss *l = &b->trace->loss;

	if (l->n_unfinished_processes)
		NOTE(b,
			"%" PRIu64 " process%s left no end in the trace: killed, still running, or "
				   "lost with a part of "
			"the file. At most its last second is missing.",
			l->n_unfinished_processes, l->n_unfinished_processes == 1 ? "" : "es");
}

static void find_signals(struct ep_builder *b)
{
	for (uint32_t i = 0; i < b->report->n_processes; i++) {
		const struct ep_report_process *p = &b->report->processes[i];

		if (!strncmp(p->ended, "killed", 6))
			NOTE(b, "%s (process %u) was %s.", p->program, p->pid, p->ended);
	}
}

static void find_waiting(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	double all = (double)(r->cpu_ns + r->waiting_ns);

	if (r->n_threads && all > 0 && (double)r->waiting_ns > 0.5 * all)
		NOTE(b,
			"Threads spent %.0f %% of their time waiting (sleeping, blocked, or ready "
			"without a CPU); the "
			"shares in this report are of CPU time.",
			100 * (double)r->waiting_ns / all);
}

static void find_imbalance(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	double mean = r->n_threads ? (double)r->cpu_ns / r->n_threads : 0;

	if (r->n_threads >= 3 && r->n_processes == 1 && (double)r->threads[0].cpu_ns > 2 * mean)
		NOTE(b,
			"The work is spread unevenly: thread %s (%u) used %.0f %% of the CPU time, "
			"an even share of %u "
			"threads would be %.0f %%.",
			r->threads[0].name, r->threads[0].tid, 100 * r->threads[0].share,
			r->n_threads, 100.0 / r->n_threads);
}

static void find_own_cost(struct ep_builder *b)
{
	const struct ep_report *r = b->report;
	double share = r->cpu_ns ? (double)r->own_ns / (double)r->cpu_ns : 0;

	if (share > 0.02)
		NOTE(b,
			"evprof itself took %.1f %% on top of the program's CPU time (not counted "
			"in it). A longer "
			"EVPROF_PERIOD makes it less.",
			100 * share);
}

static void (*const matters[])(struct ep_builder *builder) = {
	find_damage,
	find_blocks,
	find_other_runs,
	find_lost,
	find_too_short,
	find_uncovered,
	find_counters,
	find_unmeasured,
	find_modules,
	find_hidden,
	find_stacks,
	find_debug_info,
	find_unfinished,
	find_signals,
	find_waiting,
	find_imbalance,
	find_own_cost,
};

/* The notes of the library itself: one line, the rest as findings. */
static void take_notes(struct ep_builder *b)
{
	const struct ep_trace *trace = b->trace;

	if (trace->n_notes)
		b->report->missing = trace->notes[0];
	for (uint32_t i = 1; i < trace->n_notes; i++)
		NOTE(b, "%s", trace->notes[i]);
}

void ep_build_findings(struct ep_builder *builder)
{
	for (size_t i = 0; i < sizeof(matters) / sizeof(matters[0]); i++)
		matters[i](builder);
	take_notes(builder);
}
