/* SPDX-License-Identifier: BSD-3-Clause */
/* An activity is what a procedure is for: communicating, allocating, locking and so on. Its library
 * and its name tell it. Names are those of the MPI, OpenMP, BLAS and C standards, and of the
 * libraries that implement them. */
#ifndef EVPROF_REPORTER_FACTS_ACTIVITY_H
#define EVPROF_REPORTER_FACTS_ACTIVITY_H

#include "reporter/symbolize/symbolize.h"

enum ep_activity {
	EP_ACTIVITY_OWN, /* the program's own code, and all libraries not named below */
	EP_ACTIVITY_MPI,
	EP_ACTIVITY_OPENMP,
	EP_ACTIVITY_GPU, /* the CPU's part of it */
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
	EP_ACTIVITY_IMPORT, /* Python's */
	EP_ACTIVITY_SYSTEM, /* of a time, not of procedures: ep_activity_of does not tell it */
	EP_ACTIVITY_KERNEL,
	EP_N_ACTIVITIES,
};

struct ep_activity_words {
	const char *name;   /* "mpi": for programs */
	const char *title;  /* "MPI (passing data, waiting for other ranks)" */
	const char *advice; /* a sentence; NULL: there is none that fits all */
	bool is_telling;    /* says more than the procedures do */
	bool has_entries;   /* the procedures it is entered by mean something */
};
extern const struct ep_activity_words ep_activity_words[EP_N_ACTIVITIES];

/* Returns the activity of a procedure; module: a path or file name, "" when there is none; name: without
 * parameters. */
enum ep_activity ep_activity_of(enum ep_symbol_kind kind, const char *module, const char *name);

/* Tells whether inner keeps its time even inside outer: a BLAS thread that yields has nothing to
 * compute. */
bool ep_activity_stands_out(enum ep_activity inner, enum ep_activity outer);

/* Tells whether outer only runs code of others, to which the time then belongs, unless inner is support: a
 * parallel region's start, and the loop in which a thread of OpenBLAS waits for work. */
bool ep_activity_hands_over(enum ep_activity outer, enum ep_activity inner);

/* Tells whether a procedure of this kind and module (the kernel, the C library, the loader) works
 * for whatever calls it. */
bool ep_activity_is_support(enum ep_symbol_kind kind, const char *module);

/* Finds the name that the standard has for an entry: MPI_Send for PMPI_Send and mpi_send_, exp for
 * __exp_fma, free for __libc_free. out may be cut. */
void ep_activity_entry(enum ep_activity activity, const char *name, char *out, size_t capacity);

/* Returns true for a script's code outside of functions, which importing it carries out; name: "fem.py:<module>". */
bool ep_activity_is_module_body(const char *name);
/* Finds a Python module's name by its file: torch for torch/__init__.py, fem for fem.py. out may be cut. */
void ep_activity_python_module(const char *path, char *out, size_t capacity);

#endif
