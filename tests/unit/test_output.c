// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "kernels/report/output.h"
#include "tests/unit/command.h"
#include "tests/unit/interrupted.h"

TEST(a_file_is_replaced_as_a_whole)
{
	struct ep_error err;

	write_file("table.csv", "old");
	CHECK_INT(ep_output_write("table.csv", "new", 3, &err), 0);
	EP_AUTOFREE char *text = read_file("table.csv");
	CHECK_STR(text, "new");
	CHECK(access("table.csv.tmp", F_OK));
}

TEST(a_write_that_fails_leaves_nothing)
{
	struct ep_error err;

	CHECK_INT(mkdir("folder.csv", 0700), 0);
	CHECK(ep_output_write("folder.csv", "new", 3, &err) < 0);
	CHECK(access("folder.csv.tmp", F_OK));
	rmdir("folder.csv");
}

static void write_much(void)
{
	static char text[1 << 20];
	struct ep_error err;

	if (ep_output_write("table.csv", text, sizeof(text), &err))
		_exit(1);
}

TEST(an_interrupt_leaves_the_older_file_alone)
{
	write_file("table.csv", "old");
	interrupt(write_much, "table.csv.tmp");
	EP_AUTOFREE char *text = read_file("table.csv");
	CHECK_STR(text, "old");
}
