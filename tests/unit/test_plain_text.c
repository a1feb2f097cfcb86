// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <inttypes.h>

#include "common/cleanup.h"
#include "common/os/plain_text.h"

static void check_number(uint64_t value, unsigned base, const char *format)
{
	char out[EP_PLAIN_DIGITS + 1], expected[32];
	const char *end;

	out[ep_plain_number(out, value, base)] = '\0';
	snprintf(expected, sizeof(expected), format, value);
	CHECK_STR(out, expected);
	CHECK(ep_plain_read(out, base, &end) == value && !*end);
}

TEST(numbers_are_written_as_printf_does_and_come_back)
{
	static const uint64_t values[] = { 0, 1, 9, 10, 99, 100, 4095, 4096, 4026531836, UINT32_MAX,
		UINT64_MAX / 10, UINT64_MAX - 1, UINT64_MAX };

	for (size_t i = 0; i < EP_ARRAY_SIZE(values); i++) {
		check_number(values[i], 10, "%" PRIu64);
		check_number(values[i], 16, "%" PRIx64);
	}
}

/* Held to strtoull, which has other rules for signs and prefixes alone. */
TEST(digits_are_read_as_strtoull_does)
{
	static const char *const texts[] = { "", " ", "x", "12", " 12 13", "\t0100001\n", "12ab",
		"Ff0g", "9", "18446744073709551615", "18446744073709551616",
		"99999999999999999999999", "ffffffffffffffff", "10000000000000000", "0" };
	static const unsigned bases[] = { 8, 10, 16 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(texts); i++)
		for (size_t k = 0; k < EP_ARRAY_SIZE(bases); k++) {
			const char *end;
			char *expected_end;
			uint64_t expected = strtoull(texts[i], &expected_end, (int)bases[k]);

			CHECK(ep_plain_read(texts[i], bases[k], &end) == expected);
			CHECK_INT(end - texts[i], expected_end - texts[i]);
		}
}

TEST(a_copy_is_cut_off_with_its_nul)
{
	char out[5];

	ep_plain_copy(out, sizeof(out), "abcdef");
	CHECK_STR(out, "abcd");
	ep_plain_copy(out, sizeof(out), "ab");
	CHECK_STR(out, "ab");
	ep_plain_copy(out, 1, "ab");
	CHECK_STR(out, "");
}

TEST(variables_of_an_environment)
{
	static char *const environment[] = { "AB=1", "A=2=3", "A=4", "B", "C=", NULL };

	CHECK_STR(ep_plain_variable(environment, "A"), "2=3");
	CHECK_STR(ep_plain_variable(environment, "AB"), "1");
	CHECK_STR(ep_plain_variable(environment, "C"), "");
	CHECK(!ep_plain_variable(environment, "B"));
	CHECK(!ep_plain_variable(environment, "D"));
	CHECK(!ep_plain_variable(NULL, "A"));
}

TEST(paths_in_proc)
{
	char out[EP_PROC_PATH_BYTES], expected[EP_PROC_PATH_BYTES + 100];

	ep_proc_path(out, -1, "stat", NULL);
	CHECK_STR(out, "/proc/0/stat");
	ep_proc_path(out, 12345, NULL, NULL);
	CHECK_STR(out, "/proc/12345");
	ep_proc_path(out, 1, "fdinfo", "1024");
	CHECK_STR(out, "/proc/1/fdinfo/1024");
	memset(expected, 'n', sizeof(expected));
	expected[sizeof(expected) - 1] = '\0';
	ep_proc_path(out, 7, "fd", expected);
	CHECK_INT(strlen(out), EP_PROC_PATH_BYTES - 1);
	CHECK(!strncmp(out, "/proc/7/fd/nnn", 14));
}
