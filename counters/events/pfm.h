/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of libpfm4. The library is loaded by dlopen when the first event name needs it, and evprof is not
 * linked with it. So evprof also works on a machine without libpfm4, and a program gets none of its symbols. Called by
 * one thread, at the start.
 */
#ifndef EVPROF_COUNTERS_EVENTS_PFM_H
#define EVPROF_COUNTERS_EVENTS_PFM_H

#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

struct ep_pfm {
	pfm_err_t (*initialize)(void);
	const char *(*strerror)(int code);
	pfm_err_t (*get_pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *output);
	int (*get_event_next)(int idx);
	int (*find_event)(const char *name);
	pfm_err_t (*get_event_info)(int idx, pfm_os_t os, pfm_event_info_t *output);
	pfm_err_t (*get_event_attr_info)(
		int idx, int attr, pfm_os_t os, pfm_event_attr_info_t *output);
	pfm_err_t (*get_os_event_encoding)(const char *name, int plm, pfm_os_t os, void *args);
};

/* Returns the functions of the initialised library; NULL: libpfm4 is not installed, or its initialisation fails. */
const struct ep_pfm *ep_pfm_load(void);

/* Calls see(event, pmu) for each event of each PMU that wants(pmu) accepts. */
typedef int (*ep_pfm_want_fn)(const pfm_pmu_info_t *pmu, void *data);
typedef void (*ep_pfm_see_fn)(const pfm_event_info_t *event, const pfm_pmu_info_t *pmu, void *data);
void ep_pfm_walk(const struct ep_pfm *pfm, ep_pfm_want_fn wants, ep_pfm_see_fn see, void *data);

#endif
