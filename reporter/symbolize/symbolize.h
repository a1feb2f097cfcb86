/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and source lines for addresses: DWARF where it is (inlined procedures included), symbol
 * tables, the maps of JIT compilers; separate debug files by build-id or link. Nothing is fetched
 * from a network. Modules that are absent or not the ones that ran give no wrong names: their
 * addresses stay one nameless procedure.
 */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SYMBOLIZE_H
#define EVPROF_REPORTER_SYMBOLIZE_SYMBOLIZE_H

#include "common/file.h"
#include "reporter/load/load.h"
#include "reporter/loops/access.h"

/* Only a procedure, with a name or without, is a place in the program that a reader can look at. */
enum ep_symbol_kind {
	EP_SYMBOL_PROCEDURE,
	EP_SYMBOL_NAMELESS, /* a procedure of a stripped file: LIBRARY+0xSTART */
	EP_SYMBOL_MODULE,   /* all code of a module whose procedures are not known: [LIBRARY] */
	EP_SYMBOL_KERNEL,   /* the kernel's time that no sample saw */
	EP_SYMBOL_RUN_TIME, /* code that the program made, of which no map tells the names */
	EP_SYMBOL_LOST,     /* samples without a call path */
	EP_SYMBOL_TAIL,     /* the time of a thread after its last sample */
};

struct ep_symbol {
	const char *name;       /* demangled, with parameters */
	const char *short_name; /* without them */
	uint32_t module_idx;
	const char *file; /* where it is declared; NULL: not known */
	uint32_t line;
	enum ep_symbol_kind kind;
	bool is_known;   /* else the name stands for a whole module, or an address */
	bool is_inlined; /* never seen but inlined */
	/* ep_symbols_loop was asked for code of it that could not be looked through for loops: that it
	 * is in none is not known. */
	bool is_unsearched;
};

struct ep_frame {
	uint32_t symbol_idx;
	const char
		*file; /* of the instruction, or of the call of the frame inside; NULL: not known */
	uint32_t line;
};

/* A loop of the source: all loops that the compiler made of it in one place (the vectorized one and
 * the one for the rest) are one. */
struct ep_loop_place {
	uint32_t module_idx;
	uint64_t head;       /* where each turn of the first of them begins */
	uint32_t parent_idx; /* the loop around it, an inlined procedure's caller's too; EP_NONE */
	uint32_t depth;      /* 1: outermost */
	uint32_t symbol_idx; /* the procedure that the source is of */
	const char *file;    /* NULL: not known */
	uint32_t line;
	uint32_t
		caller_idx; /* the procedure that symbol_idx was inlined into; EP_NONE: into none */
	const char *call_file;
	uint32_t call_line;
	const char *name; /* "loop at fem.c:212 in assemble" */
};

enum ep_module_status {
	EP_MODULE_UNSEEN,  /* no address of it was asked for */
	EP_MODULE_FOUND,   /* the very file, or there is no build-id to tell */
	EP_MODULE_KEPT,    /* another build or nothing lies there, but a copy of it was kept */
	EP_MODULE_DEBUG,   /* only its debug file was found */
	EP_MODULE_CHANGED, /* another build lies there now */
	EP_MODULE_NEWER,   /* no build-id, and the file is newer than the run */
	EP_MODULE_ABSENT,
	EP_MODULE_NO_FILE, /* no file behind it: vdso, JIT code */
};

/* The state of /tmp/perf-PID.map, in which JIT compilers name the code that they make. */
enum ep_map_status {
	EP_MAP_NONE, /* there is none, or no address asked for it */
	EP_MAP_READ,
	EP_MAP_CUT,        /* read as far as EP_MAP_MAX_BYTES */
	EP_MAP_UNREADABLE, /* to this user */
	EP_MAP_NO_FILE,    /* a link, a pipe, a folder */
	EP_MAP_FOREIGN,    /* another user's, who may have named anything there */
	EP_MAP_OLDER,      /* than the run: an earlier process had the number */
	EP_MAP_SHARED,     /* two processes of the trace had the number, each with a map */
	EP_N_MAP_STATUSES,
};

#define EP_MAP_MAX_BYTES (256u << 20)

struct ep_symbols;

struct ep_symbols_options {
	const char *sysroot;   /* where to look for the files, or NULL */
	uint64_t run_start_ns; /* CLOCK_REALTIME; 0: not known */
	bool keep;             /* a copy of what is found, for a report after the next build */
};

struct ep_symbols *ep_symbols_create(
	struct ep_trace *trace, const struct ep_symbols_options *options);
void ep_symbols_destroy(struct ep_symbols *symbols);

/* The frames at an address, innermost first, at least one; good until the next call. A return
 * address stands for the call before it. 0 or -ENOMEM. */
int ep_symbols_resolve(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, const struct ep_frame **out_frames, uint32_t *out_n_frames) EP_MUST_CHECK;

/* Does the code at the address of a sample only wait, in a loop, for another thread to write to
 * memory? False where its file is not here, and on other machines than x86-64. */
bool ep_symbols_waits(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address);

/* Names what lies at an address of a module's data: its variable, "table" or "table+0x40" inside of it;
 * without one "libx.so+0x4020", and NULL where the file is not here. Kept as long as the trace. 0 or
 * -ENOMEM. */
int ep_symbols_variable(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	const char **out_name) EP_MUST_CHECK;

/* The innermost loop at an address, as ep_symbols_resolve takes it; EP_NONE: there is none, or the
 * code is not here or not known to capstone. 0, -ENOMEM, or -ENOSYS: built without capstone. */
int ep_symbols_loop(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	bool is_return, uint32_t *out_loop_idx) EP_MUST_CHECK;
/* The instructions of the procedure around an address of a module, good as long as symbols. False: its
 * file is not here, has no code, or does not tell where the procedure begins and ends. */
struct ep_procedure_code;
bool ep_symbols_code(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_procedure_code *out);
/* Good until the next call of ep_symbols_loop. */
const struct ep_loop_place *ep_symbols_loop_get(
	const struct ep_symbols *symbols, uint32_t loop_idx);
uint32_t ep_symbols_count_loops(const struct ep_symbols *symbols);
/* How a loop gets at its data; unknown where its code is not here or not understood. */
enum ep_access ep_symbols_loop_access(struct ep_symbols *symbols, uint32_t loop_idx);

/* The procedure that was asked for last: all 0 before the first. */
struct ep_loop_cursor {
	uint32_t module_idx, procedure_idx;
	uint64_t start, n_bytes;
};

/* The same as ep_symbols_loop without a name for the address, which makes it far quicker for instructions that
 * come by procedure; out_is_searched: false where its code could not be looked through. */
int ep_symbols_loop_near(struct ep_symbols *symbols, uint32_t module_idx, uint64_t address,
	struct ep_loop_cursor *cursor, uint32_t *out_loop_idx, bool *out_is_searched) EP_MUST_CHECK;
/* Notes that not all code of a procedure could be looked through for loops. */
void ep_symbols_set_unsearched(struct ep_symbols *symbols, uint32_t symbol_idx);

/* A readable C++ name without its parameters and the type that it returns, allocated:
 * "f(int)::{lambda()#1}::operator()" of the same with "(char) const", "sort<int>'2" of "void sort<int>(int*)'2". NULL:
 * it has no parameters, or there is no memory. */
char *ep_name_shorten(const char *name);
/* A procedure that is known by other means: name is readable already and stays as it is, short_name
 * is made. 0 or -ENOMEM. */
int ep_symbols_add(struct ep_symbols *symbols, const struct ep_symbol *symbol,
	uint32_t *out_idx) EP_MUST_CHECK;
const struct ep_symbol *ep_symbols_get(const struct ep_symbols *symbols, uint32_t symbol_idx);
/* Tells whether it is of the C or C++ library's headers, or of a package of Rust, compiled into a
 * program. Such a procedure does not say what the program wanted; its caller does. */
bool ep_symbol_is_of_headers(const struct ep_symbol *symbol);
uint32_t ep_symbols_count(const struct ep_symbols *symbols);
enum ep_module_status ep_symbols_module_status(
	const struct ep_symbols *symbols, uint32_t module_idx);
enum ep_map_status ep_symbols_map_status(const struct ep_symbols *symbols, uint32_t module_idx);

#endif
