// SPDX-License-Identifier: BSD-3-Clause
/* Frees a trace in memory. One thread runs it. */
#include <stdlib.h>

#include "reporter/load/loader.h"

void ep_trace_destroy(struct ep_trace *trace)
{
	if (!trace)
		return;
	for (uint32_t i = 0; i < trace->n_threads; i++)
		ep_trace_thread_finish(&trace->threads[i]);
	for (uint32_t i = 0; i < trace->n_processes; i++)
		ep_trace_process_finish(&trace->processes[i]);
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		ep_sums_finish(&trace->costs[i].sums);
		free(trace->costs[i].ticks.rows);
	}
	ep_region_table_finish(&trace->regions);
	if (trace->exact)
		ep_costs_finish(trace->exact);
	free(trace->exact);
	ep_sums_finish(&trace->unplaced);
	ep_timeline_finish(&trace->timeline);
	ep_latency_destroy(trace->latency);
	ep_index_finish(&trace->process_index);
	ep_index_finish(&trace->thread_index);
	ep_index_finish(&trace->module_index);
	ep_index_finish(&trace->path_index);
	ep_index_finish(&trace->rank_cost_index);
	ep_index_finish(&trace->wait_index);
	ep_strings_finish(&trace->strings);
	free(trace->processes);
	free(trace->threads);
	free(trace->modules);
	free(trace->paths);
	free(trace->steps);
	ep_scripts_finish(&trace->scripts);
	ep_kept_maps_finish(&trace->kept_maps);
	free(trace->costs);
	free(trace->rank_costs);
	free(trace->waits);
	free(trace->events);
	free(trace->notes);
	free(trace);
}
