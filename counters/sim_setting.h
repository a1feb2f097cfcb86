/* SPDX-License-Identifier: BSD-3-Clause */
/* The setting of the simulated PMU: sim:TABLE[,counters=N][,cpuid=CPU]. */
#ifndef EVPROF_COUNTERS_SIM_SETTING_H
#define EVPROF_COUNTERS_SIM_SETTING_H

#include "common/error.h"
#include "counters/settings.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_sim_setting {
	char path[EP_SETTING_MAX_BYTES];
	uint32_t n_counters; /* general ones; 4 where the setting does not say */
	char cpuid[64];      /* of the CPU that the table's counts are of; empty: this machine's */
};

static inline bool ep_is_sim(const char *source)
{
	return source[0] == 's' && source[1] == 'i' && source[2] == 'm' && source[3] == ':';
}

/* -EINVAL with the message: no table, a number of counters out of range, a name too long. */
int ep_sim_setting_read(
	const char *source, struct ep_sim_setting *out, struct ep_error *err) EP_MUST_CHECK;

#endif
