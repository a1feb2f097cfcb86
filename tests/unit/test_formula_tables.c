// SPDX-License-Identifier: BSD-3-Clause
/* The shipped event tables: every name a model uses is there, every row is whole. (That libpfm4
 * knows the names is test_event_names's, which runs on each architecture.) */
#include "tests/unit/test.h"

#include "common/callgrind.h"
#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/event_table.h"
#include "common/formula/model.h"
#include "common/trace.h"

static char root[4096];

static void open_catalog(struct ep_catalog *catalog)
{
	struct ep_error err = { 0 };

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	CHECK_MSG(!ep_catalog_open(catalog, &err), "%s: %s", err.where, err.message);
}

static bool read_table(const char *name, struct ep_event_table *table)
{
	struct ep_error err = { 0 };
	char path[4200];
	int rc;

	snprintf(path, sizeof(path), "%s/events/%s.events", root, name);
	rc = ep_event_table_read(path, table, &err);
	CHECK_MSG(!rc, "%s: %s", err.where, err.message);
	return !rc;
}

static bool is_parameter(const struct ep_formula_file *file, const char *name)
{
	for (uint32_t i = 0; i < file->n_parameters; i++)
		if (!strcmp(file->parameters[i].name, name))
			return true;
	return false;
}

static size_t check_model(const struct ep_catalog_entry *entry)
{
	struct ep_event_table table = { 0 };
	struct ep_formula_file file;
	struct ep_model *model;
	struct ep_error err = { 0 };
	size_t n_checked = 0;

	CHECK_MSG(
		!ep_formula_file_read(entry->path, &file, &err), "%s: %s", err.where, err.message);
	CHECK_INT(ep_model_create(&file, NULL, NULL, &model, &err), 0);
	CHECK(read_table(entry->events, &table));
	for (uint32_t i = 0; i < ep_program_n_inputs(ep_model_program(model)); i++) {
		const char *name = ep_program_input_name(ep_model_program(model), i);

		if (!strcmp(name, "duration_time") || ep_machine_amount_find(name) ||
			is_parameter(ep_model_file(model), name) || ep_is_floating_event(name))
			continue;
		n_checked++;
		CHECK_MSG(ep_event_table_find(&table, name), "%s: no event %s in the table",
			entry->path, name);
	}
	ep_model_destroy(model);
	ep_event_table_finish(&table);
	return n_checked;
}

TEST(models_use_only_events_of_their_tables)
{
	struct ep_catalog catalog = { 0 };
	size_t n_models = 0, n_events = 0;

	open_catalog(&catalog);
	for (uint32_t i = 0; i < catalog.n_entries; i++) {
		if (!catalog.entries[i].events)
			continue;
		n_models++;
		n_events += check_model(&catalog.entries[i]);
	}
	CHECK_MSG(n_models > 100 && n_events > 1000, "%zu models, %zu events", n_models, n_events);
	ep_catalog_close(&catalog);
}

TEST(rows_are_whole)
{
	static const char *const cpus[] = { "skx", "icx", "spr", "bdx", "zen2", "zen3", "zen4",
		"zen5", "a64fx", "kunpeng920", "neoverse-n1", "neoverse-n2", "neoverse-v1",
		"power9", "power10" };

	for (size_t c = 0; c < EP_ARRAY_SIZE(cpus); c++) {
		struct ep_event_table table = { 0 };

		if (!read_table(cpus[c], &table))
			continue;
		CHECK_STR(table.cpu, cpus[c]);
		CHECK(table.n_counters >= 4 && table.always);
		for (uint32_t i = 0; i < table.n_rows; i++) {
			const struct ep_event_row *row = &table.rows[i];

			/* under a second name it would take a second counter */
			for (uint32_t k = 0; k < i; k++)
				CHECK_MSG(strcmp(table.rows[k].raw, row->raw), "%s: %s is %s",
					cpus[c], row->name, table.rows[k].name);

			CHECK_MSG(row->counter_mask || row->fixed >= 0 || row->rides_with,
				"%s: no counter", row->name);
			CHECK_MSG(!strncmp(row->code, "event=0x", 8), "%s: code %s", row->name,
				row->code);
			CHECK_MSG(strlen(row->meaning) > 5, "%s: no meaning", row->name);
		}
		ep_event_table_finish(&table);
	}
}

/* Families and models: tools/perf/pmu-events/arch/x86/mapfile.csv of Linux, the kernel's
 * intel-family.h, its init_amd() and Arm's cputype.h. */
TEST(which_cpu_is_served)
{
	static const struct {
		const char *cpuid, *cpu;
	} rows[] = {
		{ "GenuineIntel-6-55-4", "skx" },
		{ "GenuineIntel-6-55-7", "skx" }, /* Cascade Lake */
		{ "GenuineIntel-6-55-B", "skx" }, /* Cooper Lake */
		{ "GenuineIntel-6-5E-3", NULL },  /* Skylake of desktops */
		{ "GenuineIntel-6-3F-2", NULL },  /* Haswell-EP */
		{ "GenuineIntel-6-6A-6", "icx" },
		{ "GenuineIntel-6-4F-1", "bdx" },
		{ "GenuineIntel-6-56-3", "bdx" },
		{ "GenuineIntel-6-6C-1", "icx" },
		{ "GenuineIntel-6-7E-5", NULL }, /* Ice Lake of laptops */
		{ "GenuineIntel-6-8F-8", "spr" },
		{ "GenuineIntel-6-CF-2", "spr" }, /* Emerald Rapids */
		{ "GenuineIntel-6-AD-1", NULL },  /* Granite Rapids */
		{ "GenuineIntel-6-97-2", NULL },  /* Alder Lake */
		{ "AuthenticAMD-23-1-2", NULL },  /* Naples, Zen */
		{ "AuthenticAMD-23-31-0", "zen2" },
		{ "AuthenticAMD-23-71-0", "zen2" },
		{ "AuthenticAMD-25-1-1", "zen3" },
		{ "AuthenticAMD-25-21-2", "zen3" },
		{ "AuthenticAMD-25-11-1", "zen4" },
		{ "AuthenticAMD-25-61-2", "zen4" },
		{ "AuthenticAMD-25-A0-2", "zen4" }, /* Bergamo */
		{ "AuthenticAMD-26-2-1", "zen5" },
		{ "AuthenticAMD-26-11-0", "zen5" },
		{ "AuthenticAMD-26-44-0", "zen5" },
		{ "AuthenticAMD-26-50-0", NULL }, /* Zen 6 */
		{ "AuthenticAMD-26-A0-0", NULL },
		{ "arm-0x46-0x001", "a64fx" },
		{ "0x00000000481fd010", "kunpeng920" },
		{ "arm-0x41-0xd40", "neoverse-v1" },
		{ "arm-0x41-0xd4f", NULL }, /* Neoverse V2 */
		{ "2.3 (pvr 004e 1203)", "power9" },
		{ "2.0 (pvr 0080 0200)", "power10" },
	};
	struct ep_catalog catalog = { 0 };

	open_catalog(&catalog);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const char *cpu = ep_catalog_cpu_of(&catalog, rows[i].cpuid);

		CHECK_MSG(rows[i].cpu ? cpu && !strcmp(cpu, rows[i].cpu) : !cpu, "%s is %s",
			rows[i].cpuid, cpu ? cpu : "nothing");
	}
	ep_catalog_close(&catalog);
}

TEST(errors_of_tables_say_where)
{
	static const struct {
		const char *text, *where;
	} cases[] = {
		{ "cpu = x\n", "t:1" },
		{ "evprof-events 1\nfoo = x\n", "t:2" },
		{ "evprof-events 1\ncounters = many\n", "t:2" },
		{ "evprof-events 1\nA\tevent=0x1\tsome\t-\tA\n", "t:2" },
		{ "evprof-events 1\nA\tevent=0x1\t3-1\t-\tA\n", "t:2" },
		{ "evprof-events 1\nA\tevent=0x1\t0-40\t-\tA\n", "t:2" },
		{ "evprof-events 1\nA\tevent=0x1\twith:B|with:C\t-\tA\n", "t:2" },
		{ "evprof-events 1\n\nA\tevent=0x1\tany\n", "t:3" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		EP_AUTOFREE char *text = strdup(cases[i].text);
		struct ep_event_table table = { 0 };
		struct ep_error err = { 0 };

		CHECK_MSG(ep_event_table_parse("t", text, &table, &err) < 0, "accepted: %s",
			cases[i].text);
		CHECK_STR(err.where, cases[i].where);
		ep_event_table_finish(&table);
	}
}

TEST(open_names_of_a_trace_become_formula_names)
{
	struct ep_event_table table = { 0 };
	struct ep_values values = { 0 };
	struct ep_measured seven = { .value = 7, .is_measured = true };

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	CHECK(read_table("kunpeng920", &table));
	CHECK_INT(ep_values_set(&values, "r7005", seven), 0);
	CHECK_INT(ep_event_table_alias(&table, &values), 0);
	CHECK(ep_values_find(&values, "MEM_STALL_ANYSTORE"));
	/* by its code, where libpfm4 did not know the name */
	CHECK_INT(ep_values_set(&values, "r8", seven), 0);
	CHECK_INT(ep_event_table_alias(&table, &values), 0);
	CHECK(ep_values_find(&values, "INST_RETIRED"));
	CHECK(!ep_values_find(&values, "CPU_CYCLES"));
	ep_values_finish(&values);
	ep_event_table_finish(&table);
}
