// SPDX-License-Identifier: BSD-3-Clause
/* Adds findings on interpreters, whose own procedures are not those of the script, and on code that they make at
 * run time. */
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"

#define MIN_SHARE 0.2
#define MIN_RUN_TIME_SHARE 0.1
#define MIN_UNREAD 20 /* unreadable frames; fewer are usual */
#define MIN_UNREAD_PERCENT 1

static const struct interpreter {
	const char *loop; /* the procedure that carries out the script's instructions */
	/* how the names of the script's procedures begin, if they have names; NULL: they never have */
	const char *named;
	const char *language, *remedy;
} interpreters[] = {
	{ "_PyEval_EvalFrameDefault", "py::", "Python",
		"evprof names the functions of CPython 3.8 to 3.14, but with --interpreters off; Python 3.12 and later do with python3 -X perf, or PYTHONPERFSUPPORT=1." },
	{ "PyEval_EvalFrameEx", "py::", "Python",
		"Python 3.12 and later name the script's functions with python3 -X perf." },
	{ "Perl_runops_standard", NULL, "Perl",
		"Perl's own profilers tell its subroutines apart." },
	{ "vm_exec_core", NULL, "Ruby", "Ruby's own profilers tell its methods apart." },
};

static double share_of(const struct ep_report *r, const char *procedure)
{
	for (uint32_t i = 0; i < r->procedures.n_rows; i++)
		if (!strcmp(r->procedures.rows[i].short_name, procedure))
			return r->procedures.rows[i].total_share;
	return 0;
}

static bool has_names(const struct ep_report *r, const char *prefix)
{
	for (uint32_t i = 0; prefix && i < r->procedures.n_rows; i++)
		if (!strncmp(r->procedures.rows[i].short_name, prefix, strlen(prefix)))
			return true;
	return false;
}

const char *ep_interpreted_language(const struct ep_report *report)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(interpreters); i++)
		if (share_of(report, interpreters[i].loop) >= MIN_SHARE &&
			!has_names(report, interpreters[i].named))
			return interpreters[i].language;
	return NULL;
}

static uint64_t count_unread(const struct ep_trace *trace)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (trace->threads[i].is_wanted)
			n += trace->threads[i].n_unread_frames;
	return n;
}

/* Adds a finding on unreadable frames of scripts. A few frames are always unreadable, because the tick came while
 * the interpreter changed them. */
static void find_unread(struct ep_words *b)
{
	uint64_t n = count_unread(b->trace), n_samples = b->report->n_samples;

	if (n >= MIN_UNREAD && ep_percent(n, n_samples) >= MIN_UNREAD_PERCENT)
		NOTE(b, "%s of scripts could not be read, in %s: their call paths have the interpreter's loop in place of a function, or lack a caller. All other names are right.",
			ep_number_of(b, n, "frame"), ep_number_of(b, n_samples, "sample"));
}

void ep_find_interpreter(struct ep_words *b)
{
	find_unread(b);
	for (size_t i = 0; i < EP_ARRAY_SIZE(interpreters); i++) {
		const struct interpreter *it = &interpreters[i];
		double share = share_of(b->report, it->loop);

		if (share >= MIN_SHARE && !has_names(b->report, it->named))
			NOTE(b, "%.0f %% of the time is below %s, which interprets %s: the procedures here are the interpreter's. %s",
				100 * share, it->loop, it->language, it->remedy);
	}
}

/* ---- code made at run time ---- */

/* A library in the trace, or the program itself, shows which runtime made the code. */
static const struct {
	const char *module;
	const char *remedy; /* tells the user how to get names */
} makers[] = {
	{ "libjvm.so",
		"java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (JDK 17 and later) writes them to /tmp/perf-PID.map, which the report reads." },
	{ "libnode.so",
		"node --perf-basic-prof writes them to /tmp/perf-PID.map, which the report reads." },
	{ "node",
		"node --perf-basic-prof writes them to /tmp/perf-PID.map, which the report reads." },
	{ "libcoreclr.so",
		"dotnet with DOTNET_PerfMapEnabled=1 writes them to /tmp/perf-PID.map, which the report reads." },
	{ "libpypy",
		"PyPy does not tell other programs where its code lies; pypy3 -m cProfile names the script's functions." },
	{ "luajit",
		"LuaJIT, as it is usually built, does not tell other programs where its code lies; its own profiler names functions and lines: luajit -jp FILE." },
	{ "libluajit",
		"LuaJIT, as it is usually built, does not tell other programs where its code lies; its own profiler names functions and lines: require('jit.p').start()." },
};

/* Tells whether a path is of a library or program: "libnode.so.108" is of libnode.so, libpypy3.9-c.so of libpypy,
 * libluajit-5.1.so.2 of libluajit. */
static bool is_module(const char *path, const char *name)
{
	const char *base = ep_base_name(path);
	size_t size = strlen(name);

	return !strncmp(base, name, size) && (!base[size] || strchr(".-0123456789", base[size]));
}

/* Tells whether a module or a program of this name was in the run. The processes are searched, too, since a
 * program in which no sample ended has no module. */
static bool was_there(const struct ep_trace *trace, const char *name)
{
	for (uint32_t i = 0; i < trace->n_modules; i++)
		if (is_module(trace->modules[i].path, name))
			return true;
	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].meta[EP_META_EXE] &&
			is_module(trace->processes[i].meta[EP_META_EXE], name))
			return true;
	return false;
}

static const char *remedy_of_maker(const struct ep_trace *trace)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(makers); i++)
		if (was_there(trace, makers[i].module))
			return makers[i].remedy;
	return NULL;
}

static double share_of_run_time_code(const struct ep_report *r)
{
	double share = 0;

	for (uint32_t i = 0; i < r->procedures.n_rows; i++)
		if (r->procedures.rows[i].kind == EP_SYMBOL_RUN_TIME)
			share += r->procedures.rows[i].self_share;
	return share;
}

/* Returns the largest share of time of a row of code made at run time, including what that code calls. V8 spends
 * little time in the code that it makes, since this code calls builtins, but most of the time below it. */
static double share_below_run_time_code(const struct ep_report *r)
{
	double share = 0;

	for (uint32_t i = 0; i < r->procedures.n_rows; i++)
		if (r->procedures.rows[i].kind == EP_SYMBOL_RUN_TIME &&
			r->procedures.rows[i].total_share > share)
			share = r->procedures.rows[i].total_share;
	return share;
}

void ep_find_run_time_code(struct ep_words *b)
{
	double share = share_of_run_time_code(b->report);
	const char *remedy = remedy_of_maker(b->trace), *where = "in";

	if (share < MIN_RUN_TIME_SHARE) {
		share = share_below_run_time_code(b->report);
		where = "in, or called by,";
	}
	if (share < MIN_RUN_TIME_SHARE)
		return;
	if (remedy)
		NOTE(b, "%.0f %% of the time is %s code made at run time that has no names. %s",
			100 * share, where, remedy);
	else
		NOTE(b, "%.0f %% of the time is %s code made at run time that has no names. If its maker can write /tmp/perf-PID.map (node --perf-basic-prof, python3.12 -X perf, java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit), the report reads it.",
			100 * share, where);
}
