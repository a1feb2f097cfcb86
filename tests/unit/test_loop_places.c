// SPDX-License-Identifier: BSD-3-Clause
/* Loops of this very program, compiled at four levels, and the lines where they are. */
#include "tests/unit/test.h"

#include <link.h>
#include <unistd.h>

#include "loop_nests.h"
#include "reporter/loops/loops.h"
#include "reporter/symbolize/symbolize.h"

static uint64_t base;
static uint64_t last_at[LOOP_NESTS_MAX_PLACES]; /* where each place was called from last */
static int n_calls_from[LOOP_NESTS_MAX_PLACES];

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

__attribute__((noinline)) static int here(int place)
{
	last_at[place] = (uint64_t)(uintptr_t)__builtin_return_address(0);
	return n_calls_from[place]++;
}

static void run(const struct loop_nest *nest)
{
	memset(last_at, 0, sizeof(last_at));
	memset(n_calls_from, 0, sizeof(n_calls_from));
	nest->run(16, here);
}

static const struct level {
	const char *name;
	const struct loop_nest *nests;
} levels[] = {
	{ "-O0", loop_nests_O0 },
	{ "-O1", loop_nests_O1 },
	{ "-O2", loop_nests_O2 },
	{ "-O3", loop_nests_O3 },
};

/* A trace with one module, and nothing else. */
struct fixture {
	struct ep_trace trace;
	struct ep_module_info module;
	struct ep_symbols *symbols;
};

static void start(struct fixture *f)
{
	struct ep_symbols_options options = { 0 };
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	*f = (struct fixture){ .module.path = path };
	f->trace.modules = &f->module;
	f->trace.n_modules = 1;
	f->symbols = ep_symbols_create(&f->trace, &options);
	dl_iterate_phdr(take_base, NULL);
}

static void finish(struct fixture *f)
{
	ep_symbols_destroy(f->symbols);
	ep_strings_finish(&f->trace.strings);
}

/* The loop that a place is in; NULL: none. */
static const struct ep_loop_place *loop_of(struct fixture *f, int place)
{
	uint32_t idx = EP_NONE;

	CHECK_INT(ep_symbols_loop(f->symbols, 0, last_at[place] - base, true, &idx), 0);
	return idx == EP_NONE ? NULL : ep_symbols_loop_get(f->symbols, idx);
}

static const struct loop_nest *find_nest(const struct level *level, const char *name)
{
	const struct loop_nest *nest = level->nests;

	while (strcmp(nest->name, name) != 0)
		nest++;
	return nest;
}

TEST(lines_at_each_level)
{
	struct fixture f;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	start(&f);
	for (int l = 0; l < 4; l++)
		for (const struct loop_nest *nest = levels[l].nests; nest->name; nest++) {
			if (!strcmp(nest->name, "by_labels"))
				continue; /* no statement repeats */
			run(nest);
			for (int i = 0; i < LOOP_NESTS_MAX_PLACES; i++) {
				const struct ep_loop_place *loop;

				if (!last_at[i])
					continue;
				loop = loop_of(&f, i);
				CHECK_MSG((loop ? (int)loop->line : 0) == nest->lines[i],
					"%s at %s: place %d is in the loop at %d, expected %d",
					nest->name, levels[l].name, i, loop ? (int)loop->line : 0,
					nest->lines[i]);
			}
		}
	finish(&f);
}

TEST(nests_and_names)
{
	struct fixture f;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	start(&f);
	for (int l = 0; l < 4; l++) {
		const struct loop_nest *nest = find_nest(&levels[l], "three_deep");
		const struct ep_loop_place *loop;
		char name[128];

		run(nest);
		loop = loop_of(&f, 3);
		snprintf(name, sizeof(name), "loop at loop_nests.c:%d in three_deep",
			nest->lines[3]);
		CHECK_STR(loop->name, name);
		for (uint32_t depth = 3; depth; depth--) {
			CHECK_INT(loop->depth, depth);
			CHECK_INT(loop->line, nest->lines[depth]);
			CHECK_INT(loop->caller_idx, EP_NONE);
			if (depth > 1)
				loop = ep_symbols_loop_get(f.symbols, loop->parent_idx);
		}
		CHECK_INT(loop->parent_idx, EP_NONE);
	}
	finish(&f);
}

TEST(inlined_loops_are_named_by_their_call)
{
	struct fixture f;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	start(&f);
	for (int l = 0; l < 4; l++) {
		const struct loop_nest *nest = find_nest(&levels[l], "with_inlined");
		const struct ep_loop_place *loop;
		char name[128];

		run(nest);
		loop = loop_of(&f, 1);
		snprintf(name, sizeof(name),
			"loop at loop_nests.c:%d in each, inlined at loop_nests.c:%d in with_inlined",
			nest->lines[1], nest->lines[0] + 2);
		CHECK_STR(loop->name, name);
		CHECK_INT(ep_symbols_loop_get(f.symbols, loop->parent_idx)->line, nest->lines[0]);
	}
	finish(&f);
}

TEST(no_loop_where_there_is_no_code)
{
	struct fixture f;
	uint32_t idx = 0;

	start(&f);
	CHECK_INT(ep_symbols_loop(f.symbols, 0, UINT64_C(1) << 40, false, &idx),
		EP_HAS_CAPSTONE ? 0 : -ENOSYS);
	if (EP_HAS_CAPSTONE)
		CHECK_INT(idx, EP_NONE);
	CHECK_INT(ep_symbols_loop(f.symbols, EP_NONE, 0, false, &idx), 0);
	CHECK_INT(idx, EP_NONE);
	CHECK_INT(ep_symbols_count_loops(f.symbols), 0);
	finish(&f);
}

/* A procedure without unwinding tables, whose symbol says that it is larger than its file's code. */
__asm__(".text\n"
	".globl claims_much\n"
	".type claims_much, %function\n"
	"claims_much:\n"
	"nop\n"
	"nop\n"
	".size claims_much, 0x200000\n");
void claims_much(void);

static const struct ep_symbol *symbol_asked_for_loops(struct fixture *f, uint64_t address)
{
	const struct ep_frame *frames;
	uint32_t n, idx;

	CHECK_INT(ep_symbols_loop(f->symbols, 0, address, false, &idx), 0);
	CHECK_INT(idx, EP_NONE);
	CHECK_INT(ep_symbols_resolve(f->symbols, 0, address, false, &frames, &n), 0);
	return ep_symbols_get(f->symbols, frames[0].symbol_idx);
}

TEST(code_that_is_not_searched_is_told_by_symbol)
{
	const struct ep_symbol *symbol;
	struct fixture f;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	start(&f);
	symbol = symbol_asked_for_loops(&f, (uint64_t)(uintptr_t)claims_much - base);
	CHECK_STR(symbol->name, "claims_much");
	CHECK(symbol->is_unsearched);
	symbol = symbol_asked_for_loops(&f, (uint64_t)(uintptr_t)here - base);
	CHECK_STR(symbol->name, "here");
	CHECK(!symbol->is_unsearched);
	finish(&f);
}
