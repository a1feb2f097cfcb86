/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_SYMBOLIZE_SYMBOLIZE_PRIVATE_H
#define EVPROF_REPORTER_SYMBOLIZE_SYMBOLIZE_PRIVATE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <libelf.h>

#include "reporter/loops/loops.h"
#include "reporter/symbolize/symbolize.h"

/* ---- object.c: one ELF file and its debug information ---- */

struct ep_object;

struct ep_object_question {
	const char *path; /* as recorded */
	const uint8_t *build_id;
	size_t build_id_size;
	const char *sysroot;
	uint64_t run_start_ns;
	bool keep;
};

/* NULL, or an object to be destroyed; *out_status tells. */
struct ep_object *ep_object_open(
	const struct ep_object_question *question, enum ep_module_status *out_status);
void ep_object_destroy(struct ep_object *object);

/* One frame, as the debug information has it; the strings live as long as the object. */
struct ep_raw_frame {
	const char *name; /* linkage name; NULL: not known */
	const char *decl_file;
	int decl_line;
	const char *file;
	int line;
	bool is_inlined;
};

#define EP_MAX_INLINED 32

/* Frames at an address of the file, innermost first; 0: nothing is known. */
uint32_t ep_object_frames(
	struct ep_object *object, uint64_t address, struct ep_raw_frame frames[EP_MAX_INLINED]);
/* Start of the procedure around an address by the unwinding tables; UINT64_MAX: there is none, or
 * it ends before the address. */
uint64_t ep_object_procedure_start(struct ep_object *object, uint64_t address);

/* Does the debug information take the instruction at an address for one of its line's statement? Others were moved
 * away from theirs. */
bool ep_object_is_of_statement(struct ep_object *object, uint64_t address);

/* The instructions of the procedure around an address, which live as long as object. False: it is
 * not known where that begins and ends, or the file has no code. */
bool ep_object_code(struct ep_object *object, uint64_t address, struct ep_procedure_code *out);

/* Returns the linkage name of the procedure that the linkage stub at an address jumps to; NULL
 * where no stub is there. */
const char *ep_object_stub_target(struct ep_object *object, uint64_t address);

/* Finds the variable that an address of the file lies in: its linkage name and where in it. NULL: none is
 * known. */
const char *ep_object_variable(struct ep_object *object, uint64_t address, uint64_t *out_offset);

/* Is the code at an address such a loop (ep_wait_loop_at)? */
bool ep_object_waits(struct ep_object *object, uint64_t address);

/* ---- elf_symbols.c ---- */

struct ep_elf_symbol {
	uint64_t start, size; /* in libdwfl's addresses; size 0: a label */
	const char *name;     /* lives as long as the module */
	int type;             /* STT_FUNC, STT_OBJECT and others of elf.h */
};

/* libdw's answer for a stretch between two borders of symbols. */
struct ep_elf_answer {
	bool is_known, is_any;
	struct ep_elf_symbol symbol;
};

/* Zero: not read yet. */
struct ep_elf_symbols {
	bool is_open, serves, has_sizeless;
	size_t n, n_borders;
	struct ep_elf_symbol *rows; /* (n), by start */
	uint64_t *reach;            /* (n): where the furthest of the rows up to this one ends */
	uint64_t *borders; /* (n_borders): starts and ends of symbols and sections, sorted */
	struct ep_elf_answer
		*answers; /* (2, n_borders + 1): behind so many borders; on the last of them */
};

/* Finds what dwfl_module_addrinfo finds for an address of libdwfl's. False: none. */
bool ep_elf_symbols_find(struct ep_elf_symbols *symbols, Dwfl_Module *module, uint64_t address,
	struct ep_elf_symbol *out);
void ep_elf_symbols_finish(struct ep_elf_symbols *symbols);

/* ---- unwind_table.c ---- */

/* Finds the last procedure of an ELF file's unwinding tables that begins at an address or before it.
 * *out_end is UINT64_MAX where its end is not known. False: there is none. */
bool ep_unwind_table_find(Elf *elf, uint64_t address, uint64_t *out_start, uint64_t *out_end);

/* ---- linkage.c ---- */

/* The same of an ELF file; the text lives as long as elf. */
const char *ep_linkage_target(Elf *elf, uint64_t address);

/* ---- code.c ---- */

/* The code of an ELF file from start to end, which lives as long as elf; false: it has none
 * there. */
bool ep_code_of_file(Elf *elf, uint64_t start, uint64_t end, struct ep_procedure_code *out);

/* ---- loop_places.c ---- */

#define LOOP_NOT_ASKED (EP_NONE - 1)
#define LOOP_UNSEARCHED (EP_NONE - 2)

/* Procedures whose loops were looked for. */
struct ep_loop_procedure {
	uint32_t module_idx;
	uint64_t start;
	bool is_searched; /* else its code is too much, or another machine's */
	struct ep_loops loops;
	uint32_t *places; /* (loops.n_rows) */
};

struct ep_loop_places {
	struct ep_loop_place *rows; /* (n_rows) */
	uint32_t n_rows, capacity;
	struct ep_index index;
	struct ep_loop_procedure *procedures; /* (n_procedures) */
	uint32_t n_procedures, procedure_capacity;
	struct ep_index procedure_index;
};

/* The module whose loops are wanted. */
struct ep_loop_question {
	struct ep_symbols *symbols;
	struct ep_strings *strings;
	struct ep_object *object;
	uint32_t module_idx;
};

/* EP_NONE: the address is in no loop; LOOP_UNSEARCHED: its code could not be looked through. 0, -ENOMEM
 * or -ENOSYS. */
int ep_loop_places_find(struct ep_loop_places *places, const struct ep_loop_question *question,
	uint64_t address, struct ep_loop_cursor *cursor, uint32_t *out_idx) EP_MUST_CHECK;
void ep_loop_places_finish(struct ep_loop_places *places);

/* ---- scopes.c ---- */

/* A range of code, from start to end, and a unit's index or the offset of a procedure's entry. */
struct ep_code_of {
	uint64_t start, end;
	uint64_t what;
};

struct ep_code_ranges {
	struct ep_code_of *rows; /* by start */
	uint32_t n_rows, capacity;
};

struct ep_unit {
	Dwarf_Die die, entries; /* not the same where the entries are in a file of their own */
	bool is_read;
	struct ep_code_ranges procedures;
};

/* The units of a file's debug information, read when an address is first looked for; zero: none
 * yet. */
struct ep_units {
	bool are_read;
	struct ep_unit *rows;
	uint32_t n_rows, capacity;
	struct ep_code_ranges code;
};

/* The unit that has the code at an address of the debug information; NULL: none. Always of one
 * dwarf. */
struct ep_unit *ep_units_find(struct ep_units *units, Dwarf *dwarf, Dwarf_Addr address);
/* The procedure at an address of the unit and what is inlined there, outermost first; how many, 0:
 * none. */
uint32_t ep_unit_procedures(
	struct ep_unit *unit, Dwarf_Addr address, Dwarf_Die out[EP_MAX_INLINED]);
void ep_units_finish(struct ep_units *units);

/* ---- qualify.c ---- */

/* The names found so far, by the entries of their declarations: to look for the scopes around one
 * takes a walk over its whole unit. */
struct ep_qualified_names {
	struct {
		const void *entry;
		const char *name;
	} * rows;
	uint32_t n_rows, capacity;
	struct ep_index index;
	struct ep_strings strings;
};

/* The name of a procedure's entry; in C++ with the classes and namespaces that it is declared in,
 * in Fortran with its module. Good until finish. NULL: it has none, or there is no memory. */
const char *ep_qualified_name(struct ep_qualified_names *names, Dwarf_Die *die);
void ep_qualified_names_finish(struct ep_qualified_names *names);

/* ---- parallel_region.c ---- */

/* The part of a region's name behind the procedure's that it lies in: "._omp_fn.0". NULL: the name is
 * none of a region. */
const char *ep_parallel_region_suffix(const char *name);
/* The name of a region's entry, which begins as its procedure's name or, where that one is demangled
 * later, its linkage name. name: the entry's own. Good as long as names; NULL: there is no memory. */
const char *ep_parallel_region_name(
	struct ep_qualified_names *names, Dwarf_Die *region, const char *name, bool is_fortran);

/* ---- source_path.c ---- */

/* The path of a source file that a unit's debug information names; from the root where it is known
 * in which folder the unit was compiled, else as it stands there. NULL of NULL. Good as long as
 * paths. */
const char *ep_source_path(struct ep_strings *paths, Dwarf_Die *unit, const char *name);
/* The same of a folder; NULL: not known. */
const char *ep_source_path_join(struct ep_strings *paths, const char *folder, const char *name);

/* ---- wait_loop.c ---- */

/* Is the instruction at code[at] part of a loop that does nothing but read the same memory until
 * another thread writes to it? False where that cannot be told. */
bool ep_wait_loop_holds(const uint8_t *code, size_t n, size_t at);
/* The same of an address of an ELF file. */
bool ep_wait_loop_at(Elf *elf, uint64_t address);

/* ---- perfmap.c: /tmp/perf-PID.map ---- */

struct ep_perf_map;

/* Every user may put a file of that name into /tmp. It is believed where the reader, root, the
 * owner of the trace or the owner of the sysroot wrote it, and not before the run. A time after the
 * run's end is no reason against it: Java writes its map as it ends, others convert one later. */
struct ep_map_question {
	const char *sysroot; /* or NULL */
	uint32_t pid, reader_uid, trace_uid;
	uint64_t run_start_ns;          /* CLOCK_REALTIME; 0: not known */
	size_t max_bytes;               /* the map is read up to here */
	const struct ep_kept_map *kept; /* the trace's own lines, which go before a file; or NULL */
};

/* NULL where there is none to use. Never waits for a pipe's writer. */
struct ep_perf_map *ep_perf_map_open(
	const struct ep_map_question *question, enum ep_map_status *out_status);
void ep_perf_map_destroy(struct ep_perf_map *map);
/* NULL where no entry covers the address. */
const char *ep_perf_map_name(const struct ep_perf_map *map, uint64_t address);

/* ---- demangle.c ---- */

/* Allocated; with_parameters keeps "(int, double)". NULL when it is no mangled name. */
char *ep_demangle(const char *name, bool with_parameters);
/* ---- symbolize.c ---- */

struct ep_symbol_module {
	bool is_open;
	enum ep_module_status status;
	struct ep_object *object;
	struct ep_perf_map *perf_map;
	enum ep_map_status map_status;
};

/* An address that was resolved: its frames in the one array. */
struct ep_address {
	uint32_t module_idx;
	uint64_t address;
	uint32_t first_frame, n_frames;
	uint32_t loop_idx; /* LOOP_NOT_ASKED, EP_NONE */
	enum { NOT_ASKED, WAITS, WORKS } doing;
};

struct ep_symbols {
	struct ep_trace *trace;
	struct ep_symbols_options options;
	struct ep_symbol_module
		*modules; /* (n_modules) by the trace's index; more when they are asked for */
	uint32_t n_modules;
	struct ep_symbol *symbols;
	const char **link_names; /* (n_symbols) what they are told apart by */
	uint32_t n_symbols, symbol_capacity, link_name_capacity;
	struct ep_index symbol_index;
	struct ep_address *places;
	uint32_t n_places, place_capacity;
	struct ep_index place_index;
	struct ep_frame *frames;
	uint32_t n_frames, frame_capacity;
	struct ep_loop_places loops;
};

/* Makes room for the modules of the trace, which gets more of them while it is read. 0 or -ENOMEM. */
int ep_symbols_grow_modules(struct ep_symbols *symbols) EP_MUST_CHECK;
/* Opens the file of a module, once; what it found is in the module's status. */
struct ep_symbol_module *ep_symbols_open_module(struct ep_symbols *symbols, uint32_t module_idx);
/* Finds or adds a symbol, whose name is the linkage name on entry. 0 or -ENOMEM. */
int ep_symbols_intern(
	struct ep_symbols *symbols, struct ep_symbol *symbol, uint32_t *out_idx) EP_MUST_CHECK;
/* Keeps a text as long as the trace; NULL: no memory. */
const char *ep_symbols_keep(struct ep_symbols *symbols, const char *text);

#endif
