/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames of the calling thread's Python functions, read from CPython's own memory without its
 * lock, by signal handlers. The interpreter may be in the middle of a change, so that the memory may be
 * half-updated: an address in it is followed only where there is memory.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_PYTHON_H
#define EVPROF_PRELOAD_INTERPRETER_PYTHON_H

#include "layout.h"
#include "peek.h"

#define EP_PYTHON_MAX_FRAMES 200
#define EP_PYTHON_SETS 128
#define EP_PYTHON_WAYS 4
#define EP_PYTHON_PAGE_SETS 64

/* A copy of CPython in the process: the program or a library of it. */
struct ep_python {
	uint64_t module_start;
	uint64_t code_type;     /* PyCode_Type */
	uint64_t runtime;       /* address of _PyRuntime */
	uint64_t runtime_bytes; /* 0: not known */
	bool runs_one_script;   /* a program that embeds it may run one text after the other */
	uint64_t loop_start, loop_end; /* _PyEval_EvalFrameDefault */
	uint64_t cold_start, cold_end; /* its part that is rarely run; 0: it has none */
	struct ep_python_layout layout;
	uint32_t thread_bytes, frame_bytes, code_bytes;
};

struct ep_python_frame {
	uint64_t address, code, witness;
	int64_t offset; /* of the instruction, in bytes; below 0 where the function just begins */
	uint32_t id; /* the function's number; 0: its code object was read, and is to be numbered */
	uint32_t until;   /* this tick the code object need not be read again */
	bool ends_call;   /* the outermost of its call of the interpreter's loop */
	bool is_doubtful; /* another code object may lie there since the last tick */
};

/* A code object that was read not long ago, in one of the places for its address. */
struct ep_python_known {
	uint64_t code, witness;
	uint32_t id, id_before; /* the last reading's; 0: to be numbered, none */
	uint32_t tick, n_ticks; /* when it was read, and for how long it is believed */
};

/* A page with frames that was read through the kernel not long ago. */
struct ep_python_page {
	uint64_t number; /* address / page size; 0: none */
	uint32_t tick;
};

/* A thread keeps this from tick to tick; it is zero before the first. */
struct ep_python_frames {
	const struct ep_python *python;
	uint64_t state;             /* the thread's state in the interpreter; 0: not known */
	bool is_own;                /* the state is surely there, in this handler */
	uint64_t linked_at;         /* the word of the list that points to it */
	uint64_t first_interpreter; /* of the list, whose last is the one that was made first */
	bool has_sub_interpreters;
	uint64_t chunk; /* memory with frames that was looked at; 0: none */
	uint64_t chunk_bytes;
	uint32_t chunk_tick;
	/* with frames that are objects of their own */
	struct ep_python_page pages[EP_PYTHON_PAGE_SETS][EP_PYTHON_WAYS];
	uint32_t n_to_skip, n_last_skipped; /* ticks that do not try, behind some that failed */
	uint32_t n_frames;                  /* innermost first */
	struct ep_python_frame frames[EP_PYTHON_MAX_FRAMES]; /* behind n_frames: of earlier ticks */
	bool is_cut;                                         /* there are more */
	bool is_lost;                                        /* some could not be read */
	bool begins_empty; /* the innermost call of the loop has no frame yet */
	uint32_t n_ticks;
	struct ep_python_known known[EP_PYTHON_SETS][EP_PYTHON_WAYS];
	struct ep_peek peek;
};

/* Is the code at an address of the interpreter's loop? */
static inline bool ep_python_is_loop(const struct ep_python *python, uint64_t address)
{
	return address - python->loop_start < python->loop_end - python->loop_start ||
	       address - python->cold_start < python->cold_end - python->cold_start;
}

/* Reads out->frames. stack: the part of the thread's stack that may be read directly. */
void ep_python_read(
	struct ep_python_frames *out, const struct ep_python *python, struct ep_stack_bounds stack);

/* The function of a frame has got a number, which later ticks find with the frame. */
void ep_python_know(struct ep_python_frames *f, uint32_t frame_idx, uint32_t id);
/* Numbers begin anew. */
void ep_python_forget(struct ep_python_frames *f);

#endif
