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

#include "preload/interpreter/merge.h"

enum {
	N_BYTES = 1 << 16,
	N_FRAMES = 20,
	RUNTIME_AT = 0,
	INTERPRETER_AT = 4096,
	THREAD_AT = 20480,
	CFRAME_AT = 21504,
	FRAMES_AT = 24576,
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

static void make_interpreter(unsigned minor)
{
	const struct ep_python_layout *layout = ep_layout_of(minor);

	if (!memory) {
		memory = mmap(
			NULL, N_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
