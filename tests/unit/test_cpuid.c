// SPDX-License-Identifier: BSD-3-Clause
/* Identifiers of CPUs against patterns: perf's rule, and the patterns of formula files. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "common/formula/cpuid.h"

TEST(a_pattern_is_the_whole_identifier)
{
	static const struct {
		const char *pattern, *cpuid;
		bool matches;
	} rows[] = {
		{ "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-4", true },
		{ "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-7", false },
		{ "GenuineIntel-6-55", "GenuineIntel-6-55-4", false },
		{ "6-55-4", "GenuineIntel-6-55-4", false },
		{ "GenuineIntel-6-(8F|CF)", "GenuineIntel-6-CF", true },
		{ "[", "[", false }, /* no expression */
		{ "anything", NULL, false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_cpuid_matches(rows[i].pattern, rows[i].cpuid) == rows[i].matches,
			"%s of %s", rows[i].pattern, rows[i].cpuid ? rows[i].cpuid : "none");
}

/* Linux, tools/perf/arch/arm64/util/header.c: of two MIDRs the CPU's variant and revision may be newer. */
TEST(midrs_agree_from_a_revision_on)
{
	static const struct {
		const char *pattern, *cpuid;
		bool matches;
	} rows[] = {
		{ "0x00000000410fd490", "0x00000000410fd490", true },
		{ "0x00000000410fd490", "0x00000000410fd493", true },
		{ "0x00000000410fd490", "0x00000000411fd490", true },
		{ "0x00000000410fd493", "0x00000000410fd490", false },
		{ "0x00000000410fd490", "0x00000000410fd4f0", false },
		{ "0x00000000410fd490", "0x00000000480fd490", false },
		{ "0x410fd490x", "0x410fd490", false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_cpuid_matches(rows[i].pattern, rows[i].cpuid) == rows[i].matches,
			"%s of %s", rows[i].pattern, rows[i].cpuid);
}

TEST(patterns_of_files_leave_the_stepping_open)
{
	static const struct {
		const char *patterns, *cpuid;
		bool is_served;
	} rows[] = {
		{ "GenuineIntel-6-55", "GenuineIntel-6-55-7", true },
		{ "GenuineIntel-6-55", "GenuineIntel-6-55", true },
		{ "GenuineIntel-6-5", "GenuineIntel-6-55-7", false },
		{ "GenuineIntel-6-(8F|CF)", "GenuineIntel-6-CF-2", true },
		{ "a b  arm-0x41-0xd40", "arm-0x41-0xd40", true },
		{ "AuthenticAMD-23-[3-9A][0-9A-F]", "AuthenticAMD-23-31-0", true },
		{ "AuthenticAMD-23-[3-9A][0-9A-F]", "AuthenticAMD-23-1-2", false },
		/* alternatives of the whole, and a last letter that is repeated or optional */
		{ "left-1|right-2", "right-2-3", true },
		{ "left-12*", "left-1", true },
		{ "left-12?", "left-1-F", true },
		{ "", "GenuineIntel-6-55-7", false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_cpuid_is_served(rows[i].patterns, rows[i].cpuid) == rows[i].is_served,
			"%s of %s", rows[i].patterns, rows[i].cpuid);
}

TEST(a_traces_identifiers_become_those_of_files)
{
	static const struct {
		const char *cpuid, *normal;
	} rows[] = {
		{ "GenuineIntel-6-55-7", "GenuineIntel-6-55-7" },
		{ "0x00000000410fd401", "arm-0x41-0xd40" },
		{ "0x461f0010", "arm-0x46-0x001" },
		{ "2.2 (pvr 004e 1202)", "power-0x004e" },
		{ "0xnot", "0xnot" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOFREE char *normal = ep_cpuid_normal(rows[i].cpuid);

		CHECK_STR(normal, rows[i].normal);
	}
}
