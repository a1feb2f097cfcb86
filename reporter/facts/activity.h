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
	EP_ACTIVITY_GPU, /* the CPU's part of work on a GPU */
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
	/* an activity of time, not of procedures: ep_activity_of never returns it */
	EP_ACTIVITY_SYSTEM,
	EP_ACTIVITY_KERNEL,
	EP_N_ACTIVITIES,
};

struct ep_activity_words {
	const char *name; /* the name for programs to read: "mpi" */
	/* the title for people: "MPI (passing data, waiting for other ranks)" */
	const char *title;
	const char *advice; /* a sentence; NULL: no advice fits all programs */
	bool is_telling;    /* the activity tells more than the table of procedures does */
	/* the names of the entries, through which the activity is called, mean something to a
	 * reader */
	bool has_entries;
};
extern const struct ep_activity_words ep_activity_words[EP_N_ACTIVITIES];

/* Returns the activity of a procedure. module: a path or file name, "" where there is none; name: without
 * parameters. */
enum ep_activity ep_activity_of(enum ep_symbol_kind kind, const char *module, const char *name);

/* Tells whether inner remains the activity of its time even inside outer: a BLAS thread that yields is idle,
 * since it has nothing to compute. */
bool ep_activity_stands_out(enum ep_activity inner, enum ep_activity outer);

/* Tells whether outer runs other code, so that the time belongs to inner, unless inner is support: examples
 * are the start of a parallel region, and the loop in which a thread of OpenBLAS waits for work. */
bool ep_activity_hands_over(enum ep_activity outer, enum ep_activity inner);

/* Tells whether a procedure of this kind and module (the kernel, the C library, the dynamic loader) works on
 * behalf of its callers. */
bool ep_activity_is_support(enum ep_symbol_kind kind, const char *module);

/* Finds the standard's name of an entry: MPI_Send for PMPI_Send and mpi_send_, exp for __exp_fma, free for
 * __libc_free. A name too long for out is cut. */
void ep_activity_entry(enum ep_activity activity, const char *name, char *out, size_t capacity);

/* Tells whether a procedure is a script's code outside of functions, which runs when the script is imported;
 * name: "fem.py:<module>". */
bool ep_activity_is_module_body(const char *name);
/* Finds a Python module's name from its file: torch for torch/__init__.py, fem for fem.py. A name too long
 * for out is cut. */
void ep_activity_python_module(const char *path, char *out, size_t capacity);

#endif
