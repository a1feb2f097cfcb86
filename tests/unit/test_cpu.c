// SPDX-License-Identifier: BSD-3-Clause
/* The machine's name: what a person would call it, never a number or another line of /proc/cpuinfo.
 */
#include "tests/unit/test.h"

#include <ctype.h>
#include <sched.h>
#include <sys/utsname.h>

#include "common/cleanup.h"
#include "common/os/cpu.h"

TEST(the_cpu_has_a_name)
{
	char model[128] = "";

	ep_cpu_model(model, sizeof(model));
	CHECK_MSG(isalpha((unsigned char)model[0]), "\"%s\"", model);
	CHECK_MSG(strlen(model) > 3 && !strchr(model, '\n'), "\"%s\"", model);
}

/* "GenuineIntel-6-55-7" on x86, MIDR_EL1 on Arm, "2.2 (pvr 004e 1202)" on POWER: catalog keys match
 * these. */
TEST(the_id_has_its_architectures_form)
{
	char id[128] = "", vendor[64];
	unsigned family, model, stepping;
	struct utsname machine;

	CHECK_INT(uname(&machine), 0);
	ep_cpu_id(id, sizeof(id));
	if (!strcmp(machine.machine, "x86_64"))
		CHECK_MSG(
			sscanf(id, "%63[A-Za-z]-%u-%X-%X", vendor, &family, &model, &stepping) == 4,
			"\"%s\"", id);
	else if (!strcmp(machine.machine, "aarch64"))
		CHECK_MSG(!strncmp(id, "0x", 2) && strtoull(id, NULL, 16) > 0, "\"%s\"", id);
	else
		CHECK_MSG(strstr(id, "pvr"), "\"%s\"", id);
}

TEST(a_short_buffer_is_filled_and_ended)
{
	char model[4] = "xxx";

	ep_cpu_model(model, sizeof(model));
	CHECK_INT(model[3], 0);
	CHECK(strlen(model) == 3);
}

TEST(there_are_cpus)
{
	CHECK(ep_cpu_count() >= 1);
	CHECK(ep_cpu_count_allowed() >= 1);
	CHECK(ep_cpu_load_percent() >= 0);
}

TEST(a_thread_may_be_bound)
{
	cpu_set_t all, one;
	char list[256], number[16];
	int cpu = 0;

	CHECK(!sched_getaffinity(0, sizeof(all), &all));
	CHECK(ep_cpu_count_allowed() <= CPU_COUNT(&all)); /* a container's share may be less */
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK(!sched_setaffinity(0, sizeof(one), &one));
	CHECK_INT(ep_cpu_count_allowed(), 1);
	snprintf(number, sizeof(number), "%d", cpu);
	ep_cpu_list_allowed(list, sizeof(list));
	CHECK_STR(list, number);
	CHECK(!sched_setaffinity(0, sizeof(all), &all));
	ep_cpu_list_allowed(list, sizeof(list));
	CHECK(isdigit((unsigned char)list[0]) && strspn(list, "0123456789,-") == strlen(list));
	ep_cpu_list_allowed(list, 1); /* too short for any */
	CHECK_STR(list, "");
}

TEST(the_rank_is_that_of_any_mpi)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++) {
		unsetenv(names[i]);
		setenv(names[i], "17", 1);
		CHECK_STR(ep_cpu_mpi_rank(), "17");
		unsetenv(names[i]);
	}
}
