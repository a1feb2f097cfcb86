// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/phase_load.h"

#include <errno.h>

#include "reporter/command/progress.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/symbolize/namer.h"

static void show_reading(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	ep_progress_show(done_bytes, size_bytes);
}

static int find(struct ep_loaded_phases *made, struct ep_namer *namer,
	const struct ep_time_log *times, struct ep_error *err)
{
	int rc = 0;

	if (made->trace->exact)
		return ep_fail(err, -ENODATA,
			"the program ran inside valgrind, where ticks wait for system calls, so that they do not tell what the program did when: a run outside of valgrind has phases");
	made->symbols = ep_namer_symbols(namer, made->trace);
	namer->symbols = NULL;
	if (!made->symbols)
		rc = -ENOMEM;
	if (!rc)
		rc = ep_phases_find(made->trace, made->symbols, times, &made->phases);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

int ep_loaded_phases_create(const struct ep_phase_question *question, struct ep_loaded_phases *out,
	struct ep_error *err)
{
	__attribute__((cleanup(ep_loaded_phases_finish))) struct ep_loaded_phases made = { 0 };
	struct ep_count_log counts = { .most = EP_PHASE_LOG_MOST };
	struct ep_time_log times = { .most = EP_PHASE_LOG_MOST, .counts = &counts };
	struct ep_namer namer = { .sysroot = question->sysroot };
	struct ep_load_options options = { .filler = ep_filler_default(question->paths).filler,
		.region = question->region,
		.see_times = ep_time_log_see,
		.forget_seen = ep_time_log_forget,
		.seer = &times,
		.progress = show_reading };
	int rc;

	ep_progress_start("looking for phases");
	rc = ep_traces_load(question->paths, &options, &made.trace, err);
	if (!rc)
		rc = find(&made, &namer, &times, err);
	ep_progress_stop();
	ep_symbols_destroy(namer.symbols);
	ep_time_log_finish(&times);
	if (rc)
		return rc;
	*out = made;
	made = (struct ep_loaded_phases){ 0 };
	return 0;
}

void ep_loaded_phases_finish(struct ep_loaded_phases *loaded)
{
	ep_phases_finish(&loaded->phases);
	ep_symbols_destroy(loaded->symbols);
	ep_trace_destroy(loaded->trace);
	*loaded = (struct ep_loaded_phases){ 0 };
}

int ep_phase_find_times(const struct ep_phase_question *question, uint32_t number,
	double out_times_s[2], struct ep_error *err)
{
	__attribute__((cleanup(ep_loaded_phases_finish))) struct ep_loaded_phases loaded = { 0 };
	int rc = ep_loaded_phases_create(question, &loaded, err);

	if (rc)
		return rc;
	if (number != 1 && loaded.phases.segmentation.n_kinds < 2)
		return ep_fail(err, -ENOENT,
			"--phase %u: the %s has no phases; evreport phases%s%s tells how they were looked for",
			number, question->region ? "region" : "run",
			question->region ? " --region " : "",
			question->region ? question->region : "");
	if (!number || number > loaded.phases.segmentation.n_stretches)
		return ep_fail(err, -ENOENT,
			"--phase %u: the %s has %u; evreport phases%s%s shows them", number,
			question->region ? "region" : "run", loaded.phases.segmentation.n_stretches,
			question->region ? " --region " : "",
			question->region ? question->region : "");
	out_times_s[0] = ep_phase_from_s(&loaded.phases, number - 1);
	out_times_s[1] = ep_phase_to_s(&loaded.phases, number - 1);
	return 0;
}
