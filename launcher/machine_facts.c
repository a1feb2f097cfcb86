// SPDX-License-Identifier: BSD-3-Clause
/* Reads /proc and /sys. The evidence for a container or a virtual machine is kept with the fact. Used by the launcher
 * only. */
#include "machine_facts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/events/perf_sysfs.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT 38

static bool read_int(const char *path, int *out_value)
{
	EP_AUTOFCLOSE FILE *file = fopen(path, "re");

	return file && fscanf(file, "%d", out_value) == 1;
}

/* Calls see(line, data) for each line until see returns true. Returns whether see did. */
static bool find_line(const char *path, bool (*see)(const char *line, void *data), void *data)
{
	EP_AUTOFCLOSE FILE *file = fopen(path, "re");
	EP_AUTOFREE char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		if (see(line, data))
			return true;
	return false;
}

static bool see_status(const char *line, void *data)
{
	struct ep_machine *machine = data;
	unsigned long long capabilities;

	sscanf(line, "Seccomp: %d", &machine->seccomp_mode);
	if (sscanf(line, "CapEff: %llx", &capabilities) == 1) {
		bool is_admin = capabilities >> CAP_SYS_ADMIN_BIT & 1;

		machine->has_only_perfmon = !is_admin && capabilities >> CAP_PERFMON_BIT & 1;
		machine->is_privileged = is_admin || machine->has_only_perfmon;
	}
	return false;
}

/* Reads a line of the map of user ids. The first user namespace maps all ids to themselves. If the map has fewer ids,
 * this process is in another namespace, where its rights do not help. */
static bool see_user_map(const char *line, void *data)
{
	struct ep_machine *machine = data;
	unsigned long long inside, outside, n = 0;

	if (sscanf(line, "%llu %llu %llu", &inside, &outside, &n) == 3 && n < UINT32_MAX) {
		machine->is_root_of_namespace = machine->is_privileged;
		machine->is_privileged = machine->has_only_perfmon = false;
	}
	return true;
}

/* ---- container ---- */

static bool see_cgroup(const char *line, void *data)
{
	static const char *const words[] = { "docker", "kubepods", "lxc", "libpod", "containerd" };
	struct ep_machine *machine = data;

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++)
		if (strstr(line, words[i])) {
			snprintf(machine->container, sizeof(machine->container),
				"/proc/1/cgroup names %s", words[i]);
			return true;
		}
	return false;
}

static void find_container(struct ep_machine *machine)
{
	static const char *const files[] = { "/.dockerenv", "/run/.containerenv" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++)
		if (!access(files[i], F_OK))
			snprintf(machine->container, sizeof(machine->container), "%s exists",
				files[i]);
	if (!machine->container[0])
		find_line("/proc/1/cgroup", see_cgroup, machine);
}

/* ---- virtual machine ---- */

static bool see_hypervisor_flag(const char *line, void *data)
{
	struct ep_machine *machine = data;

	if (strncmp(line, "flags", 5) || !strstr(line, " hypervisor"))
		return false;
	snprintf(machine->hypervisor, sizeof(machine->hypervisor),
		"the CPU's hypervisor flag is set");
	return true;
}

static void find_hypervisor(struct ep_machine *machine)
{
	static const char *const files[] = { "/sys/hypervisor/type",
		"/proc/device-tree/hypervisor/compatible",
		"/sys/firmware/devicetree/base/hypervisor" };

	if (find_line("/proc/cpuinfo", see_hypervisor_flag, machine))
		return;
	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++)
		if (!access(files[i], F_OK))
			snprintf(machine->hypervisor, sizeof(machine->hypervisor), "%s exists",
				files[i]);
}

static bool see_stolen(const char *line, void *data)
{
	struct ep_machine *machine = data;
	unsigned long long user, nice, system, irq, softirq, stolen, busy;

	if (sscanf(line, "cpu %llu %llu %llu %*u %*u %llu %llu %llu", &user, &nice, &system, &irq,
		    &softirq, &stolen) != 6)
		return true;
	busy = user + nice + system + irq + softirq + stolen;
	machine->stolen_share = busy ? (double)stolen / (double)busy : 0;
	return true;
}

/* ---- PMUs ---- */

/* Tells whether a PMU belongs to CPU cores. Such PMUs have a file "cpus" (PMUs of devices have a "cpumask"), or name
 * cycles as cores do. */
static bool is_core_pmu(const char *name)
{
	static const char *const signs[] = { "cpus", "events/cpu-cycles", "events/cpu_cycles",
		"events/CPU_CYCLES", "format/event" };
	char path[512];
	size_t n_signs = EP_ARRAY_SIZE(signs);

	/* The PMU "cpu" (x86, POWER, RISC-V) may have no events folder at all. */
	if (strcmp(name, "cpu"))
		n_signs--;
	for (size_t i = 0; i < n_signs; i++) {
		snprintf(path, sizeof(path), EP_PERF_SYSFS "/%.200s/%s", name, signs[i]);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static void find_core_pmus(struct ep_machine *machine)
{
	DIR *list = opendir(EP_PERF_SYSFS);
	size_t used = 0;

	machine->has_sysfs = list != NULL;
	for (struct dirent *entry; list && (entry = readdir(list));) {
		if (entry->d_name[0] == '.' || !is_core_pmu(entry->d_name) ||
			used >= sizeof(machine->core_pmus))
			continue;
		used += (size_t)snprintf(machine->core_pmus + used,
			sizeof(machine->core_pmus) - used, "%s%s", used ? ", " : "", entry->d_name);
	}
	if (list)
		closedir(list);
}

void ep_machine_read_facts(struct ep_machine *machine)
{
	find_line("/proc/self/status", see_status, machine);
	find_line("/proc/self/uid_map", see_user_map, machine);
	machine->paranoid = EP_PARANOID_UNKNOWN;
	read_int("/proc/sys/kernel/perf_event_paranoid", &machine->paranoid);
	machine->nmi_watchdog = -1;
#if !defined(__powerpc64__) /* POWER's watchdog has a timer of its own */
	read_int("/proc/sys/kernel/nmi_watchdog", &machine->nmi_watchdog);
#endif
	find_container(machine);
	find_hypervisor(machine);
	find_line("/proc/stat", see_stolen, machine);
	find_core_pmus(machine);
}
