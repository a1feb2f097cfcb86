/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds names and source lines of addresses. The sources are DWARF (inlined procedures included), symbol tables, and
 * the maps of JIT compilers. Separate debug files are found by build-id or link. Nothing is fetched from a network.
 * Modules that are absent, or not those that ran, give no wrong names: all their addresses become one nameless
 * procedure.
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
	EP_SYMBOL_RUN_TIME, /* code that the program made, and that no map names */
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
	bool is_inlined; /* all its code that was seen is inlined copies */
	/* ep_symbols_loop was asked for an address of the procedure whose code could not be searched for loops.
	 * Whether the address is in a loop is not known. */
	bool is_unsearched;
};

struct ep_frame {
	uint32_t symbol_idx;
	/* the file of the instruction, or of the call of the frame inside; NULL: not known */
	const char *file;
	uint32_t line;
};

/* A loop of the source. All loops that the compiler made of it in one place are one, for example the vectorized
 * loop and the one for the remaining elements. */
struct ep_loop_place {
	uint32_t module_idx;
	uint64_t head; /* address where each iteration of the first of these loops begins */
	/* the loop around it, which may be in the procedure that this one was inlined into; EP_NONE: none */
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
	EP_MODULE_FOUND,  /* the file that ran was found, or a file without a build-id to compare */
	/* the path has another build or no file, but a copy of the file that ran was kept */
	EP_MODULE_KEPT,
	EP_MODULE_DEBUG,   /* only the debug file of the module was found */
	EP_MODULE_CHANGED, /* the path has another build now */
	EP_MODULE_NEWER,   /* the file is newer than the run, and there is no build-id */
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
	EP_MAP_FOREIGN,    /* another user owns it, who may have written any names */
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

/* Keeps libdw from asking servers of debug information for files that are not found. It changes the environment, so
 * that a program calls it before it has threads. */
void ep_symbols_stay_offline(void);

struct ep_symbols *ep_symbols_create(
	struct ep_trace *trace, const struct ep_symbols_options *options);
void ep_symbols_destroy(struct ep_symbols *symbols);

/* Finds the frames at an address, innermost first, at least one. They are valid until the next call. A return
 * address stands for the call before it. Returns 0 or -ENOMEM. */
int ep_symbols_resolve(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, const struct ep_frame **out_frames, uint32_t *out_n_frames) EP_MUST_CHECK;

/* Tells whether the code at a sample's address only waits, in a loop, for another thread to write to memory.
 * Returns false where its file is not found, and on machines other than x86-64. */
bool ep_symbols_waits(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address);
/* Tells whether a sample's address is the one at which a system call returns. Returns false where its file is not
 * found. */
bool ep_symbols_is_behind_call(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address);

/* Names the variable at an address of a module's data: "table", or "table+0x40" inside of it; "libx.so+0x4020"
 * where no variable is known; NULL where the file is not found. The name lives as long as the trace. Returns 0 or
 * -ENOMEM. */
int ep_symbols_variable(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	const char **out_name) EP_MUST_CHECK;

/* Finds the innermost loop at an address, which is taken as by ep_symbols_resolve. EP_NONE: there is no loop, or
 * the code is not found or not known to capstone. Returns 0, -ENOMEM, or -ENOSYS if built without capstone. */
int ep_symbols_loop(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, uint32_t *out_loop_idx) EP_MUST_CHECK;
/* Finds the instructions of the procedure around an address of a module; they live as long as symbols. Returns
 * false where the file is not found, has no code, or does not tell where the procedure begins and ends. */
struct ep_procedure_code;
bool ep_symbols_code(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_procedure_code *out);
/* Returns a loop, which is valid until the next call of ep_symbols_loop. */
const struct ep_loop_place *ep_symbols_loop_get(
	const struct ep_symbols *symbols, uint32_t loop_idx);
uint32_t ep_symbols_count_loops(const struct ep_symbols *symbols);
/* Returns how a loop accesses its data; unknown where its code is not found or not understood. */
enum ep_access ep_symbols_loop_access(struct ep_symbols *symbols, uint32_t loop_idx);

/* The procedure of the last question to ep_symbols_loop_near; all members are 0 before the first. */
struct ep_loop_cursor {
	uint32_t module_idx, procedure_idx;
	uint64_t start, n_bytes;
};

/* Finds a loop as ep_symbols_loop does, but does not name the address, which makes it far quicker if the addresses
 * of a procedure are asked for one after the other. *out_is_searched is false where the code could not be searched
 * for loops. */
int ep_symbols_loop_near(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_loop_cursor *cursor, uint32_t *out_loop_idx, bool *out_is_searched) EP_MUST_CHECK;
/* Notes that not all code of a procedure could be looked through for loops. */
void ep_symbols_set_unsearched(struct ep_symbols *symbols, uint32_t symbol_idx);

/* Returns a readable C++ name without its parameters and return type, which the caller frees. It is
 * "f(int)::{lambda()#1}::operator()" for the same name with "(char) const", and "sort<int>'2" for "void
 * sort<int>(int*)'2". NULL: the name has no parameters, or there is no memory. */
char *ep_name_shorten(const char *name);
/* Adds a procedure that is known by other means. Its name is readable already and stays as it is; short_name is
 * made from it. Returns 0 or -ENOMEM. */
int ep_symbols_add(struct ep_symbols *symbols, const struct ep_symbol *symbol,
	uint32_t *out_idx) EP_MUST_CHECK;
const struct ep_symbol *ep_symbols_get(const struct ep_symbols *symbols, uint32_t symbol_idx);
/* Tells whether a procedure is from the headers of the C or C++ library, or from a package of Rust, compiled into
 * a program. The name of such a procedure does not show what the program did; its caller's name does. */
bool ep_symbol_is_of_headers(const struct ep_symbol *symbol);
uint32_t ep_symbols_count(const struct ep_symbols *symbols);
enum ep_module_status ep_symbols_module_status(
	const struct ep_symbols *symbols, uint32_t module_idx);
enum ep_map_status ep_symbols_map_status(const struct ep_symbols *symbols, uint32_t module_idx);

#endif
