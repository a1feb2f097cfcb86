// SPDX-License-Identifier: BSD-3-Clause
/* Implements report.h: computes the numbers at the head of the report; other files of this folder build the
 * tables. Only one thread runs this code. */
#include "reporter/facts/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

const char *ep_builder_text(struct ep_builder *builder, const char *format, ...)
{
	const char *kept;
	va_list args;

	va_start(args, format);
	kept = ep_strings_format(&builder->trace->strings, format, args);
	va_end(args);
	if (!kept)
		builder->out_of_memory = true;
	return kept ? kept : "";
}

void *ep_builder_calloc(struct ep_builder *builder, size_t n, size_t size)
{
	void *memory = calloc(n + 1, size);

	if (!memory)
		builder->out_of_memory = true;
	return memory;
}

/* Makes a value from a sum. Slices without a count of the event get its mean rate over all slices that are
 * measured or filled. */
struct ep_report_value ep_value_of(
	const struct ep_builder *builder, const struct ep_event_sum *sum, uint32_t event_idx)
{
	const struct ep_event_sum *all = &builder->trace->events[event_idx].sum;
	double covered_us = (double)(all->measured_us + all->filled_us);
	uint64_t us = sum->measured_us + sum->filled_us + sum->missing_us;
	double error = sum->missing_us ? NAN : sqrt(sum->variance),
	       count = sum->measured + sum->filled;
	struct ep_report_value value = { 0 };

	value.is_estimate = sum->filled_us || sum->missing_us || sum->filled > 0;
	value.measured_share = us ? (double)sum->measured_us / (double)us : 0;
	if (covered_us > 0)
		count += (all->measured + all->filled) / covered_us * (double)sum->missing_us;
	value.count = all->measured_us ? ep_quantity_within(count, error)
				       : ep_quantity_unknown("no slice measured the event");
	value.estimate_error = ep_quantity_of(error, "the estimator tells no error");
	return value;
}

void ep_value_take_changes(struct ep_report_value *value, const float *changes)
{
	value->changes = changes;
	if (!ep_quantity_is_known(&value->estimate_error))
		return;
	double before = value->estimate_error.value;
	double error = sqrt(before * before + ep_replica_variance(changes));

	value->estimate_error = ep_quantity_exact(error);
	ep_quantity_set_error(&value->count, error);
}

/* Returns the process that began first among those with a META block; without any, the first process. */
static const struct ep_trace_process *find_root(const struct ep_trace *trace)
{
	const struct ep_trace_process *root = NULL;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *p = &trace->processes[i];

		if (p->has_meta && (!root || p->born_ns < root->born_ns))
			root = p;
	}
	return root ? root : &trace->processes[0];
}

static const char *text_of(const struct ep_trace_process *process, enum ep_meta_key key)
{
	return process->meta[key] ? process->meta[key] : "";
}

static void fill_path(struct ep_builder *builder)
{
	const char *const *paths = builder->options->trace_paths;
	uint32_t n = 0;

	while (paths[n])
		n++;
	builder->report->trace_path =
		n < 2 ? paths[0] : ep_builder_text(builder, "%s and %u more", paths[0], n - 1);
}

static void fill_run(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	const struct ep_trace_process *root = find_root(builder->trace);

	report->command = root->command ? root->command : text_of(root, EP_META_EXE);
	report->host = text_of(root, EP_META_HOST);
	report->cpu = text_of(root, EP_META_CPU);
	report->kernel = text_of(root, EP_META_KERNEL);
	report->source = text_of(root, EP_META_SOURCE);
	report->clock = text_of(root, EP_META_CLOCK);
	report->version = text_of(root, EP_META_EVPROF);
	report->started_ns = ep_trace_process_number(root, EP_META_REALTIME, 0);
	report->period_ms = (double)ep_trace_process_number(root, EP_META_PERIOD, 0) / 1e6;
}

static void find_span(struct ep_builder *builder)
{
	const struct ep_trace *trace = builder->trace;
	const struct ep_part *part = &trace->part;

	builder->birth_ns = ep_trace_birth_ns(trace);
	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *p = &trace->processes[i];
		uint64_t end_us = ep_trace_process_is_void(p)
					  ? 0
					  : (p->born_ns - builder->birth_ns) / 1000 + p->last_us;

		if (end_us > builder->end_us)
			builder->end_us = end_us;
	}
	if (part->is_set && part->from_ns > builder->birth_ns)
		builder->from_us = (part->from_ns - builder->birth_ns) / 1000;
	if (part->is_set && (part->to_ns - builder->birth_ns) / 1000 < builder->end_us)
		builder->end_us = (part->to_ns - builder->birth_ns) / 1000;
	if (builder->end_us < builder->from_us)
		builder->end_us = builder->from_us;
	builder->report->from_s = (double)builder->from_us / 1e6;
	builder->report->duration_s = (double)(builder->end_us - builder->from_us) / 1e6;
}

/* Returns the wall time in the region, if a single thread was in it; otherwise NAN, since the trace does not
 * tell for how long several threads were in it at the same time. */
static double region_s_of(const struct ep_trace *trace)
{
	const struct ep_trace_thread *in_it = NULL;

	if (!ep_part_is_all_moments(&trace->part))
		return NAN;
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const struct ep_trace_thread *thread = &trace->threads[i];

		if (!thread->is_wanted || !(thread->region_wall_ns || thread->cost.n_samples))
			continue;
		if (in_it)
			return NAN;
		in_it = thread;
	}
	return in_it && in_it->region_wall_ns ? (double)in_it->region_wall_ns / 1e9 : NAN;
}

/* Returns how many CPUs were used on average. In a region the CPU time comes from samples, which may give
 * more than the region's wall time: the result is then limited to 1. */
static double cpus_used(const struct ep_report *report)
{
	double shown_s = ep_shown_s(report), n = (double)report->cpu_ns / 1e9 / shown_s;

	if (report->is_of_region)
		return n > 1 ? 1 : n;
	return shown_s > 0 ? n : 0;
}

static uint64_t n_slices_of(const struct ep_trace_thread *thread)
{
	return thread->is_wanted ? thread->n_got - thread->n_outside - thread->n_event_ticks : 0;
}

static void sum_threads(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	const struct ep_trace *trace = builder->trace;

	for (uint32_t i = 0; i < report->n_threads; i++) {
		report->cpu_ns += report->threads[i].cpu_ns;
		ep_waits_add(&report->waits, &report->threads[i].waits);
		report->own_ns += report->threads[i].own_ns;
		report->n_samples += report->threads[i].n_samples;
	}
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		report->sampled_ns += trace->costs[i].cost.cpu_us * ep_unit_ns(trace);
		report->hidden_ns += trace->costs[i].cost.hidden_us * 1000;
		report->has_faults |= trace->costs[i].faults_us > 0;
	}
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const struct ep_trace_thread *thread = &trace->threads[i];

		report->n_slices += n_slices_of(thread);
		report->n_call_samples += thread->is_wanted ? thread->n_call_samples : 0;
		report->n_event_ticks += thread->is_wanted ? thread->n_counted_ticks : 0;
	}
	builder->squares = ep_drawn_squares(trace, report);
	if (trace->exact)
		report->sampled_ns += ep_counts_cycles(&trace->exact->total);
	report->stolen_ns = trace->stolen_us * 1000;
	report->lacked_cpus = ep_trace_lacked_cpus(trace);
	report->n_lost = trace->loss.n_lost_slices + trace->loss.n_missing_slices;
	if (report->n_lost)
		report->lost_share =
			(double)report->n_lost / (double)(report->n_lost + report->n_samples);
	if (report->n_samples)
		report->schedulers_share =
			(double)trace->n_at_schedulers_ticks / (double)report->n_samples;
	report->is_of_region = trace->part.region != NULL;
	report->region_s = report->is_of_region ? region_s_of(trace) : 0;
	report->cpus_used = cpus_used(report);
}

void ep_build_facts(struct ep_builder *builder)
{
	fill_path(builder);
	fill_run(builder);
	ep_fill_hosts(builder);
	find_span(builder);
	ep_build_threads(builder);
	if (builder->out_of_memory)
		return;
	sum_threads(builder);
	ep_build_processes(builder);
	ep_build_account(builder);
	ep_build_machine_times(builder);
	ep_build_amounts(builder);
	ep_build_programs(builder);
	ep_build_events(builder);
	ep_build_timeline(builder);
	ep_build_system_time(builder);
	ep_build_tables(builder);
	ep_build_loops(builder);
	ep_build_languages(builder);
	ep_build_hot_loops(builder);
	ep_build_regions(builder);
	ep_build_parallel(builder);
	ep_build_calls(builder);
	ep_build_waits(builder);
	ep_build_groups(builder);
	ep_build_spreads(builder);
}

/* Replaces the caller's text by a copy that the report owns; NULL stays NULL. */
static int keep(struct ep_report *report, const char **text)
{
	if (!*text)
		return 0;
	*text = ep_strings_add(&report->own_texts, *text, strlen(*text));
	return *text ? 0 : -ENOMEM;
}

int ep_report_add_metric(struct ep_report *report, const struct ep_report_metric *metric)
{
	struct ep_report_metric own = *metric;

	if (keep(report, &own.model) || keep(report, &own.title) || keep(report, &own.name) ||
		keep(report, &own.base) || keep(report, &own.unit) ||
		EP_ARRAY_RESERVE(report->metrics, report->n_metrics, report->metric_capacity))
		return -ENOMEM;
	report->metrics[report->n_metrics++] = own;
	return 0;
}

void ep_said_finish(struct ep_report_said *said)
{
	free(said->missing);
	free(said->findings);
	ep_strings_finish(&said->texts);
	*said = (struct ep_report_said){ 0 };
}

int ep_report_add_in_short(struct ep_report *report, const char *format, ...)
{
	const char *kept;
	va_list args;

	va_start(args, format);
	kept = ep_strings_format(&report->own_texts, format, args);
	va_end(args);
	if (!kept)
		return -ENOMEM;
	if (report->said.n_in_short < EP_ARRAY_SIZE(report->said.in_short))
		report->said.in_short[report->said.n_in_short++] = kept;
	return 0;
}

int ep_report_lead_in_short(struct ep_report *report, const char *sentence)
{
	uint32_t n = report->said.n_in_short < EP_ARRAY_SIZE(report->said.in_short)
			     ? report->said.n_in_short
			     : EP_ARRAY_SIZE(report->said.in_short) - 1;

	if (keep(report, &sentence))
		return -ENOMEM;
	memmove(report->said.in_short + 1, report->said.in_short,
		n * sizeof(*report->said.in_short));
	report->said.in_short[0] = sentence;
	report->said.n_in_short = n + 1;
	return 0;
}

int ep_report_add_finding(
	struct ep_report *report, enum ep_finding_kind kind, const char *format, ...)
{
	const char *kept;
	va_list args;

	va_start(args, format);
	kept = ep_strings_format(&report->own_texts, format, args);
	va_end(args);
	if (!kept || EP_ARRAY_RESERVE(report->said.findings, report->said.n_findings,
			     report->said.finding_capacity))
		return -ENOMEM;
	report->said.findings[report->said.n_findings++] = (struct ep_report_finding){ kind, kept };
	return 0;
}

void ep_row_finish(struct ep_report_row *row)
{
	free(row->values);
	free(row->totals);
	free(row->changes);
	free(row->callers);
}

static void destroy_table(struct ep_report_table *table)
{
	for (uint32_t i = 0; i < table->n_rows; i++)
		ep_row_finish(&table->rows[i]);
	free(table->rows);
}

static void finish(struct ep_report *report)
{
	destroy_table(&report->procedures);
	destroy_table(&report->lines);
	destroy_table(&report->loops);
	destroy_table(&report->languages);
	destroy_table(&report->modules);
	for (uint32_t i = 0; i < report->n_events; i++) {
		free(report->events[i].rate);
		free(report->events[i].bin_changes);
	}
	for (uint32_t i = 0; i < report->n_threads; i++) {
		free(report->threads[i].values);
		free(report->threads[i].busy);
	}
	free(report->events);
	free(report->placing);
	free(report->threads);
	free(report->processes);
	free(report->programs);
	free(report->noted_waits);
	free(report->locks);
	free(report->thread_waits);
	free(report->calls);
	free(report->regions);
	free(report->phases);
	ep_groups_finish(report);
	free(report->spreads);
	for (int i = 0; i < EP_N_MACHINE_TIMES; i++)
		free(report->amounts[i].bins);
	free(report->cpus_busy);
	free(report->parallel.times_s);
	ep_said_finish(&report->said);
	free(report->metrics);
	free(report->ratios);
	ep_strings_finish(&report->own_texts);
}

void ep_report_destroy(const struct ep_report *report)
{
	struct ep_report *own = (struct ep_report *)report; /* ep_report_create allocated it */

	if (own)
		finish(own);
	free(own);
}
