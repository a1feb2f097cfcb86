// SPDX-License-Identifier: BSD-3-Clause
/* Loops of known nests, compiled here at four levels; and of other machines, as their compilers
 * wrote them. */
#include "reporter/loops/listing.h"
#include "reporter/loops/loops.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "loop_nests.h"
#include "test.h"

enum { MAX_PLACES = LOOP_NESTS_MAX_PLACES, N_TURNS = 16 };

/* ---- what was compiled here ---- */

static uintptr_t last_at[MAX_PLACES]; /* where each place was called from last */
static int n_calls_from[MAX_PLACES];

__attribute__((noinline)) static int here(int place)
{
	last_at[place] = (uintptr_t)__builtin_return_address(0);
	return n_calls_from[place]++;
}

/* Our own procedure around an address: (start, size) in memory. */
static bool find_procedure(uintptr_t address, struct ep_procedure_code *out)
{
	EP_AUTOCLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool found = false;
	GElf_Ehdr ehdr;
	GElf_Shdr header;
	GElf_Sym symbol;
	uint64_t bias = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &ehdr))
		return false;
	for (int pass = 0; pass < 2; pass++)
		for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
			Elf_Data *data;

			if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
				continue;
			data = elf_getdata(section, NULL);
			for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
				const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

				if (!pass && name && !strcmp(name, "last_at"))
					bias = (uintptr_t)last_at - symbol.st_value;
				if (!pass || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
					address - bias - symbol.st_value >= symbol.st_size)
					continue;
				*out = (struct ep_procedure_code){
					(const uint8_t *)(symbol.st_value + bias), symbol.st_size,
					symbol.st_value + bias, ehdr.e_machine,
					ehdr.e_ident[EI_DATA] == ELFDATA2MSB
				};
				found = true;
			}
		}
	elf_end(elf);
	return found;
}

/* The expectation for each place: the depth, and the first place in the same innermost loop, which
 * may be itself. depth -1 ends the list. */
struct place {
	int depth, first_of_loop;
};

static const struct known {
	const char *name;
	struct place places[MAX_PLACES];
	uint32_t n_loops;
} knowns[] = {
	{ "three_deep", { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 1, 1 }, { 0, 0 }, { -1, 0 } },
		3 },
	{ "siblings", { { 1, 0 }, { 1, 1 }, { 1, 2 }, { 1, 2 }, { 1, 2 }, { -1, 0 } }, 3 },
	{ "by_a_switch",
		{ { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 2, 5 }, { 1, 0 }, { 1, 0 },
			{ 1, 0 }, { 1, 0 }, { 0, 10 }, { -1, 0 } },
		2 },
	{ "with_inlined", { { 1, 0 }, { 2, 1 }, { 1, 0 }, { -1, 0 } }, 2 },
};

static const struct known *find_known(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(knowns); i++)
		if (!strcmp(knowns[i].name, name))
			return &knowns[i];
	return NULL;
}

static void check_places(const char *what, const struct known *known, const struct ep_loops *loops)
{
	uint32_t loop_of[MAX_PLACES];

	for (int i = 0; known->places[i].depth >= 0; i++) {
		const struct place *place = &known->places[i];
		uint32_t loop = ep_loops_at(loops, last_at[i] - 1);
		int depth = loop == EP_NO_LOOP ? 0 : (int)loops->rows[loop].depth;

		loop_of[i] = loop;
		CHECK_MSG(depth == place->depth, "%s: place %d has depth %d, expected %d", what, i,
			depth, place->depth);
		CHECK_MSG(!place->depth || loop == loop_of[place->first_of_loop],
			"%s: place %d has another loop than place %d", what, i,
			place->first_of_loop);
	}
	CHECK_MSG(loops->n_rows == known->n_loops, "%s: %u loops, expected %u", what, loops->n_rows,
		known->n_loops);
}

/* Compilers copy jumps to labels, or join them, as they like: loops within the loop may come of
 * it. */
static void check_labels(const char *what, const struct ep_loops *loops)
{
	for (int i = 0; i <= 6; i++) {
		uint32_t loop = ep_loops_at(loops, last_at[i] - 1);

		while (loop != EP_NO_LOOP && loops->rows[loop].parent_idx != EP_NO_LOOP)
			loop = loops->rows[loop].parent_idx;
		CHECK_MSG(loop == (i == 0 || i == 6 ? EP_NO_LOOP : 0), "%s: place %d is of loop %d",
			what, i, (int)loop);
	}
}

static void check_level(const char *level, const struct loop_nest *nests)
{
	for (; nests->name; nests++) {
		const struct known *known = find_known(nests->name);
		struct ep_loops loops = { 0 };
		struct ep_procedure_code code;
		char what[64];

		snprintf(what, sizeof(what), "%s at %s", nests->name, level);
		memset(n_calls_from, 0, sizeof(n_calls_from));
		nests->run(N_TURNS, here);
		CHECK(find_procedure(last_at[0] - 1, &code));
		CHECK_INT(ep_loops_find(&code, &loops), 0);
		if (known)
			check_places(what, known, &loops);
		else
			check_labels(what, &loops);
		ep_loops_finish(&loops);
	}
}

TEST(compiled_here_at_each_level)
{
	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	check_level("-O0", loop_nests_O0);
	check_level("-O1", loop_nests_O1);
	check_level("-O2", loop_nests_O2);
	check_level("-O3", loop_nests_O3);
}

/* ---- what other machines' compilers wrote ---- */

/*
 * int three(int n, int (*here)(int))
 * {
 *	int s = 0;
 *	for (int i = 0; i < n; i++) {
 *		here(1);
 *		for (int j = 0; j < n; j++) {
 *			here(2);
 *			switch (here(3)) {
 *			case 0: s++; break;
 *			case 1: here(4); break;
 *			case 2: here(5); break;
 *			case 3: here(6); break;
 *			case 4: s *= 3; break;
 *			case 5: here(7); continue;
 *			}
 *			here(8);
 *		}
 *	}
 *	if (s)
 *		return here(9);
 *	return s;
 * }
 * by GCC 12 -Os, with blr for what the linker would have put in: of AArch64 it makes comparisons,
 * of POWER a table, which lies behind its jump.
 */
/* clang-format off */
static const uint32_t aarch64[] = {
	0xa9bc7bfd, 0x910003fd, 0xa90153f3, 0xaa0103f3, 0x52800014, 0xa9025bf5, 0x2a0003f5,
	0x52800016, 0xf9001bf7, 0x6b1502df, 0x5400012b, 0x340005d4, 0xa9425bf5, 0xaa1303f0,
	0xa94153f3, 0x52800120, 0xf9401bf7, 0xa8c47bfd, 0xd61f0200, 0x52800017, 0x52800020,
	0xd63f0260, 0x52800040, 0xd63f0260, 0x52800060, 0xd63f0260, 0x71000c1f, 0x54000340,
	0x5400012c, 0x7100041f, 0x54000240, 0x7100081f, 0x54000260, 0x7100001f, 0x1a941694,
	0x52800100, 0x14000006, 0x7100101f, 0x54000220, 0x7100141f, 0x54ffff61, 0x528000e0,
	0x110006f7, 0xd63f0260, 0x6b1702bf, 0x54fffd21, 0x110006d6, 0x17ffffda, 0x52800080,
	0xd63f0260, 0x17fffff1, 0x528000a0, 0x17fffffd, 0x528000c0, 0x17fffffb, 0x0b140694,
	0x17ffffeb, 0xa94153f3, 0x52800000, 0xa9425bf5, 0xf9401bf7, 0xa8c47bfd, 0xd65f03c0,
};

static const uint32_t power[] = {
	0x3c4c0000, 0x38420000, 0x7c0802a6, 0x48000001, 0xf821ffb1, 0x7c7d1b78, 0x7c9f2378,
	0x3b800000, 0x3bc00000, 0x7c1ce800, 0x41800034, 0x2c1e0000, 0x41820020, 0x7fe903a6,
	0xf8410018, 0x38600009, 0x7fecfb78, 0x4e800421, 0xe8410018, 0x7c7e1b78, 0x38210050,
	0x7fc307b4, 0x4e800020, 0x7fe903a6, 0xf8410018, 0x38600001, 0x7fecfb78, 0x7fbbeb78,
	0x4e800421, 0xe8410018, 0x7fe903a6, 0x7fecfb78, 0xf8410018, 0x38600002, 0x4e800421,
	0xe8410018, 0x7fe903a6, 0x38600003, 0x7fecfb78, 0xf8410018, 0x4e800421, 0xe8410018,
	0x28030005, 0x4181003c, 0x3d420000, 0xe94a0000, 0x78691788, 0x7d2a4aaa, 0x7d295214,
	0x7d2903a6, 0x4e800420, 0x00000018, 0x00000024, 0x00000040, 0x00000048, 0x00000050,
	0x00000058, 0x3bde0001, 0x38600008, 0x4800003c, 0x38600004, 0x7fe903a6, 0xf8410018,
	0x7fecfb78, 0x4e800421, 0xe8410018, 0x4bffffe0, 0x38600005, 0x4bffffe4, 0x38600006,
	0x4bffffdc, 0x1fde0003, 0x4bffffc8, 0x38600007, 0x7fe903a6, 0xf8410018, 0x7fecfb78,
	0x4e800421, 0xe8410018, 0x377bffff, 0x4082ff38, 0x3b9c0001, 0x4bfffedc, 0x00000000,
	0x01000000, 0x00000580,
};
/* clang-format on */

static const struct {
	const char *name;
	const uint32_t *words;
	size_t n_bytes;
	uint16_t machine;
	uint64_t heads[2];
	struct {
		uint64_t at;
		uint32_t depth;
	} depths[8];
} others[] = {
	{ "AArch64", aarch64, sizeof(aarch64), EM_AARCH64, { 0x24, 0x58 },
		{ { 0x20, 0 }, { 0x2c, 0 }, { 0x48, 0 }, { 0x54, 1 }, { 0x58, 2 }, { 0xb4, 2 },
			{ 0xb8, 1 }, { 0xe0, 2 } } },
	{ "POWER", power, sizeof(power), EM_PPC64, { 0x24, 0x78 },
		{ { 0x20, 0 }, { 0x2c, 0 }, { 0x44, 0 }, { 0x64, 1 }, { 0x98, 2 }, { 0xf0, 2 },
			{ 0x144, 1 }, { 0x120, 2 } } },
};

static uint32_t depth_at(const struct ep_loops *loops, uint64_t address)
{
	uint32_t loop = ep_loops_at(loops, address);

	return loop == EP_NO_LOOP ? 0 : loops->rows[loop].depth;
}

TEST(compiled_for_others)
{
	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	for (size_t i = 0; i < EP_ARRAY_SIZE(others); i++) {
		uint32_t words[128];
		struct ep_procedure_code code = { (const uint8_t *)words, others[i].n_bytes, 0x1000,
			others[i].machine, false };
		struct ep_loops loops;

		for (size_t w = 0; w < others[i].n_bytes / sizeof(*words); w++)
			words[w] = htole32(others[i].words[w]);
		CHECK_INT(ep_loops_find(&code, &loops), 0);
		CHECK_INT(loops.n_rows, 2);
		for (uint32_t l = 0; l < 2 && l < loops.n_rows; l++)
			CHECK_INT(loops.rows[l].head, 0x1000 + others[i].heads[l]);
		for (size_t d = 0; d < EP_ARRAY_SIZE(others[i].depths); d++)
			CHECK_MSG(depth_at(&loops, 0x1000 + others[i].depths[d].at) ==
					  others[i].depths[d].depth,
				"%s at 0x%llx: depth %u", others[i].name,
				(unsigned long long)others[i].depths[d].at,
				depth_at(&loops, 0x1000 + others[i].depths[d].at));
		ep_loops_finish(&loops);
	}
}

TEST(both_orders_of_bytes)
{
	uint32_t words[128];
	struct ep_procedure_code code = { (const uint8_t *)words, sizeof(power), 0x1000, EM_PPC64,
		true };
	struct ep_loops loops;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	for (size_t w = 0; w < sizeof(power) / sizeof(*words); w++)
		words[w] = htobe32(power[w]);
	CHECK_INT(ep_loops_find(&code, &loops), 0);
	CHECK_INT(loops.n_rows, 2);
	CHECK_INT(depth_at(&loops, 0x1098), 2);
	ep_loops_finish(&loops);
}

/* An entry that jumps by a table, and four labels that do so again: no label is the one to begin a
 * turn at, but the entry is not. "xor eax, eax; jmp [rdx + rax * 8]" and "inc eax; jmp [...]". */
TEST(the_head_of_computed_gotos_is_in_their_loop)
{
	static const uint8_t bytes[] = { 0x31, 0xc0, 0xff, 0x24, 0xc2, 0xff, 0xc0, 0xff, 0x24, 0xc2,
		0xff, 0xc0, 0xff, 0x24, 0xc2, 0xff, 0xc0, 0xff, 0x24, 0xc2, 0xff, 0xc0, 0xff, 0x24,
		0xc2 };
	const struct ep_procedure_code code = { bytes, sizeof(bytes), 0x1000, EM_X86_64, false };
	struct ep_loops loops;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	CHECK_INT(ep_loops_find(&code, &loops), 0);
	CHECK_INT(loops.n_rows, 1);
	CHECK_INT(loops.rows[0].head, 0x1005);
	CHECK_INT(depth_at(&loops, 0x1000), 0);
	CHECK_INT(depth_at(&loops, 0x1005), 1);
	ep_loops_finish(&loops);
}

/* "clrex" and "paciasp" of AArch64 have no operands. UndefinedBehaviorSanitizer ends the test where the
 * last of none is looked at. */
TEST(instructions_without_operands)
{
	uint32_t words[] = { htole32(0xd5033f5f), htole32(0xd503233f), htole32(0xd65f03c0) };
	const struct ep_procedure_code code = { (const uint8_t *)words, sizeof(words), 0x1000,
		EM_AARCH64, false };
	struct ep_loops loops;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	CHECK_INT(ep_loops_find(&code, &loops), 0);
	CHECK_INT(loops.n_rows, 0);
	ep_loops_finish(&loops);
}

TEST(more_code_than_people_write)
{
	const struct ep_procedure_code code = { (const uint8_t *)"", EP_LOOPS_MOST_BYTES + 1, 0,
		EM_X86_64, false };
	struct ep_loops loops;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	CHECK_INT(EP_LOOPS_MOST_BYTES, 1 << 20);
	CHECK_INT(ep_loops_find(&code, &loops), -E2BIG);
}

/* ---- text ---- */

/* As objdump -d (binutils 2.40) writes them, but for blanks between operands. */
TEST(instructions_as_text)
{
	static const uint8_t bytes[] = { 0x66, 0x0f, 0xef, 0xc0, 0xf2, 0x0f, 0x59, 0x04, 0xc7, 0x48,
		0x83, 0xc0, 0x01, 0x39, 0xc1, 0x7f, 0xf3, 0xc3 };
	static const struct {
		uint64_t at;
		const char *text;
	} expected[] = {
		{ 0x1000, "pxor %xmm0, %xmm0" },
		{ 0x1004, "mulsd (%rdi, %rax, 8), %xmm0" },
		{ 0x1009, "addq $1, %rax" },
		{ 0x100d, "cmpl %eax, %ecx" },
		{ 0x100f, "jg 0x1004" },
		{ 0x1011, "retq" },
	};
	const struct ep_procedure_code code = { bytes, sizeof(bytes), 0x1000, EM_X86_64, false };
	struct ep_listing listing;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	CHECK_INT(ep_listing_create(&code, &listing), 0);
	CHECK_INT(listing.n_rows, EP_ARRAY_SIZE(expected));
	for (uint32_t i = 0; i < listing.n_rows && i < EP_ARRAY_SIZE(expected); i++) {
		CHECK_INT(listing.rows[i].address, expected[i].at);
		CHECK_STR(ep_listing_text(&listing, i), expected[i].text);
	}
	ep_listing_finish(&listing);
}

/* ---- anything ---- */

static void check_order(const struct ep_loops *loops, const struct ep_procedure_code *code)
{
	for (uint32_t i = 0; i < loops->n_rows; i++) {
		uint32_t parent = loops->rows[i].parent_idx;

		CHECK(parent == EP_NO_LOOP ? loops->rows[i].depth == 1
					   : parent < i && loops->rows[i].depth ==
								   loops->rows[parent].depth + 1);
		CHECK(loops->rows[i].head - code->address < code->n_bytes);
		CHECK_MSG(depth_at(loops, loops->rows[i].head) >= loops->rows[i].depth,
			"the head is outside of the loop");
	}
	for (uint32_t i = 0; i < loops->n_ranges; i++) {
		CHECK(loops->ranges[i].start < loops->ranges[i].end);
		CHECK(loops->ranges[i].loop_idx < loops->n_rows);
		CHECK(!i || loops->ranges[i - 1].end <= loops->ranges[i].start);
	}
}

TEST(cut_anywhere)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(others); i++)
		for (size_t n = 0; n <= others[i].n_bytes; n++) {
			struct ep_procedure_code code = { (const uint8_t *)others[i].words, n, 0,
				others[i].machine, false };
			struct ep_loops loops = { 0 };

			if (!ep_loops_find(&code, &loops))
				check_order(&loops, &code);
			ep_loops_finish(&loops);
		}
}

/* Short jumps are so frequent in it that all kinds of graphs come up. */
TEST(bytes_without_sense)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_PPC64 };
	static const uint8_t jumps[] = { 0x74, 0xeb, 0x75, 0xff, 0xe0, 0xc3, 0x90, 0x54, 0x48 };
	uint32_t state = 1;

	for (int turn = 0; turn < 400; turn++) {
		uint8_t bytes[512];
		struct ep_procedure_code code = { bytes, sizeof(bytes), 0x400000,
			machines[turn % 4], turn & 4 };
		struct ep_loops loops = { 0 };

		for (size_t i = 0; i < sizeof(bytes); i++) {
			state = state * 1664525 + 1013904223;
			bytes[i] = state >> 31 ? jumps[(state >> 16) % sizeof(jumps)]
					       : (uint8_t)(state >> 24);
		}
		if (!ep_loops_find(&code, &loops))
			check_order(&loops, &code);
		ep_loops_finish(&loops);
	}
}

TEST(refusals)
{
	static const uint8_t byte = 0x90;
	struct ep_procedure_code code = { &byte, 1, 0, EM_S390, true };
	struct ep_loops loops;

	CHECK_INT(ep_loops_find(&code, &loops), EP_HAS_CAPSTONE ? -ENOTSUP : -ENOSYS);
	code.machine = EM_X86_64;
	code.n_bytes = EP_LOOPS_MOST_BYTES + 1;
	CHECK_INT(ep_loops_find(&code, &loops), EP_HAS_CAPSTONE ? -E2BIG : -ENOSYS);
	code.n_bytes = 0;
	CHECK_INT(ep_loops_find(&code, &loops), EP_HAS_CAPSTONE ? 0 : -ENOSYS);
	CHECK_INT(EP_HAS_CAPSTONE ? loops.n_rows : 0, 0);
}
