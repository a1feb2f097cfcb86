// SPDX-License-Identifier: BSD-3-Clause
/* Loads libpfm4 and walks its tables. Single-threaded, at start. */
#include "pfm.h"

#include <dlfcn.h>
#include <stddef.h>

#include "common/cleanup.h"

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "pfm_initialize", offsetof(struct ep_pfm, initialize) },
	{ "pfm_strerror", offsetof(struct ep_pfm, strerror) },
	{ "pfm_get_pmu_info", offsetof(struct ep_pfm, get_pmu_info) },
	{ "pfm_get_event_next", offsetof(struct ep_pfm, get_event_next) },
	{ "pfm_find_event", offsetof(struct ep_pfm, find_event) },
	{ "pfm_get_event_info", offsetof(struct ep_pfm, get_event_info) },
	{ "pfm_get_event_attr_info", offsetof(struct ep_pfm, get_event_attr_info) },
	{ "pfm_get_os_event_encoding", offsetof(struct ep_pfm, get_os_event_encoding) },
};

static int find_symbols(void *handle, struct ep_pfm *out_pfm)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(symbols); i++) {
		void *symbol = dlsym(handle, symbols[i].name);

		if (!symbol)
			return -1;
		*(void **)((char *)out_pfm + symbols[i].offset) = symbol;
	}
	return out_pfm->initialize() == PFM_SUCCESS ? 0 : -1;
}

const struct ep_pfm *ep_pfm_load(void)
{
	static enum { UNTRIED, LOADED, ABSENT } state;
	static struct ep_pfm pfm;

	if (state == UNTRIED) {
		/* RTLD_LOCAL: the program must not find these symbols. */
		void *handle = dlopen("libpfm.so.4", RTLD_LOCAL | RTLD_LAZY);

		state = handle && !find_symbols(handle, &pfm) ? LOADED : ABSENT;
	}
	return state == LOADED ? &pfm : NULL;
}

void ep_pfm_walk(const struct ep_pfm *pfm, ep_pfm_want_fn wants, ep_pfm_see_fn see, void *data)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	pfm_event_info_t event = { .size = sizeof(event) };

	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		if (pfm->get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !wants(&pmu, data))
			continue;
		for (int idx = pmu.first_event; idx != -1; idx = pfm->get_event_next(idx))
			if (pfm->get_event_info(idx, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
				see(&event, &pmu, data);
	}
}
