// SPDX-License-Identifier: BSD-3-Clause
/*
 * A tick in an interpreter whose memory is of two minds: threads, frames and code objects made here,
 * and damaged at random words in ways that the interpreter's own are for moments.
 */
#include "tests/unit/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/interpreter/merge.h"

enum {
	N_BYTES = 1 << 16,
	N_FRAMES = 12,
	N_DAMAGED = 5000,
	RUNTIME_AT = 0,
	INTERPRETER_AT = 4096,
	THREAD_AT = 20480,
	CFRAME_AT = 21504,
	FRAMES_AT = 22528,
	FRAME_BYTES = 128,
	CODES_AT = 28672,
	CODE_BYTES = 512,
	STRINGS_AT = 40960,
	STRING_BYTES = 512,
};

static uint8_t *memory; /* (N_BYTES), and behind it a page that cannot be read */
static struct ep_interpreted own;
static struct ep_python python;
static uint64_t chance = 1;

static uint64_t at(uint32_t offset)
{
	return (uint64_t)memory + offset;
}

static void put(uint32_t offset, uint64_t word)
{
	memcpy(memory + offset, &word, sizeof(word));
}

static uint32_t draw(uint32_t n)
{
	chance = chance * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((chance >> 33) % n);
}

static void put_string(uint32_t offset, const char *text)
{
	enum { COMPACT_ASCII = 1 << 2 | 1 << 5 | 1 << 6 };

	put(offset + EP_OBJECT_SIZE, strlen(text));
	put(offset + EP_STRING_HASH, UINT64_MAX);
	put(offset + EP_STRING_STATE, COMPACT_ASCII);
	memcpy(memory + offset + python.layout.ascii_bytes, text, strlen(text) + 1);
}

static void put_code(uint32_t idx)
{
	uint32_t offset = CODES_AT + idx * CODE_BYTES, string = STRINGS_AT + idx * STRING_BYTES;

	put_string(string, "function");
	put_string(string + 128, "script.py");
	put(string + 256 + EP_OBJECT_SIZE, 20);
	put(offset + EP_OBJECT_TYPE, python.code_type);
	put(offset + python.layout.code_name, at(string));
	put(offset + python.layout.code_file, at(string + 128));
	put(offset + python.layout.code_table, at(string + 256));
}

static void put_frame(uint32_t idx)
{
	uint32_t offset = FRAMES_AT + idx * FRAME_BYTES;

	put(offset + python.layout.frame_code, at(CODES_AT + idx * CODE_BYTES));
	put(offset + python.layout.frame_previous,
		idx + 1 < N_FRAMES ? at(offset + FRAME_BYTES) : 0);
	if (python.layout.frame_instruction != EP_LAYOUT_NONE)
		put(offset + python.layout.frame_instruction,
			at(CODES_AT + idx * CODE_BYTES) + python.layout.code_instructions + 4);
}

static void put_thread(void)
{
	const struct ep_python_layout *layout = &python.layout;

	put(RUNTIME_AT + layout->runtime_interpreters, at(INTERPRETER_AT));
	put(INTERPRETER_AT + layout->interpreter_threads, at(THREAD_AT));
	put(THREAD_AT + layout->thread_id, (uint64_t)pthread_self());
	if (layout->thread_frame != EP_LAYOUT_NONE) {
		put(THREAD_AT + layout->thread_frame, at(FRAMES_AT));
	} else {
		put(THREAD_AT + layout->thread_cframe, at(CFRAME_AT));
		put(CFRAME_AT + layout->cframe_frame, at(FRAMES_AT));
	}
}

static void make_interpreter(unsigned minor)
{
	const struct ep_python_layout *layout = ep_layout_of(minor);

	if (!memory) {
		memory = mmap(NULL, N_BYTES + 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK_INT(mprotect(memory + N_BYTES, 4096, PROT_NONE), 0);
	}
	memset(memory, 0, N_BYTES);
	python = (struct ep_python){
		.code_type = 0x123450,
		.runtime = at(RUNTIME_AT),
		.layout = *layout,
		.thread_bytes = ep_layout_thread_bytes(layout),
		.frame_bytes = ep_layout_frame_bytes(layout),
		.code_bytes = ep_layout_code_bytes(layout),
	};
	put_thread();
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		put_code(i);
		put_frame(i);
	}
}

static void read_whole(unsigned minor)
{
	make_interpreter(minor);
	ep_interpreted_reset(&own);
	for (int tick = 0; tick < 2; tick++) {
		ep_python_read(&own.python, &python);
		CHECK(!own.python.is_lost);
		CHECK_INT(own.python.n_frames, N_FRAMES);
		for (uint32_t i = 0; i < own.python.n_frames; i++)
			CHECK_INT(ep_codes_number(&own.codes, &own.python.peek, &python,
					  own.python.frames[i].code),
				i + 1);
	}
	CHECK_INT(own.python.peek.n_calls, 1);
}

/* Numbers that lead nowhere, into other structures, and around the largest number. */
static uint64_t odd_word(void)
{
	static const uint64_t odd[] = { 0, 1, 8, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 150,
		INT64_MAX, 1ull << 63, 0x7fffffffeff8, 0xffff800000000000, 0xdededededededede };
	uint32_t n = sizeof(odd) / sizeof(odd[0]), which = draw(n + 4);

	if (which < n)
		return odd[which];
	return at(which == n ? N_BYTES - 8 : draw(N_BYTES));
}

static uint32_t place_to_damage(void)
{
	static const uint32_t starts[] = { RUNTIME_AT, INTERPRETER_AT, THREAD_AT, CFRAME_AT,
		FRAMES_AT, CODES_AT, STRINGS_AT };
	uint32_t start = starts[draw(sizeof(starts) / sizeof(starts[0]))];

	return (start + draw(start < FRAMES_AT ? 256 : N_FRAMES * FRAME_BYTES)) / 8 * 8;
}

static void tick(void)
{
	ep_python_read(&own.python, &python);
	CHECK(own.python.n_frames <= EP_PYTHON_MAX_FRAMES);
	CHECK(own.python.peek.n_calls <= EP_PEEK_CALLS);
	for (uint32_t i = 0; i < own.python.n_frames; i++)
		ep_codes_number(&own.codes, &own.python.peek, &python, own.python.frames[i].code);
	if (ep_codes_want_flush(&own.codes))
		ep_codes_sent(&own.codes);
	own.python.n_to_skip = 0;
}

static void read_damaged(unsigned minor)
{
	make_interpreter(minor);
	ep_interpreted_reset(&own);
	for (int i = 0; i < N_DAMAGED; i++) {
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
	for (unsigned minor = 8; minor <= 13; minor++)
		read_whole(minor);
}

TEST(damaged_structures_do_no_harm)
{
	for (unsigned minor = 8; minor <= 13; minor++)
		read_damaged(minor);
}
