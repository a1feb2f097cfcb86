// SPDX-License-Identifier: BSD-3-Clause
/* The procedure for which a library works: this program's own procedures, and libc's. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/words/words.h"

/* Each longer than the byte that an address below is inside. */
static __attribute__((noinline)) void sort_rows(void)
{
	__asm__ volatile("nop; nop" ::: "memory");
}

static __attribute__((noinline)) void sort_columns(void)
{
	__asm__ volatile("nop; nop; nop" ::: "memory");
}

/* As libstdc++'s headers compile their wrappers into a program: __gnu_cxx::sort_by(). */
void sort_by(void) __asm__("_ZN9__gnu_cxx7sort_byEv");
__attribute__((noinline)) void sort_by(void)
{
	__asm__ volatile("nop; nop; nop; nop" ::: "memory");
}

enum { PROGRAM, LIBC, SCRIPT, LIBRARY_SCRIPT, N_MODULES, N_PATHS = 8 };

struct subject {
	struct ep_trace trace;
	struct ep_module_info modules[N_MODULES];
	struct ep_script scripts[2];
	struct ep_path paths[N_PATHS];
	struct ep_path_cost costs[N_PATHS];
	struct ep_report report;
	struct ep_report_program program;
	struct ep_words words;
};

/* A frame inside procedure, which is in that module. */
static uint32_t add(struct subject *s, uint32_t parent_idx, uint32_t module_idx, void *procedure,
	uint64_t cpu_us)
{
	uint32_t i = s->trace.n_paths++;
	Dl_info info;

	CHECK(dladdr(procedure, &info));
	s->paths[i] = (struct ep_path){ .parent_idx = parent_idx,
		.module_idx = module_idx,
		.address = (uint64_t)((char *)procedure - (char *)info.dli_fbase) + 1,
		.cost_idx = EP_NONE };
	if (!cpu_us)
		return i;
	s->paths[i].cost_idx = s->trace.n_costs;
	s->costs[s->trace.n_costs++].cost.cpu_us = cpu_us;
	return i;
}

static const char *own_path(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

static void add_scripts(struct subject *s)
{
	static const char *const files[] = { "/home/u/main.py", "/usr/lib/python3.11/csv.py" };
	static const char *const functions[] = { "solve", "read" };

	for (uint32_t i = 0; i < 2; i++) {
		s->modules[SCRIPT + i] =
			(struct ep_module_info){ .path = files[i], .is_script = true };
		s->scripts[i] = (struct ep_script){ .module_idx = SCRIPT + i,
			.name = functions[i],
			.file = files[i],
			.minor = 11,
			.first_line = 3 };
	}
	s->trace.scripts = (struct ep_scripts){ .rows = s->scripts, .n_rows = 2 };
}

/* A frame of the first or the second script. */
static uint32_t add_script_frame(struct subject *s, uint32_t parent_idx, uint32_t script_idx)
{
	uint32_t i = s->trace.n_paths++;

	s->paths[i] = (struct ep_path){ .parent_idx = parent_idx,
		.module_idx = SCRIPT + script_idx,
		.address = ep_script_place(script_idx, 2),
		.cost_idx = EP_NONE };
	return i;
}

static void start(struct subject *s)
{
	struct ep_symbols_options options = { 0 };
	Dl_info info;

	*s = (struct subject){ 0 };
	CHECK(dladdr((void *)(uintptr_t)&qsort, &info));
	s->modules[PROGRAM].path = own_path();
	s->modules[LIBC].path = realpath(info.dli_fname, NULL);
	s->paths[EP_PATH_ROOT] = (struct ep_path){
		.parent_idx = EP_NONE, .module_idx = EP_NONE, .cost_idx = EP_NONE
	};
	s->trace.modules = s->modules;
	s->trace.n_modules = N_MODULES;
	add_scripts(s);
	s->trace.paths = s->paths;
	s->trace.n_paths = 1;
	s->trace.costs = s->costs;
	s->program.name = "started-by-a-link";
	s->program.file = ep_base_name(own_path());
	s->report.programs = &s->program;
	s->report.n_programs = 1;
	s->words = (struct ep_words){ .trace = &s->trace,
		.report = &s->report,
		.said = &s->report.said,
		.symbols = ep_symbols_create(&s->trace, &options) };
}

static void finish(struct subject *s)
{
	free((char *)s->modules[LIBC].path);
	ep_symbols_destroy(s->words.symbols);
	ep_strings_finish(&s->trace.strings);
}

/* The name that the report has for where a path ends; all have their names before it is asked. */
static struct ep_report_row row_of(struct subject *s, uint32_t path_idx)
{
	struct ep_report_row row = { 0 };

	for (uint32_t i = 1; i < s->trace.n_paths; i++) {
		const struct ep_path *path = &s->paths[i];
		const struct ep_frame *frames = NULL;
		uint32_t n = 0;

		CHECK_INT(ep_symbols_resolve(s->words.symbols, path->module_idx, path->address,
				  false, &frames, &n),
			0);
		if (i == path_idx)
			row.name = ep_symbols_get(s->words.symbols, frames[0].symbol_idx)->name;
	}
	return row;
}

static uint32_t symbol_of(struct subject *s, uint32_t path_idx)
{
	const struct ep_path *path = &s->paths[path_idx];
	const struct ep_frame *frames = NULL;
	uint32_t n = 0;

	CHECK_INT(ep_symbols_resolve(
			  s->words.symbols, path->module_idx, path->address, false, &frames, &n),
		0);
	return frames[0].symbol_idx;
}

TEST(the_innermost_own_procedure_has_the_work)
{
	struct subject s;
	struct ep_report_row row;
	const char *name;
	double share = 0;
	uint32_t rows, columns, leaf;

	start(&s);
	columns = add(&s, EP_PATH_ROOT, PROGRAM, (void *)(uintptr_t)&sort_columns, 7);
	rows = add(&s, columns, PROGRAM, (void *)(uintptr_t)&sort_rows, 0);
	leaf = add(&s, rows, LIBC, (void *)(uintptr_t)&qsort, 60);
	add(&s, columns, LIBC, (void *)(uintptr_t)&qsort, 20);
	add(&s, EP_PATH_ROOT, LIBC, (void *)(uintptr_t)&qsort, 20); /* of nobody */
	add(&s, columns, LIBC, (void *)(uintptr_t)&getenv, 500);    /* of another procedure */
	row = row_of(&s, leaf);
	name = ep_find_own_caller(&s.words, &row, &share);
	CHECK_STR(name ? name : "none", "sort_rows");
	CHECK_CLOSE(share, 0.6, 1e-9);
	finish(&s);
}

TEST(wrappers_of_the_library_are_skipped)
{
	struct subject s;
	struct ep_report_row row;
	const char *name;
	double share = 0;
	uint32_t rows, wrapper, leaf;

	start(&s);
	rows = add(&s, EP_PATH_ROOT, PROGRAM, (void *)(uintptr_t)&sort_rows, 0);
	wrapper = add(&s, rows, PROGRAM, (void *)(uintptr_t)&sort_by, 0);
	leaf = add(&s, wrapper, LIBC, (void *)(uintptr_t)&qsort, 60);
	row = row_of(&s, leaf);
	name = ep_find_own_caller(&s.words, &row, &share);
	CHECK_STR(name ? name : "none", "sort_rows");
	finish(&s);
}

/* sort_rows has 5 ms itself and 35 of a header, sort_columns 40; 20 ms of a library are no own code. */
TEST(headers_count_for_the_procedures_that_use_them)
{
	struct ep_own_procedure own[3];
	struct subject s;
	struct ep_report_row row;
	const char *user;
	uint32_t rows, columns, wrapper;

	start(&s);
	s.report.sampled_ns = 100000;
	columns = add(&s, EP_PATH_ROOT, PROGRAM, (void *)(uintptr_t)&sort_columns, 40);
	rows = add(&s, columns, PROGRAM, (void *)(uintptr_t)&sort_rows, 5);
	wrapper = add(&s, rows, PROGRAM, (void *)(uintptr_t)&sort_by, 30);
	add(&s, rows, PROGRAM, (void *)(uintptr_t)&sort_by, 5);
	add(&s, wrapper, LIBC, (void *)(uintptr_t)&qsort, 20);
	row = row_of(&s, wrapper);
	CHECK_INT(ep_find_own_with_headers(&s.words, own, EP_ARRAY_SIZE(own)), 2);
	CHECK_STR(own[0].name, "sort_columns");
	CHECK_CLOSE(own[0].share, 0.4, 1e-9);
	CHECK_STR(own[1].name, "sort_rows");
	CHECK_CLOSE(own[1].share, 0.4, 1e-9);
	row.kind = EP_SYMBOL_PROCEDURE;
	row.symbol_idx = symbol_of(&s, wrapper);
	user = ep_user_of_header(&s.words, &row);
	CHECK_STR(user ? user : "none", "sort_rows");
	row.symbol_idx = symbol_of(&s, rows);
	CHECK(!ep_user_of_header(&s.words, &row));
	row = (struct ep_report_row){ .kind = EP_SYMBOL_PROCEDURE,
		.symbol_idx = symbol_of(&s, wrapper),
		.self_share = 0.29 };
	s.report.procedures = (struct ep_report_table){ .rows = &row, .n_rows = 1 };
	ep_say_with_headers(&s.words);
	CHECK_INT(s.report.said.n_in_short, 0); /* too little */
	row.self_share = 0.35;
	s.report.is_exact = true;
	ep_say_with_headers(&s.words);
	CHECK_INT(s.report.said.n_in_short, 0); /* times of call paths are not the report's */
	s.report.is_exact = false;
	ep_say_with_headers(&s.words);
	CHECK_INT(s.report.said.n_in_short, 1);
	CHECK_STR(s.report.said.in_short[0],
		"Together with library code that is compiled into them (from headers), the program's own procedures take: "
		"sort_columns 40 %, sort_rows 40 %.");
	ep_said_finish(&s.report.said);
	finish(&s);
}

/* The function of the user's own script, not that of Python's library below it. */
TEST(a_scripts_function_has_the_work)
{
	struct subject s;
	struct ep_report_row row;
	const char *name;
	double share = 0;
	uint32_t own, reads, leaf;

	start(&s);
	own = add(&s, EP_PATH_ROOT, PROGRAM, (void *)(uintptr_t)&sort_rows, 0);
	own = add_script_frame(&s, own, 0);
	reads = add_script_frame(&s, own, 1);
	leaf = add(&s, reads, LIBC, (void *)(uintptr_t)&qsort, 60);
	row = row_of(&s, leaf);
	name = ep_find_own_caller(&s.words, &row, &share);
	CHECK_STR(name ? name : "none", "main.py:solve");
	CHECK_CLOSE(share, 1, 1e-9);
	finish(&s);
}

/* A library takes 60 of 100 ms below the script's function, and 10 that no script calls. */
TEST(a_scripts_function_takes_what_it_calls)
{
	struct ep_own_procedure own[3];
	struct subject s;
	uint32_t start_of_all, solve, reads;

	start(&s);
	s.report.sampled_ns = 100000;
	start_of_all = add(&s, EP_PATH_ROOT, PROGRAM, (void *)(uintptr_t)&sort_rows, 0);
	solve = add_script_frame(&s, start_of_all, 0);
	reads = add_script_frame(&s, solve, 1);
	add(&s, reads, LIBC, (void *)(uintptr_t)&qsort, 20);
	add(&s, solve, LIBC, (void *)(uintptr_t)&qsort, 40);
	add(&s, start_of_all, LIBC, (void *)(uintptr_t)&qsort, 10);
	symbol_of(&s, solve); /* as the tables of a report have looked up all places */
	CHECK_INT(ep_find_own_scripts(&s.words, own, EP_ARRAY_SIZE(own)), 1);
	CHECK_STR(own[0].name, "main.py:solve");
	CHECK_CLOSE(own[0].share, 0.6, 1e-9);
	CHECK(ep_say_scripts(&s.words));
	CHECK_STR(s.report.said.in_short[0],
		"The script's own functions took, each with the interpreter's and libraries' code that it calls: main.py:solve 60 % (line 3: 60 %).");
	s.report.sampled_ns = 250000;
	CHECK(!ep_say_scripts(&s.words)); /* 24 % are little */
	s.report.sampled_ns = 100000;
	s.report.is_exact = true;
	CHECK(!ep_say_scripts(&s.words)); /* times of call paths are not the report's */
	CHECK_INT(s.report.said.n_in_short, 1);
	ep_said_finish(&s.report.said);
	finish(&s);
}

TEST(procedures_of_headers)
{
	static const struct {
		const char *name, *file;
		bool is_theirs;
	} rows[] = {
		{ "__gthread_mutex_lock",
			"/usr/include/x86_64-linux-gnu/c++/12/bits/gthr-default.h", true },
		{ "std::mutex::lock", NULL, true },
		{ "__gnu_cxx::__new_allocator<char>::deallocate", NULL, true },
		{ "_mm_add_pd", "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h", true },
		{ "core::ptr::write", "/rustc/59807616e1fa/library/core/src/ptr/mod.rs", true },
		{ "<RawTable<...>>::find", "/rust/deps/hashbrown-0.15.5/src/raw/mod.rs", true },
		{ "rayon::join",
			"/home/a/.cargo/registry/src/index.crates.io-6f17/rayon-1.10.0/src/lib.rs",
			true },
		{ "lookup", "/home/a/server.cpp", false },
		{ "stdio::lookup", NULL, false },
		{ "lookup", "/usr/src/include/server.h", false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_symbol symbol = { .short_name = rows[i].name, .file = rows[i].file };

		CHECK_MSG(ep_symbol_is_of_headers(&symbol) == rows[i].is_theirs, "%zu", i);
	}
}

TEST(nobody_is_named_where_nobody_is_known)
{
	struct subject s;
	struct ep_report_row row;
	double share = 0;
	uint32_t leaf;

	start(&s);
	leaf = add(&s, EP_PATH_ROOT, LIBC, (void *)(uintptr_t)&qsort, 60);
	row = row_of(&s, leaf);
	CHECK(!ep_find_own_caller(&s.words, &row, &share));
	finish(&s);
}
