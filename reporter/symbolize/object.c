// SPDX-License-Identifier: BSD-3-Clause
/* Reads ELF and DWARF with elfutils. Only one thread at a time may use an object. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hex.h"
#include "common/programs/kept.h"
#include "reporter/symbolize/symbolize_private.h"

struct ep_object {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias; /* libdwfl's address of a byte minus its address in the file */
	struct ep_elf_symbols symbols;
	struct ep_units units;
	struct ep_qualified_names names;
	struct ep_strings paths; /* paths of source files */
};

static char *debug_path; /* NULL: the standard places are searched */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static bool has_build_id(
	const char *path, const struct ep_object_question *question, bool *out_has_any)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	const void *id = NULL;
	ssize_t size = -1;
	bool same;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		size = dwelf_elf_gnu_build_id(elf, &id);
	*out_has_any = size > 0;
	same = size > 0 && (size_t)size == question->build_id_size &&
	       !memcmp(id, question->build_id, size);
	elf_end(elf);
	return same;
}

/* Tells whether the file at path is the module that ran, another build of the module, or absent. */
static enum ep_module_status judge(const char *path, const struct ep_object_question *question)
{
	struct stat st;
	bool has_any;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || access(path, R_OK))
		return EP_MODULE_ABSENT;
	if (question->build_id_size)
		return has_build_id(path, question, &has_any) ? EP_MODULE_FOUND : EP_MODULE_CHANGED;
	if (question->run_start_ns &&
		(uint64_t)st.st_mtim.tv_sec > question->run_start_ns / 1000000000)
		return EP_MODULE_NEWER;
	return EP_MODULE_FOUND;
}

/* Formats the path of a debug file. Returns false if the path does not fit. */
static bool format_debug_path(char *out, size_t size, const struct ep_object_question *question)
{
	size_t id_size = question->build_id_size;
	char id[2 * EP_BUILD_ID_MAX_BYTES + 1] = "";
	int n;

	ep_hex_format(id, question->build_id,
		id_size < EP_BUILD_ID_MAX_BYTES ? id_size : EP_BUILD_ID_MAX_BYTES);
	n = snprintf(out, size, "%s/usr/lib/debug/.build-id/%.2s/%s.debug",
		question->sysroot ? question->sysroot : "", id, id + 2);
	return (size_t)n < size;
}

/* Chooses the file to read, and writes its path into path. */
static enum ep_module_status choose_file(
	char *path, size_t size, const struct ep_object_question *question)
{
	enum ep_module_status status;
	char *deleted;

	if ((size_t)snprintf(path, size, "%s%s", question->sysroot ? question->sysroot : "",
		    question->path) >= size)
		return EP_MODULE_ABSENT;
	/* The kernel appends " (deleted)" to the path of a file that is gone. */
	deleted = strrchr(path, ' ');
	if (deleted && !strcmp(deleted, " (deleted)"))
		*deleted = '\0';
	status = judge(path, question);
	if (status == EP_MODULE_FOUND || question->build_id_size < 2)
		return status;
	if (ep_kept_find(question->build_id, question->build_id_size, path, size) &&
		judge(path, question) == EP_MODULE_FOUND)
		return EP_MODULE_KEPT;
	if (!format_debug_path(path, size, question))
		return status;
	return judge(path, question) == EP_MODULE_FOUND ? EP_MODULE_DEBUG : status;
}

/* Keeps a copy of the file. A failure is ignored, since only a report after the next build would miss the copy. */
static void keep(const char *path, const struct ep_object_question *question)
{
	if (question->build_id_size && !question->sysroot && !ep_kept_is_systems(path) &&
		ep_kept_add(path, &ep_kept_default_limits))
		return;
}

static struct ep_object *open_file(const char *path)
{
	struct ep_object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->dwfl = dwfl_begin(&callbacks);
	if (object->dwfl)
		object->module = dwfl_report_offline(object->dwfl, path, path, -1);
	if (object->module)
		dwfl_report_end(object->dwfl, NULL, NULL);
	if (!object->module || !dwfl_module_getelf(object->module, &object->bias)) {
		ep_object_destroy(object);
		return NULL;
	}
	return object;
}

/* Opens the code of the vdso, which has no file. The vdso of this process is taken if it has the same build-id as the
 * one in the trace, so that both are of the same kernel. */
static struct ep_object *open_vdso(
	const struct ep_object_question *question, enum ep_module_status *out_status)
{
	const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	EP_AUTOCLOSE int fd = memfd_create("vdso", MFD_CLOEXEC);
	size_t size = image ? image->e_shoff + (size_t)image->e_shnum * image->e_shentsize : 0;
	struct ep_object *object;
	char path[64];
	bool has_any;

	*out_status = EP_MODULE_NO_FILE;
	if (!size || fd < 0 || write(fd, image, size) != (ssize_t)size)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!has_build_id(path, question, &has_any))
		return NULL;
	object = open_file(path);
	if (object)
		*out_status = EP_MODULE_FOUND;
	return object;
}

struct ep_object *ep_object_open(
	const struct ep_object_question *question, enum ep_module_status *out_status)
{
	struct ep_object *object;
	char path[4096];

	if (!strcmp(question->path, EP_VDSO))
		return open_vdso(question, out_status);
	if (question->path[0] != '/') {
		*out_status = EP_MODULE_NO_FILE;
		return NULL;
	}
	*out_status = choose_file(path, sizeof(path), question);
	if (*out_status == EP_MODULE_CHANGED || *out_status == EP_MODULE_ABSENT)
		return NULL;
	object = open_file(path);
	if (!object)
		*out_status = EP_MODULE_ABSENT;
	else if (*out_status == EP_MODULE_FOUND && question->keep)
		keep(path, question);
	return object;
}

void ep_object_destroy(struct ep_object *object)
{
	if (!object)
		return;
	if (object->dwfl)
		dwfl_end(object->dwfl);
	ep_elf_symbols_finish(&object->symbols);
	ep_qualified_names_finish(&object->names);
	ep_units_finish(&object->units);
	ep_strings_finish(&object->paths);
	free(object);
}

/* ---- procedures and code ---- */

static bool find_procedure(
	struct ep_object *object, uint64_t address, uint64_t *out_start, uint64_t *out_end)
{
	GElf_Addr bias;

	return ep_unwind_table_find(
		dwfl_module_getelf(object->module, &bias), address, out_start, out_end);
}

uint64_t ep_object_procedure_start(struct ep_object *object, uint64_t address)
{
	uint64_t start, end;

	return find_procedure(object, address, &start, &end) && address < end ? start : UINT64_MAX;
}

/* Finds the symbol at an address; out->start is an address of the file. */
static bool find_symbol(struct ep_object *object, uint64_t address, struct ep_elf_symbol *out)
{
	if (!ep_elf_symbols_find(&object->symbols, object->module, address + object->bias, out))
		return false;
	out->start -= object->bias;
	return true;
}

bool ep_object_code(struct ep_object *object, uint64_t address, struct ep_procedure_code *out)
{
	struct ep_elf_symbol symbol;
	GElf_Addr bias;
	uint64_t start, end;

	if (!find_procedure(object, address, &start, &end) || address >= end || end == UINT64_MAX) {
		if (!find_symbol(object, address, &symbol) || address - symbol.start >= symbol.size)
			return false;
		start = symbol.start;
		end = start + symbol.size;
	}
	return ep_code_of_file(dwfl_module_getelf(object->module, &bias), start, end, out);
}

const char *ep_object_stub_target(struct ep_object *object, uint64_t address)
{
	GElf_Addr bias;

	return ep_linkage_target(dwfl_module_getelf(object->module, &bias), address);
}

bool ep_object_waits(struct ep_object *object, uint64_t address)
{
	GElf_Addr bias;

	return ep_wait_loop_at(dwfl_module_getelf(object->module, &bias), address);
}

bool ep_object_is_behind_call(struct ep_object *object, uint64_t address)
{
	GElf_Addr bias;

	return ep_system_call_ends_at(dwfl_module_getelf(object->module, &bias), address);
}

/* ---- symbols ---- */

static const char *symbol_name(struct ep_object *object, uint64_t address)
{
	struct ep_elf_symbol symbol;
	uint64_t start, end;

	if (!find_symbol(object, address, &symbol))
		return NULL;
	if (symbol.size && address - symbol.start >= symbol.size)
		return NULL;
	/* A stripped library has symbols only for what it exports. Between them are procedures without names and code
	 * without unwinding tables. A symbol without a size must not name that code. */
	if (!symbol.size && find_procedure(object, address, &start, &end) &&
		(start > symbol.start || (start == symbol.start && end <= address)))
		return NULL;
	return symbol.name;
}

const char *ep_object_variable(struct ep_object *object, uint64_t address, uint64_t *out_offset)
{
	struct ep_elf_symbol symbol;

	if (!find_symbol(object, address, &symbol) || symbol.type != STT_OBJECT ||
		address - symbol.start >= symbol.size)
		return NULL;
	*out_offset = address - symbol.start;
	return symbol.name;
}

/* ---- DWARF ---- */

static const char *linkage_name(struct ep_object *object, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name =
		dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dwarf_formstring(
			dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
	/* Linkage names of other kinds are assembler labels, such as __GI___exp for __exp; the declared name is
	 * better. */
	if (name && name[0] == '_' && strchr("ZRD", name[1]))
		return name;
	return ep_qualified_name(&object->names, die);
}

/* Returns the file that an attribute (DW_AT_decl_file, DW_AT_call_file) names; NULL: none. dwarf_decl_file cannot be
 * used, since it does not know file 0. In DWARF 5 that is the unit's own file (2.4.1), and Clang writes it. */
static const char *file_of(struct ep_object *object, Dwarf_Attribute *attribute)
{
	Dwarf_Word idx;
	Dwarf_Half version;
	Dwarf_Files *files;
	size_t n_files;
	Dwarf_Die unit;

	if (!attribute || dwarf_formudata(attribute, &idx) ||
		!dwarf_cu_die(attribute->cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
		dwarf_getsrcfiles(&unit, &files, &n_files) || idx >= n_files ||
		(!idx && version < 5))
		return NULL;
	return ep_source_path(&object->paths, &unit, dwarf_filesrc(files, idx, NULL, NULL));
}

static struct ep_raw_frame describe(struct ep_object *object, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	struct ep_raw_frame frame = {
		.name = linkage_name(object, die),
		.decl_file =
			file_of(object, dwarf_attr_integrate(die, DW_AT_decl_file, &attribute)),
		.is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine,
	};

	if (dwarf_decl_line(die, &frame.decl_line))
		frame.decl_line = 0;
	return frame;
}

static void find_call_site(
	struct ep_object *object, Dwarf_Die *die, const char **out_file, int *out_line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line;

	*out_line = 0;
	*out_file = file_of(object, dwarf_attr(die, DW_AT_call_file, &attribute));
	if (*out_file && !dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line))
		*out_line = (int)line;
}

static struct ep_unit *find_unit(struct ep_object *object, uint64_t address, Dwarf_Addr *out_at)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(object->module, &bias);

	*out_at = address + object->bias - bias;
	return dwarf ? ep_units_find(&object->units, dwarf, *out_at) : NULL;
}

bool ep_object_is_of_statement(struct ep_object *object, uint64_t address)
{
	Dwarf_Addr at;
	struct ep_unit *unit = find_unit(object, address, &at);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(&unit->die, at) : NULL;
	bool is_statement = false;

	return line && !dwarf_linebeginstatement(line, &is_statement) && is_statement;
}

static uint32_t dwarf_frames(struct ep_object *object, uint64_t address,
	struct ep_raw_frame frames[EP_MAX_INLINED], const char **out_file, int *out_line)
{
	Dwarf_Die procedures[EP_MAX_INLINED];
	Dwarf_Addr at;
	struct ep_unit *unit = find_unit(object, address, &at);
	Dwarf_Line *source = unit ? dwarf_getsrc_die(&unit->die, at) : NULL;
	uint32_t n = unit ? ep_unit_procedures(unit, at, procedures) : 0;
	const char *file = NULL;
	int line = 0;

	if (source)
		file = ep_source_path(
			&object->paths, &unit->die, dwarf_linesrc(source, NULL, NULL));
	if (source)
		dwarf_lineno(source, &line);
	*out_file = file;
	*out_line = line;
	for (uint32_t i = 0; i < n; i++) {
		Dwarf_Die *die = &procedures[n - 1 - i];

		frames[i] = describe(object, die);
		frames[i].file = file;
		frames[i].line = line;
		find_call_site(object, die, &file, &line);
	}
	return n;
}

uint32_t ep_object_frames(
	struct ep_object *object, uint64_t address, struct ep_raw_frame frames[EP_MAX_INLINED])
{
	const char *file;
	int line;
	uint32_t n = dwarf_frames(object, address, frames, &file, &line);

	if (n && frames[n - 1].name)
		return n;
	if (n) {
		n--;
		file = frames[n].file;
		line = frames[n].line;
	}
	frames[n] = (struct ep_raw_frame){
		.name = symbol_name(object, address), .file = file, .line = line
	};
	return frames[n].name || file ? n + 1 : n;
}
