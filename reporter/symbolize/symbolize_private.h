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
	const char *path; /* path as recorded in the trace */
	const uint8_t *build_id;
	size_t build_id_size;
	const char *sysroot;
	uint64_t run_start_ns;
	bool keep;
};

/* Opens the file of a module. Returns an object that the caller destroys; NULL: there is none. *out_status says
 * what was found. */
struct ep_object *ep_object_open(
	const struct ep_object_question *question, enum ep_module_status *out_status);
void ep_object_destroy(struct ep_object *object);

/* One frame as the debug information describes it; the strings live as long as the object. */
struct ep_raw_frame {
	const char *name; /* linkage name; NULL: not known */
	const char *decl_file;
	int decl_line;
	const char *file;
	int line;
	bool is_inlined;
};

#define EP_MAX_INLINED 32

/* Finds the frames at an address of the file, innermost first, and returns their number; 0: nothing is known. */
uint32_t ep_object_frames(
	struct ep_object *object, uint64_t address, struct ep_raw_frame frames[EP_MAX_INLINED]);
/* Returns the start of the procedure around an address from the unwinding tables; UINT64_MAX: there is no
 * procedure, or it ends before the address. */
uint64_t ep_object_procedure_start(struct ep_object *object, uint64_t address);

/* Tells whether the debug information marks the instruction at an address as the beginning of a statement of its
 * line. Instructions that the compiler moved are not marked. */
bool ep_object_is_of_statement(struct ep_object *object, uint64_t address);

/* Finds the instructions of the procedure around an address; they live as long as object. Returns false where the
 * procedure's beginning and end are not known, or the file has no code. */
bool ep_object_code(struct ep_object *object, uint64_t address, struct ep_procedure_code *out);

/* Returns the linkage name of the procedure that the linkage stub at an address jumps to; NULL if there is no stub at
 * the address. */
const char *ep_object_stub_target(struct ep_object *object, uint64_t address);

/* Returns the linkage name of the variable that an address of the file lies in, and the offset in it. NULL: none
 * is known. */
const char *ep_object_variable(struct ep_object *object, uint64_t address, uint64_t *out_offset);

/* Tells whether the code at an address only waits, as ep_wait_loop_at does. */
bool ep_object_waits(struct ep_object *object, uint64_t address);
/* Tells whether the instruction before an address makes a system call, as ep_system_call_ends_at does. */
bool ep_object_is_behind_call(struct ep_object *object, uint64_t address);

/* ---- elf_symbols.c ---- */

struct ep_elf_symbol {
	uint64_t start, size; /* start in addresses of libdwfl; size in bytes, 0: a label */
	const char *name;     /* lives as long as the module */
	int type;             /* STT_FUNC, STT_OBJECT and others of elf.h */
};

/* The answer of libdw for all addresses between two neighbouring borders of symbols. is_known: libdw was asked;
 * is_any: it found a symbol. */
struct ep_elf_answer {
	bool is_known, is_any;
	struct ep_elf_symbol symbol;
};

/* The symbols of a file. All members are 0 until they are read. is_open: reading was tried; serves: it succeeded;
 * has_sizeless: one of the symbols has no size. */
struct ep_elf_symbols {
	bool is_open, serves, has_sizeless;
	size_t n, n_borders;
	struct ep_elf_symbol *rows; /* (n) sorted by start */
	uint64_t *reach;            /* (n) the largest end of all rows up to this one */
	uint64_t *borders; /* (n_borders) starts and ends of symbols and sections, sorted */
	/* (n_borders + 1, 2) answers, by the number of borders up to an address: the first is for addresses that are
	 * no border, the second for the border itself */
	struct ep_elf_answer *answers;
};

/* Finds the symbol that dwfl_module_addrinfo would find for an address of libdwfl. Returns false if there is none. */
bool ep_elf_symbols_find(struct ep_elf_symbols *symbols, Dwfl_Module *module, uint64_t address,
	struct ep_elf_symbol *out);
void ep_elf_symbols_finish(struct ep_elf_symbols *symbols);

/* ---- unwind_table.c ---- */

/* Finds the last procedure in the unwinding tables of an ELF file that begins at an address or before it. *out_end is
 * UINT64_MAX if its end is not known. Returns false if there is no such procedure. */
bool ep_unwind_table_find(Elf *elf, uint64_t address, uint64_t *out_start, uint64_t *out_end);

/* ---- linkage.c ---- */

/* Returns the target of a linkage stub, as ep_object_stub_target does; the text lives as long as elf. */
const char *ep_linkage_target(Elf *elf, uint64_t address);

/* ---- code.c ---- */

/* Finds the code of an ELF file from start to end; the bytes live as long as elf. Returns false if the file has no
 * code there. */
bool ep_code_of_file(Elf *elf, uint64_t start, uint64_t end, struct ep_procedure_code *out);

/* ---- loop_places.c ---- */

#define LOOP_NOT_ASKED (EP_NONE - 1)
#define LOOP_UNSEARCHED (EP_NONE - 2)

/* A procedure whose loops were looked for. */
struct ep_loop_procedure {
	uint32_t module_idx;
	uint64_t start;
	bool is_searched; /* false: its code is too large, or for another machine */
	struct ep_loops loops;
	uint32_t *places; /* (loops.n_rows) index of each loop's place */
};

struct ep_loop_places {
	struct ep_loop_place *rows; /* (n_rows) places of loops */
	uint32_t n_rows, capacity;
	struct ep_index index;
	struct ep_loop_procedure *procedures; /* (n_procedures) procedures that were searched */
	uint32_t n_procedures, procedure_capacity;
	struct ep_index procedure_index;
};

/* The module whose loops are asked for. */
struct ep_loop_question {
	struct ep_symbols *symbols;
	struct ep_strings *strings;
	struct ep_object *object;
	uint32_t module_idx;
};

/* Finds the loop at an address. *out_idx is EP_NONE if the address is in no loop, and LOOP_UNSEARCHED if its code
 * could not be searched. Returns 0, -ENOMEM or -ENOSYS. */
int ep_loop_places_find(struct ep_loop_places *places, const struct ep_loop_question *question,
	uint64_t address, struct ep_loop_cursor *cursor, uint32_t *out_idx) EP_MUST_CHECK;
void ep_loop_places_finish(struct ep_loop_places *places);

/* ---- scopes.c ---- */

/* A range of code from start to end. The member what is a unit's index, or the offset of a procedure's entry. */
struct ep_code_of {
	uint64_t start, end;
	uint64_t what;
};

struct ep_code_ranges {
	struct ep_code_of *rows; /* sorted by start */
	uint32_t n_rows, capacity;
};

struct ep_unit {
	Dwarf_Die die, entries; /* they differ if -gsplit-dwarf put the entries into another file */
	bool is_read;
	struct ep_code_ranges procedures;
};

/* The units of a file's debug information. They are read when the first address is looked for; all members are 0 until
 * then. */
struct ep_units {
	bool are_read;
	struct ep_unit *rows;
	uint32_t n_rows, capacity;
	struct ep_code_ranges code;
};

/* Returns the unit that has the code at an address of the debug information; NULL: none. All calls must be for the
 * same dwarf. */
struct ep_unit *ep_units_find(struct ep_units *units, Dwarf *dwarf, Dwarf_Addr address);
/* Finds the procedure at an address of the unit and the procedures that are inlined there, outermost first.
 * Returns their number; 0: none. */
uint32_t ep_unit_procedures(
	struct ep_unit *unit, Dwarf_Addr address, Dwarf_Die out[EP_MAX_INLINED]);
void ep_units_finish(struct ep_units *units);

/* ---- qualify.c ---- */

/* The names that were found, by the entries of their declarations. They are kept because finding the scopes of a name
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

/* Returns the name of a procedure's entry; in C++ with the classes and namespaces that it is declared in, in
 * Fortran with its module. The name is valid until ep_qualified_names_finish. NULL: it has none, or there is no
 * memory. */
const char *ep_qualified_name(struct ep_qualified_names *names, Dwarf_Die *die);
void ep_qualified_names_finish(struct ep_qualified_names *names);

/* ---- parallel_region.c ---- */

/* Returns the part of a parallel region's name after the name of the enclosing procedure, such as "._omp_fn.0". NULL:
 * the name is not a region's. */
const char *ep_parallel_region_suffix(const char *name);
/* Returns a readable name of a parallel region; region is its entry in the debug information, name the name in that
 * entry. The result begins with the name of the enclosing procedure, or with its linkage name, which is demangled
 * later. It lives as long as names. NULL: there is no memory. */
const char *ep_parallel_region_name(
	struct ep_qualified_names *names, Dwarf_Die *region, const char *name, bool is_fortran);

/* ---- source_path.c ---- */

/* Returns the path of a source file that a unit's debug information names. The path is absolute if the folder of the
 * compilation is known, else it is name itself. NULL: name is NULL. The result lives as long as paths. */
const char *ep_source_path(struct ep_strings *paths, Dwarf_Die *unit, const char *name);
/* Returns the path of a file named relative to a folder; folder NULL: not known. */
const char *ep_source_path_join(struct ep_strings *paths, const char *folder, const char *name);

/* ---- wait_loop.c ---- */

/* Tells whether the instruction at code[at] is part of a loop that only reads the same memory until another thread
 * writes to it. Returns false also if that is not known. */
bool ep_wait_loop_holds(const uint8_t *code, size_t n, size_t at);
/* Tells what ep_wait_loop_holds tells, for the instruction at an address of an ELF file. */
bool ep_wait_loop_at(Elf *elf, uint64_t address);

/* ---- system_call.c ---- */

/* Tells whether the instruction before an address of an ELF file makes a system call. Returns false if the file is not
 * for x86-64, aarch64 or little-endian POWER. */
bool ep_system_call_ends_at(Elf *elf, uint64_t address);

/* ---- perfmap.c: /tmp/perf-PID.map ---- */

struct ep_perf_map;

/* Describes the map to open. Every user can put a file of that name into /tmp, so the map is believed only if its
 * owner is the reader, root, the owner of the trace or the owner of the sysroot, and if it is not older than the run.
 * It may be newer than the run's end: Java writes its map as it ends, and other maps are converted later. */
struct ep_map_question {
	const char *sysroot; /* folder that stands for the root, or NULL */
	uint32_t pid, reader_uid, trace_uid;
	uint64_t run_start_ns; /* CLOCK_REALTIME; 0: not known */
	size_t max_bytes;      /* most bytes that are read */
	/* lines of the map that were kept in the trace, which are used instead of the file; or NULL */
	const struct ep_kept_map *kept;
};

/* Opens a map. NULL: there is no map to use. If the path is a pipe, the function does not wait for the pipe's
 * writer. */
struct ep_perf_map *ep_perf_map_open(
	const struct ep_map_question *question, enum ep_map_status *out_status);
void ep_perf_map_destroy(struct ep_perf_map *map);
/* Returns the name of the code at an address; NULL: no entry covers it. */
const char *ep_perf_map_name(const struct ep_perf_map *map, uint64_t address);

/* ---- demangle.c ---- */

/* Returns the demangled name, which the caller frees; with_parameters keeps "(int, double)". NULL: the name is not
 * mangled. */
char *ep_demangle(const char *name, bool with_parameters);
/* ---- symbolize.c ---- */

struct ep_symbol_module {
	bool is_open;
	enum ep_module_status status;
	struct ep_object *object;
	struct ep_perf_map *perf_map;
	enum ep_map_status map_status;
};

/* An address that was resolved. Its frames are a range of the array frames; doing says what its code does (NOT_ASKED:
 * not found out yet). */
struct ep_address {
	uint32_t module_idx;
	uint64_t address;
	uint32_t first_frame, n_frames;
	uint32_t loop_idx; /* index of a loop, EP_NONE, LOOP_NOT_ASKED or LOOP_UNSEARCHED */
	enum { NOT_ASKED, WAITS, CALLS, WORKS } doing;
};

struct ep_symbols {
	struct ep_trace *trace;
	struct ep_symbols_options options;
	struct ep_symbol_module
		*modules; /* (n_modules) by the trace's index; grows when more are asked for */
	uint32_t n_modules;
	struct ep_symbol *symbols;
	const char **link_names; /* (n_symbols) linkage names, which identify symbols */
	uint32_t n_symbols, symbol_capacity, link_name_capacity;
	struct ep_index symbol_index;
	struct ep_address *places;
	uint32_t n_places, place_capacity;
	struct ep_index place_index;
	struct ep_frame *frames;
	uint32_t n_frames, frame_capacity;
	struct ep_loop_places loops;
};

/* Makes room for the modules of the trace, to which more are added while it is read. Returns 0 or -ENOMEM. */
int ep_symbols_grow_modules(struct ep_symbols *symbols) EP_MUST_CHECK;
/* Opens the file of a module once; the module's status says what was found. */
struct ep_symbol_module *ep_symbols_open_module(struct ep_symbols *symbols, uint32_t module_idx);
/* Finds or adds a symbol. On entry the symbol's name is the linkage name. Returns 0 or -ENOMEM. */
int ep_symbols_intern(
	struct ep_symbols *symbols, struct ep_symbol *symbol, uint32_t *out_idx) EP_MUST_CHECK;
/* Keeps a copy of a text as long as the trace; NULL: there is no memory. */
const char *ep_symbols_keep(struct ep_symbols *symbols, const char *text);

#endif
