// SPDX-License-Identifier: BSD-3-Clause
/* Builds the rows of MPI ranks and of hosts: the processes of each, their sums, and when each rank or host was busy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "reporter/facts/builder.h"
#include "reporter/load/known_events.h"

typedef const char *(*name_fn)(const struct ep_report_process *row);

static const char *rank_of(const struct ep_report_process *row)
{
	return row->rank;
}

static const char *host_of(const struct ep_report_process *row)
{
	return row->host;
}

/* A process of the report, with the name of its group. */
struct named_row {
	const char *name;
	uint32_t idx;
};

static int by_name(const void *a, const void *b)
{
	const struct named_row *x = a, *y = b;
	int order = strverscmp(x->name, y->name);

	return order ? order : (x->idx < y->idx ? -1 : 1);
}

static void add_process(struct ep_report_group *group, const struct ep_report_process *row)
{
	group->n_processes++;
	group->n_threads += row->n_threads;
	group->cpu_ns += row->cpu_ns;
	group->ready_ns += row->waits.ready_ns;
	group->told_s += row->told_s;
	group->mpi_s += row->mpi_s;
	group->own_s += row->own_s;
	group->system_s += ep_quantity_or(&row->system_s, NAN);
}

/* Makes a group of the processes of each name. group_of (n_processes of the trace) is the group of each
 * process; EP_NONE: in none. Returns the number of groups. */
static uint32_t gather(struct ep_builder *builder, name_fn name_of,
	struct ep_report_group **out_groups, uint32_t *group_of)
{
	struct ep_report *r = builder->report;
	EP_AUTOFREE struct named_row *rows =
		ep_builder_calloc(builder, r->n_processes + 1, sizeof(*rows));
	struct ep_report_group *groups =
		ep_builder_calloc(builder, r->n_processes + 1, sizeof(*groups));
	uint32_t n = 0, n_groups = 0;

	*out_groups = groups;
	if (!rows || !groups)
		return 0;
	for (uint32_t i = 0; i < r->n_processes; i++)
		if (name_of(&r->processes[i]))
			rows[n++] = (struct named_row){ name_of(&r->processes[i]), i };
	qsort(rows, n, sizeof(*rows), by_name);
	for (uint32_t i = 0; i < n; i++) {
		const struct ep_report_process *row = &r->processes[rows[i].idx];

		if (!i || strcmp(rows[i].name, rows[i - 1].name) != 0)
			groups[n_groups++] = (struct ep_report_group){ .name = rows[i].name,
				.host = row->host,
				.stolen_share = NAN,
				.machine_busy_s = NAN };
		add_process(&groups[n_groups - 1], row);
		group_of[row->process_idx] = n_groups - 1;
	}
	for (uint32_t g = 0; g < n_groups; g++)
		groups[g].mpi_share =
			groups[g].told_s > 0 ? groups[g].mpi_s / groups[g].told_s : NAN;
	return n_groups;
}

/* Adds the timelines of the threads to their groups. */
static void fill_busy(struct ep_builder *builder, struct ep_report_group *groups, uint32_t n_groups,
	const uint32_t *group_of)
{
	const struct ep_trace *trace = builder->trace;
	struct ep_report *r = builder->report;
	double *bins = ep_builder_calloc(builder, (size_t)n_groups * r->n_bins + 1, sizeof(*bins));

	if (!bins || !n_groups) {
		free(bins);
		return;
	}
	for (uint32_t g = 0; g < n_groups; g++)
		groups[g].busy = bins + (size_t)g * r->n_bins;
	for (uint32_t i = 0; i < trace->n_threads && r->n_bins; i++) {
		uint32_t g = group_of[trace->threads[i].process_idx];

		if (g != EP_NONE)
			ep_resample(builder, &trace->threads[i].timeline, 1 / (r->bin_s * 1e6),
				groups[g].busy);
	}
	for (size_t i = 0; i < (size_t)n_groups * r->n_bins; i++)
		r->group_busy_max = fmax(r->group_busy_max, bins[i]);
}

/* Returns the thread's sum of cycles, by the first known event name that it has counts of; NULL: it has none.
 * A simulator's cycles are left out, since they are not those of a clock. */
static const struct ep_event_sum *cycles_of(
	const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];
	const char *const *name = ep_known_event_names(EP_KNOWN_CYCLES);

	for (; *name && !process->is_simulated && !process->has_costs; name++)
		for (uint32_t e = 0; e < thread->sums.n_rows; e++)
			if (thread->sums.rows[e].measured_us &&
				ep_event_is_called(&trace->events[e], *name) &&
				ep_event_counts_clock(&trace->events[e]))
				return &thread->sums.rows[e];
	return NULL;
}

static void add_cycles(
	const struct ep_trace *trace, struct ep_report_group *groups, const uint32_t *group_of)
{
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		uint32_t g = group_of[trace->threads[i].process_idx];
		const struct ep_event_sum *sum =
			g == EP_NONE ? NULL : cycles_of(trace, &trace->threads[i]);

		if (!sum)
			continue;
		groups[g].cycles += sum->measured;
		groups[g].counted_us += (double)sum->measured_us;
	}
}

double ep_group_ghz(const struct ep_report_group *group)
{
	return group->counted_us > 0 ? group->cycles / group->counted_us / 1e3 : NAN;
}

/* Sets each host's time outside of MPI to the mean of its ranks, and finds its slowest rank. */
static void join_ranks(struct ep_report *r)
{
	for (uint32_t h = 0; h < r->n_host_rows; h++)
		r->host_rows[h].own_s = 0;
	for (uint32_t i = 0, h = 0; i < r->n_rank_rows; i++) {
		const struct ep_report_group *rank = &r->rank_rows[i];

		for (h = 0; h < r->n_host_rows; h++)
			if (rank->host && !strcmp(r->host_rows[h].name, rank->host))
				break;
		if (h == r->n_host_rows)
			continue;
		r->host_rows[h].n_ranks++;
		r->host_rows[h].own_s += rank->own_s;
		if (rank->own_s <= r->host_rows[h].most_s)
			continue;
		r->host_rows[h].most_s = rank->own_s;
		r->host_rows[h].slowest_rank = rank->name;
	}
	for (uint32_t h = 0; h < r->n_host_rows; h++)
		if (r->host_rows[h].n_ranks)
			r->host_rows[h].own_s /= r->host_rows[h].n_ranks;
}

void ep_build_groups(struct ep_builder *builder)
{
	struct ep_report *r = builder->report;
	uint32_t n = builder->trace->n_processes;
	EP_AUTOFREE uint32_t *group_of = ep_builder_calloc(builder, n + 1, sizeof(*group_of));

	if (!group_of)
		return;
	memset(group_of, 0xff, n * sizeof(*group_of));
	r->n_host_rows = gather(builder, host_of, &r->host_rows, group_of);
	fill_busy(builder, r->host_rows, r->n_host_rows, group_of);
	add_cycles(builder->trace, r->host_rows, group_of);
	ep_groups_add_lacking(builder, r->host_rows, group_of);
	r->group_busy_max = 0;
	memset(group_of, 0xff, n * sizeof(*group_of));
	r->n_rank_rows = gather(builder, rank_of, &r->rank_rows, group_of);
	fill_busy(builder, r->rank_rows, r->n_rank_rows, group_of);
	add_cycles(builder->trace, r->rank_rows, group_of);
	ep_groups_add_lacking(builder, r->rank_rows, group_of);
	join_ranks(r);
	ep_build_slow_rank(r);
}

/* Frees groups; the bins of all groups are one allocation. */
static void finish(struct ep_report_group *groups, uint32_t n)
{
	if (n)
		free(groups[0].busy);
	free(groups);
}

void ep_groups_finish(struct ep_report *report)
{
	finish(report->rank_rows, report->n_rank_rows);
	finish(report->host_rows, report->n_host_rows);
}

/* ---- the machines of a run: jobs have hundreds of thousands of processes, and each is looked at only once
 * ---- */

/* Compares texts by their addresses: the trace stores each text once. */
static bool same_run(const void *owner, uint32_t idx, const void *key)
{
	return ((const struct ep_trace *)owner)->processes[idx].meta[EP_META_RUN] == key;
}

static bool same_host(const void *owner, uint32_t idx, const void *key)
{
	return ((const struct ep_trace *)owner)->processes[idx].meta[EP_META_HOST] == key;
}

static uint64_t hash_of(const char *text)
{
	return ep_hash_mix(0, (uintptr_t)text);
}

/* Tells whether the process is the first one with this text, and adds such a process to the index. */
static bool see_first(struct ep_builder *builder, struct ep_index *index, ep_index_same_fn same,
	const char *text, uint32_t process_idx)
{
	if (ep_index_find(index, hash_of(text), same, builder->trace, text) != EP_NONE)
		return false;
	builder->out_of_memory |= ep_index_add(index, hash_of(text), process_idx) != 0;
	return true;
}

/* Finds the hosts of processes. Only the root process of a run has the name of its host; the other processes
 * of the run are on the same host. */
void ep_find_hosts(struct ep_builder *builder, struct ep_report_process *rows)
{
	const struct ep_trace *trace = builder->trace;
	struct ep_index by_run = { 0 };

	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].meta[EP_META_HOST])
			see_first(builder, &by_run, same_run, trace->processes[i].meta[EP_META_RUN],
				i);
	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const char *run = trace->processes[i].meta[EP_META_RUN];
		uint32_t idx = ep_index_find(&by_run, hash_of(run), same_run, trace, run);

		rows[i].host = idx == EP_NONE ? NULL : trace->processes[idx].meta[EP_META_HOST];
	}
	ep_index_finish(&by_run);
}

#define MAX_HOSTS 6 /* the most hosts whose names are shown */

static void add_host(
	struct ep_builder *builder, const struct ep_trace_process *process, uint64_t *load_percent)
{
	struct ep_report *report = builder->report;

	if (report->n_hosts++ < MAX_HOSTS)
		report->hosts = ep_builder_text(builder, "%s%s%s", report->hosts,
			report->hosts[0] ? ", " : "", process->meta[EP_META_HOST]);
	report->n_cpus += (uint32_t)ep_trace_process_number(process, EP_META_N_CPUS, 0);
	*load_percent += ep_trace_process_number(process, EP_META_LOAD_PERCENT, 0);
	if (process->meta[EP_META_LOAD_PERCENT])
		report->load = ep_quantity_exact((double)*load_percent / 100);
}

void ep_fill_hosts(struct ep_builder *builder)
{
	const struct ep_trace *trace = builder->trace;
	struct ep_report *report = builder->report;
	struct ep_index seen = { 0 };
	uint64_t load_percent = 0;

	report->hosts = "";
	report->load = ep_quantity_unknown("no machine of the trace told its load");
	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const char *host = trace->processes[i].meta[EP_META_HOST];

		if (host && see_first(builder, &seen, same_host, host, i))
			add_host(builder, &trace->processes[i], &load_percent);
	}
	ep_index_finish(&seen);
	if (report->n_hosts > MAX_HOSTS)
		report->hosts = ep_builder_text(
			builder, "%s and %u more", report->hosts, report->n_hosts - MAX_HOSTS);
}
