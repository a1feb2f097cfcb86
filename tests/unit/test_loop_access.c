// SPDX-License-Identifier: BSD-3-Clause
/* Loops of known functions, as the compiler makes them, get at their data as their source says. */
#include "reporter/loops/loop_access.h"

#include <link.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"
#include "tests/unit/accesses.h"
#include "tests/unit/test.h"

static uint64_t base;

/* Takes the base of the first object in the loader's list, which is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

static const char *const names[EP_N_ACCESSES] = { "unknown", "contiguous", "variable", "strided",
	"gather", "linked" };

static bool is_innermost(const struct ep_loops *loops, uint32_t i)
{
	for (uint32_t k = 0; k < loops->n_rows; k++)
		if (loops->rows[k].parent_idx == i)
			return false;
	return true;
}

/* A compiler may make several loops of one, of which none may say another thing. */
static void check(const char *function, const struct ep_procedure_code *code, enum ep_access known,
	bool is_optimized)
{
	struct ep_loops loops = { 0 };
	uint32_t n = 0;

	CHECK_INT(ep_loops_find(code, &loops), 0);
	for (uint32_t i = 0; i < loops.n_rows; i++) {
		enum ep_access access;

		if (!is_innermost(&loops, i))
			continue;
		CHECK_INT(ep_access_of_loop(code, loops.rows[i].head, &access), 0);
		n += access == known;
		if (access == EP_ACCESS_GATHER && known == EP_ACCESS_LINKED && !is_optimized)
			continue; /* the chain is in a variable's place */
		CHECK_MSG(access == known || access == EP_ACCESS_UNKNOWN, "%s, loop %u: %s",
			function, i, names[access]);
	}
	CHECK_MSG(n || !is_optimized, "%s: unknown, %u loops", function, loops.n_rows);
	ep_loops_finish(&loops);
}

#define ROW(name, known)                                                                           \
	{                                                                                          \
#name, (uint64_t)(uintptr_t)name, EP_ACCESS_##known                                \
	}

#define ROWS(level)                                                                                \
	ROW(in_order_##level, CONTIGUOUS), ROW(backwards_##level, CONTIGUOUS),                     \
		ROW(by_bytes_##level, CONTIGUOUS), ROW(rows_##level, CONTIGUOUS),                  \
		ROW(column_##level, VARIABLE), ROW(fixed_column_##level, STRIDED),                 \
		ROW(field_##level, STRIDED), ROW(by_index_##level, GATHER),                        \
		ROW(by_row_pointers_##level, GATHER), ROW(links_##level, LINKED),                  \
		ROW(chain_##level, LINKED), ROW(checksum_##level, LINKED),                         \
		ROW(rolling_##level, GATHER), ROW(two_pointers_##level, GATHER),                   \
		ROW(ahead_##level, GATHER)

/* Without optimization variables are in memory, and nothing is known. */
TEST(loops_get_at_data_as_their_source_says)
{
	const struct {
		const char *name;
		uint64_t address;
		enum ep_access known;
	} rows[] = { ROWS(O1), ROWS(O2), ROWS(O3), ROWS(O0) };
#if !EP_HAS_CAPSTONE
	SKIP("built without capstone");
#endif
#ifndef __x86_64__
	SKIP("of other machines than x86 nothing is said");
#endif
	char self[4096] = "";
	struct ep_object_question question = { .path = self };
	enum ep_module_status status;
	struct ep_object *object;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	dl_iterate_phdr(take_base, NULL);
	object = ep_object_open(&question, &status);
	CHECK(object);
	for (size_t i = 0; object && i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_procedure_code code;

		CHECK(ep_object_code(object, rows[i].address - base, &code));
		check(rows[i].name, &code, rows[i].known, i < EP_ARRAY_SIZE(rows) * 3 / 4);
	}
	ep_object_destroy(object);
}
