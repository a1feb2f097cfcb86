// SPDX-License-Identifier: BSD-3-Clause
/* Finds the model of the CPU, the number of CPUs, the load and the MPI rank. */
#include "cpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "cpu_quota.h"
#include "large.h"
#include "plain_text.h"
#include "sys.h"

/* Returns a pointer to the colon of the line that has this key; NULL: there is no such line. */
static const char *find_line(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *colon = line + length;

		if (strncmp(line, key, length) != 0)
			continue;
		colon += strspn(colon, " \t");
		if (*colon == ':')
			return colon;
	}
	return NULL;
}

#if defined(__x86_64__)
#define CPUINFO_BYTES 512
#else
/* large enough for Arm, where the number of the part comes after the names of all features */
#define CPUINFO_BYTES 1024
#endif

/* Reads /proc/cpuinfo and does not use the CPUID instruction, which traps in a virtual machine and
 * takes 10 us each time. Only the first CPU's lines up to its flags are read: the kernel needs about
 * 10 us for each CPU that is read. */
static void find_in_cpuinfo(const char *key, char *out, size_t size)
{
	static EP_LARGE char text[CPUINFO_BYTES];
	const char *at;

	out[0] = '\0';
	if (!text[0] && ep_sys_read_file("/proc/cpuinfo", text, sizeof(text)) <= 0)
		return;
	at = find_line(text, key);
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
	find_in_cpuinfo("model", model, sizeof(model));
	find_in_cpuinfo("stepping", stepping, sizeof(stepping));
	snprintf(out, size, "%s-%s-%X-%X", vendor, family, atoi(model), atoi(stepping));
}
#else
static void copy_line(const char *path, char *out, size_t size)
{
	long n = ep_sys_read_file(path, out, size);

	out[n > 0 ? strcspn(out, "\n") : 0] = '\0';
}

#if defined(__aarch64__)
/* Names for Arm's CPUs, of which the kernel has only numbers: implementer and part of MIDR_EL1, as in
 * arch/arm64/include/asm/cputype.h and util-linux's lscpu. */
static const struct {
	unsigned implementer, part;
	const char *name;
} arm_cpus[] = {
	{ 0x41, 0xd07, "Arm Cortex-A57" },
	{ 0x41, 0xd08, "Arm Cortex-A72" },
	{ 0x41, 0xd0b, "Arm Cortex-A76" },
	{ 0x41, 0xd0c, "Arm Neoverse N1" },
	{ 0x41, 0xd40, "Arm Neoverse V1" },
	{ 0x41, 0xd49, "Arm Neoverse N2" },
	{ 0x41, 0xd4f, "Arm Neoverse V2" },
	{ 0x41, 0xd8e, "Arm Neoverse N3" },
	{ 0x43, 0x0af, "Marvell ThunderX2" },
	{ 0x46, 0x001, "Fujitsu A64FX" },
	{ 0x48, 0xd01, "HiSilicon Kunpeng 920" },
	{ 0x4e, 0x004, "NVIDIA Carmel" },
	{ 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1A" },
};

static void name_arm_cpu(char *out, size_t size)
{
	char implementer[16], part[16];

	find_in_cpuinfo("CPU implementer", implementer, sizeof(implementer));
	find_in_cpuinfo("CPU part", part, sizeof(part));
	if (!part[0])
		return;
	for (size_t i = 0; i < EP_ARRAY_SIZE(arm_cpus); i++)
		if (arm_cpus[i].implementer == strtoul(implementer, NULL, 16) &&
			arm_cpus[i].part == strtoul(part, NULL, 16)) {
			snprintf(out, size, "%s", arm_cpus[i].name);
			return;
		}
	snprintf(out, size, "Arm CPU, implementer %s, part %s", implementer, part);
}
#endif

void ep_cpu_model(char *out, size_t size)
{
	find_in_cpuinfo("model name", out, size);
	if (!out[0])
		find_in_cpuinfo("cpu", out, size);
#if defined(__aarch64__)
	if (!out[0])
		name_arm_cpu(out, size);
#endif
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

/* Asks libc only once, since libc reads a file to answer. */
int ep_cpu_count(void)
{
	static int n_cpus;

	if (!n_cpus)
		n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return n_cpus;
}

#define MAX_CPUS 8192 /* the kernel has the same limit */

int ep_cpu_count_allowed(void)
{
	int n_in_quota = ep_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
	uint64_t mask[MAX_CPUS / 64] = { 0 };
	long size = ep_sys(__NR_sched_getaffinity, 0, sizeof(mask), mask);
	int n = 0;

	for (long i = 0; i < size / 8; i++)
		n += __builtin_popcountll(mask[i]);
	return n_in_quota && n_in_quota < n ? n_in_quota : n;
}

/* Returns the next CPU from cpu on that is in the mask (is_in), or that is not in it. */
static int next_cpu(const uint64_t *mask, int n_cpus, int cpu, bool is_in)
{
	while (cpu < n_cpus && (mask[cpu / 64] >> (cpu % 64) & 1) != is_in)
		cpu++;
	return cpu;
}

void ep_cpu_list_allowed(char *out, size_t size)
{
	uint64_t mask[MAX_CPUS / 64] = { 0 };
	long mask_bytes = ep_sys(__NR_sched_getaffinity, 0, sizeof(mask), mask);
	int n_cpus = mask_bytes > 0 ? (int)mask_bytes * 8 : 0, end;
	size_t used = 0;

	out[0] = '\0';
	for (int cpu = next_cpu(mask, n_cpus, 0, true); cpu < n_cpus;
		cpu = next_cpu(mask, n_cpus, end, true)) {
		end = next_cpu(mask, n_cpus, cpu, false);
		used += (size_t)snprintf(out + used, size - used,
			end - cpu > 1 ? "%s%d-%d" : "%s%d", used ? "," : "", cpu, end - 1);
		if (used < size)
			continue;
		out[0] = '\0';
		return;
	}
}

long ep_cpu_load_percent(void)
{
	struct sysinfo info = { 0 };

	if (ep_sys(__NR_sysinfo, &info))
		return -1;
	return (long)(info.loads[0] * 100 / (1ul << SI_LOAD_SHIFT));
}

static const char *first_variable(const char *const *names)
{
	const char *value = NULL;

	for (; *names && !value; names++)
		value = ep_plain_variable(environ, *names);
	return value;
}

const char *ep_cpu_mpi_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "SLURM_PROCID", "ALPS_APP_PE", NULL };

	return first_variable(names);
}

int ep_cpu_mpi_size(void)
{
	/* SLURM_NTASKS is not used: a batch script that starts one program has it, too. */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", NULL };
	const char *size = first_variable(names);

	return size ? atoi(size) : 0;
}
