// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/losses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

enum {
	DATA = 1 << EP_SYMPTOM_L1_DATA | 1 << EP_SYMPTOM_L2_DATA | 1 << EP_SYMPTOM_MEMORY |
	       1 << EP_SYMPTOM_DATA_TLB,
	NEAR = 1 << EP_SYMPTOM_L1_DATA,
	MIDDLE = 1 << EP_SYMPTOM_L2_DATA,
	FAR = 1 << EP_SYMPTOM_MEMORY,
	PAGES = 1 << EP_SYMPTOM_DATA_TLB,
	CODE = 1 << EP_SYMPTOM_CODE | 1 << EP_SYMPTOM_CODE_TLB,
	BRANCHES = 1 << EP_SYMPTOM_BRANCHES,
	COMPUTING = 1 << EP_SYMPTOM_FP_FAST | 1 << EP_SYMPTOM_FP_SLOW,
};

static const struct ep_loss_kind losses[] = {
	{ "Frontend_Bound", "because instructions did not come fast enough", CODE },
	{ "Frontend_Stalled", "because instructions did not come fast enough", CODE },
	{ "No_Instruction_To_Execute", "because there was no instruction to execute",
		CODE | BRANCHES },
	{ "Fetch_Latency", "waiting for instructions", CODE },
	{ "Frontend_Latency", "waiting for instructions", CODE },
	{ "Fetch_Stall", "waiting for instructions", CODE },
	{ "Instruction_Miss_Stall", "waiting for instructions", CODE },
	{ "Fetch_Bandwidth", "because instructions were decoded too slowly", CODE },
	{ "Frontend_Bandwidth", "because instructions were decoded too slowly", CODE },
	{ "Bad_Speculation", "on work that was thrown away", BRANCHES },
	{ "Branch_Mispredicts", "on branches that were predicted wrong", BRANCHES },
	{ "Mispredicts", "on branches that were predicted wrong", BRANCHES },
	{ "Mispredict_Stall", "on branches that were predicted wrong", BRANCHES },
	{ "Machine_Clears", "on restarts of the pipeline", 0 },
	{ "Pipeline_Restarts", "on restarts of the pipeline", 0 },
	{ "Backend_Bound", "waiting for data or for execution units", DATA | COMPUTING },
	{ "Backend_Stalled", "waiting for data or for execution units", DATA | COMPUTING },
	{ "Execution_Stall", "waiting for data or for execution units", DATA | COMPUTING },
	{ "0_Instruction_Commit", "finishing no instruction", DATA | COMPUTING },
	{ "Memory_Bound", "waiting for data", DATA },
	{ "Memory", "waiting for data", DATA },
	{ "Load_Store_Stall", "waiting for data", DATA },
	{ "Load_Stall", "waiting for data", DATA },
	{ "L1_Bound", "waiting for data from the L1 cache", NEAR },
	{ "L1_Hit", "waiting for data from the L1 cache", NEAR },
	{ "L2_Bound", "waiting for data from the L2 cache", MIDDLE },
	{ "L1_Miss", "waiting for data from the L2 cache", MIDDLE },
	{ "L2_Miss", "waiting for data from memory", FAR },
	{ "L3_DRAM_Bound", "waiting for data from beyond the L2 cache", FAR },
	{ "Data_Cache_Miss", "waiting for data that were not in the L1 cache", MIDDLE | FAR },
	{ "Data_Translation_Stall", "finding the pages of data", PAGES },
	{ "Store_Bound", "waiting for stores", FAR },
	{ "Store_Stall", "waiting for stores", FAR },
	{ "Core_Bound", "waiting for execution units or for results", COMPUTING },
	{ "Compute_Bound", "waiting for execution units or for results", COMPUTING },
	{ "Compute", "waiting for execution units or for results", COMPUTING },
	{ "Vector_Stall", "waiting for execution units or for results", COMPUTING },
	{ "SMT_Contention", "to the other thread of the core", 0 },
	{ "Stalled_By_Other_Thread", "to the other thread of the core", 0 },
};

const struct ep_loss_kind *ep_loss_kind_find(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(losses); i++)
		if (!strcmp(losses[i].name, name))
			return &losses[i];
	return NULL;
}

static const char *base_in_words(const struct ep_loss_path *path)
{
	const char *base = path->levels[0]->base;

	if (!base)
		return "time";
	return !strcmp(base, "Slots") ? "issue slots" : !strcmp(base, "Clocks") ? "cycles" : base;
}

void ep_loss_describe(const struct ep_loss_path *path, const char *whose, char *out, size_t size)
{
	const struct ep_loss_kind *kind = ep_loss_kind_find(path->levels[path->n_levels - 1]->name);
	char bar[48] = "", names[192] = "";
	size_t used = 0;

	if (path->bar >= 0.005)
		snprintf(bar, sizeof(bar), " (give or take %.0f)", 100 * path->bar);
	for (uint32_t i = path->n_levels; i-- > 0 && used < sizeof(names);)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
			path->levels[i]->name, i ? " in " : "");
	snprintf(out, size, "%.0f %% of %s %s%s were lost%s%s (%s)", 100 * path->share, whose,
		base_in_words(path), bar, kind ? " " : "", kind ? kind->words : "", names);
}

/* Returns the likely symptoms of a loss for which LCPI knows no cycles. A wait for data may be one for the farthest
 * memory and for its pages; if so, it is taken to be that. A loss in computing has no likely symptom, since the kind
 * of computation is not known. */
static uint32_t supposed_symptoms(uint32_t symptoms)
{
	if (symptoms & COMPUTING)
		return 0;
	return symptoms & FAR ? FAR | PAGES : symptoms;
}

void ep_loss_symptoms(const struct ep_loss_kind *loss, const struct ep_assessment *assessment,
	double out_cycles[EP_N_SYMPTOMS])
{
	bool knows_any = false;

	for (int i = 0; i < EP_N_SYMPTOMS; i++) {
		bool is_meant = loss->symptoms & 1u << i;

		out_cycles[i] = is_meant && assessment ? assessment->symptoms[i] : NAN;
		knows_any |= out_cycles[i] > 0;
	}
	uint32_t supposed = supposed_symptoms(loss->symptoms);

	for (int i = 0; i < EP_N_SYMPTOMS && !knows_any; i++)
		out_cycles[i] = supposed & 1u << i ? 1 : NAN;
}
