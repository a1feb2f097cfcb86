// SPDX-License-Identifier: BSD-3-Clause
/* The words that names give: the tables' events, perf's, PAPI's and Intel's, and names without a
 * meaning. */
#include "reporter/estimate/event_words.h"

#include "common/cleanup.h"
#include "tests/unit/test.h"

#define BIT(word) (1u << EP_WORD_##word)

static const struct {
	const char *name;
	unsigned says;
} cases[] = {
	{ "L1D_LOADS", BIT(LOAD) },
	{ "L1D_STORE_MISS", BIT(STORE) | BIT(MISS) },
	{ "L1I_MISS", BIT(FETCH) | BIT(MISS) },
	{ "LLI_MISS", BIT(FETCH) | BIT(MISS) | BIT(LAST_LEVEL) },
	{ "LL_STORE_MISS", BIT(STORE) | BIT(MISS) | BIT(LAST_LEVEL) },
	{ "BR_COND", BIT(BRANCH) },
	{ "BR_IND_MISP", BIT(BRANCH) | BIT(INDIRECT) | BIT(MISPREDICT) },
	{ "L1-icache-load-misses", BIT(FETCH) | BIT(MISS) },
	{ "LLC-load-misses", BIT(LOAD) | BIT(MISS) | BIT(LAST_LEVEL) },
	{ "branch-misses", BIT(BRANCH) | BIT(MISPREDICT) },
	{ "BR_MISP_RETIRED.INDIRECT", BIT(BRANCH) | BIT(INDIRECT) | BIT(MISPREDICT) },
	{ "MEM_LOAD_RETIRED.L3_MISS", BIT(LOAD) | BIT(MISS) | BIT(LAST_LEVEL) },
	{ "PAPI_L1_LDM", BIT(LOAD) | BIT(MISS) },
	{ "PAPI_L1_ICM", BIT(FETCH) | BIT(MISS) },
	{ "PAPI_BR_MSP", BIT(BRANCH) | BIT(MISPREDICT) },
	{ "br_mis_pred:u", BIT(BRANCH) },
	{ "INSTR", 0 },
	{ "STALL", 0 },
	{ "cpu-cycles", 0 },
	{ "UOPS_ISSUED.ANY", 0 },
	{ "WORLD_BRIGHT", 0 },
	{ "", 0 },
	{ NULL, 0 },
};

TEST(names_say_what_they_say)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		unsigned said = ep_event_words(cases[i].name);
		CHECK_MSG(said == cases[i].says, "%s: %x, not %x", cases[i].name ?: "(none)", said,
			cases[i].says);
	}
}
