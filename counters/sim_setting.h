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
	uint32_t n_counters; /* general counters; 4 where the setting has no number */
	char cpuid[64];      /* the CPU from which the table's counts are; empty: this machine's */
};

static inline bool ep_is_sim(const char *source)
{
	return source[0] == 's' && source[1] == 'i' && source[2] == 'm' && source[3] == ':';
}

/* Reads the setting. Returns -EINVAL with the message where there is no table, the number of counters is out of range,
 * or a name is too long. */
int ep_sim_setting_read(
	const char *source, struct ep_sim_setting *out, struct ep_error *err) EP_MUST_CHECK;

#endif
