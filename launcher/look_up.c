// SPDX-License-Identifier: BSD-3-Clause
/* Looks names up in the kernel's tables and libpfm4's. Used by the launcher only. */
#include "look_up.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/callgrind.h"
#include "common/table.h"
#include "counters/events/event.h"
#include "counters/events/perf_names.h"
#include "counters/events/perf_sysfs.h"
#include "counters/events/pfm.h"
#include "floating_code.h"

int ep_look_up_here(const char *pmu, const char *name, struct ep_error *err)
{
	struct ep_event event;

	(void)pmu;
	return ep_perf_encode(name, &event, err);
}

/* Loads libpfm4 so that it encodes events of CPUs that are not here. libpfm4 reads the variable when it is loaded. The
 * program that is started must not see the variable. */
static const struct ep_pfm *load_for_all_cpus(void)
{
	static const char variable[] = "LIBPFM_ENCODE_INACTIVE";
	bool was_set = getenv(variable);
	const struct ep_pfm *pfm;

	setenv(variable, "1", 0);
	pfm = ep_pfm_load();
	if (!was_set)
		unsetenv(variable);
	return pfm;
}

/* Tells whether name is a raw code. Raw codes count something on any CPU. */
static bool is_raw(const char *name)
{
	struct ep_event event;
	char with_code[EP_EVENT_NAME_BYTES];

	snprintf(with_code, sizeof(with_code), "raw=%s", name);
	return !ep_perf_encode(with_code, &event, NULL);
}

/* Tells whether libpfm4's table of a CPU cannot decide about a name: every Linux knows the name, or only the other
 * machine's sysfs could know it, or it is a raw code. */
static bool is_of_any_cpu(const char *name)
{
	struct ep_event event;

	return !ep_perf_name_find(name, &event) || ep_perf_sysfs_is(name) || is_raw(name);
}

static bool has_pmu(const struct ep_pfm *pfm, const char *wanted)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++)
		if (pfm->get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
			!strcmp(pmu.name, wanted))
			return true;
	return false;
}

int ep_look_up_elsewhere(const char *pmu, const char *name, struct ep_error *err)
{
	const struct ep_pfm *pfm = pmu ? load_for_all_cpus() : NULL;
	struct ep_event event;
	char full[2 * EP_EVENT_NAME_BYTES];

	if (!pfm || !has_pmu(pfm, pmu) || is_of_any_cpu(name))
		return 0;
	snprintf(full, sizeof(full), "%s%s%s", strstr(name, "::") ? "" : pmu,
		strstr(name, "::") ? "" : "::", name);
	if (!ep_perf_encode(full, &event, NULL))
		return 0;
	return ep_fail(err, -ENOENT,
		"libpfm4's table %s has no such event ('evprof list --cpu %s')", pmu, pmu);
}

static struct ep_table played;

void ep_look_up_set_table(const char *path)
{
	ep_table_finish(&played);
	/* the source reports the reason when it reads the table */
	if (path && ep_table_read(path, &played, NULL))
		played = (struct ep_table){ 0 };
}

int ep_look_up_played(const char *pmu, const char *name, struct ep_error *err)
{
	return ep_table_column(&played, name) >= 0 ? 0 : ep_look_up_elsewhere(pmu, name, err);
}

int ep_look_up_simulated(const char *pmu, const char *name, struct ep_error *err)
{
	(void)pmu;
	if (ep_is_floating_event(name))
		return ep_floating_code_is_there()
			       ? 0
			       : ep_fail(err, -ENOENT,
					 "floating-point instructions are counted by libcapstone, on x86-64 alone; it is not installed here");
	return ep_fail(err, -ENOENT,
		"callgrind simulates Ir, Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw, Bc, Bcm, Bi and Bim only");
}
