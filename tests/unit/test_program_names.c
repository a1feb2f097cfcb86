// SPDX-License-Identifier: BSD-3-Clause
/* Programs have the names that they were started by; their files may have others. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/two_groups.h"

TEST(programs_by_the_name_they_were_started_by)
{
	static const struct {
		const char *lines, *program, *file;
	} rows[] = {
		{ "exe\t/usr/bin/redis-check-rdb\nargv\tredis-server\t--port\t7\n", "redis-server",
			"redis-check-rdb" },
		{ "exe\t/usr/bin/python3.11\nargv\t/usr/bin/python3\tw.py\n", "python3",
			"python3.11" },
		{ "argv\t./build/app\nexe\t/home/u/build/app\n", "app", "app" },
		{ "exe\t/usr/bin/bash\nargv\t-bash\n", "bash", "bash" },
		/* titles and what is no name */
		{ "exe\t/usr/bin/postgres\nargv\tpostgres: checkpointer\n", "postgres",
			"postgres" },
		{ "exe\t/lib/systemd/systemd\nargv\t(sd-pam)\n", "systemd", "systemd" },
		{ "exe\t/usr/bin/app\nargv\t\t-n\n", "app", "app" },
		{ "exe\t/usr/bin/app\nargv\t-\n", "app", "app" },
		{ "exe\t/usr/bin/app\nargv\t/usr/bin/\n", "app", "app" },
		{ "exe\t/usr/bin/app\n", "app", "app" },
		{ "argv\tapp\t-n\n", "app", NULL },
		{ "", NULL, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_trace *trace;
		const char *program, *file;

		start_trace();
		trace_put_meta(&writer, rows[i].lines);
		trace = finish_trace();
		program = ep_trace_process_program(&trace->processes[0]);
		file = ep_trace_process_file(&trace->processes[0]);
		CHECK_STR(program ? program : "none", rows[i].program ? rows[i].program : "none");
		CHECK_STR(file ? file : "none", rows[i].file ? rows[i].file : "none");
		ep_trace_destroy(trace);
	}
}

/* A file that is several programs keeps its own name. */
TEST(a_file_has_the_name_of_its_only_program)
{
	static const char box[] = "/bin/busybox", redis[] = "/usr/bin/redis-check-rdb";
	struct ep_trace_process processes[] = {
		{ .meta[EP_META_EXE] = box, .called = "ls" },
		{ .meta[EP_META_EXE] = redis, .called = "redis-server" },
		{ .meta[EP_META_EXE] = box, .called = "cat" },
		{ .meta[EP_META_EXE] = redis, .called = "redis-server" },
		{ .meta[EP_META_EXE] = redis },
	};
	struct ep_module_info modules[] = { { .path = box }, { .path = redis },
		{ .path = "/lib/libc.so.6" } };
	struct ep_trace trace = {
		.processes = processes, .n_processes = 5, .modules = modules, .n_modules = 3
	};

	CHECK_STR(ep_trace_module_name(&trace, 0), "busybox");
	CHECK_STR(ep_trace_module_name(&trace, 1), "redis-server");
	CHECK_STR(ep_trace_module_name(&trace, 2), "libc.so.6");
}
