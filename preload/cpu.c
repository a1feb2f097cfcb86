// SPDX-License-Identifier: BSD-3-Clause
/* The machine's name and kind. */
#include "preload/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/sys.h"

/* Not by the CPUID instruction, which traps in a virtual machine: 10 us each. Only the first CPU's
 * lines up to its flags: the kernel writes as many CPUs as are asked for, some 10 us each. */
static void find_in_cpuinfo(const char *key, char *out, size_t size)
{
	static char text[512];
	const char *at;

	out[0] = '\0';
	if (!text[0] && ep_sys_read_file("/proc/cpuinfo", text, sizeof(text)) <= 0)
		return;
	at = strstr(text, key);
	at = at ? strchr(at, ':') : NULL;
	if (at && at[1] == ' ')
		snprintf(out, size, "%.*s", (int)strcspn(at + 2, "\n"), at + 2);
}

#if defined(__x86_64__)
void ep_cpu_model(char *out, size_t size)
{
	find_in_cpuinfo("model name", out, size);
}

void ep_cpu_id(char *out, size_t size)
{
	char vendor[64], family[16], model[16], stepping[16];

	find_in_cpuinfo("vendor_id", vendor, sizeof(vendor));
	find_in_cpuinfo("cpu family", family, sizeof(family));
	find_in_cpuinfo("model\t", model, sizeof(model));
	find_in_cpuinfo("stepping", stepping, sizeof(stepping));
	snprintf(out, size, "%s-%s-%X-%X", vendor, family, atoi(model), atoi(stepping));
}
#else
static void copy_line(const char *path, char *out, size_t size)
{
	long n = ep_sys_read_file(path, out, size);

	out[n > 0 ? strcspn(out, "\n") : 0] = '\0';
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
