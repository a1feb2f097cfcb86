// SPDX-License-Identifier: BSD-3-Clause
/* Losses in words, and what is tried against them. */
#include "tests/unit/test.h"

#include <dirent.h>
#include <math.h>

#include "common/formula/catalog.h"
#include "reporter/advise/losses.h"

TEST(words_of_every_cpus_first_level)
{
	struct ep_catalog catalog = { 0 };
	struct ep_error err = { 0 };
	char path[512];
	int n = 0;

	snprintf(path, sizeof(path), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", path, 1);
	CHECK_MSG(!ep_catalog_open(&catalog, &err), "%s", err.message);
	for (uint32_t i = 0; i < catalog.n_entries; i++) {
		struct ep_formula_file file = { 0 };

		if (strcmp(catalog.entries[i].name, "topdown"))
			continue;
		CHECK_INT(ep_formula_file_read(catalog.entries[i].path, &file, &err), 0);
		for (uint32_t k = 0; k < file.n_metrics; k++)
			n += ep_loss_kind_find(file.metrics[k].name) != NULL;
		ep_formula_file_finish(&file);
	}
	CHECK(n > 50);
	ep_catalog_close(&catalog);
	CHECK_STR(ep_loss_kind_find("Memory_Bound")->words, "waiting for data");
	CHECK(!ep_loss_kind_find("Retiring"));
}

TEST(what_is_known_comes_before_what_is_supposed)
{
	struct ep_assessment known = { .overall = { .value = 1 } };
	double cycles[EP_N_SYMPTOMS];

	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		known.symptoms[i] = i + 1;
	ep_loss_symptoms(ep_loss_kind_find("Memory_Bound"), &known, cycles);
	CHECK(cycles[EP_SYMPTOM_MEMORY] == EP_SYMPTOM_MEMORY + 1);
	CHECK(isnan(cycles[EP_SYMPTOM_BRANCHES])); /* of another loss */
	ep_loss_symptoms(ep_loss_kind_find("Memory_Bound"), NULL, cycles);
	CHECK(cycles[EP_SYMPTOM_MEMORY] == 1 && isnan(cycles[EP_SYMPTOM_L1_DATA]));
	ep_loss_symptoms(ep_loss_kind_find("Mispredicts"), NULL, cycles);
	CHECK(cycles[EP_SYMPTOM_BRANCHES] == 1);
	ep_loss_symptoms(ep_loss_kind_find("Core_Bound"), NULL, cycles);
	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		CHECK(isnan(cycles[i]));
}
