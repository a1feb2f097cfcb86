/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds names and source lines of addresses. The sources are DWARF (inlined procedures included), symbol tables, and
 * the maps of JIT compilers. Separate debug files are found by build-id or link. Nothing is fetched from a network. If
 * the file of a module is absent or is another build, its names would be wrong. All addresses of such a module become
 * one procedure, which has the module's name in brackets.
 */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SYMBOLIZE_H
#define EVPROF_REPORTER_SYMBOLIZE_SYMBOLIZE_H

#include "common/file.h"
#include "reporter/load/load.h"
#include "reporter/loops/access.h"

/* The kinds of symbols. Only a procedure, with or without a name, is a place in the program that a reader can look
 * at. */
enum ep_symbol_kind {
	EP_SYMBOL_PROCEDURE,
	EP_SYMBOL_NAMELESS, /* a procedure of a stripped file, named LIBRARY+0xSTART */
	EP_SYMBOL_MODULE,   /* all code of a module whose procedures are unknown, named [LIBRARY] */
	EP_SYMBOL_KERNEL,   /* time in the kernel of which there are no samples */
	EP_SYMBOL_RUN_TIME, /* code that the program made at run time and that no JIT map names */
	EP_SYMBOL_LOST,     /* samples without a call path */
	EP_SYMBOL_TAIL,     /* the time of a thread after its last sample */
};

struct ep_symbol {
	const char *name;       /* demangled, with parameters */
	const char *short_name; /* demangled, without parameters */
	uint32_t module_idx;
	const char *file; /* where it is declared; NULL: not known */
	uint32_t line;
	enum ep_symbol_kind kind;
	bool is_known;   /* false: the name stands for a whole module or an address */
	bool is_inlined; /* all addresses that were resolved to it are in inlined copies of it */
	/* The code at some address of the procedure could not be searched for loops, so that it is not known whether
	 * the address is in a loop. */
	bool is_unsearched;
};

struct ep_frame {
	uint32_t symbol_idx;
	/* file of the instruction, or, in an outer frame, of the call to the next inner one; NULL: not known */
	const char *file;
	uint32_t line;
};

/* A loop of the source. The compiler may make several loops of instructions of it, for example a vectorized loop and
 * one for the remaining elements. Those that are in one place, that is, inlined by one call, count as one. */
struct ep_loop_place {
	uint32_t module_idx;
	uint64_t head; /* address where each iteration of the first of these loops begins */
	/* index of the loop around this one, perhaps in the procedure that symbol_idx was inlined into; EP_NONE:
	 * none */
	uint32_t parent_idx;
	uint32_t depth;      /* 1: outermost */
	uint32_t symbol_idx; /* the procedure whose source has the loop */
	const char *file;    /* file of the loop; NULL: not known */
	uint32_t line;
	uint32_t caller_idx; /* the procedure that symbol_idx was inlined into; EP_NONE: none */
	const char *call_file;
	uint32_t call_line;
	const char *name; /* for example "loop at fem.c:212 in assemble" */
};

enum ep_module_status {
	EP_MODULE_UNSEEN, /* no address of the module was asked for */
	EP_MODULE_FOUND, /* the file that ran; if no build-id tells that, a file that is not newer than the run */
	/* the path has another build or no file, but evprof kept a copy of the file that ran */
	EP_MODULE_KEPT,
	EP_MODULE_DEBUG,   /* only the debug file of the module was found */
	EP_MODULE_CHANGED, /* the path has another build now */
	EP_MODULE_NEWER, /* the file is newer than the run, and the trace has no build-id to compare */
	EP_MODULE_ABSENT,
	EP_MODULE_NO_FILE, /* the module has no file: vdso or JIT code */
};

/* The state of /tmp/perf-PID.map, in which JIT compilers name the code that they make. */
enum ep_map_status {
	EP_MAP_NONE, /* there is no map, or no address needed it */
	EP_MAP_READ,
	EP_MAP_CUT,        /* read up to EP_MAP_MAX_BYTES */
	EP_MAP_UNREADABLE, /* this user may not read it */
	EP_MAP_NO_FILE,    /* it is a link, a pipe or a folder */
	EP_MAP_FOREIGN,    /* another user owns the map and may have put any names into it */
	EP_MAP_OLDER,      /* it is older than the run: an earlier process had the same number */
	EP_MAP_SHARED, /* two processes of the trace had the same number, and each wrote a map */
	EP_N_MAP_STATUSES,
};

#define EP_MAP_MAX_BYTES (256u << 20)

struct ep_symbols;

struct ep_symbols_options {
	const char *sysroot;   /* folder below which files are looked for, or NULL */
	uint64_t run_start_ns; /* CLOCK_REALTIME; 0: not known */
	bool keep; /* keep a copy of each found file, for a report after the next build */
};

/* Stops libdw from asking debuginfod servers for files that are not found. The function changes the environment, so it
 * must be called before the program has threads. */
void ep_symbols_stay_offline(void);

struct ep_symbols *ep_symbols_create(
	struct ep_trace *trace, const struct ep_symbols_options *options);
void ep_symbols_destroy(struct ep_symbols *symbols);

/* Finds the frames at an address, innermost first; there is at least one. They are valid until the next call. If
 * is_return is true, the address is a return address, and the call before it is looked up. Returns 0 or -ENOMEM. */
int ep_symbols_resolve(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, const struct ep_frame **out_frames, uint32_t *out_n_frames) EP_MUST_CHECK;

/* Tells whether the code at a sample's address only waits, in a loop, for another thread to write to memory. Returns
 * false where the module's file is not found, and on machines other than x86-64. */
bool ep_symbols_waits(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address);
/* Tells whether a sample's address is right after a system call's instruction, so that the call returns there. Returns
 * false where the module's file is not found. */
bool ep_symbols_is_behind_call(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address);

/* Names the variable at an address of a module's data: "table", or "table+0x40" inside the variable; "libx.so+0x4020"
 * if no variable is known there; NULL if the module's file is not found. The name lives as long as the trace. Returns
 * 0 or -ENOMEM. */
int ep_symbols_variable(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	const char **out_name) EP_MUST_CHECK;

/* Finds the innermost loop at an address; is_return means the same as for ep_symbols_resolve. EP_NONE: there is no
 * loop, or the code is not found or not known to capstone. Returns 0, -ENOMEM, or -ENOSYS if built without
 * capstone. */
int ep_symbols_loop(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, uint32_t *out_loop_idx) EP_MUST_CHECK;
/* Finds the instructions of the procedure around an address of a module; they live as long as symbols. Returns false
 * if the module's file is not found, has no code, or does not tell where the procedure begins and ends. */
struct ep_procedure_code;
bool ep_symbols_code(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_procedure_code *out);
/* Returns a loop. The pointer is valid until the next call of ep_symbols_loop. */
const struct ep_loop_place *ep_symbols_loop_get(
	const struct ep_symbols *symbols, uint32_t loop_idx);
uint32_t ep_symbols_count_loops(const struct ep_symbols *symbols);
/* Returns how a loop accesses its data; EP_ACCESS_UNKNOWN if its code is not found or not understood. */
enum ep_access ep_symbols_loop_access(struct ep_symbols *symbols, uint32_t loop_idx);

/* The procedure that the last call of ep_symbols_loop_near found, which saves the next call the search if its address
 * is in the same procedure. All members are 0 before the first call. */
struct ep_loop_cursor {
	uint32_t module_idx, procedure_idx;
	uint64_t start, n_bytes;
};

/* Finds a loop as ep_symbols_loop does, but does not look up the names of the address. This is far quicker if the
 * addresses of a procedure are asked for one after the other. *out_is_searched is false if the code could not be
 * searched for loops. */
int ep_symbols_loop_near(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_loop_cursor *cursor, uint32_t *out_loop_idx, bool *out_is_searched) EP_MUST_CHECK;
/* Notes that some code of a procedure could not be searched for loops (is_unsearched). */
void ep_symbols_set_unsearched(struct ep_symbols *symbols, uint32_t symbol_idx);

/* Returns a readable C++ name without its parameters and return type, which the caller frees. For example, it makes
 * "f(int)::{lambda()#1}::operator()" of that name followed by "(char) const", and "sort<int>'2" of "void
 * sort<int>(int*)'2". NULL: the name has no parameters, or there is no memory. */
char *ep_name_shorten(const char *name);
/* Adds a procedure whose name does not come from the files of modules. The name is readable already and stays as it
 * is; short_name is made from it. Returns 0 or -ENOMEM. */
int ep_symbols_add(struct ep_symbols *symbols, const struct ep_symbol *symbol,
	uint32_t *out_idx) EP_MUST_CHECK;
const struct ep_symbol *ep_symbols_get(const struct ep_symbols *symbols, uint32_t symbol_idx);
/* Tells whether a procedure is from the headers of the C or C++ library, or from a package of Rust, compiled into a
 * program. The name of such a procedure does not show what the program did; the name of its caller does. */
bool ep_symbol_is_of_headers(const struct ep_symbol *symbol);
uint32_t ep_symbols_count(const struct ep_symbols *symbols);
enum ep_module_status ep_symbols_module_status(
	const struct ep_symbols *symbols, uint32_t module_idx);
enum ep_map_status ep_symbols_map_status(const struct ep_symbols *symbols, uint32_t module_idx);

#endif
