// SPDX-License-Identifier: BSD-3-Clause
/* Parts of a reduction that other processes make: one that is not seen where it is merged is an error, and one without
 * a trace that could be read is not. */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reporter/reduce/crew.h"

enum { N_PARTS = 2 };

/* Both parts end with these codes of ep_reduce_parts_make, and neither has a file. */
static int merge_after(const int rcs[N_PARTS], struct ep_error *err)
{
	char *inputs[] = { "first.gz", "second.gz", NULL };
	char *files[] = { "no-such-folder/first", "no-such-folder/second", NULL };
	uint32_t firsts[] = { 0, 1, 2 }, part;
	struct ep_reduce_parts parts = { .inputs = { .paths = inputs, .n = N_PARTS },
		.job = { .output = "test-crew.gz", .patience_ms = 1 },
		.firsts = firsts,
		.paths = files,
		.n_parts = N_PARTS };
	struct ep_reduce_crew *crew = ep_reduce_crew_create(&parts);
	int rc;

	CHECK(crew);
	while (ep_reduce_crew_begin(crew, &part))
		ep_reduce_crew_end(crew, part, rcs[part], err);
	rc = ep_reduce_crew_merge(crew, err);
	ep_reduce_crew_destroy(crew);
	unlink("test-crew.gz");
	return rc;
}

TEST(a_part_made_elsewhere_is_missed)
{
	struct ep_error err = { .message = "" };

	CHECK_INT(merge_after((int[]){ -ENODATA, 0 }, &err), -ENOENT);
	CHECK(strstr(err.message, "no-such-folder/second"));
	CHECK(strstr(err.message, "all processes see"));
}

TEST(parts_without_a_readable_trace_are_left_out)
{
	struct ep_error err = { .message = "" };

	CHECK_INT(merge_after((int[]){ -ENODATA, -ENODATA }, &err), -ENODATA);
}
