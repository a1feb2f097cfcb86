/* SPDX-License-Identifier: BSD-3-Clause */
/* An activity is the purpose of a procedure: communicating, allocating, locking and so on. It is found by the
 * procedure's library and name. The names are those of the MPI, OpenMP, BLAS and C standards, and of the
 * libraries that implement them. */
#ifndef EVPROF_REPORTER_FACTS_ACTIVITY_H
#define EVPROF_REPORTER_FACTS_ACTIVITY_H

#include "reporter/symbolize/symbolize.h"

enum ep_activity {
	EP_ACTIVITY_OWN, /* the program's own code, and all libraries not named below */
	EP_ACTIVITY_MPI,
	EP_ACTIVITY_OPENMP,
	EP_ACTIVITY_GPU, /* libraries through which the CPU starts GPU work and waits for it */
	EP_ACTIVITY_ALGEBRA,
	EP_ACTIVITY_FFT,
	EP_ACTIVITY_MATH,
	EP_ACTIVITY_MEMORY,
	EP_ACTIVITY_COPY,
	EP_ACTIVITY_LOCK,
	EP_ACTIVITY_IDLE,
	EP_ACTIVITY_EXCEPTIONS,
	EP_ACTIVITY_FILES,
	EP_ACTIVITY_LOADING,
	EP_ACTIVITY_IMPORT, /* import in Python */
	/* time in system calls, which samples tell and not a procedure's name: ep_activity_of never returns
	 * this activity */
	EP_ACTIVITY_SYSTEM,
	EP_ACTIVITY_KERNEL,
	EP_N_ACTIVITIES,
};

struct ep_activity_words {
	const char *name; /* the name for programs to read: "mpi" */
	/* the title for people: "MPI (passing data, waiting for other ranks)" */
	const char *title;
	const char *advice; /* a sentence; NULL: no advice fits all programs */
	bool is_telling;    /* the activity tells a reader more than the table of procedures */
	/* readers know the names of the procedures through which the activity is entered (MPI_Send) */
	bool has_entries;
};
extern const struct ep_activity_words ep_activity_words[EP_N_ACTIVITIES];

/* Returns the activity of a procedure. module: a path or file name, "" where there is none; name: without
 * parameters. */
enum ep_activity ep_activity_of(enum ep_symbol_kind kind, const char *module, const char *name);

/* Tells whether time in a procedure with the activity inner counts as inner although a procedure with the activity
 * outer called it. For example, a BLAS thread in sched_yield is idle, since it has nothing to compute. */
bool ep_activity_stands_out(enum ep_activity inner, enum ep_activity outer);

/* Tells whether a procedure with the activity outer runs code of others, so that time in a called procedure with the
 * activity inner does not count as outer. The caller must except procedures for which ep_activity_is_support is true.
 * Examples are the start of a parallel region, and the loop in which a thread of OpenBLAS waits for work. */
bool ep_activity_hands_over(enum ep_activity outer, enum ep_activity inner);

/* Tells whether a procedure of this kind and module (the kernel, the C library, the dynamic loader) works on
 * behalf of its callers. */
bool ep_activity_is_support(enum ep_symbol_kind kind, const char *module);

/* Finds the standard's name of an entry, a procedure through which the activity is entered: MPI_Send for
 * PMPI_Send and mpi_send_, exp for __exp_fma, free for __libc_free. A name too long for out is cut. */
void ep_activity_entry(enum ep_activity activity, const char *name, char *out, size_t capacity);

/* Tells whether a procedure is a script's code outside of functions, which runs when the script is imported;
 * name: "fem.py:<module>". */
bool ep_activity_is_module_body(const char *name);
/* Finds a Python module's name from its file: torch for torch/__init__.py, fem for fem.py. A name too long
 * for out is cut. */
void ep_activity_python_module(const char *path, char *out, size_t capacity);

#endif
