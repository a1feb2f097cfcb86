// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every event name that is shipped, against libpfm4. libpfm4 knows the CPUs of the architecture
 * that it was built for: on x86 this checks the tables of Intel and AMD, in the guests those of Arm
 * and IBM. A row that is opened under another name, because libpfm4 has none for it, must encode
 * what the row says.
 */
#include "tests/unit/test.h"

#include <glob.h>
#include <perfmon/pfmlib.h>
#include <sys/utsname.h>

#include "common/cleanup.h"
#include "common/formula/event_table.h"

enum encoding { INTEL, AMD, NUMBER };

static const struct {
	const char *machine, *cpu;
	enum encoding encoding;
	uint32_t n_names; /* rows that libpfm4 must know; the others are opened by code */
} tables[] = {
	{ "x86_64", "skx", INTEL, 52 },
	{ "x86_64", "icx", INTEL, 49 },
	{ "x86_64", "bdx", INTEL, 45 },
	{ "x86_64", "spr", INTEL, 41 },
	{ "x86_64", "zen2", AMD, 29 },
	{ "x86_64", "zen3", AMD, 29 },
	{ "x86_64", "zen4", AMD, 27 },
	{ "x86_64", "zen5", AMD, 0 }, /* not in libpfm4 4.13 */
	{ "aarch64", "a64fx", NUMBER, 35 },
	{ "aarch64", "kunpeng920", NUMBER, 19 },
	{ "aarch64", "neoverse-n1", NUMBER, 17 },
	{ "aarch64", "neoverse-n2", NUMBER, 23 },
	{ "aarch64", "neoverse-v1", NUMBER, 23 },
	{ "ppc64le", "power9", NUMBER, 58 },
	{ "ppc64le", "power10", NUMBER, 37 },
};

static const char *table_path(const char *cpu, char out_path[4200])
{
	const char *formulas = getenv("EVPROF_FORMULAS"), *source = getenv("EVPROF_SOURCE_ROOT");

	snprintf(out_path, 4200, "%s%s/events/%s.events", formulas ? formulas : source,
		formulas ? "" : "/formulas", cpu);
	return out_path;
}

static bool read_table(const char *cpu, struct ep_event_table *table)
{
	struct ep_error err = { 0 };
	char path[4200];

	int rc = ep_event_table_read(table_path(cpu, path), table, &err);
	CHECK_MSG(!rc, "%s: %s", err.where, err.message);
	return !rc;
}

static unsigned long long value_of(const char *code, const char *key)
{
	const char *at = strstr(code, key);

	return at ? strtoull(at + strlen(key), NULL, 0) : 0;
}

/* perf_event_attr.config of the row's code: event, umask and counter mask in the fields of the
 * kernel's driver (/sys/bus/event_source/devices/cpu/format); AMD's events have their high bits
 * at 32. */
static unsigned long long config_of(const char *code, enum encoding encoding)
{
	unsigned long long event = value_of(code, "event="), umask = value_of(code, "umask=");
	unsigned long long config = umask << 8 | value_of(code, "cmask=") << 24;

	switch (encoding) {
	case INTEL:
		return config | event | value_of(code, "edge=") << 18 |
		       value_of(code, "inv=") << 23;
	case AMD:
		return config | (event & 0xff) | (event >> 8) << 32;
	case NUMBER:
		return event;
	}
	return 0;
}

/* Enable, user and kernel bits are libpfm4's to set. */
static unsigned long long config_mask(enum encoding encoding)
{
	switch (encoding) {
	case INTEL:
		return 0xff84ffff;
	case AMD:
		return 0xfff84ffff;
	case NUMBER:
		break;
	}
	return 0xffffff; /* above: which modes Arm counts */
}

static void check_name(
	const struct ep_event_table *table, const struct ep_event_row *row, enum encoding encoding)
{
	EP_AUTOFREE char *name = NULL;
	EP_AUTOFREE uint64_t *codes = NULL;
	int n_codes = 0;

	CHECK(asprintf(&name, "%s::%s", table->pmu, row->name) > 0);
	int rc = pfm_get_event_encoding(name, PFM_PLM0 | PFM_PLM3, NULL, NULL, &codes, &n_codes);
	CHECK_MSG(rc == PFM_SUCCESS, "%s: %s", name, pfm_strerror(rc));
	if (rc != PFM_SUCCESS)
		return;
	unsigned long long theirs = codes[0] & config_mask(encoding);
	unsigned long long ours = config_of(row->code, encoding);

	CHECK_MSG(theirs == ours, "%s: libpfm4 says %#llx, the table %#llx", name, theirs, ours);
}

/* "rNNN" is the code itself; "cpu/name/" is the kernel's own name for what has no code of its own.
 */
static void check_open(const struct ep_event_row *row, enum encoding encoding)
{
	unsigned long long theirs, ours = config_of(row->code, encoding);
	char end;

	if (!strncmp(row->open, "cpu/", 4)) {
		CHECK_MSG(row->open[strlen(row->open) - 1] == '/', "%s", row->open);
		return;
	}
	CHECK_MSG(sscanf(row->open, "r%llx%c", &theirs, &end) == 1, "%s: opened as %s", row->name,
		row->open);
	CHECK_MSG(
		theirs == ours, "%s: opened as %#llx, its code is %#llx", row->name, theirs, ours);
}

/* Checks the event that is opened where libpfm4 does not know the name. */
static void check_raw(const struct ep_event_row *row, enum encoding encoding)
{
	char ours[24];

	snprintf(ours, sizeof(ours), "r%llx", config_of(row->code, encoding));
	CHECK_STR(row->raw, ours);
}

static void check_table(const char *cpu, enum encoding encoding, uint32_t n_names)
{
	struct ep_event_table table = { 0 };
	uint32_t n_checked = 0;

	if (!read_table(cpu, &table))
		return;
	for (uint32_t i = 0; i < table.n_rows; i++) {
		check_raw(&table.rows[i], encoding);
		if (table.rows[i].open) {
			check_open(&table.rows[i], encoding);
			continue;
		}
		check_name(&table, &table.rows[i], encoding);
		n_checked++;
	}
	CHECK_MSG(n_checked == n_names, "%s: %u names for libpfm4, expected %u", cpu, n_checked,
		n_names);
	ep_event_table_finish(&table);
}

TEST(libpfm4_knows_the_names_of_this_architecture)
{
	struct utsname machine;
	size_t n_tables = 0;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	CHECK_INT(pfm_initialize(), PFM_SUCCESS);
	CHECK_INT(uname(&machine), 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(tables); i++) {
		if (strcmp(tables[i].machine, machine.machine))
			continue;
		check_table(tables[i].cpu, tables[i].encoding, tables[i].n_names);
		n_tables++;
	}
	CHECK_MSG(n_tables > 0, "no table for %s", machine.machine);
	pfm_terminate();
}

static bool is_listed(const char *cpu)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].cpu, cpu))
			return true;
	/* names of recorded tables and of a simulated machine, of no CPU */
	return !strcmp(cpu, "ocoe") || !strcmp(cpu, "valgrind");
}

/* A new table cannot be left out. */
TEST(every_shipped_table_is_listed)
{
	char pattern[4200];
	glob_t found;

	CHECK_INT(glob(table_path("*", pattern), 0, NULL, &found), 0);
	CHECK_MSG(found.gl_pathc >= EP_ARRAY_SIZE(tables), "%zu tables", found.gl_pathc);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *cpu = strrchr(found.gl_pathv[i], '/') + 1;

		*strstr(cpu, ".events") = 0;
		CHECK_MSG(is_listed(cpu), "%s.events", cpu);
	}
	globfree(&found);
}
