// SPDX-License-Identifier: BSD-3-Clause
/* Reads the setting of the simulated PMU. The library uses it to prepare the source sim, and evprof to plan the
 * events. */
#include "sim_setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/plan/plan.h"

#define DEFAULT_N_COUNTERS 4

static const char counters_option[] = ",counters=", cpuid_option[] = ",cpuid=";

static size_t path_length(const char *rest)
{
	const char *counters = strstr(rest, counters_option), *cpuid = strstr(rest, cpuid_option);
	size_t size = strlen(rest);

	if (counters && (size_t)(counters - rest) < size)
		size = (size_t)(counters - rest);
	if (cpuid && (size_t)(cpuid - rest) < size)
		size = (size_t)(cpuid - rest);
	return size;
}

static bool take_counters(const char *rest, uint32_t *out_n)
{
	const char *option = strstr(rest, counters_option);
	int n = option ? atoi(option + strlen(counters_option)) : DEFAULT_N_COUNTERS;

	*out_n = (uint32_t)n;
	return n >= 1 && n <= EP_GROUP_MAX_EVENTS;
}

static bool take_cpuid(const char *rest, char *out, size_t size)
{
	const char *option = strstr(rest, cpuid_option);
	const char *text = option ? option + strlen(cpuid_option) : "";
	size_t length = strcspn(text, ",");

	if (length >= size)
		return false;
	snprintf(out, size, "%.*s", (int)length, text);
	return true;
}

int ep_sim_setting_read(const char *source, struct ep_sim_setting *out, struct ep_error *err)
{
	const char *rest = strchr(source, ':');
	size_t size = rest ? path_length(++rest) : 0;

	if (!size || size >= sizeof(out->path) || !take_counters(rest, &out->n_counters) ||
		!take_cpuid(rest, out->cpuid, sizeof(out->cpuid)))
		return ep_fail(err, -EINVAL,
			"source '%s': expected sim:TABLE[,counters=N][,cpuid=CPU] with N from 1 to %d",
			source, EP_GROUP_MAX_EVENTS);
	snprintf(out->path, sizeof(out->path), "%.*s", (int)size, rest);
	return 0;
}
