// SPDX-License-Identifier: BSD-3-Clause
/* Memory read in pieces: each is as it was, or known not to be there. */
#include "tests/unit/test.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/interpreter/peek.h"

/* pages are no larger on any machine */
enum { PAGE_BYTES = 65536, N_PAGES = 3, N_WORDS = N_PAGES * PAGE_BYTES / 8 };

static const struct ep_stack_bounds no_stack;
static struct ep_peek peek;
static uint64_t *words; /* (N_WORDS): the first and the last page can be read */

static uint64_t address_of(unsigned word)
{
	return (uint64_t)(words + word);
}

static bool is_there(unsigned word)
{
	return word / (PAGE_BYTES / 8) != 1;
}

static void make_words(void)
{
	if (words)
		return;
	words = mmap(NULL, N_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(words != MAP_FAILED);
	for (unsigned i = 0; i < N_WORDS; i++)
		words[i] = 1000 + i;
	CHECK_INT(mprotect(words + PAGE_BYTES / 8, PAGE_BYTES, PROT_NONE), 0);
}

static void check_word(unsigned word)
{
	CHECK_INT(ep_peek_word(&peek, address_of(word)), is_there(word) ? 1000 + word : 0);
}

/* In any order, each read when it is asked for. */
TEST(words_are_read_in_any_order)
{
	make_words();
	ep_peek_start(&peek, no_stack);
	for (unsigned i = 0; i < 100; i++)
		check_word(i * 769 % N_WORDS);
}

/* Named ahead and behind one that is not there; asked for forwards, backwards and in turns. */
static void read_foretold(unsigned step)
{
	unsigned n_calls;

	ep_peek_start(&peek, no_stack);
	for (unsigned i = 0; i < 40; i++)
		ep_peek_want(&peek, address_of(8 * i), 16);
	ep_peek_want(&peek, address_of(400), 64);
	ep_peek_read_foretold(&peek);
	CHECK_INT(peek.n_calls, 1);
	for (unsigned i = 0; i < 40; i++) {
		check_word(8 * (i * step % 40));
		check_word(8 * (i * step % 40) + 1);
		check_word(400 + i % 8);
	}
	CHECK_INT(peek.n_calls, 1);
	n_calls = peek.n_calls;
	check_word(2); /* between two pieces */
	CHECK_INT(peek.n_calls, n_calls + 1);
}

TEST(memory_that_is_not_there_is_passed_over)
{
	make_words();
	ep_peek_start(&peek, no_stack);
	ep_peek_want(&peek, address_of(0), 8);
	ep_peek_want(&peek, address_of(PAGE_BYTES / 8), 8);
	ep_peek_want(&peek, address_of(1), 8);
	ep_peek_read_foretold(&peek);
	check_word(0);
	check_word(PAGE_BYTES / 8);
	check_word(1);
	check_word(2 * PAGE_BYTES / 8);
	/* across the border */
	CHECK(!ep_peek_get(&peek, address_of(PAGE_BYTES / 8 - 1), 16));
	CHECK(!ep_peek_get(&peek, 0, 8));
	CHECK(!ep_peek_get(&peek, 0xffff800000000000, 8));
	/* freed memory holds -1 where a new string has no hash yet */
	for (uint64_t size = 1; size < 200; size++)
		CHECK(!ep_peek_get(&peek, UINT64_MAX - size / 2, size));
}

TEST(pieces_that_are_named_ahead_take_one_call)
{
	make_words();
	read_foretold(1);
	read_foretold(39);
	read_foretold(7);
}

/* A tick takes no more calls than are allowed, whatever it asks for. */
TEST(calls_of_a_tick_are_limited)
{
	make_words();
	ep_peek_start(&peek, no_stack);
	for (unsigned i = 0; i < 2 * EP_PEEK_CALLS; i++)
		ep_peek_get(&peek, address_of(PAGE_BYTES / 8 + i), 8);
	CHECK_INT(peek.n_calls, EP_PEEK_CALLS);
	CHECK_INT(ep_peek_word(&peek, address_of(0)), 0);
	ep_peek_start(&peek, no_stack);
	check_word(0);
}

/* Memory that is surely there is read where it is, of any size; what goes beyond its ends takes calls. */
TEST(sure_memory_is_read_in_place)
{
	make_words();
	ep_peek_start(&peek, no_stack);
	ep_peek_trust(&peek, address_of(16), address_of(48));
	CHECK(ep_peek_get(&peek, address_of(16), 256) == (const void *)address_of(16));
	CHECK(ep_peek_get(&peek, address_of(47) + 3, 5) == (const void *)(address_of(47) + 3));
	CHECK_INT(peek.n_calls, 0);
	check_word(15);
	check_word(48);
	CHECK_INT(peek.n_calls, 2);
	CHECK(!ep_peek_get(&peek, UINT64_MAX - 8, 16));
	ep_peek_start(&peek, no_stack);
	check_word(20);
	CHECK_INT(peek.n_calls, 1);
}

/* The stack's words are had without the kernel; around it, and at odd addresses, as all others. */
TEST(the_own_stack_is_read_without_a_call)
{
	make_words();
	ep_peek_start(&peek, (struct ep_stack_bounds){ address_of(16), address_of(48) });
	check_word(16);
	check_word(47);
	CHECK(ep_peek_get(&peek, address_of(17), 240));
	CHECK_INT(peek.n_calls, 0);
	check_word(48);
	CHECK_INT(peek.n_calls, 1);
	CHECK(ep_peek_get(&peek, address_of(20), 232)); /* one word too many */
	CHECK_INT(peek.n_calls, 2);
	check_word(15);
	CHECK_INT(peek.n_calls, 3);
	for (uint64_t size = 8; size < 200; size += 8)
		CHECK(!ep_peek_get(&peek, UINT64_MAX - size / 2, (uint32_t)size));
}
