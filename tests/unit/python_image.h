/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interpreter made by hand: a thread, frames and code objects where a version of CPython has them. Its
 * innermost frame is at the highest address.
 */
#ifndef EVPROF_TESTS_UNIT_PYTHON_IMAGE_H
#define EVPROF_TESTS_UNIT_PYTHON_IMAGE_H

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "preload/interpreter/debug_offsets.h"
#include "preload/interpreter/merge.h"

enum {
	N_BYTES = 1 << 16,
	N_FRAMES = 20,
	RUNTIME_AT = 0,
	INTERPRETER_AT = 4096,
	THREAD_AT = 20480,
	CFRAME_AT = 21504,
	CHUNK_AT = 24576,
	CHUNK_BYTES = 4096,
	FRAMES_AT = CHUNK_AT + 64,
	FRAME_BYTES = 128,
	CODES_AT = 28672,
	CODE_BYTES = 512,
	STRINGS_AT = 40960,
	STRING_BYTES = 512,
};

static uint8_t *memory; /* (N_BYTES) */
static struct ep_interpreted own;
static struct ep_python python;

static uint64_t at(uint32_t offset)
{
	return (uint64_t)memory + offset;
}

static void put(uint32_t offset, uint64_t word)
{
	memcpy(memory + offset, &word, sizeof(word));
}

static void put_string(uint32_t offset, const char *text)
{
	enum { COMPACT_ASCII = 1 | 1 << 3 | 1 << 4 };

	put(offset + EP_OBJECT_SIZE, strlen(text));
	put(offset + EP_STRING_HASH, UINT64_MAX);
	put(offset + EP_STRING_STATE, COMPACT_ASCII << python.layout.string_kind_bit);
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

/* The innermost, 0, is highest. */
static uint32_t frame_at(uint32_t idx)
{
	return FRAMES_AT + (N_FRAMES - 1 - idx) * FRAME_BYTES;
}

static void put_frame(uint32_t idx)
{
	uint32_t offset = frame_at(idx);

	put(offset + python.layout.frame_code, at(CODES_AT + idx * CODE_BYTES));
	put(offset + python.layout.frame_previous, idx + 1 < N_FRAMES ? at(frame_at(idx + 1)) : 0);
	put(offset + python.layout.frame_globals, 0x1000);
	if (python.layout.frame_instruction != EP_LAYOUT_NONE)
		put(offset + python.layout.frame_instruction,
			at(CODES_AT + idx * CODE_BYTES) + python.layout.code_instructions + 4);
}

/* The frames from idx on are there. */
static void put_innermost(uint32_t idx)
{
	const struct ep_python_layout *layout = &python.layout;

	if (layout->thread_frame != EP_LAYOUT_NONE) {
		put(THREAD_AT + layout->thread_frame, at(frame_at(idx)));
	} else {
		put(THREAD_AT + layout->thread_cframe, at(CFRAME_AT));
		put(CFRAME_AT + layout->cframe_frame, at(frame_at(idx)));
	}
}

static void put_thread(void)
{
	const struct ep_python_layout *layout = &python.layout;

	put(RUNTIME_AT + layout->runtime_interpreters, at(INTERPRETER_AT));
	put(INTERPRETER_AT + layout->interpreter_threads, at(THREAD_AT));
	put(THREAD_AT + layout->thread_id, (uint64_t)pthread_self());
	put_innermost(0);
}

/* A version that tells itself where its fields lie: at other places than those of all others. */
static void put_account(unsigned minor)
{
	const struct ep_debug_sections *at_words = ep_debug_sections_of(minor);
	const struct {
		uint32_t section;
		uint64_t words[10];
	} sections[] = {
		{ 1, { (3ull << 8 | minor) << 16, 0 } },
		{ 3, { 2000, 0, 1600 } },
		{ at_words->interpreter, { 9000, 0, 7300, 7400 } },
		{ at_words->thread, { 400, 8, 16, 24, 88, 168, 0, 200, 40 } },
		{ at_words->frame, { 96, 16, 8, 64, 88, 82 } },
		{ at_words->code, { 300, 120, 0, 136, 144, 76, 0, 0, 0, 208 } },
		{ at_words->object, { 16, EP_OBJECT_TYPE } },
		{ at_words->bytes, { 33, EP_OBJECT_SIZE, EP_BYTES_DATA } },
		{ at_words->string, { 64, EP_STRING_STATE, EP_OBJECT_SIZE, 40 } },
	};

	memcpy(memory + RUNTIME_AT, "xdebugpy", 8);
	for (size_t i = 0; i < EP_ARRAY_SIZE(sections); i++)
		for (uint32_t w = 0; w < 10; w++)
			if (sections[i].words[w])
				put(RUNTIME_AT + 8 * (sections[i].section + w),
					sections[i].words[w]);
}

static struct ep_python_layout find_image_layout(unsigned minor)
{
	const struct ep_python_layout *known = ep_layout_of(minor);
	struct ep_python_layout told = { 0 };
	static struct ep_peek peek;

	if (known)
		return *known;
	put_account(minor);
	ep_peek_start(&peek, (struct ep_stack_bounds){ 0, 0 });
	ep_debug_offsets_read(&peek, at(RUNTIME_AT), minor, &told);
	return told;
}

static void make_interpreter(unsigned minor)
{
	struct ep_python_layout layout;

	if (!memory) {
		memory = mmap(
			NULL, N_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	memset(memory, 0, N_BYTES);
	layout = find_image_layout(minor);
	python = (struct ep_python){
		.code_type = 0x123450,
		.runtime = at(RUNTIME_AT),
		.layout = layout,
		.thread_bytes = ep_layout_thread_bytes(&layout),
		.frame_bytes = ep_layout_frame_bytes(&layout),
		.code_bytes = ep_layout_code_bytes(&layout),
	};
	put_thread();
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		put_code(i);
		put_frame(i);
	}
}

/* The thread's state is part of the interpreter's data, and the frames lie in a piece of memory that it names. */
static void make_main_thread(unsigned minor)
{
	make_interpreter(minor);
	python.runtime_bytes = THREAD_AT + 1024;
	python.runs_one_script = true;
	put(THREAD_AT + python.layout.thread_chunk, at(CHUNK_AT));
	put(CHUNK_AT + 8, CHUNK_BYTES);
}

/* A tick, and the functions' numbers as the call path gets them. stack: what is read directly. */
static void read_and_number(struct ep_stack_bounds stack)
{
	ep_python_read(&own.python, &python, stack);
	for (uint32_t i = 0; i < own.python.n_frames; i++) {
		struct ep_python_frame *frame = &own.python.frames[i];

		if (frame->id)
			continue;
		frame->id = ep_codes_number(&own.codes, &own.python.peek, &python, frame->code);
		ep_python_know(&own.python, i, frame->id);
	}
}

#endif
