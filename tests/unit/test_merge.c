// SPDX-License-Identifier: BSD-3-Clause
/*
 * A tick in an interpreter whose memory is of two minds: threads, frames and code objects made here,
 * and damaged at random words in ways that the interpreter's own are for moments.
 */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/python_image.h"

static const struct ep_stack_bounds no_stack;
static uint64_t chance = 1;

static uint32_t draw(uint32_t n)
{
	chance = chance * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((chance >> 33) % n);
}

static void read_whole(unsigned minor)
{
	struct ep_stack_bounds cframe = { at(CFRAME_AT), at(CFRAME_AT + 64) };

	make_interpreter(minor);
	ep_interpreted_reset(&own);
	for (int tick = 0; tick < 200; tick++) {
		read_and_number(cframe);
		CHECK(!own.python.is_lost);
		CHECK_INT(own.python.n_frames, N_FRAMES);
		for (uint32_t i = 0; i < own.python.n_frames; i++)
			CHECK_INT(own.python.frames[i].id, i + 1);
		if (tick)
			CHECK_INT(own.python.peek.n_calls, 1);
	}
	CHECK_INT(own.codes.n_codes, N_FRAMES);
}

/* Code objects are read after 64 ticks, 128 more and 256 more, and frames that lie side by side are one piece. */
static void read_little(unsigned minor)
{
	uint32_t n_seldom = 0;

	make_interpreter(minor);
	ep_interpreted_reset(&own);
	read_and_number(no_stack);
	for (int tick = 0; tick < 512; tick++) {
		read_and_number(no_stack);
		n_seldom += own.python.peek.n_pieces < N_FRAMES;
		if (own.python.peek.n_pieces < N_FRAMES)
			CHECK(own.python.peek.n_pieces <= 5);
	}
	CHECK_INT(n_seldom, 512 - 3);
}

/* Functions called since the last tick, of which it knows the code. */
static void read_deeper(unsigned minor)
{
	make_interpreter(minor);
	ep_interpreted_reset(&own);
	read_and_number(no_stack);
	put_innermost(4);
	read_and_number(no_stack);
	put_innermost(0);
	read_and_number((struct ep_stack_bounds){ at(CFRAME_AT), at(CFRAME_AT + 64) });
	CHECK_INT(own.python.n_frames, N_FRAMES);
	CHECK_INT(own.python.peek.n_calls, 1);
}

static void put_other_function(uint32_t idx, uint32_t line)
{
	memcpy(memory + CODES_AT + idx * CODE_BYTES + python.layout.code_first_line, &line,
		sizeof(line));
}

/* A code object lies where another one was: of another module it is seen at once, else before long. */
static void replace_code(unsigned minor)
{
	uint32_t n_ticks = 0;

	make_interpreter(minor);
	ep_interpreted_reset(&own);
	read_and_number(no_stack);
	put_other_function(3, 100);
	put(frame_at(3) + python.layout.frame_globals, 0x2000);
	read_and_number(no_stack);
	CHECK_INT(own.python.frames[3].id, N_FRAMES + 1);
	put_other_function(3, 200);
	for (; own.python.frames[3].id == N_FRAMES + 1 && n_ticks < 100; n_ticks++)
		read_and_number(no_stack);
	CHECK_INT(own.python.frames[3].id, N_FRAMES + 2);
	CHECK_INT(n_ticks, 64);
	CHECK_INT(own.codes.n_codes, N_FRAMES + 2);
}

/* Code that exec runs has the globals of what it ran before, and may lie where that lay. */
static void replace_executed(unsigned minor, void (*make)(unsigned minor), uint32_t idx)
{
	make(minor);
	python.runs_one_script = false;
	ep_interpreted_reset(&own);
	put(frame_at(idx) + python.layout.frame_locals, 0x3000);
	for (uint32_t i = 1; i <= 5; i++) {
		put_other_function(idx, 100 * i);
		read_and_number(no_stack);
		CHECK_INT(own.python.frames[idx].id, i == 1 ? idx + 1 : N_FRAMES + i - 1);
	}
}

static uint32_t count_calls(uint32_t n_ticks)
{
	uint32_t n = 0;

	while (n_ticks-- > 0) {
		read_and_number((struct ep_stack_bounds){ at(CFRAME_AT), at(CFRAME_AT + 64) });
		CHECK_INT(own.python.n_frames, N_FRAMES);
		n += own.python.peek.n_calls;
	}
	return n;
}

/* After the first ticks the kernel is asked every 64th time, for the memory's end and the code objects. */
static void read_main_thread(unsigned minor)
{
	make_main_thread(minor);
	ep_interpreted_reset(&own);
	put(frame_at(N_FRAMES - 1) + python.layout.frame_locals, 0x3000); /* of the script itself */
	count_calls(2);
	CHECK_INT(count_calls(62), 0);
	CHECK(count_calls(64) <= 4);
	put(THREAD_AT + python.layout.thread_id,
		1); /* another thread's now: none is searched for */
	read_and_number(no_stack);
	CHECK(own.python.is_lost);
}

/* The state of another thread is as sure while the interpreter's key has it, and the interpreter does not end. */
static void read_other_thread(unsigned minor, pthread_key_t key)
{
	uint64_t key_word = 1 | (uint64_t)key << 32;

	make_main_thread(minor);
	python.runtime_bytes = INTERPRETER_AT; /* the state lies behind it */
	put(RUNTIME_AT + python.layout.runtime_key, key_word);
	pthread_setspecific(key, memory + THREAD_AT);
	ep_interpreted_reset(&own);
	count_calls(2);
	CHECK_INT(count_calls(62), 0);
	put(RUNTIME_AT + python.layout.runtime_finalizing, at(THREAD_AT));
	CHECK(count_calls(10) >= 10);
	put(RUNTIME_AT + python.layout.runtime_finalizing, 0);
	CHECK(count_calls(10) < 10);
	for (int i = 0; i < 3; i++) {
		put(RUNTIME_AT + python.layout.runtime_key,
			(uint64_t[]){ 0, key_word & ~1u, 1 | 5000ull << 32 }[i]);
		CHECK(count_calls(10) >= 10);
	}
	put(RUNTIME_AT + python.layout.runtime_key, key_word);
	pthread_setspecific(key, NULL);
	CHECK(count_calls(10) >= 10);
}

/* An interpreter whose frames are objects of their own, in the state that the key has. */
static void make_objects(unsigned minor, pthread_key_t key)
{
	make_interpreter(minor);
	python.runtime_bytes = INTERPRETER_AT;
	put(RUNTIME_AT + python.layout.runtime_key, 1 | (uint64_t)key << 32);
	pthread_setspecific(key, memory + THREAD_AT);
}

/* The kernel is asked every 64th tick, for a frame of each page and for code objects, and at each tick where the state
 * is not surely the thread's. */
static void read_objects(unsigned minor, pthread_key_t key)
{
	make_objects(minor, key);
	ep_interpreted_reset(&own);
	count_calls(128);
	CHECK(count_calls(64) <= 4);
	put(RUNTIME_AT + python.layout.runtime_finalizing, at(THREAD_AT));
	CHECK(count_calls(10) >= 10);
	put(RUNTIME_AT + python.layout.runtime_finalizing, 0);
	CHECK(count_calls(10) < 10);
	pthread_setspecific(key, NULL);
	CHECK(count_calls(10) >= 10);
}

/* Frames in memory that the state does not name, or that cannot be what it says, are read through the kernel. */
static void read_other_memory(unsigned minor)
{
	static const struct {
		uint32_t chunk_at;
		uint64_t size;
	} rows[] = { { CHUNK_AT + 4096, CHUNK_BYTES }, { N_BYTES, CHUNK_BYTES }, { CHUNK_AT, 0 },
		{ CHUNK_AT, CHUNK_BYTES + 8 }, { CHUNK_AT, 1ull << 40 },
		{ CHUNK_AT + 8, CHUNK_BYTES } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		make_main_thread(minor);
		ep_interpreted_reset(&own);
		put(THREAD_AT + python.layout.thread_chunk, at(rows[i].chunk_at));
		put(CHUNK_AT + 8, rows[i].size);
		CHECK(count_calls(10) >= 10);
	}
}

/* Numbers that lead nowhere, into other structures, and around the largest number. */
static uint64_t odd_word(void)
{
	static const uint64_t odd[] = { 0, 1, 8, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 150,
		INT64_MAX, 1ull << 63, 0x7fffffffeff8, 0xffff800000000000, 0xdededededededede };
	uint32_t n = EP_ARRAY_SIZE(odd), which = draw(n + 4);

	if (which < n)
		return odd[which];
	return at(which == n ? N_BYTES - 8 : draw(N_BYTES));
}

static uint32_t place_to_damage(void)
{
	static const uint32_t starts[] = { RUNTIME_AT, INTERPRETER_AT, THREAD_AT, CFRAME_AT,
		CHUNK_AT, FRAMES_AT, CODES_AT, STRINGS_AT };
	uint32_t start = starts[draw(EP_ARRAY_SIZE(starts))];

	return (start + draw(start < FRAMES_AT ? 256 : N_FRAMES * FRAME_BYTES)) / 8 * 8;
}

static void tick(void)
{
	read_and_number(no_stack);
	CHECK(own.python.n_frames <= EP_PYTHON_MAX_FRAMES);
	CHECK(own.python.peek.n_calls <= EP_PEEK_CALLS);
	if (ep_codes_want_flush(&own.codes))
		ep_codes_sent(&own.codes);
	own.python.n_to_skip = 0;
}

/* The draws are the same on every machine: where each takes a millisecond, some are enough. */
static int count_damaged(void)
{
	const char *fewer = getenv("EVPROF_TEST_DAMAGED");

	return fewer ? atoi(fewer) : 5000;
}

static void read_damaged(unsigned minor, void (*make)(unsigned minor))
{
	int n_damaged = count_damaged();

	make(minor);
	ep_interpreted_reset(&own);
	for (int i = 0; i < n_damaged; i++) {
		uint32_t places[3];
		uint64_t words[3];

		for (int k = 0; k < 3; k++) {
			places[k] = place_to_damage();
			memcpy(&words[k], memory + places[k], sizeof(words[k]));
			put(places[k], odd_word());
		}
		tick();
		for (int k = 3; k-- > 0;)
			put(places[k], words[k]);
		tick();
		CHECK_INT(own.python.n_frames, N_FRAMES);
	}
}

TEST(whole_structures_are_read_by_one_call)
{
	for (unsigned minor = 8; minor <= 14; minor++)
		read_whole(minor);
}

TEST(code_objects_are_seldom_read)
{
	for (unsigned minor = 8; minor <= 14; minor++)
		read_little(minor);
}

TEST(functions_that_were_just_called_take_no_call)
{
	for (unsigned minor = 11; minor <= 14; minor++)
		read_deeper(minor);
}

TEST(another_code_object_at_an_address_is_seen)
{
	for (unsigned minor = 8; minor <= 14; minor++)
		replace_code(minor);
}

TEST(another_code_object_that_exec_runs_is_seen_at_once)
{
	for (unsigned minor = 8; minor <= 14; minor++)
		replace_executed(minor, make_interpreter, 3);
}

TEST(another_script_of_a_program_that_embeds_is_seen_at_once)
{
	for (unsigned minor = 11; minor <= 14; minor++)
		replace_executed(minor, make_main_thread, N_FRAMES - 1);
}

TEST(damaged_structures_do_no_harm)
{
	for (unsigned minor = 8; minor <= 14; minor++)
		read_damaged(minor, make_interpreter);
	for (unsigned minor = 11; minor <= 14; minor++)
		read_damaged(minor, make_main_thread);
}

TEST(frames_of_the_main_thread_take_no_call)
{
	for (unsigned minor = 11; minor <= 14; minor++)
		read_main_thread(minor);
}

TEST(frames_of_other_threads_take_no_call)
{
	pthread_key_t key;

	CHECK_INT(pthread_key_create(&key, NULL), 0);
	for (unsigned minor = 11; minor <= 13; minor++)
		read_other_thread(minor, key);
	pthread_key_delete(key);
}

static pthread_key_t damaged_key;

static void make_objects_to_damage(unsigned minor)
{
	make_objects(minor, damaged_key);
}

TEST(frames_that_are_objects_take_no_call)
{
	CHECK_INT(pthread_key_create(&damaged_key, NULL), 0);
	for (unsigned minor = 8; minor <= 10; minor++) {
		read_objects(minor, damaged_key);
		read_damaged(minor, make_objects_to_damage);
	}
	pthread_key_delete(damaged_key);
}

TEST(frames_in_other_memory_take_calls)
{
	for (unsigned minor = 11; minor <= 14; minor++)
		read_other_memory(minor);
}

/* 3.14 is not here: its account is made by hand, as its published header has it. */
TEST(an_account_of_offsets_is_read_or_refused)
{
	static const struct {
		uint32_t word;
		uint64_t value;
	} wrong[] = {
		{ 0, 0x1234 },     /* no account */
		{ 1, 0x030d05f0 }, /* of another version */
		{ 2, 1 },          /* free-threaded */
		{ 6 + 3, 9000 },   /* a field behind its structure's end */
		{ 6 + 2, UINT64_MAX - 1 },
		{ 22 + 4, 70000 },
		{ 50 + 1, 16 }, /* objects are not as they were */
		{ 77 + 1, 24 },
		{ 77, 1 << 20 },
	};
	struct ep_python_layout layout;
	static struct ep_peek peek;

	make_interpreter(14);
	CHECK_INT(python.layout.interpreter_next, 7300);
	CHECK_INT(python.layout.thread_id, 168);
	CHECK_INT(python.layout.frame_code, 8);
	CHECK_INT(python.layout.code_first_line, 76);
	CHECK_INT(python.layout.compact_bytes, 56);
	ep_peek_start(&peek, no_stack);
	CHECK(ep_debug_offsets_read(&peek, at(RUNTIME_AT), 14, &layout));
	CHECK(!ep_debug_offsets_read(&peek, at(RUNTIME_AT), 13, &layout));
	CHECK(!ep_debug_offsets_read(&peek, at(RUNTIME_AT), 15, &layout));
	CHECK(!ep_debug_offsets_read(&peek, 8, 14, &layout));
	for (size_t i = 0; i < EP_ARRAY_SIZE(wrong); i++) {
		uint64_t right;

		memcpy(&right, memory + RUNTIME_AT + 8 * wrong[i].word, sizeof(right));
		put(RUNTIME_AT + 8 * wrong[i].word, wrong[i].value);
		CHECK_MSG(!ep_debug_offsets_read(&peek, at(RUNTIME_AT), 14, &layout), "word %u",
			wrong[i].word);
		put(RUNTIME_AT + 8 * wrong[i].word, right);
	}
}
