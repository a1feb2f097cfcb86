/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the frames of the calling thread's Python functions from CPython's own memory, without its lock, in signal
 * handlers. The interpreter may just be changing this memory, so an address that is found in it is followed only if
 * there is mapped memory.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_PYTHON_H
#define EVPROF_PRELOAD_INTERPRETER_PYTHON_H

#include "layout.h"
#include "peek.h"

#define EP_PYTHON_MAX_FRAMES 200
#define EP_PYTHON_SETS 128
#define EP_PYTHON_WAYS 4
#define EP_PYTHON_PAGE_SETS 64

/* A copy of CPython in the process: the program itself or a library. */
struct ep_python {
	uint64_t module_start;
	uint64_t code_type;     /* PyCode_Type */
	uint64_t runtime;       /* the address of _PyRuntime */
	uint64_t runtime_bytes; /* the size of _PyRuntime; 0: not known */
	/* false: a program that embeds CPython may run one script after another */
	bool runs_one_script;
	uint64_t loop_start, loop_end; /* the range of _PyEval_EvalFrameDefault */
	struct ep_python_layout layout;
	uint32_t thread_bytes, frame_bytes, code_bytes;
};

struct ep_python_frame {
	uint64_t address, code, witness;
	/* the instruction's offset in the code, in bytes; below 0 if the function just begins */
	int64_t offset;
	uint32_t id; /* the function's number; 0: its code object was read, but has no number yet */
	uint32_t until; /* the code object need not be read again before this tick */
	bool ends_call; /* the frame is the outermost one of a call of the interpreter's loop */
	/* the frame's code may be another object than at the last tick, at the same address */
	bool is_doubtful;
};

/* A code object that was read not long ago. It is in one of the EP_PYTHON_WAYS places for its address. */
struct ep_python_known {
	uint64_t code, witness;
	/* the function's number by the last reading, 0: none yet; its number by the reading before, 0: none */
	uint32_t id, id_before;
	/* the tick at which the object was read, and for how many ticks it is not read again */
	uint32_t tick, n_ticks;
};

/* A page with frames that was read through the kernel not long ago. */
struct ep_python_page {
	uint64_t number; /* address / page size; 0: no page */
	uint32_t tick;
};

/* Data that a thread keeps from tick to tick; all are zero before the first tick. */
struct ep_python_frames {
	const struct ep_python *python;
	uint64_t state;     /* the thread's state in the interpreter; 0: not known */
	bool is_own;        /* the state surely stays in place during this handler */
	uint64_t linked_at; /* address of the word in the list that points to state */
	/* the first in the list of interpreters, whose last one is the one that was created first */
	uint64_t first_interpreter;
	bool has_sub_interpreters;
	uint64_t chunk; /* the piece of memory with frames that was last looked at; 0: none */
	uint64_t chunk_bytes;
	uint32_t chunk_tick;
	/* pages with frames that are objects (up to 3.10) */
	struct ep_python_page pages[EP_PYTHON_PAGE_SETS][EP_PYTHON_WAYS];
	/* n_to_skip: how many of the next ticks will not try to read, after ticks that failed; n_last_skipped: about
	 * twice as many as the last failure set */
	uint32_t n_to_skip, n_last_skipped;
	uint32_t n_frames; /* the number of frames, which are innermost first */
	/* entries from n_frames on are from earlier ticks */
	struct ep_python_frame frames[EP_PYTHON_MAX_FRAMES];
	/* true: there are more frames than fit */
	bool is_cut;
	/* true: some frames could not be read */
	bool is_lost;
	bool begins_empty; /* the innermost call of the loop has no frame yet */
	uint32_t n_ticks;
	struct ep_python_known known[EP_PYTHON_SETS][EP_PYTHON_WAYS];
	struct ep_peek peek;
};

/* Tells whether an address is in the code of the interpreter's loop. */
static inline bool ep_python_is_loop(const struct ep_python *python, uint64_t address)
{
	return address - python->loop_start < python->loop_end - python->loop_start;
}

/* Reads out->frames. stack: the part of the thread's stack that may be read directly. */
void ep_python_read(
	struct ep_python_frames *out, const struct ep_python *python, struct ep_stack_bounds stack);

/* Notes the number that a frame's function has got, so that later ticks find it with the frame. */
void ep_python_know(struct ep_python_frames *f, uint32_t frame_idx, uint32_t id);
/* Forgets all, since the numbers of functions begin anew. */
void ep_python_forget(struct ep_python_frames *f);

#endif
