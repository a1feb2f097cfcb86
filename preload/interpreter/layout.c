// SPDX-License-Identifier: BSD-3-Clause
#include "layout.h"

#include <stddef.h>

#include "common/cleanup.h"

/* The rows are printed by tests/python/layout_row.c. */
static const struct ep_python_layout layouts[] = {
	{
		.minor = 8,
		.runtime_interpreters = 32,
		.runtime_current_thread = 1368,
		.runtime_finalizing = 16,
		.runtime_key = 1392,
		.interpreter_next = 0,
		.interpreter_threads = 8,
		.thread_previous = 0,
		.thread_next = 8,
		.thread_interpreter = 16,
		.thread_id = 176,
		.thread_frame = 24,
		.thread_cframe = EP_LAYOUT_NONE,
		.cframe_frame = EP_LAYOUT_NONE,
		.thread_status = EP_LAYOUT_NONE,
		.thread_chunk = EP_LAYOUT_NONE,
		.frame_previous = 24,
		.frame_code = 32,
		.frame_instruction = EP_LAYOUT_NONE,
		.frame_last = 104,
		.frame_is_entry = EP_LAYOUT_NONE,
		.frame_function = EP_LAYOUT_NONE,
		.frame_globals = 48,
		.frame_locals = 56,
		.frame_owner = EP_LAYOUT_NONE,
		.code_name = 112,
		.code_file = 104,
		.code_first_line = 40,
		.code_table = 120,
		.code_instructions = EP_LAYOUT_NONE,
		.string_kind_bit = 2,
		.ascii_bytes = 48,
		.compact_bytes = 72,
	},
	{
		.minor = 9,
		.runtime_interpreters = 32,
		.runtime_current_thread = 568,
		.runtime_finalizing = 16,
		.runtime_key = 584,
		.interpreter_next = 0,
		.interpreter_threads = 8,
		.thread_previous = 0,
		.thread_next = 8,
		.thread_interpreter = 16,
		.thread_id = 176,
		.thread_frame = 24,
		.thread_cframe = EP_LAYOUT_NONE,
		.cframe_frame = EP_LAYOUT_NONE,
		.thread_status = EP_LAYOUT_NONE,
		.thread_chunk = EP_LAYOUT_NONE,
		.frame_previous = 24,
		.frame_code = 32,
		.frame_instruction = EP_LAYOUT_NONE,
		.frame_last = 104,
		.frame_is_entry = EP_LAYOUT_NONE,
		.frame_function = EP_LAYOUT_NONE,
		.frame_globals = 48,
		.frame_locals = 56,
		.frame_owner = EP_LAYOUT_NONE,
		.code_name = 112,
		.code_file = 104,
		.code_first_line = 40,
		.code_table = 120,
		.code_instructions = EP_LAYOUT_NONE,
		.string_kind_bit = 2,
		.ascii_bytes = 48,
		.compact_bytes = 72,
	},
	{
		.minor = 10,
		.runtime_interpreters = 32,
		.runtime_current_thread = 568,
		.runtime_finalizing = 16,
		.runtime_key = 584,
		.interpreter_next = 0,
		.interpreter_threads = 8,
		.thread_previous = 0,
		.thread_next = 8,
		.thread_interpreter = 16,
		.thread_id = 176,
		.thread_frame = 24,
		.thread_cframe = EP_LAYOUT_NONE,
		.cframe_frame = EP_LAYOUT_NONE,
		.thread_status = EP_LAYOUT_NONE,
		.thread_chunk = EP_LAYOUT_NONE,
		.frame_previous = 24,
		.frame_code = 32,
		.frame_instruction = EP_LAYOUT_NONE,
		.frame_last = 96,
		.frame_is_entry = EP_LAYOUT_NONE,
		.frame_function = EP_LAYOUT_NONE,
		.frame_globals = 48,
		.frame_locals = 56,
		.frame_owner = EP_LAYOUT_NONE,
		.code_name = 112,
		.code_file = 104,
		.code_first_line = 40,
		.code_table = 120,
		.code_instructions = EP_LAYOUT_NONE,
		.string_kind_bit = 2,
		.ascii_bytes = 48,
		.compact_bytes = 72,
	},
	{
		.minor = 11,
		.runtime_interpreters = 40,
		.runtime_current_thread = 576,
		.runtime_finalizing = 24,
		.runtime_key = 592,
		.interpreter_next = 0,
		.interpreter_threads = 16,
		.thread_previous = 0,
		.thread_next = 8,
		.thread_interpreter = 16,
		.thread_id = 152,
		.thread_frame = EP_LAYOUT_NONE,
		.thread_cframe = 56,
		.cframe_frame = 8,
		.thread_status = EP_LAYOUT_NONE,
		.thread_chunk = 296,
		.frame_previous = 48,
		.frame_code = 32,
		.frame_instruction = 56,
		.frame_last = EP_LAYOUT_NONE,
		.frame_is_entry = 68,
		.frame_function = 0,
		.frame_globals = 8,
		.frame_locals = 24,
		.frame_owner = EP_LAYOUT_NONE,
		.code_name = 128,
		.code_file = 112,
		.code_first_line = 72,
		.code_table = 136,
		.code_instructions = 184,
		.string_kind_bit = 2,
		.ascii_bytes = 48,
		.compact_bytes = 72,
	},
	{
		.minor = 12,
		.runtime_interpreters = 40,
		.runtime_current_thread = EP_LAYOUT_NONE,
		.runtime_finalizing = 24,
		.runtime_key = 1544,
		.interpreter_next = 0,
		.interpreter_threads = 72,
		.thread_previous = 0,
		.thread_next = 8,
		.thread_interpreter = 16,
		.thread_id = 136,
		.thread_frame = EP_LAYOUT_NONE,
		.thread_cframe = 56,
		.cframe_frame = 0,
		.thread_status = 24,
		.thread_chunk = 232,
		.frame_previous = 8,
		.frame_code = 0,
		.frame_instruction = 56,
		.frame_last = EP_LAYOUT_NONE,
		.frame_is_entry = EP_LAYOUT_NONE,
		.frame_function = 16,
		.frame_globals = 24,
		.frame_locals = 40,
		.frame_owner = 70,
		.code_name = 128,
		.code_file = 112,
		.code_first_line = 68,
		.code_table = 136,
		.code_instructions = 192,
		.string_kind_bit = 2,
		.ascii_bytes = 40,
		.compact_bytes = 56,
	},
	{
		.minor = 13,
		.runtime_interpreters = 632,
		.runtime_current_thread = EP_LAYOUT_NONE,
		.runtime_finalizing = 608,
		.runtime_key = 2160,
		.interpreter_next = 7264,
		.interpreter_threads = 7344,
		.thread_previous = 0,
		.thread_next = 8,
		.thread_interpreter = 16,
		.thread_id = 152,
		.thread_frame = 72,
		.thread_cframe = EP_LAYOUT_NONE,
		.cframe_frame = EP_LAYOUT_NONE,
		.thread_status = 32,
		.thread_chunk = 232,
		.frame_previous = 8,
		.frame_code = 0,
		.frame_instruction = 56,
		.frame_last = EP_LAYOUT_NONE,
		.frame_is_entry = EP_LAYOUT_NONE,
		.frame_function = 16,
		.frame_globals = 24,
		.frame_locals = 40,
		.frame_owner = 70,
		.code_name = 128,
		.code_file = 112,
		.code_first_line = 68,
		.code_table = 136,
		.code_instructions = 200,
		.string_kind_bit = 2,
		.ascii_bytes = 40,
		.compact_bytes = 56,
	},
};

const struct ep_python_layout *ep_layout_of(unsigned minor)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(layouts); i++)
		if (layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

static uint32_t end_of_fields(const uint16_t *offsets, size_t n)
{
	uint32_t end = 0;

	for (size_t i = 0; i < n; i++)
		if (offsets[i] != EP_LAYOUT_NONE && offsets[i] >= end)
			end = offsets[i] + 1u;
	return (end + 7) / 8 * 8;
}

uint32_t ep_layout_thread_bytes(const struct ep_python_layout *layout)
{
	const uint16_t offsets[] = { layout->thread_previous, layout->thread_next,
		layout->thread_interpreter, layout->thread_id, layout->thread_frame,
		layout->thread_cframe, layout->thread_status, layout->thread_chunk };

	return end_of_fields(offsets, EP_ARRAY_SIZE(offsets));
}

uint32_t ep_layout_frame_bytes(const struct ep_python_layout *layout)
{
	const uint16_t offsets[] = { layout->frame_previous, layout->frame_code,
		layout->frame_instruction, layout->frame_last, layout->frame_is_entry,
		layout->frame_function, layout->frame_globals, layout->frame_locals,
		layout->frame_owner };

	return end_of_fields(offsets, EP_ARRAY_SIZE(offsets));
}

uint32_t ep_layout_code_bytes(const struct ep_python_layout *layout)
{
	const uint16_t offsets[] = { layout->code_name, layout->code_file, layout->code_first_line,
		layout->code_table };

	return end_of_fields(offsets, EP_ARRAY_SIZE(offsets));
}
