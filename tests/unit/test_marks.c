// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/facts/marks.h"

TEST(kinds_of_phases_count_in_letters)
{
	static const struct {
		uint32_t kind;
		const char *name;
	} rows[] = { { 0, "A" }, { 1, "B" }, { 25, "Z" }, { 26, "AA" }, { 27, "AB" }, { 51, "AZ" },
		{ 52, "BA" }, { 701, "ZZ" }, { 702, "AAA" } };
	char name[EP_PHASE_KIND_BYTES];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		ep_phase_kind_name(rows[i].kind, name);
		CHECK_STR(name, rows[i].name);
	}
	ep_phase_kind_name(UINT32_MAX, name);
	CHECK_INT(strlen(name), 6); /* cut: nobody has so many */
}
