// SPDX-License-Identifier: BSD-3-Clause
/* Callgrind's text to sums: names and positions compressed, files in any pieces, damage. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "reporter/load/costs.h"

static struct ep_costs costs;
static struct ep_strings strings;
static struct ep_counts total;

static void finish(void)
{
	ep_costs_finish(&costs);
	ep_strings_finish(&strings);
}

/* In pieces of so many bytes. */
static int read_pieces(const char *text, size_t piece)
{
	struct ep_costs_reader *reader = ep_costs_reader_create(&costs, &strings);
	size_t size = strlen(text);
	int rc = 0;

	for (size_t at = 0; !rc && at < size; at += piece)
		rc = ep_costs_reader_take(reader, text + at, size - at < piece ? size - at : piece);
	if (!rc)
		ep_costs_reader_finish(reader, &total, &(struct ep_floating_counts){ { 0 } });
	ep_costs_reader_destroy(reader);
	return rc;
}

static const struct ep_costs_procedure *procedure(const char *name)
{
	for (uint32_t i = 0; i < costs.n_procedures; i++)
		if (!strcmp(costs.procedures[i].name, name))
			return &costs.procedures[i];
	return NULL;
}

static uint64_t on_line(const char *file, uint32_t line)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < costs.n_lines; i++)
		if (!strcmp(costs.lines[i].file, file) && costs.lines[i].line == line)
			sum += costs.lines[i].self.of[EP_CALLGRIND_IR];
	return sum;
}

/* main 10, of it 4 inlined from a header; f 20 and, by a call of itself, 5 of those once more. */
static const char small[] = "version: 1\n"
			    "positions: line\n"
			    "events: Ir Dr Bc\n"
			    "summary: 30 3 1\n"
			    "\n"
			    "ob=(1) /bin/app\n"
			    "fl=(1) app.c\n"
			    "fn=(1) main\n"
			    "10 4 3\n"
			    "+2 2\n"
			    "fi=(2) app.h\n"
			    "7 4\n"
			    "fe=(1)\n"
			    "cob=(2) /lib/l.so\n"
			    "cfi=(3) f.c\n"
			    "cfn=(2) f\n"
			    "calls=2 40\n"
			    "* 20 0 1\n"
			    "\n"
			    "ob=(2)\n"
			    "fl=(3)\n"
			    "fn=(2)\n"
			    "40 20 0 1\n"
			    "cfn=(2)\n"
			    "calls=3 40\n"
			    "-1 5\n"
			    "totals: 30 3 1\n";

static void check_small(void)
{
	const struct ep_costs_procedure *main_row = procedure("main"), *f = procedure("f");

	CHECK(main_row && f && costs.n_procedures == 2);
	CHECK_STR(main_row->object, "/bin/app");
	CHECK_STR(f->object, "/lib/l.so");
	CHECK_STR(f->file, "f.c");
	CHECK_INT(main_row->self.of[EP_CALLGRIND_IR], 10);
	CHECK_INT(main_row->self.of[EP_CALLGRIND_DR], 3);
	CHECK_INT(main_row->inclusive.of[EP_CALLGRIND_IR], 30);
	CHECK_INT(main_row->inclusive.of[EP_CALLGRIND_BC], 1);
	CHECK_INT(f->self.of[EP_CALLGRIND_IR], 20);
	CHECK_INT(f->inclusive.of[EP_CALLGRIND_IR], 25); /* as callgrind_annotate */
	CHECK_INT(on_line("app.c", 12), 2);
	CHECK_INT(on_line("app.h", 7), 4);
	CHECK_INT(on_line("f.c", 40), 20);
	CHECK_INT(costs.n_calls, 2);
	CHECK_INT(total.of[EP_CALLGRIND_IR], 30);
}

TEST(a_file_in_pieces_of_any_size)
{
	for (size_t piece = 1; piece <= sizeof(small); piece++) {
		CHECK_INT(read_pieces(small, piece), 0);
		check_small();
		finish();
	}
}

TEST(files_add_up)
{
	CHECK_INT(read_pieces(small, 1000), 0);
	CHECK_INT(read_pieces(small, 1000), 0);
	CHECK_INT(procedure("f")->inclusive.of[EP_CALLGRIND_IR], 50);
	CHECK_INT(procedure("main")->self.of[EP_CALLGRIND_IR], 20);
	CHECK_INT(costs.total.of[EP_CALLGRIND_DR], 6);
	finish();
}

/* Jumps, columns that are not known, addresses beside lines. */
TEST(what_else_callgrind_writes)
{
	CHECK_INT(read_pieces("positions: instr line\nevents: Ge Ir\nfl=a.c\nfn=g\n"
			      "jfi=b.c\njfn=h\njump=3 0x10 2\n0x4 1\n0x8 3 1 2\n+4 * 5 6\n",
			  7),
		0);
	CHECK_INT(procedure("g")->self.of[EP_CALLGRIND_IR], 8);
	CHECK_INT(on_line("a.c", 3), 8);
	/* no summary: what the procedures have */
	CHECK_INT(total.of[EP_CALLGRIND_IR], 8);
	finish();
}

/* Each address of a procedure, its calls apart; two files that say the same of it add up. */
TEST(instructions_where_they_are_asked_for)
{
	static const char text[] =
		"positions: instr line\nevents: Ir Dr FsdAdd\nob=/bin/a\nfl=a.c\nfn=g\n"
		"0x10 3 5 1\n+4 * 5 0 5\ncfn=h\ncalls=5 0x90 9\n* * 70 7\n";

	costs.keeps_instructions = true;
	CHECK_INT(read_pieces(text, 7), 0);
	CHECK_INT(read_pieces(text, 1000), 0);
	CHECK(costs.has_instructions);
	CHECK_INT(costs.n_instructions, 3);
	CHECK_INT(costs.instructions[0].address, 0x10);
	CHECK_INT(costs.instructions[0].counts.of[EP_CALLGRIND_DR], 2);
	CHECK_INT(costs.instructions[0].n_floating, 0);
	CHECK_INT(costs.instructions[1].address, 0x14);
	CHECK_INT(costs.instructions[1].floating_event, 0);
	CHECK_INT(costs.instructions[1].n_floating, 10);
	CHECK(costs.instructions[2].is_of_calls);
	CHECK_INT(costs.instructions[2].address, 0x14);
	CHECK_INT(costs.instructions[2].counts.of[EP_CALLGRIND_IR], 140);
	finish();
	CHECK_INT(read_pieces(text, 1000), 0);
	CHECK_INT(costs.n_instructions, 0);
	finish();
	costs.keeps_instructions = true;
	CHECK_INT(read_pieces(small, 1000), 0);
	CHECK(!costs.has_instructions);
	CHECK_INT(costs.instructions[0].address, EP_COSTS_NO_ADDRESS);
	finish();
}

/* A little that handlers of signals cost is not in callgrind's total; much is in ours. */
TEST(the_total_is_callgrinds_own)
{
	CHECK_INT(read_pieces("events: Ir\nsummary: 1000\nfl=a.c\nfn=g\n1 1005\n", 99), 0);
	CHECK_INT(total.of[EP_CALLGRIND_IR], 1000);
	CHECK_INT(read_pieces("events: Ir\nsummary: 1000\nfl=a.c\nfn=g\n1 90000\n", 99), 0);
	CHECK_INT(total.of[EP_CALLGRIND_IR], 90000);
	/* a piece between two attempts to exec, with ticks and a write of the trace */
	CHECK_INT(read_pieces("events: Ir\nsummary: 8775\nfl=a.c\nfn=g\n1 18033\n", 99), 0);
	CHECK_INT(total.of[EP_CALLGRIND_IR], 8775);
	finish();
}

TEST(numbers_of_names_go_on_from_earlier_files)
{
	CHECK_INT(read_pieces("events: Ir\nfl=(2) a.c\nfn=(2097151) g\n1 3\n", 9), 0);
	CHECK_INT(procedure("g")->self.of[EP_CALLGRIND_IR], 3);
	finish();
}

TEST(what_is_no_such_file)
{
	static const char *const texts[] = {
		"1 2\n",                                  /* costs of nothing */
		"events: Ir\n1 2\n",                      /* of no procedure */
		"events: Dr\n",                           /* without instructions */
		"positions: a b c\n",                     /* too many */
		"events: Ir\nfl=a\nfn=(3)\n",             /* a name that was not said */
		"events: Ir\nfl=a\nfn=(99999999999) x\n", /* a number that is none */
		"events: Ir\nfl=a\nfn=(2097152) x\n",     /* far more names than it has room for */
		"events: Ir\nfl=a\nfn=f\ncalls=1 2\n1 2\n", /* a call of nothing */
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(texts); i++) {
		CHECK_MSG(read_pieces(texts[i], 100) == -EBADMSG, "%s", texts[i]);
		finish();
	}
}

TEST(cycles_are_kcachegrinds)
{
	static const struct ep_counts each = { { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } };

	/* Ir + 10 (Bcm + Bim) + 10 (I1mr + D1mr + D1mw) + 100 (ILmr + DLmr + DLmw) */
	CHECK_INT(ep_counts_cycles(&each), 1 + 20 + 30 + 300);
}
