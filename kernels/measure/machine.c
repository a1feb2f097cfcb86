// SPDX-License-Identifier: BSD-3-Clause
/* Reads facts about the machine from /proc/cpuinfo and /sys/devices/system/cpu. */
#include "kernels/measure/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"

#define CPU_FOLDER "/sys/devices/system/cpu/cpu"

static bool read_line(const char *path, char *out, size_t size)
{
	EP_AUTOFCLOSE FILE *in = fopen(path, "re");

	if (!in || !fgets(out, (int)size, in))
		return false;
	out[strcspn(out, "\n")] = '\0';
	return true;
}

/* Returns the number of CPUs in a list: 5 for "0-3,8". */
static size_t count_list(const char *list)
{
	size_t n = 0;

	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list)
			break;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		n += (size_t)(last - first + 1);
		list = *end ? end + 1 : end;
	}
	return n;
}

static size_t parse_size(const char *text)
{
	char *end;
	size_t size = strtoul(text, &end, 10);

	return *end == 'K' ? size << 10 : *end == 'M' ? size << 20 : size;
}

static struct ep_cache *pick_cache(struct ep_cal_machine *machine, int level, const char *type)
{
	if (level == 1)
		return *type == 'I' ? &machine->l1i : &machine->l1d;
	return level == 2 ? &machine->l2 : level == 3 ? &machine->l3 : NULL;
}

static bool read_cache(struct ep_cal_machine *machine, int cpu, int index)
{
	char path[128], text[256], type[32];
	int n = snprintf(path, sizeof(path), CPU_FOLDER "%d/cache/index%d/", cpu, index);

	snprintf(path + n, sizeof(path) - n, "level");
	if (!read_line(path, text, sizeof(text)))
		return false;
	int level = atoi(text);
	snprintf(path + n, sizeof(path) - n, "type");
	read_line(path, type, sizeof(type));
	struct ep_cache *cache = pick_cache(machine, level, type);
	snprintf(path + n, sizeof(path) - n, "size");
	if (!cache || !read_line(path, text, sizeof(text)))
		return true;
	cache->size_bytes = parse_size(text);
	snprintf(path + n, sizeof(path) - n, "shared_cpu_list");
	cache->n_sharing = read_line(path, text, sizeof(text)) ? count_list(text) : 1;
	snprintf(path + n, sizeof(path) - n, "coherency_line_size");
	if (read_line(path, text, sizeof(text)) && atoi(text) >= 16)
		machine->line_bytes = (size_t)atoi(text);
	return true;
}

static void read_caches(struct ep_cal_machine *machine)
{
	for (int index = 0; index < 8; index++)
		if (!read_cache(machine, machine->cpus[0], index))
			break;
	/* typical sizes, for containers and old kernels that hide the true ones */
	if (!machine->l1d.size_bytes)
		machine->l1d = (struct ep_cache){ 32 << 10, 1 };
	if (!machine->l1i.size_bytes)
		machine->l1i = (struct ep_cache){ 32 << 10, 1 };
	if (!machine->l2.size_bytes)
		machine->l2 = (struct ep_cache){ 1 << 20, 1 };
}

/* Tells whether a CPU is the first hardware thread of its core. Only these are used, since two threads of a
 * core share its caches. */
static bool is_first_of_core(int cpu)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), CPU_FOLDER "%d/topology/thread_siblings_list", cpu);
	return !read_line(path, text, sizeof(text)) || atoi(text) == cpu;
}

static void list_cpus(struct ep_cal_machine *machine)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set))
		CPU_SET(0, &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && machine->n_cpus < EP_MAX_MACHINE_CPUS; cpu++)
		if (CPU_ISSET(cpu, &set) && is_first_of_core(cpu))
			machine->cpus[machine->n_cpus++] = cpu;
	/* if the process may only use second hardware threads, all of them are used */
	for (int cpu = 0; cpu < CPU_SETSIZE && !machine->n_cpus; cpu++)
		if (CPU_ISSET(cpu, &set))
			machine->cpus[machine->n_cpus++] = cpu;
}

/* Reads the CPU's name from "model name : ..." (x86) or "cpu : ..." (POWER); on Arm the kernel tells none. */
static void read_model_name(struct ep_cal_machine *machine)
{
	EP_AUTOFCLOSE FILE *in = fopen("/proc/cpuinfo", "re");
	char line[512];

	while (in && fgets(line, sizeof(line), in)) {
		char *value = strchr(line, ':');

		if (!value || (strncmp(line, "model name", 10) && strncmp(line, "cpu\t", 4)))
			continue;
		value[strcspn(value, "\n")] = '\0';
		snprintf(machine->cpu, sizeof(machine->cpu), "%s", value + 1 + (value[1] == ' '));
		return;
	}
}

/* Returns the length of an identifier without its stepping, as formula files serve all steppings:
 * "GenuineIntel-6-55-7" is vendor, family, model, stepping. */
static size_t size_of_key(const char *cpuid)
{
	const char *last = strrchr(cpuid, '-');
	int n_dashes = 0;

	for (const char *at = cpuid; *at; at++)
		n_dashes += *at == '-';
	return n_dashes == 3 ? (size_t)(last - cpuid) : strlen(cpuid);
}

void ep_cal_machine_set_cpu(struct ep_cal_machine *machine, const char *cpuid)
{
	snprintf(
		machine->cpu_key, sizeof(machine->cpu_key), "%.*s", (int)size_of_key(cpuid), cpuid);
	if (!machine->cpu[0])
		snprintf(machine->cpu, sizeof(machine->cpu), "%s", cpuid);
}

static void read_key(struct ep_cal_machine *machine)
{
	EP_AUTOFREE char *cpuid = ep_catalog_own_cpuid();

	if (cpuid)
		ep_cal_machine_set_cpu(machine, cpuid);
}

void ep_cal_machine_probe(struct ep_cal_machine *machine)
{
	struct utsname name;
	time_t now = time(NULL);

	*machine = (struct ep_cal_machine){ .line_bytes = 64 };
	machine->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	list_cpus(machine);
	read_caches(machine);
	read_model_name(machine);
	read_key(machine);
	if (!uname(&name))
		snprintf(machine->kernel, sizeof(machine->kernel), "%.20s %.60s", name.sysname,
			name.release);
	strftime(machine->date, sizeof(machine->date), "%Y-%m-%d", gmtime(&now));
}

int ep_cal_machine_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}
