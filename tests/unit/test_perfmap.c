// SPDX-License-Identifier: BSD-3-Clause
/* Maps of JIT compilers lie where every user may write: which of them are believed. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/run/run.h"
#include "reporter/symbolize/symbolize_private.h"
#include "tests/trace/writer.h"

#define PID 77
#define MAX_BYTES 4096
#define LINE "1000 20 run\n"

/* A sysroot of our own, with a map in it or not. */
struct fixture {
	char root[32], folder[64], path[96];
	struct ep_map_question question;
};

static void start(struct fixture *f, const char *text)
{
	strcpy(f->root, "/tmp/evprof-perfmap-XXXXXX");
	CHECK(mkdtemp(f->root) != NULL);
	snprintf(f->folder, sizeof(f->folder), "%s/tmp", f->root);
	CHECK_INT(mkdir(f->folder, 0700), 0);
	snprintf(f->path, sizeof(f->path), "%s/perf-%d.map", f->folder, PID);
	f->question = (struct ep_map_question){ .sysroot = f->root,
		.pid = PID,
		.reader_uid = geteuid(),
		.trace_uid = geteuid(),
		.max_bytes = MAX_BYTES };
	if (text) {
		EP_AUTOFCLOSE FILE *file = fopen(f->path, "w");

		fputs(text, file);
	}
}

static void finish(struct fixture *f)
{
	if (unlink(f->path))
		rmdir(f->path);
	rmdir(f->folder);
	rmdir(f->root);
}

/* Its status, and whether it names the code of LINE. */
static enum ep_map_status ask(const struct ep_map_question *question, bool *out_named)
{
	enum ep_map_status status;
	struct ep_perf_map *map = ep_perf_map_open(question, &status);

	*out_named = map && ep_perf_map_name(map, 0x101f);
	ep_perf_map_destroy(map);
	return status;
}

static void check(const struct fixture *f, enum ep_map_status status, bool is_named)
{
	bool named;

	CHECK_INT(ask(&f->question, &named), status);
	CHECK_INT(named, is_named);
}

TEST(a_map_or_none)
{
	struct fixture f;

	start(&f, NULL);
	check(&f, EP_MAP_NONE, false);
	finish(&f);
	start(&f, LINE);
	check(&f, EP_MAP_READ, true);
	finish(&f);
	start(&f, "");
	check(&f, EP_MAP_READ, false);
	finish(&f);
	start(&f, "1000 20 no_line_end");
	check(&f, EP_MAP_READ, true);
	finish(&f);
}

/* The writer waits for a reader of the pipe and gives it a good map and an end: code that reads
 * pipes would finish and believe the map. */
TEST(a_pipe_is_not_read)
{
	struct fixture f;
	pid_t writer;

	start(&f, NULL);
	CHECK_INT(mkfifo(f.path, 0600), 0);
	writer = fork();
	if (!writer) {
		int fd = open(f.path, O_WRONLY);

		signal(SIGPIPE, SIG_IGN);
		_exit(write(fd, LINE, strlen(LINE)) < 0);
	}
	check(&f, EP_MAP_NO_FILE, false);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	finish(&f);
}

TEST(links_and_folders_are_not_read)
{
	struct fixture f, other;

	start(&other, LINE);
	start(&f, NULL);
	CHECK_INT(symlink(other.path, f.path), 0);
	check(&f, EP_MAP_NO_FILE, false);
	finish(&f);
	start(&f, NULL);
	CHECK_INT(mkdir(f.path, 0700), 0);
	check(&f, EP_MAP_NO_FILE, false);
	finish(&f);
	finish(&other);
}

/* In the real /tmp, below a folder that is root's; root gives the file away. */
TEST(another_users_map_is_not_believed)
{
	uint32_t self = geteuid(), owner = self ? self : 12345;
	struct ep_map_question question = { .pid = (uint32_t)getpid(),
		.reader_uid = owner + 1,
		.trace_uid = owner + 2,
		.max_bytes = MAX_BYTES };
	bool named;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	fputs(LINE, file);
	if (!self)
		CHECK_INT(fchown(fileno(file), owner, owner), 0);
	fclose(file);
	CHECK_INT(ask(&question, &named), EP_MAP_FOREIGN);
	CHECK(!named);
	question.trace_uid = owner;
	CHECK_INT(ask(&question, &named), EP_MAP_READ);
	CHECK(named);
	question.trace_uid = question.reader_uid;
	question.reader_uid = owner;
	CHECK_INT(ask(&question, &named), EP_MAP_READ);
	CHECK(named);
	unlink(path);
}

/* The owner of the sysroot could change all that lies in it. */
TEST(the_sysroots_owner_is_believed)
{
	struct fixture f;

	start(&f, LINE);
	f.question.reader_uid = f.question.trace_uid = geteuid() + 1;
	check(&f, EP_MAP_READ, true);
	finish(&f);
}

TEST(a_map_from_before_the_run_is_of_another_process)
{
	static const struct {
		int64_t written_s;
		enum ep_map_status status;
	} rows[] = {
		{ 1000, EP_MAP_OLDER },
		{ 1699999990, EP_MAP_OLDER },
		{ 1700000000, EP_MAP_READ },
		{ 1700099999, EP_MAP_READ },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct timespec times[2] = { { rows[i].written_s, 0 }, { rows[i].written_s, 0 } };
		struct fixture f;

		start(&f, LINE);
		CHECK_INT(utimensat(AT_FDCWD, f.path, times, 0), 0);
		f.question.run_start_ns = 1700000000500000000;
		check(&f, rows[i].status, rows[i].status == EP_MAP_READ);
		finish(&f);
	}
}

/* The file has holes: it needs no space. One entry lies before the limit, one after it. */
TEST(a_map_longer_than_the_limit_is_cut)
{
	struct fixture f;
	enum ep_map_status status;
	struct ep_perf_map *map;
	int fd;

	start(&f, LINE);
	fd = open(f.path, O_WRONLY | O_CLOEXEC);
	CHECK_INT(pwrite(fd, "\n2000 20 late\n", 14, MAX_BYTES + 5), 14);
	CHECK_INT(ftruncate(fd, (off_t)2 << 30), 0);
	close(fd);
	map = ep_perf_map_open(&f.question, &status);
	CHECK_INT(status, EP_MAP_CUT);
	CHECK(map && ep_perf_map_name(map, 0x1000) && !ep_perf_map_name(map, 0x2000));
	ep_perf_map_destroy(map);
	finish(&f);
}

/* Lines that the trace has go before a file, which may be another process's by now. */
TEST(lines_of_the_trace_go_before_a_file)
{
	static char text[] = "1000 20 of the trace\n1000 10 written later\n";
	struct ep_kept_map kept = { .pid = PID, .text = text, .size = sizeof(text) - 1 };
	enum ep_map_status status;
	struct ep_perf_map *map;
	struct fixture f;

	start(&f, LINE);
	f.question.kept = &kept;
	map = ep_perf_map_open(&f.question, &status);
	CHECK_INT(status, EP_MAP_READ);
	CHECK_STR(ep_perf_map_name(map, 0x1000), "written later");
	CHECK(!ep_perf_map_name(map, 0x1020));
	ep_perf_map_destroy(map);
	finish(&f);
	CHECK_STR(text, "1000 20 of the trace\n1000 10 written later\n");
}

/* A process of number PID that was met at 0x1000, outside of all modules, and two blocks of its map. */
static void put_process(struct trace_writer *writer, uint64_t birth_ns, const char *line)
{
	const struct ep_groups groups = { .period_us = 1000 };
	struct ep_stack_node node = { 0, 0, 0x1000 };
	struct ep_sample sample = { .cpu_us = 1000, .wall_us = 1000, .node_idx = 1 };

	writer->key = (struct ep_process_key){ PID, birth_ns };
	trace_put_meta(writer, "host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n");
	trace_put_stacks(writer, &(struct ep_stacks){ 0, 1, 1, 1, &node });
	trace_put_samples(writer, &groups, &(struct ep_samples){ 0, 1, 1, 0, &sample, NULL }, 0);
	trace_put_raw(writer, 1, EP_BLOCK_PERF_MAP, line, strlen(line));
	trace_put_raw(writer, 1, EP_BLOCK_PERF_MAP, "3000 20 more\n", 13);
}

static struct ep_trace *load_processes(uint32_t n, uint64_t births_ns[])
{
	static const char *const lines[] = { "1000 20 first\n", "1000 20 second\n" };
	static struct trace_writer writer;
	struct ep_load_options options = { .filler = &ep_filler_fixed };
	char path[] = "/tmp/evprof-perfmap-XXXXXX";
	struct ep_trace *trace = NULL;
	struct ep_error err;

	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	for (uint32_t i = 0; i < n; i++)
		put_process(&writer, births_ns[i], lines[i]);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	unlink(path);
	return trace;
}

static bool says(const struct ep_report *report, const char *part)
{
	for (uint32_t i = 0; i < report->said.n_findings; i++)
		if (strstr(report->said.findings[i].text, part))
			return true;
	return false;
}

/* Checks the name of what all samples are in. */
static void check_name(struct ep_trace *trace, const char *name, bool is_shared)
{
	const struct ep_report_options options = { .n_bins = 4,
		.trace_paths = (const char *const[]){ "trace.gz", NULL },
		.filler = &ep_filler_fixed };
	struct ep_symbols_options where = { .sysroot = "/nonexistent" };
	struct ep_symbols *symbols = ep_symbols_create(trace, &where);
	const struct ep_report *report = ep_report_create(trace, symbols, &options);

	CHECK_INT(report->procedures.n_rows, 1);
	CHECK_STR(report->procedures.rows[0].name, name);
	CHECK_INT(
		says(report,
			"/tmp/perf-77.map is not used: two processes of this trace had that process ID"),
		is_shared);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

/* A process keeps its number over exec, and a number comes again in other containers and on other hosts. */
TEST(a_number_that_two_processes_had_names_nothing)
{
	check_name(load_processes(1, (uint64_t[]){ 5000 }), "first", false);
	check_name(load_processes(2, (uint64_t[]){ 5000, 6000 }), "[code made at run time]", true);
}
