// SPDX-License-Identifier: BSD-3-Clause
/* Energy and memory traffic, from folders as kernels have them. */
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "common/os/sys.h"
#include "counters/events/perf_door.h"

/* ---- a kernel whose events of PMU type T on CPU c count 1000 T + c, so many times ---- */

enum { FIRST_FD = 100, POWER = 9, IMC_0 = 20, IMC_1 = 21, FREE = 30 };

static struct {
	int refused_type, refusal;
	int n_open, types[16], cpus[16];
	uint64_t configs[16];
	uint64_t times, enabled_ns, running_ns;
	bool is_taken; /* the program has closed them */
} kernel;

static int open_event(struct perf_event_attr *attr, int pid, int cpu)
{
	CHECK_INT(pid, -1);
	if ((int)attr->type == kernel.refused_type)
		return kernel.refusal;
	kernel.types[kernel.n_open] = (int)attr->type;
	kernel.cpus[kernel.n_open] = cpu;
	kernel.configs[kernel.n_open] = attr->config;
	return FIRST_FD + kernel.n_open++;
}

static int keep(int fd, int *holder)
{
	return *holder = fd;
}

static long tell_id(int fd, unsigned long out)
{
	*(uint64_t *)out = (uint64_t)fd;
	return kernel.is_taken ? -EBADF : 0;
}

static long read_event(int fd, uint64_t *values)
{
	int i = fd - FIRST_FD;

	values[0] = kernel.times * (1000 * (uint64_t)kernel.types[i] + (uint64_t)kernel.cpus[i]);
	values[1] = kernel.enabled_ns;
	values[2] = kernel.running_ns;
	return 24;
}

static void drop(int *holder)
{
	kernel.n_open -= *holder >= 0;
	*holder = -1;
}

#define ep_perf_door_open(attr, pid, cpu, leader) open_event(attr, pid, cpu)
#define ep_fds_lift(fd, holder) keep(fd, holder)
#define ep_fds_close(holder) drop(holder)
#define ep_sys_ioctl(fd, request, out) tell_id(fd, out)
#define ep_sys_read(fd, values, size) read_event(fd, values)
#include "counters/machine/machine_events.c"
#include "counters/machine/machine_files.c"
#include "counters/machine/machine_reader.c"

/* ---- folders ---- */

static char root[] = "/tmp/evprof-sys-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[300];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	CHECK(file && fputs(text, file) >= 0);
	if (file)
		fclose(file);
}

#define PMUS "sys/bus/event_source/devices/"
#define ZONES "sys/class/powercap/"

static void put_pmu(const char *name, int type, const char *cpus)
{
	char path[200], number[16];

	snprintf(path, sizeof(path), PMUS "%s/type", name);
	snprintf(number, sizeof(number), "%d\n", type);
	put(path, number);
	snprintf(path, sizeof(path), PMUS "%s/cpumask", name);
	put(path, cpus);
	snprintf(path, sizeof(path), PMUS "%s/format/event", name);
	put(path, "config:0-7\n");
}

static void put_alias(const char *pmu, const char *alias, const char *scale)
{
	char path[200];

	snprintf(path, sizeof(path), PMUS "%s/events/%s", pmu, alias);
	put(path, "event=0x02\n");
	snprintf(path, sizeof(path), PMUS "%s/events/%s.scale", pmu, alias);
	put(path, scale);
}

static void begin(void)
{
	strcpy(root, "/tmp/evprof-sys-XXXXXX");
	CHECK(mkdtemp(root) != NULL);
	kernel.refused_type = kernel.n_open = 0;
	kernel.enabled_ns = kernel.running_ns = 1000;
	kernel.times = 1;
	kernel.is_taken = false;
}

static void end(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", root);
	CHECK_INT(system(command), 0);
}

static struct ep_machine_reader reader;

static double amount(enum ep_machine_time what)
{
	struct ep_machine_times times = { 0 };

	ep_machine_reader_read(&reader, &times);
	return times.is_known[what] ? (double)times.values[what] : -1;
}

/* ---- perf's PMUs ---- */

static void put_memory_controllers(void)
{
	put_pmu("uncore_imc_0", IMC_0, "0\n");
	put_pmu("uncore_imc_1", IMC_1, "0,28\n");
	for (int i = 0; i < 2; i++) {
		put_alias(
			i ? "uncore_imc_1" : "uncore_imc_0", "cas_count_read", "6.103515625e-5\n");
		put_alias(
			i ? "uncore_imc_1" : "uncore_imc_0", "cas_count_write", "6.103515625e-5\n");
	}
}

TEST(all_units_of_a_machine_are_one_number)
{
	begin();
	put_pmu("power", POWER, "0,28\n");
	put_alias("power", "energy-pkg", "2.5e-3\n");
	put_memory_controllers();
	ep_machine_reader_open(&reader, root, false);
	CHECK_INT(kernel.n_open, 2);
	CHECK_CLOSE(amount(EP_MACHINE_PACKAGE_UJ), (9000 + 9028) * 2500., 1);
	CHECK(amount(EP_MACHINE_MEMORY_UJ) < 0);
	CHECK(strstr(reader.why_not[EP_MACHINE_MEMORY_UJ], "neither perf's PMU power") != NULL);
	CHECK(amount(EP_MACHINE_READ_BYTES) < 0); /* not asked for */
	ep_machine_reader_close(&reader);
	CHECK_INT(kernel.n_open, 0);

	ep_machine_reader_open(&reader, root, true);
	CHECK_INT(kernel.n_open, 2 + 2 * 3);
	/* each count of cas is a line of 64 bytes */
	CHECK_CLOSE(amount(EP_MACHINE_READ_BYTES), 64. * (20000 + 21000 + 21028), 1);
	CHECK_CLOSE(amount(EP_MACHINE_WRITTEN_BYTES), 64. * (20000 + 21000 + 21028), 1);
	CHECK_CLOSE(amount(EP_MACHINE_MOVED_BYTES), 2 * 64. * (20000 + 21000 + 21028), 1);
	/* the program closed all descriptors */
	kernel.is_taken = true;
	CHECK(amount(EP_MACHINE_READ_BYTES) < 0);
	kernel.is_taken = false;
	CHECK(amount(EP_MACHINE_READ_BYTES) < 0);
	ep_machine_reader_close(&reader);
	end();
}

/* Others have the counters at first, then for three quarters of the time, then for all of it again. */
TEST(others_take_turns_with_a_counter)
{
	static const struct {
		uint64_t times, enabled_ns, running_ns;
		double counts;
	} readings[] = { { 0, 1000, 0, -1 }, { 1, 2000, 1000, 2 }, { 2, 6000, 2000, 6 },
		{ 2, 7000, 2000, 6 }, { 3, 8000, 3000, 8 } };

	begin();
	put_memory_controllers();
	ep_machine_reader_open(&reader, root, true);
	for (size_t i = 0; i < EP_ARRAY_SIZE(readings); i++) {
		double bytes = readings[i].counts * 64 * (20000 + 21000 + 21028);

		kernel.times = readings[i].times;
		kernel.enabled_ns = readings[i].enabled_ns;
		kernel.running_ns = readings[i].running_ns;
		CHECK_CLOSE(amount(EP_MACHINE_READ_BYTES), i ? bytes : -1, 1);
		CHECK_CLOSE(amount(EP_MACHINE_MOVED_BYTES), i ? 2 * bytes : -1, 2);
	}
	ep_machine_reader_close(&reader);
	end();
}

TEST(a_part_of_a_machine_is_not_the_machine)
{
	begin();
	put_memory_controllers();
	kernel.refused_type = IMC_1;
	kernel.refusal = -EACCES;
	ep_machine_reader_open(&reader, root, true);
	CHECK_INT(kernel.n_open, 0);
	CHECK(amount(EP_MACHINE_READ_BYTES) < 0);
	CHECK_MSG(strstr(reader.why_not[EP_MACHINE_READ_BYTES], "CAP_PERFMON") != NULL, "%s",
		reader.why_not[EP_MACHINE_READ_BYTES]);
	end();
}

TEST(counters_that_nobody_can_take_come_first)
{
	begin();
	put_memory_controllers();
	put_pmu("uncore_imc_free_running_0", FREE, "0\n");
	put_alias("uncore_imc_free_running_0", "data_read", "6.103515625e-5\n");
	ep_machine_reader_open(&reader, root, true);
	CHECK_CLOSE(amount(EP_MACHINE_READ_BYTES), 64. * 30000, 1);
	CHECK_CLOSE(amount(EP_MACHINE_WRITTEN_BYTES), 64. * (20000 + 21000 + 21028), 1);
	ep_machine_reader_close(&reader);
	end();
}

TEST(memory_controllers_of_zen)
{
	begin();
	put_pmu("amd_umc_0", IMC_0, "0\n");
	put(PMUS "amd_umc_0/format/rdwrmask", "config:8-9\n");
	put_pmu("amd_umc_3", IMC_1, "0\n");
	put(PMUS "amd_umc_3/format/rdwrmask", "config:8-9\n");
	ep_machine_reader_open(&reader, root, true);
	CHECK_CLOSE(amount(EP_MACHINE_READ_BYTES), 64. * 41000, 1);
	CHECK_CLOSE(amount(EP_MACHINE_WRITTEN_BYTES), 64. * 41000, 1);
	ep_machine_reader_close(&reader);
	end();
}

static void put_bare_alias(const char *pmu, const char *alias, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), PMUS "%s/events/%s", pmu, alias);
	put(path, text);
}

/* As Linux has those of Zen 1 to 3: no aliases, eight channels in one PMU, a reader in each socket. */
TEST(data_fabrics_of_zen)
{
	static const char *const formats[] = { "config:0-7,32-35,59-60\n", "config:0-7,32-37\n" };

	for (int later = 0; later < 2; later++) {
		begin();
		put_pmu("amd_df", IMC_0, "0,64\n");
		put(PMUS "amd_df/format/event", formats[later]);
		put(PMUS "amd_df/format/umask", "config:8-15\n");
		ep_machine_reader_open(&reader, root, true);
		CHECK_INT(kernel.n_open, later ? 0 : 2 * 8);
		CHECK_CLOSE(
			amount(EP_MACHINE_MOVED_BYTES), later ? -1 : 8 * 64. * (20000 + 20064), 1);
		CHECK(amount(EP_MACHINE_READ_BYTES) < 0 &&
			reader.why_not[EP_MACHINE_READ_BYTES][0]);
		if (!later) {
			CHECK(kernel.configs[0] == 0x3807 && kernel.configs[1] == 0x3807);
			CHECK(kernel.configs[14] == 0x1000038c7); /* event 0x1c7 */
		}
		ep_machine_reader_close(&reader);
		end();
	}
}

/* POWER9 has two PMUs of memory controllers, with two ports each, and no .scale. */
TEST(nests_of_power)
{
	begin();
	for (int k = 0; k < 2; k++) {
		static const char *const ports[] = { "PORT01", "PORT23" };
		const char *pmu = k ? "nest_mcs23_imc" : "nest_mcs01_imc";
		char alias[80];

		put_pmu(pmu, k ? IMC_1 : IMC_0, "0,8\n");
		for (int port = 0; port < 2; port++)
			for (int writes = 0; writes < 2; writes++) {
				snprintf(alias, sizeof(alias), "PM_MCS%s_128B_%s_DISP_%s",
					k ? "23" : "01", writes ? "WR" : "RD", ports[port]);
				put_bare_alias(pmu, alias, writes ? "event=0x20" : "event=0x10");
			}
	}
	ep_machine_reader_open(&reader, root, true);
	CHECK_INT(kernel.n_open, 16);
	CHECK_CLOSE(amount(EP_MACHINE_READ_BYTES), 2 * 64. * (20000 + 20008 + 21000 + 21008), 1);
	CHECK_CLOSE(amount(EP_MACHINE_MOVED_BYTES), 4 * 64. * (20000 + 20008 + 21000 + 21008), 1);
	ep_machine_reader_close(&reader);
	end();
}

TEST(meshes_of_arm)
{
	begin();
	for (int k = 0; k < 2; k++) {
		const char *pmu = k ? "arm_cmn_1" : "arm_cmn_0";
		char path[100];

		put_pmu(pmu, k ? IMC_1 : IMC_0, k ? "64\n" : "0\n");
		put_bare_alias(pmu, "hnf_mc_reqs", "type=0x5,eventid=0xd\n");
		snprintf(path, sizeof(path), PMUS "%s/format/type", pmu);
		put(path, "config:0-15\n");
		snprintf(path, sizeof(path), PMUS "%s/format/eventid", pmu);
		put(path, "config:16-26\n");
	}
	ep_machine_reader_open(&reader, root, true);
	CHECK_CLOSE(amount(EP_MACHINE_MOVED_BYTES), 64. * (20000 + 21064), 1);
	CHECK(kernel.configs[0] == 0xd0005);
	CHECK(amount(EP_MACHINE_WRITTEN_BYTES) < 0);
	ep_machine_reader_close(&reader);
	end();
}

/* ---- files ---- */

TEST(zones_of_two_packages_that_go_round)
{
	struct ep_machine_times times = { 0 };

	begin();
	put(ZONES "intel-rapl:0/name", "package-0\n");
	put(ZONES "intel-rapl:0/max_energy_range_uj", "999999999\n");
	put(ZONES "intel-rapl:0/energy_uj", "999999000\n");
	put(ZONES "intel-rapl:1/name", "package-1\n");
	put(ZONES "intel-rapl:1/energy_uj", "5000\n");
	put(ZONES "intel-rapl:0:0/name", "core\n");
	put(ZONES "intel-rapl:0:0/energy_uj", "1\n");
	put(ZONES "intel-rapl:0:1/name", "dram\n");
	put(ZONES "intel-rapl:0:1/energy_uj", "70\n");
	ep_machine_reader_open(&reader, root, true);
	CHECK_CLOSE(amount(EP_MACHINE_PACKAGE_UJ), 0, 0.5);
	put(ZONES "intel-rapl:0/energy_uj", "500\n");
	put(ZONES "intel-rapl:1/energy_uj", "5300\n");
	put(ZONES "intel-rapl:0:1/energy_uj", "75\n");
	CHECK_CLOSE(amount(EP_MACHINE_PACKAGE_UJ), 1500 + 300, 0.5);
	CHECK_CLOSE(amount(EP_MACHINE_MEMORY_UJ), 5, 0.5);
	/* 1000 J may have gone round in two seconds */
	ep_machine_files_read(&reader, reader.files[0].read_ns + 2000000000u, &times);
	CHECK(amount(EP_MACHINE_PACKAGE_UJ) < 0);
	CHECK_CLOSE(amount(EP_MACHINE_MEMORY_UJ), 5, 0.5);
	end();
}

TEST(a_package_that_only_root_may_read)
{
	begin();
	put(ZONES "intel-rapl:0/name", "package-0\n");
	put(ZONES "intel-rapl:0/energy_uj", "5000\n");
	put(ZONES "intel-rapl:1/name", "package-1\n");
	ep_machine_reader_open(&reader, root, true);
	CHECK(!ep_machine_reader_has_any(&reader));
	CHECK(amount(EP_MACHINE_PACKAGE_UJ) < 0);
	CHECK(strstr(
		reader.why_not[EP_MACHINE_PACKAGE_UJ], "intel-rapl:1/energy_uj cannot be read"));
	end();
}

TEST(drivers_that_add_up_energy)
{
	static const struct {
		const char *driver, *labels[3]; /* the first and third are not a socket's */
	} rows[] = {
		{ "ibmpowernv\n", { "System\n", "Chip 0 \n", "Chip 0 Vdd\n" } },
		{ "amd_energy\n", { "Ecore000\n", "Esocket0\n", "Ecore001\n" } },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		begin();
		put("sys/class/hwmon/hwmon0/name", "nvme\n");
		put("sys/class/hwmon/hwmon2/name", rows[i].driver);
		for (int k = 0; k < 3; k++) {
			char path[80];

			snprintf(
				path, sizeof(path), "sys/class/hwmon/hwmon2/energy%d_label", k + 1);
			put(path, rows[i].labels[k]);
			snprintf(
				path, sizeof(path), "sys/class/hwmon/hwmon2/energy%d_input", k + 1);
			put(path, k == 1 ? "1000\n" : "7\n");
		}
		ep_machine_reader_open(&reader, root, false);
		put("sys/class/hwmon/hwmon2/energy2_input", "1250\n");
		CHECK_CLOSE(amount(EP_MACHINE_PACKAGE_UJ), 250, 0.5);
		CHECK_INT(reader.n_files, 1);
		end();
	}
}

/* A machine without any of it, such as most virtual ones. */
TEST(nothing_to_read)
{
	begin();
	ep_machine_reader_open(&reader, root, true);
	CHECK(!ep_machine_reader_has_any(&reader));
	for (int what = EP_MACHINE_PACKAGE_UJ; what < EP_N_MACHINE_TIMES; what++)
		CHECK(amount((enum ep_machine_time)what) < 0 && reader.why_not[what][0]);
	end();
}
