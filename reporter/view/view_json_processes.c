// SPDX-License-Identifier: BSD-3-Clause
/* Prints the threads, processes and programs of a report as JSON (docs/report-json.md). */
#include "reporter/text/ended.h"
#include "reporter/view/view_json_private.h"

static void put_usage(struct json_object *object, const char *key,
	const struct ep_report_thread *thread, uint64_t count)
{
	if (thread->has_usage)
		put_count(object, key, count);
	else
		put_text(object, key, NULL);
}

struct json_object *ep_thread_json(const struct ep_report_thread *row)
{
	struct json_object *object = json_object_new_object();

	put_count(object, "pid", row->pid);
	put_count(object, "tid", row->tid);
	put_text(object, "program", row->program);
	put_text(object, "name", row->name);
	put_text(object, "rank", row->rank);
	put_number(object, "start_s", row->start_s);
	put_number(object, "duration_s", row->duration_s);
	put_count(object, "cpu_ns", row->cpu_ns);
	put_count(object, "hidden_kernel_ns", row->hidden_ns);
	put_waits(object, &row->waits);
	put_count(object, "evprof_ns", row->own_ns);
	put_count(object, "n_samples", row->n_samples);
	put_count(object, "n_lost", row->n_lost);
	put_usage(object, "n_minor_faults", row, row->n_minor_faults);
	put_usage(object, "n_major_faults", row, row->n_major_faults);
	put_usage(object, "n_voluntary_switches", row, row->n_voluntary);
	put_usage(object, "n_involuntary_switches", row, row->n_involuntary);
	return object;
}

struct json_object *ep_process_json(const struct ep_report_process *row)
{
	struct json_object *object = json_object_new_object();
	char ended[EP_ENDED_BYTES];

	put_count(object, "pid", row->pid);
	put_text(object, "program", row->program);
	put_text(object, "command", row->command);
	put_text(object, "rank", row->rank);
	put_text(object, "host", row->host);
	put_quantity(object, "mpi_share", &row->mpi_share);
	put_text(object, "born", ep_born_names[row->born]);
	put_text(object, "ended", ep_ended_text(row, ended));
	put_number(object, "start_s", row->start_s);
	put_number(object, "duration_s", row->duration_s);
	put_count(object, "n_threads", row->n_threads);
	put_count(object, "n_samples", row->n_samples);
	put_count(object, "n_lost", row->n_lost);
	put_count(object, "cpu_ns", row->cpu_ns);
	put_count(object, "hidden_kernel_ns", row->hidden_ns);
	put_waits(object, &row->waits);
	put_count(object, "evprof_ns", row->own_ns);
	put_text(object, "cpus_allowed", row->cpus_allowed);
	if (row->n_cpus_allowed)
		put_count(object, "n_cpus_allowed", row->n_cpus_allowed);
	else
		put_text(object, "n_cpus_allowed", NULL);
	put_quantity(object, "user_s", &row->user_s);
	put_quantity(object, "system_s", &row->system_s);
	if (ep_quantity_is_known(&row->user_s))
		put_count(object, "peak_rss_kib", row->peak_rss_kib);
	else
		put_text(object, "peak_rss_kib", NULL);
	return object;
}

struct json_object *ep_programs_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_programs; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "name", r->programs[i].name);
		put_count(object, "n_processes", r->programs[i].n_processes);
		put_count(object, "n_threads", r->programs[i].n_threads);
		put_count(object, "cpu_ns", r->programs[i].cpu_ns);
		json_object_array_add(array, object);
	}
	return array;
}

static const char *const slow_reasons[] = {
	[EP_SLOW_WORK] = "work",
	[EP_SLOW_CLOCK] = "clock",
	[EP_SLOW_FAULTS] = "faults",
	[EP_SLOW_CPUS] = "cpus",
	[EP_SLOW_STOLEN] = "stolen",
};

struct json_object *ep_slow_rank_json(const struct ep_report *r)
{
	const struct ep_report_slow_rank *slow = &r->slow_rank;
	bool is_work = slow->reason == EP_SLOW_WORK;
	struct json_object *object = json_object_new_object();

	put_text(object, "rank", slow->rank->name);
	put_text(object, "host", slow->rank->host);
	put_text(object, "reason", slow_reasons[slow->reason]);
	put_number(object, "its", is_work ? NAN : slow->its);
	put_number(object, "others", is_work ? NAN : slow->others);
	put_number(object, "cost_s", is_work ? NAN : slow->cost_s);
	return object;
}
