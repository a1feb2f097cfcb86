// SPDX-License-Identifier: BSD-3-Clause
/* The functions that programs call by include/evprof.h. Their names begin with evprof_, so that no program has
 * functions of the same names. */
#include <time.h>

#include "common/os/sys.h"
#include "hooks.h"
#include "preload/recording/recording.h"
#include "preload/thread/thread.h"

EP_HOOK void evprof_region_begin(const char *name);
EP_HOOK void evprof_region_end(const char *name);

static struct ep_thread *thread_for(const char *name)
{
	return ep_recording.is_on && name && name[0] ? ep_self : NULL;
}

void evprof_region_begin(const char *name)
{
	struct ep_thread *thread = thread_for(name);

	if (thread)
		ep_region_begin(
			&thread->region, &thread->regions, name, ep_now_ns(CLOCK_MONOTONIC));
}

void evprof_region_end(const char *name)
{
	struct ep_thread *thread = thread_for(name);

	if (thread)
		ep_region_end(&thread->region, &thread->regions, name, ep_now_ns(CLOCK_MONOTONIC));
}
