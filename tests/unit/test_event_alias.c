// SPDX-License-Identifier: BSD-3-Clause
/* A trace has events under the names by which they were opened; formulas ask for others. */
#include "tests/unit/test.h"

#include "common/formula/event_table.h"

static const char table_text[] =
	"evprof-events 1\ncpu = test\ncounters = 4\n"
	"event\tcode\tcounters\topen\tmeaning\n"
	"SLOTS\tevent=0x00,umask=0x04\tfixed:3\tcpu/slots/\topened by another name\n"
	"LOADS\tevent=0xd0,umask=0x81\tany\t-\topened by its name, or by its code\n"
	"STORES\tevent=0xd0,umask=0x82\tany\t-\tnot counted\n";

static void set(struct ep_values *values, const char *name, double value)
{
	const struct ep_measured measured = { .value = value, .is_measured = true };

	CHECK_INT(ep_values_set(values, name, measured), 0);
}

static double value_of(const struct ep_values *values, const char *name)
{
	const struct ep_measured *found = ep_values_find(values, name);

	return found ? found->value : NAN;
}

static void read_table(struct ep_event_table *out)
{
	char text[sizeof(table_text)];
	struct ep_error err = { .message = "" };

	memcpy(text, table_text, sizeof(text));
	CHECK_MSG(!ep_event_table_parse("test", text, out, &err), "%s", err.message);
}

TEST(events_are_found_by_the_names_of_formulas)
{
	struct ep_event_table table;
	struct ep_values values = { 0 };

	read_table(&table);
	set(&values, "cpu/slots/", 600);
	set(&values, "r81d0", 20);
	CHECK_INT(ep_event_table_alias(&table, &values), 0);
	CHECK_CLOSE(value_of(&values, "SLOTS"), 600, 0);
	CHECK_CLOSE(value_of(&values, "LOADS"), 20, 0);
	CHECK(isnan(value_of(&values, "STORES")));
	ep_values_finish(&values);
	ep_event_table_finish(&table);
}

/* In a formula "/" divides: @ stands for it. */
TEST(events_of_sysfs_are_found)
{
	struct ep_values values = { 0 };

	set(&values, "msr/tsc/", 7);
	CHECK_CLOSE(value_of(&values, "msr@tsc@"), 7, 0);
	CHECK(isnan(value_of(&values, "msr@aperf@")));
	ep_values_finish(&values);
}

/* A value that has the formula's name is the one that is meant. */
TEST(an_alias_takes_no_ones_place)
{
	struct ep_event_table table;
	struct ep_values values = { 0 };

	read_table(&table);
	set(&values, "LOADS", 21);
	set(&values, "r81d0", 20);
	CHECK_INT(ep_event_table_alias(&table, &values), 0);
	CHECK_INT(ep_event_table_alias(&table, &values), 0);
	CHECK_CLOSE(value_of(&values, "LOADS"), 21, 0);
	CHECK_INT(values.names.n_names, 2);
	ep_values_finish(&values);
	ep_event_table_finish(&table);
}
