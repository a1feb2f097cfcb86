// SPDX-License-Identifier: BSD-3-Clause
/* Builds the lists of threads and of processes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/facts/builder.h"

static const char *program_of(const struct ep_trace_process *process)
{
	const char *program = ep_trace_process_program(process);

	return program ? program : "[unknown]";
}

static double start_of(const struct ep_builder *builder, const struct ep_trace_process *process)
{
	return (double)(process->born_ns - builder->birth_ns) / 1e9;
}

/* ---- threads ---- */

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t lost_of(const struct ep_trace_thread *thread)
{
	uint64_t n_made = max(thread->totals.n_samples + thread->totals.n_lost, thread->next_slice);

	return n_made > thread->n_got ? n_made - thread->n_got : 0;
}

/* Returns the name of a thread. Inside valgrind all threads have valgrind's name, and get the program's name
 * here. */
static const char *name_of(struct ep_builder *builder, const struct ep_trace_process *process,
	const struct ep_trace_thread *thread)
{
	static const char tool[] = "callgrind-";

	if (!thread->name)
		return ep_builder_text(builder, "[thread %u]", thread->number);
	if (process->is_simulated && !strncmp(thread->name, tool, sizeof(tool) - 1))
		return program_of(process);
	return thread->name;
}

/* Finds callgrind's count of an event for a thread that is the only one of its process. Returns false if the
 * count is not known. */
static bool find_exact_value(const struct ep_builder *builder, const struct ep_trace_thread *thread,
	uint32_t e, struct ep_report_value *out)
{
	const struct ep_trace *trace = builder->trace;
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];

	if (!process->has_costs || process->n_threads != 1)
		return false;
	const struct ep_costs *exact = trace->exact;
	const uint64_t *count = NULL;
	double error = 0;

	for (int i = 0; i < EP_N_CALLGRIND_EVENTS; i++)
		if (exact->event_idx[i] == e)
			count = &process->costs.of[i];
	for (int i = 0; !exact->lacks_floating && i < EP_N_FLOATING_EVENTS; i++)
		if (exact->floating_idx[i] == e) {
			count = &process->floating.of[i];
			error = ep_floating_error(&process->floating, i);
		}
	if (count)
		*out = ep_value_exact((double)*count, error);
	return count != NULL;
}

/* Returns a thread's count of an event. It is the exact count of the thread's last TOTALS block if that block
 * is final. Without a final block, or if samples that measured all the time have a larger count, it is the
 * count of the samples. */
static struct ep_report_value thread_value(
	const struct ep_builder *builder, const struct ep_trace_thread *thread, uint32_t e)
{
	static const struct ep_event_sum none;
	struct ep_report_value value;

	if (find_exact_value(builder, thread, e, &value))
		return value;
	value = ep_value_of(builder, e < thread->sums.n_rows ? &thread->sums.rows[e] : &none, e);
	if (thread->sums.replicas && e < thread->sums.n_rows)
		ep_value_take_changes(&value, thread->sums.replicas + (size_t)e * EP_N_REPLICAS);
	bool has_exact = e < thread->n_exact && thread->exact[e] >= 0 && thread->is_final;

	if (has_exact && (value.is_estimate || thread->exact[e] >= value.count.value))
		return ep_value_exact(thread->exact[e], 0);
	value.is_partial = lost_of(thread) > 0;
	return value;
}

static uint64_t cpu_ns_of(const struct ep_trace_thread *thread)
{
	return max(thread->totals.cpu_ns, (thread->cost.cpu_us + thread->cost.hidden_us) * 1000);
}

/* Returns the wall time of a thread in the shown part. A slice that ends in a region may have begun long
 * before it; so in a region the time of the region's own account is taken. */
static uint64_t wall_ns_of(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	if (trace->part.region && ep_part_is_all_moments(&trace->part))
		return thread->region_wall_ns;
	return max(
		(thread->totals.end_us - thread->totals.start_us) * 1000, thread->wall_us * 1000);
}

/* Returns the time that a thread waited. The kernel's account of waiting for a CPU begins a little before the
 * thread's slices and ends a little after them. It may therefore exceed the wait time, and is limited to it.
 * The account is not used inside valgrind, where it is the simulator's, nor for regions, which have none. */
static struct ep_report_waits waits_of(
	const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	uint64_t wall_ns = wall_ns_of(trace, thread);
	uint64_t ran_ns = cpu_ns_of(thread) + (trace->part.region ? 0 : thread->totals.own_ns);
	struct ep_report_waits waits = { .all_ns = wall_ns > ran_ns ? wall_ns - ran_ns : 0 };

	if (trace->part.region && !ep_part_is_all_moments(&trace->part))
		return (struct ep_report_waits){ .has_unknown = true, .is_unknown = true };
	waits.has_unknown = !thread->has_ready || trace->part.region ||
			    trace->processes[thread->process_idx].is_simulated;
	if (!waits.has_unknown)
		waits.ready_ns = thread->ready.ready_ns < waits.all_ns ? thread->ready.ready_ns
								       : waits.all_ns;
	return waits;
}

/* a thread lacked a CPU if it was ready without one for more than this share of its wall time; on a quiet
 * machine the share is smaller */
#define WORTH_A_COLUMN 0.02

bool ep_trace_lacked_cpus(const struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const struct ep_trace_thread *thread = &trace->threads[i];
		struct ep_report_waits waits = waits_of(trace, thread);

		if (thread->is_wanted &&
			(double)waits.ready_ns > WORTH_A_COLUMN * (double)wall_ns_of(trace, thread))
			return true;
	}
	return false;
}

static void fill_times(const struct ep_builder *builder, const struct ep_trace_thread *thread,
	struct ep_report_thread *row)
{
	const struct ep_trace_process *process = &builder->trace->processes[thread->process_idx];
	const struct ep_totals *totals = &thread->totals;

	row->cpu_ns = cpu_ns_of(thread);
	row->hidden_ns = thread->cost.hidden_us * 1000;
	row->own_ns = totals->own_ns;
	row->waits = waits_of(builder->trace, thread);
	row->start_s = start_of(builder, process) + (double)totals->start_us / 1e6;
	row->duration_s =
		row->waits.is_unknown ? NAN : (double)wall_ns_of(builder->trace, thread) / 1e9;
}

static void fill_thread(struct ep_builder *builder, const struct ep_trace_thread *thread,
	struct ep_report_thread *row)
{
	const struct ep_trace_process *process = &builder->trace->processes[thread->process_idx];
	uint32_t n_events = builder->trace->n_events;

	row->thread_idx = (uint32_t)(thread - builder->trace->threads);
	row->process_idx = thread->process_idx;
	row->pid = process->key.pid;
	row->tid = thread->tid;
	row->program = program_of(process);
	row->name = name_of(builder, process, thread);
	row->rank = process->meta[EP_META_RANK];
	row->n_samples = thread->cost.n_samples;
	row->n_lost = lost_of(thread);
	row->has_usage = thread->totals.n_minor_faults || thread->totals.n_major_faults ||
			 thread->totals.n_voluntary || thread->totals.n_involuntary;
	row->n_minor_faults = thread->totals.n_minor_faults;
	row->n_major_faults = thread->totals.n_major_faults;
	row->n_voluntary = thread->totals.n_voluntary;
	row->n_involuntary = thread->totals.n_involuntary;
	fill_times(builder, thread, row);
	row->values = ep_builder_calloc(builder, n_events, sizeof(*row->values));
	for (uint32_t e = 0; row->values && e < n_events; e++)
		row->values[e] = thread_value(builder, thread, e);
}

static int by_thread_cpu(const void *a, const void *b)
{
	const struct ep_report_thread *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns > y->cpu_ns ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Tells whether a thread is wanted and lived in the shown part. */
static bool is_there(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	return thread->is_wanted && (!trace->part.is_set || thread->cost.n_samples ||
					    thread->totals.end_us > thread->totals.start_us);
}

void ep_build_threads(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	const struct ep_trace *trace = builder->trace;

	ep_build_bins(builder);
	report->threads = ep_builder_calloc(builder, trace->n_threads, sizeof(*report->threads));
	for (uint32_t i = 0; report->threads && i < trace->n_threads; i++) {
		struct ep_report_thread *row = &report->threads[report->n_threads];

		if (!is_there(trace, &trace->threads[i]))
			continue;
		report->n_threads++;
		fill_thread(builder, &trace->threads[i], row);
		row->busy = ep_builder_calloc(builder, report->n_bins, sizeof(*row->busy));
		if (row->busy && report->n_bins)
			ep_resample(builder, &trace->threads[i].timeline, 1 / (report->bin_s * 1e6),
				row->busy);
	}
	if (report->threads)
		qsort(report->threads, report->n_threads, sizeof(*report->threads), by_thread_cpu);
	if (report->n_threads)
		report->busiest_ns = report->threads[0].cpu_ns;
}

/* least share of CPU time of a row in a brief list; the first ALWAYS_SHOWN rows may have less */
#define MIN_SHARE 0.005
#define ALWAYS_SHOWN 5

static double share_of(const struct ep_report *report, uint64_t cpu_ns)
{
	return report->cpu_ns ? (double)cpu_ns / (double)report->cpu_ns : 0;
}

bool ep_row_is_shown(const struct ep_builder *builder, uint32_t i, double share)
{
	const struct ep_report_options *options = builder->options;

	return (!options->top || i < options->top) &&
	       (!options->brief || i < ALWAYS_SHOWN || share >= MIN_SHARE);
}

static void limit_threads(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;

	for (uint32_t i = 0; i < report->n_threads; i++) {
		struct ep_report_thread *row = &report->threads[i];

		row->share = share_of(report, row->cpu_ns);
		if (ep_row_is_shown(builder, i, row->share))
			report->n_threads_shown++;
		else
			report->threads_hidden_share += row->share;
	}
}

/* ---- processes ---- */

/* Returns a process's label, "node2, rank 3: app -n 4"; it has the machine only if there are several. */
static const char *label_of(struct ep_builder *builder, const struct ep_report_process *row)
{
	const char *host = builder->report->n_hosts > 1 && row->host ? row->host : "";
	size_t word = strcspn(row->command, " ");

	while (word && row->command[word - 1] != '/')
		word--;
	if (!host[0] && !row->rank)
		return row->command + word;
	return ep_builder_text(builder, "%s%s%s%s: %s", host, host[0] && row->rank ? ", " : "",
		row->rank ? "rank " : "", row->rank ? row->rank : "", row->command + word);
}

/* Tells whether a process went on after its measurement ended, so that its account covers a part of its life. */
static bool goes_on_unmeasured(const struct ep_trace_process *process)
{
	return process->end.how == EP_END_SANDBOX || process->end.how == EP_END_FAILED ||
	       process->end.how == EP_END_STOPPED;
}

/* Returns why the kernel's account of a process is not known; NULL: it is known. */
static const char *lacks_account(
	const struct ep_builder *builder, const struct ep_trace_process *process)
{
	if (!process->has_end)
		return "the trace does not say how it ended";
	if (process->is_simulated)
		return "the kernel's account is the simulator's";
	return builder->trace->part.is_set ? "a part of the run is shown" : NULL;
}

static void take_account(const struct ep_builder *builder, const struct ep_trace_process *process,
	struct ep_report_process *row)
{
	const char *lacks = lacks_account(builder, process);

	row->user_s = row->system_s = row->children_s = ep_quantity_unknown(lacks);
	if (lacks)
		return;
	row->user_s = ep_quantity_exact((double)process->end.user_us / 1e6);
	row->system_s = ep_quantity_exact((double)process->end.system_us / 1e6);
	if (!process->has_children_us)
		row->children_s = ep_quantity_unknown("the trace does not have it");
	else if (goes_on_unmeasured(process))
		row->children_s = ep_quantity_unknown("it went on when evprof had stopped");
	else
		row->children_s = ep_quantity_exact((double)process->children_us / 1e6);
}

static void fill_process(struct ep_builder *builder, const struct ep_trace_process *process,
	struct ep_report_process *row)
{
	row->pid = process->key.pid;
	row->ppid = (uint32_t)ep_trace_process_number(process, EP_META_PPID, 0);
	row->program = program_of(process);
	row->file = ep_trace_process_file(process);
	row->command = process->command ? process->command : row->program;
	row->process_idx = (uint32_t)(process - builder->trace->processes);
	row->mpi_share = ep_quantity_unknown("it is no rank of MPI, or has no sample");
	row->rank = process->meta[EP_META_RANK];
	row->label = label_of(builder, row);
	row->born = process->born;
	row->has_end = process->has_end;
	row->end_how = process->end.how;
	row->end_status = process->end.status;
	row->cpus_allowed = process->meta[EP_META_CPUS_ALLOWED];
	row->n_cpus_allowed = (uint32_t)ep_trace_process_number(process, EP_META_N_CPUS_ALLOWED, 0);
	row->start_s = start_of(builder, process);
	row->duration_s = (double)process->last_us / 1e6;
	row->n_threads = process->n_threads;
	take_account(builder, process, row);
	row->peak_rss_kib = process->has_end ? process->end.peak_rss_kib : 0;
}

static void add_thread_to(struct ep_report_process *row, const struct ep_trace *trace,
	const struct ep_trace_thread *thread)
{
	struct ep_report_waits waits = waits_of(trace, thread);

	row->n_samples += thread->cost.n_samples;
	row->n_lost += lost_of(thread);
	row->hidden_ns += thread->cost.hidden_us * 1000;
	row->own_ns += thread->totals.own_ns;
	row->cpu_ns += cpu_ns_of(thread);
	ep_waits_add(&row->waits, &waits);
}

static int by_process_cpu(const void *a, const void *b)
{
	const struct ep_report_process *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns > y->cpu_ns ? -1 : 1;
	if (x->start_s != y->start_s)
		return x->start_s < y->start_s ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Removes the rows of processes without a wanted thread. Before the call, row i is process i. Returns the
 * number of rows. */
static uint32_t drop_unwanted(
	const struct ep_trace *trace, struct ep_report_process *rows, const bool *wanted)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (wanted[i])
			rows[n++] = rows[i];
	return n;
}

static void limit_processes(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;

	for (uint32_t i = 0; i < report->n_processes; i++) {
		struct ep_report_process *row = &report->processes[i];

		row->share = share_of(report, row->cpu_ns);
		if (ep_row_is_shown(builder, i, row->share))
			report->n_processes_shown++;
		else
			report->processes_hidden_share += row->share;
	}
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return x < y ? -1 : x > y;
}

/* Counts the different ranks. Equal ranks have the same text address, since the trace stores each text once. */
static void count_ranks(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	uintptr_t *ranks = ep_builder_calloc(builder, report->n_processes, sizeof(*ranks));
	uint32_t n = 0;

	for (uint32_t i = 0; ranks && i < report->n_processes; i++)
		if (report->processes[i].rank)
			ranks[n++] = (uintptr_t)report->processes[i].rank;
	if (n)
		qsort(ranks, n, sizeof(*ranks), by_address);
	for (uint32_t i = 0; i < n; i++)
		report->n_ranks += !i || ranks[i] != ranks[i - 1];
	free(ranks);
}

void ep_build_processes(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	const struct ep_trace *trace = builder->trace;
	bool *wanted = ep_builder_calloc(builder, trace->n_processes, sizeof(*wanted));

	report->processes =
		ep_builder_calloc(builder, trace->n_processes, sizeof(*report->processes));
	if (wanted && report->processes) {
		ep_find_hosts(builder, report->processes);
		for (uint32_t i = 0; i < trace->n_processes; i++) {
			fill_process(builder, &trace->processes[i], &report->processes[i]);
			report->is_simulated |= trace->processes[i].is_simulated;
			report->is_exact |= trace->processes[i].has_costs;
			wanted[i] = !trace->processes[i].n_threads && !report->selection &&
				    !ep_trace_process_is_void(&trace->processes[i]);
		}
		for (uint32_t i = 0; i < trace->n_threads; i++) {
			const struct ep_trace_thread *thread = &trace->threads[i];

			if (!is_there(trace, thread))
				continue;
			wanted[thread->process_idx] = true;
			add_thread_to(&report->processes[thread->process_idx], trace, thread);
		}
		for (uint32_t i = 0; report->is_exact && i < trace->n_processes; i++)
			report->n_not_exact += wanted[i] && !trace->processes[i].has_costs;
		report->n_processes = drop_unwanted(trace, report->processes, wanted);
		qsort(report->processes, report->n_processes, sizeof(*report->processes),
			by_process_cpu);
		limit_processes(builder);
		count_ranks(builder);
		limit_threads(builder);
	}
	free(wanted);
}
