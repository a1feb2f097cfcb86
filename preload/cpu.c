// SPDX-License-Identifier: BSD-3-Clause
/* The machine's name and kind. */
#include "preload/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/sys.h"

#if defined(__x86_64__)
#include <cpuid.h>

void ep_cpu_model(char *out, size_t size)
{
	uint32_t words[13] = { 0 };
	const char *text = (const char *)words;

	for (uint32_t i = 0; i < 3; i++)
		__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
			&words[4 * i + 3]);
	snprintf(out, size, "%s", text + strspn(text, " "));
}

/* Family and model with their extensions: Intel SDM volume 2, CPUID leaf 1. */
void ep_cpu_id(char *out, size_t size)
{
	uint32_t max, vendor[4] = { 0 }, a = 0, b, c, d, family, model;

	__get_cpuid(0, &max, &vendor[0], &vendor[2], &vendor[1]);
	__get_cpuid(1, &a, &b, &c, &d);
	family = a >> 8 & 15;
	model = a >> 4 & 15;
	if (family == 6 || family == 15)
		model |= (a >> 16 & 15) << 4;
	if (family == 15)
		family += a >> 20 & 255;
	snprintf(out, size, "%.12s-%u-%X-%X", (const char *)vendor, family, model, a & 15);
}
#else
static void copy_line(const char *path, char *out, size_t size)
{
	long n = ep_sys_read_file(path, out, size);

	out[n > 0 ? strcspn(out, "\n") : 0] = '\0';
}

static void find_in_cpuinfo(const char *key, char *out, size_t size)
{
	static char text[4096];
	const char *at;

	out[0] = '\0';
	if (ep_sys_read_file("/proc/cpuinfo", text, sizeof(text)) <= 0)
		return;
	at = strstr(text, key);
	at = at ? strchr(at, ':') : NULL;
	if (at)
		snprintf(out, size, "%.*s", (int)strcspn(at + 2, "\n"), at + 2);
}

void ep_cpu_model(char *out, size_t size)
{
	find_in_cpuinfo("model name", out, size);
	if (!out[0])
		find_in_cpuinfo("cpu", out, size);
	if (!out[0])
		copy_line("/sys/firmware/devicetree/base/model", out, size);
}

void ep_cpu_id(char *out, size_t size)
{
	copy_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", out, size);
#if defined(__powerpc64__)
	find_in_cpuinfo("revision", out, size);
#endif
}
#endif

int ep_cpu_count(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

const char *ep_cpu_mpi_rank(void)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "SLURM_PROCID", "ALPS_APP_PE" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i]))
			return getenv(variables[i]);
	return NULL;
}
