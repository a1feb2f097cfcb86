// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/two_runs.h"

#include <string.h>

struct file_facts {
	const struct ep_trace_process *first;
	uint64_t from_ns, to_ns;
	bool has_ranks;
};

static struct file_facts look_at(const struct ep_trace *trace, uint32_t file_idx)
{
	struct file_facts facts = { .from_ns = UINT64_MAX };

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_trace_process *p = &trace->processes[i];
		uint64_t end_ns = p->born_ns + p->last_us * 1000;

		if (p->file_idx != file_idx || ep_trace_process_is_void(p))
			continue;
		facts.first = facts.first ? facts.first : p;
		facts.from_ns = p->born_ns < facts.from_ns ? p->born_ns : facts.from_ns;
		facts.to_ns = end_ns > facts.to_ns ? end_ns : facts.to_ns;
		facts.has_ranks = facts.has_ranks || p->meta[EP_META_RANK];
	}
	return facts;
}

static bool is_same(
	const struct ep_trace_process *a, const struct ep_trace_process *b, enum ep_meta_key key)
{
	return a->meta[key] && b->meta[key] && !strcmp(a->meta[key], b->meta[key]);
}

static bool has_rank_of(const struct ep_trace *trace, const struct ep_trace_process *process)
{
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].file_idx != process->file_idx &&
			is_same(&trace->processes[i], process, EP_META_RANK))
			return true;
	return false;
}

static bool share_a_rank(const struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (!trace->processes[i].file_idx && has_rank_of(trace, &trace->processes[i]))
			return true;
	return false;
}

bool ep_trace_is_of_two_runs(const struct ep_trace *trace)
{
	struct file_facts a = look_at(trace, 0), b = look_at(trace, 1);

	if (!a.first || !b.first || is_same(a.first, b.first, EP_META_RUN))
		return false;
	if (a.to_ns <= b.from_ns || b.to_ns <= a.from_ns)
		return true;
	if (a.has_ranks && b.has_ranks)
		return share_a_rank(trace);
	return is_same(a.first, b.first, EP_META_HOST);
}
