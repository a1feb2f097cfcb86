/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the components of the installed PAPI and their events. */
#ifndef EVPROF_COUNTERS_SOURCES_LIST_PAPI_H
#define EVPROF_COUNTERS_SOURCES_LIST_PAPI_H

#include <errno.h>

#include "common/error.h"

/* Calls see for each native event of each component, and for the event with each of its unit masks. For a component
 * that is disabled, calls see once with a NULL event and PAPI's reason as description. Returns -ENOSYS if evprof was
 * built without PAPI, or if the PAPI that evprof was built with is not installed. */
typedef void (*ep_papi_see_fn)(
	const char *component, const char *event, const char *description, void *data);
/* Returns which library the source papi would load, or what is missing, for evprof doctor. Loads the library without
 * initialising it. The text is constant. */
#if defined(EVPROF_HAVE_PAPI)
int ep_papi_walk(ep_papi_see_fn see, void *data, struct ep_error *err) EP_MUST_CHECK;
const char *ep_papi_state(void);
#else
static inline const char *ep_papi_state(void)
{
	return "evprof was built without it: install libpapi-dev and build again (optional)";
}

static inline int ep_papi_walk(ep_papi_see_fn see, void *data, struct ep_error *err)
{
	return ep_fail(err, -ENOSYS, "evprof was built without PAPI (libpapi-dev)");
}
#endif

#endif
