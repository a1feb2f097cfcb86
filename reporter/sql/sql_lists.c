// SPDX-License-Identifier: BSD-3-Clause
/* Writes the lists of the report: the run, its events, metrics, processes, threads, bins, activities and regions. */
#include <stdio.h>
#include <stdlib.h>

#include "reporter/sql/sql_private.h"
#include "reporter/text/ended.h"

void ep_row_value(struct ep_rows *rows, uint32_t event_idx, const struct ep_report_value *value)
{
	ep_row_count(rows, event_idx);
	ep_row_number(rows, value->count.value);
	ep_row_flag(rows, value->is_estimate);
	ep_row_number(rows, value->measured_share);
	ep_row_number(rows, ep_quantity_error(&value->count));
	ep_row_flag(rows, value->is_mixed);
	ep_row_number(rows, value->is_mixed ? value->low : NAN);
	ep_row_number(rows, value->is_mixed ? value->high : NAN);
	if (value->has_ticks)
		ep_row_count(rows, value->n_ticks);
	else
		ep_row_null(rows);
}

static void put_waits(struct ep_rows *rows, const struct ep_report_waits *waits)
{
	if (waits->is_unknown)
		ep_row_null(rows);
	else
		ep_row_count(rows, waits->all_ns);
	if (waits->has_unknown)
		ep_row_null(rows);
	else
		ep_row_count(rows, waits->ready_ns);
}

static void put_missing(struct ep_sql *sql, struct ep_rows *rows, const struct ep_report *r)
{
	char *text = NULL;
	size_t size;
	FILE *out = r->said.n_missing ? open_memstream(&text, &size) : NULL;

	for (uint32_t i = 0; out && i < r->said.n_missing; i++)
		fprintf(out, "%s%s", i ? "; " : "", r->said.missing[i]);
	if (r->said.n_missing && (!out || fclose(out)))
		ep_db_fail_memory(&sql->db);
	ep_row_text(rows, text);
	free(text);
}

static void put_machine(struct ep_rows *rows, const struct ep_report *r)
{
	ep_row_text(rows, r->host);
	ep_row_count(rows, r->n_hosts);
	ep_row_text(rows, r->cpu);
	ep_row_text(rows, r->kernel);
	ep_row_count(rows, r->n_cpus);
	ep_row_quantity(rows, &r->load);
	ep_row_number(rows, r->started_ns ? (double)r->started_ns / 1e9 : NAN);
	ep_row_number(rows, r->from_s);
	ep_row_number(rows, r->duration_s);
}

static void put_recording(struct ep_rows *rows, const struct ep_report *r)
{
	ep_row_count(rows, r->n_processes);
	ep_row_count(rows, r->n_threads);
	ep_row_count(rows, r->n_ranks);
	ep_row_count(rows, r->n_samples);
	ep_row_count(rows, r->n_lost);
	ep_row_text(rows, r->source);
	ep_row_text(rows, r->clock);
	ep_row_number(rows, r->period_ms);
	ep_row_number(rows, r->schedulers_share);
}

static void put_times(struct ep_rows *rows, const struct ep_report *r)
{
	ep_row_count(rows, r->cpu_ns);
	ep_row_count(rows, r->sampled_ns);
	ep_row_flag(rows, r->is_exact);
	ep_row_count(rows, r->n_not_exact);
	ep_row_number(rows, r->outside_s);
	ep_row_count(rows, r->hidden_ns);
	put_waits(rows, &r->waits);
	ep_row_quantity(rows, &r->others_cpus);
	ep_row_quantity(rows, &r->stolen_share);
	ep_row_count(rows, r->stolen_ns);
	ep_row_quantity(rows, &r->limited_share);
	ep_row_quantity(rows, &r->limited_s);
	ep_row_count(rows, r->own_ns);
}

static void write_run(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "run");

	ep_row_text(&rows, EVPROF_VERSION);
	ep_row_text(&rows, r->trace_path);
	ep_row_text(&rows, r->selection);
	ep_row_text(&rows, r->command);
	put_machine(&rows, r);
	put_recording(&rows, r);
	put_times(&rows, r);
	put_missing(sql, &rows, r);
	ep_row_text(&rows, r->has_estimates ? r->filler : NULL);
	ep_row_number(&rows, r->bin_s);
	ep_row_end(&rows);
	ep_rows_finish(&rows);
}

static void write_texts(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "in_short");

	for (uint32_t i = 0; i < r->said.n_in_short; i++) {
		ep_row_count(&rows, i + 1);
		ep_row_text(&rows, r->said.in_short[i]);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
	rows = ep_rows_begin(&sql->db, "findings");
	for (uint32_t i = 0; i < r->said.n_findings; i++) {
		ep_row_count(&rows, i + 1);
		ep_row_text(
			&rows, r->said.findings[i].kind == EP_FINDING_WARNING ? "warning" : "note");
		ep_row_text(&rows, r->said.findings[i].text);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

static void write_events(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "events");

	for (uint32_t e = 0; e < r->n_events; e++) {
		const struct ep_report_event *event = &r->events[e];

		ep_row_count(&rows, e);
		ep_row_text(&rows, event->name);
		ep_row_text(&rows, event->unit);
		ep_row_quantity(&rows, &event->total.count);
		ep_row_flag(&rows, event->total.is_estimate);
		ep_row_flag(&rows, event->total.is_partial);
		ep_row_quantity(&rows, &event->error);
		ep_row_text(&rows, event->estimator);
		ep_row_quantity(&rows, &event->holdout_error);
		ep_row_count(&rows, event->n_slices);
		ep_row_count(&rows, event->n_slices_measured);
		ep_row_text(&rows, ep_sql_slice_column(sql, e));
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

static void write_metrics(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "metrics");

	for (uint32_t i = 0; i < r->n_metrics; i++) {
		const struct ep_report_metric *metric = &r->metrics[i];

		ep_row_count(&rows, i + 1);
		ep_row_text(&rows, metric->model);
		ep_row_text(&rows, metric->name);
		ep_row_quantity(&rows, &metric->value);
		ep_row_number(&rows, ep_quantity_error(&metric->value));
		ep_row_number(&rows, ep_quantity_bar(&metric->value));
		ep_row_number(&rows, metric->coverage);
		ep_row_text(&rows, metric->base);
		ep_row_text(&rows, metric->unit);
		ep_row_flag(&rows, !metric->is_invalid);
		ep_row_flag(&rows, metric->is_contradicted);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

/* ---- threads ---- */

static void put_kernels_account(struct ep_rows *rows, const struct ep_report_thread *thread)
{
	const uint64_t counts[] = { thread->n_minor_faults, thread->n_major_faults,
		thread->n_voluntary, thread->n_involuntary };

	for (int i = 0; i < 4; i++) {
		if (thread->has_usage)
			ep_row_count(rows, counts[i]);
		else
			ep_row_null(rows);
	}
}

static void put_thread(struct ep_rows *rows, const struct ep_report_thread *thread)
{
	ep_row_count(rows, thread->thread_idx);
	ep_row_count(rows, thread->process_idx);
	ep_row_count(rows, thread->pid);
	ep_row_count(rows, thread->tid);
	ep_row_text(rows, thread->program);
	ep_row_text(rows, thread->name);
	ep_row_number(rows, thread->start_s);
	ep_row_number(rows, thread->duration_s);
	ep_row_count(rows, thread->n_samples);
	ep_row_count(rows, thread->n_lost);
	ep_row_count(rows, thread->cpu_ns);
	ep_row_count(rows, thread->hidden_ns);
	put_waits(rows, &thread->waits);
	ep_row_count(rows, thread->own_ns);
	put_kernels_account(rows, thread);
	ep_row_end(rows);
}

static void write_thread_bins(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "thread_bins");

	for (uint32_t i = 0; i < r->n_threads_shown; i++) {
		for (uint32_t bin = 0; bin < r->n_bins; bin++) {
			ep_row_count(&rows, r->threads[i].thread_idx);
			ep_row_count(&rows, bin);
			ep_row_number(&rows, r->threads[i].busy[bin]);
			ep_row_end(&rows);
		}
	}
	ep_rows_finish(&rows);
}

static void write_threads(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "threads");

	for (uint32_t i = 0; i < r->n_threads_shown; i++)
		put_thread(&rows, &r->threads[i]);
	ep_rows_finish(&rows);
	rows = ep_rows_begin(&sql->db, "thread_counts");
	for (uint32_t i = 0; i < r->n_threads_shown; i++) {
		for (uint32_t e = 0; e < r->n_events; e++) {
			if (!ep_quantity_is_known(&r->threads[i].values[e].count))
				continue;
			ep_row_count(&rows, r->threads[i].thread_idx);
			ep_row_value(&rows, e, &r->threads[i].values[e]);
			ep_row_end(&rows);
		}
	}
	ep_rows_finish(&rows);
	write_thread_bins(sql, r);
}

/* ---- processes ---- */

static void put_process(struct ep_rows *rows, const struct ep_report_process *process)
{
	char ended[EP_ENDED_BYTES];

	ep_row_count(rows, process->process_idx);
	ep_row_count(rows, process->pid);
	ep_row_text(rows, process->program);
	ep_row_text(rows, process->command);
	ep_row_text(rows, process->rank);
	ep_row_text(rows, process->host);
	ep_row_quantity(rows, &process->mpi_share);
	ep_row_text(rows, ep_born_names[process->born]);
	ep_row_text(rows, ep_ended_text(process, ended));
	ep_row_number(rows, process->start_s);
	ep_row_number(rows, process->duration_s);
	ep_row_count(rows, process->n_threads);
	ep_row_count(rows, process->n_samples);
	ep_row_count(rows, process->n_lost);
	ep_row_count(rows, process->cpu_ns);
	ep_row_count(rows, process->hidden_ns);
	put_waits(rows, &process->waits);
	ep_row_count(rows, process->own_ns);
	ep_row_text(rows, process->cpus_allowed);
	ep_row_some(rows, process->n_cpus_allowed);
	ep_row_quantity(rows, &process->user_s);
	ep_row_quantity(rows, &process->system_s);
	if (ep_quantity_is_known(&process->user_s))
		ep_row_count(rows, process->peak_rss_kib);
	else
		ep_row_null(rows);
	ep_row_end(rows);
}

static void write_processes(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "processes");

	for (uint32_t i = 0; i < r->n_processes_shown; i++)
		put_process(&rows, &r->processes[i]);
	ep_rows_finish(&rows);
	rows = ep_rows_begin(&sql->db, "programs");
	for (uint32_t i = 0; i < r->n_programs; i++) {
		ep_row_count(&rows, i + 1);
		ep_row_text(&rows, r->programs[i].name);
		ep_row_count(&rows, r->programs[i].n_processes);
		ep_row_count(&rows, r->programs[i].n_threads);
		ep_row_count(&rows, r->programs[i].cpu_ns);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

/* ---- time and activities ---- */

static void write_parallel(struct ep_sql *sql, const struct ep_report_parallel *parallel)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "parallel");

	for (uint32_t i = 0; i < parallel->n_most; i++) {
		ep_row_count(&rows, i + 1);
		ep_row_number(&rows, parallel->times_s[i]);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

static void write_bins(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows bins = ep_rows_begin(&sql->db, "bins");
	struct ep_rows counts = ep_rows_begin(&sql->db, "bin_counts");

	for (uint32_t bin = 0; bin < r->n_bins; bin++) {
		ep_row_count(&bins, bin);
		ep_row_number(&bins, r->from_s + bin * r->bin_s);
		ep_row_number(&bins, r->cpus_busy[bin]);
		ep_row_end(&bins);
		for (uint32_t e = 0; e < r->n_events; e++) {
			if (!r->events[e].rate)
				continue;
			ep_row_count(&counts, bin);
			ep_row_count(&counts, e);
			ep_row_number(&counts, r->events[e].rate[bin]);
			ep_row_end(&counts);
		}
	}
	ep_rows_finish(&bins);
	ep_rows_finish(&counts);
}

static void put_entries(
	struct ep_rows *rows, uint32_t number, const struct ep_report_activity *activity)
{
	for (uint32_t i = 0; i < activity->n_entries; i++) {
		ep_row_count(rows, number);
		ep_row_count(rows, i + 1);
		ep_row_text(rows, activity->entries[i].name);
		ep_row_count(rows, activity->entries[i].ns);
		ep_row_text(rows, activity->entries[i].caller);
		ep_row_count(rows, activity->entries[i].caller_ns);
		ep_row_end(rows);
	}
}

static void write_activities(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "activities");
	struct ep_rows entries = ep_rows_begin(&sql->db, "entries");

	for (uint32_t i = 0; i < r->n_activities; i++) {
		const struct ep_report_activity *activity = &r->activities[i];

		ep_row_count(&rows, i + 1);
		ep_row_text(&rows, ep_activity_words[activity->activity].name);
		ep_row_text(&rows, ep_report_activity_title(r, activity->activity));
		ep_row_count(&rows, activity->ns);
		ep_row_number(&rows, activity->share);
		ep_row_number(&rows, activity->error);
		ep_row_end(&rows);
		put_entries(&entries, i + 1, activity);
	}
	ep_rows_finish(&rows);
	ep_rows_finish(&entries);
}

/* Returns the index of the region around region i. A region is listed before the regions inside it; therefore the
 * result is the last region before i with a smaller depth. */
static uint32_t around(const struct ep_report *r, uint32_t i)
{
	uint32_t outer = i;

	while (outer && r->regions[outer].depth >= r->regions[i].depth)
		outer--;
	return outer;
}

static void put_region(struct ep_rows *rows, const struct ep_report_region *region)
{
	ep_row_count(rows, region->depth);
	ep_row_text(rows, region->name);
	ep_row_count(rows, region->n_entries);
	ep_row_number(rows, region->wall_s);
	ep_row_count(rows, region->self_ns);
	ep_row_count(rows, region->total_ns);
	ep_row_number(rows, region->self_share);
	ep_row_number(rows, region->total_share);
	ep_row_number(rows, region->self_error);
	ep_row_number(rows, region->total_error);
	ep_row_number(rows, region->waiting_s);
	ep_row_number(rows, region->waiting_error_s);
	ep_row_flag(rows, region->is_estimate);
	ep_row_end(rows);
}

static void write_regions(struct ep_sql *sql, const struct ep_report *r)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "regions");

	for (uint32_t i = 0; i < r->n_regions; i++) {
		ep_row_count(&rows, i + 1);
		if (r->regions[i].depth)
			ep_row_count(&rows, around(r, i) + 1);
		else
			ep_row_null(&rows);
		put_region(&rows, &r->regions[i]);
	}
	ep_rows_finish(&rows);
}

void ep_sql_write_lists(struct ep_sql *sql, const struct ep_sql_source *source)
{
	write_run(sql, source->report);
	write_texts(sql, source->report);
	write_events(sql, source->report);
	write_metrics(sql, source->report);
	write_processes(sql, source->report);
	write_threads(sql, source->report);
	write_bins(sql, source->report);
	write_parallel(sql, &source->report->parallel);
	write_activities(sql, source->report);
	write_regions(sql, source->report);
}
