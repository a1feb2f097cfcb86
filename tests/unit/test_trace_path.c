// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/trace_path.h"

TEST(output_patterns)
{
	static const struct {
		const char *pattern, *expected; /* NULL: refused */
	} rows[] = {
		{ "trace.gz", "trace.gz" },
		{ "t-%p.gz", "t-42.gz" },
		{ "%r/%p%p%%", "3/4242%" },
		{ "", "" },
		{ "%", NULL },
		{ "a%x", NULL },
	};
	char path[64], host[64], expected[80];
	struct ep_error err;

	setenv("PMI_RANK", "3", 1);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		int rc = ep_trace_path_of_rank(rows[i].pattern, 42, path, sizeof(path), &err);

		CHECK_INT(rc, rows[i].expected ? 0 : -EINVAL);
		if (rows[i].expected)
			CHECK_STR(path, rows[i].expected);
	}
	setenv("PMI_SIZE", "1", 1); /* alone */
	CHECK_INT(ep_trace_path_of_rank("a/trace.gz", 42, path, sizeof(path), &err), 0);
	CHECK_STR(path, "a/trace.gz");
	setenv("PMI_SIZE", "4", 1);
	CHECK_INT(ep_trace_path_of_rank("a/trace.gz", 42, path, sizeof(path), &err), 0);
	CHECK_STR(path, "a/trace.3.gz");
	CHECK_INT(ep_trace_path_of_rank("a/trace", 42, path, sizeof(path), &err), 0);
	CHECK_STR(path, "a/trace.3");
	CHECK_INT(ep_trace_path_of_rank("t-%p.gz", 42, path, sizeof(path), &err), 0);
	CHECK_STR(path, "t-42.gz");
	CHECK_INT(ep_trace_path_of_rank("t-%%p%%r.gz", 42, path, sizeof(path), &err), 0);
	CHECK_STR(path, "t-%p%r.3.gz");
	CHECK_INT(ep_trace_path_of_rank("t-%%%r.gz", 42, path, sizeof(path), &err), 0);
	CHECK_STR(path, "t-%3.gz");
	CHECK_INT(ep_trace_path_of_rank("trace.gz", 42, path, 10, &err), -ENAMETOOLONG);
	unsetenv("PMI_SIZE");
	unsetenv("PMI_RANK");
	CHECK_INT(ep_trace_path_of_rank("%h-%r", 42, path, sizeof(path), &err), 0);
	gethostname(host, sizeof(host));
	snprintf(expected, sizeof(expected), "%s-0", host);
	CHECK_STR(path, expected);
	CHECK_INT(ep_trace_path_of_rank("123456789", 1, path, 9, &err), -ENAMETOOLONG);
	CHECK_INT(ep_trace_path_of_rank("12345678", 1, path, 9, &err), 0);
}

TEST(a_percent_sign_before_a_letter_names_nothing)
{
	static const struct {
		const char *pattern;
		bool has_rank, has_pid;
	} rows[] = {
		{ "trace.gz", false, false },
		{ "t-%r.gz", true, false },
		{ "%h%p", false, true },
		{ "%%r", false, false },
		{ "%%%r", true, false },
		{ "%%p%%%%r", false, false },
		{ "%", false, false },
		{ "", false, false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_INT(ep_trace_path_has(rows[i].pattern, 'r'), rows[i].has_rank);
		CHECK_INT(ep_trace_path_has(rows[i].pattern, 'p'), rows[i].has_pid);
	}
}

TEST(a_trace_beside_another)
{
	char path[16];
	struct ep_error err;

	CHECK_INT(ep_trace_path_beside("a/t.gz", "7", path, sizeof(path), &err), 0);
	CHECK_STR(path, "a/t.7.gz");
	CHECK_INT(ep_trace_path_beside(".gz", "7", path, sizeof(path), &err), 0);
	CHECK_STR(path, ".gz.7");
	CHECK_INT(ep_trace_path_beside("123456789.gz", "7", path, 14, &err), -ENAMETOOLONG);
	CHECK_INT(ep_trace_path_beside("123456789.gz", "7", path, 15, &err), 0);
}
