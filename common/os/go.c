// SPDX-License-Identifier: BSD-3-Clause
#include "go.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "elf_file.h"
#include "loader.h"

#define NT_GO_BUILD_ID 4 /* the type that cmd/internal/buildid uses; the note's owner is "Go" */

enum { N_SECTIONS_MAX = 256, NAMES_MAX_BYTES = 8192 };

static bool is_gos_section(const char *name)
{
	return !strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid");
}

bool ep_go_is_in(int fd)
{
	ElfW(Shdr) sections[N_SECTIONS_MAX];
	char names[NAMES_MAX_BYTES + 1];
	ElfW(Ehdr) header;
	ssize_t size;

	if (!ep_elf_read_header(fd, &header) || header.e_shentsize != sizeof(sections[0]) ||
		header.e_shnum > N_SECTIONS_MAX || header.e_shstrndx >= header.e_shnum ||
		!ep_elf_read(fd, sections, header.e_shnum * sizeof(sections[0]), header.e_shoff))
		return false;
	size = pread(fd, names, NAMES_MAX_BYTES, (off_t)sections[header.e_shstrndx].sh_offset);
	names[size > 0 ? size : 0] = '\0';
	for (unsigned i = 0; i < header.e_shnum; i++)
		if (sections[i].sh_name < size && is_gos_section(names + sections[i].sh_name))
			return true;
	return false;
}

/* Programs that are smaller are not examined: Go's runtime alone is larger, and to examine a file takes five system
 * calls and touches four pages. */
#define GO_LEAST_BYTES (512 << 10)

static uint64_t loaded_bytes(void)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	uint64_t n_bytes = 0;

	for (uint64_t i = 0; headers && i < getauxval(AT_PHNUM); i++)
		n_bytes += headers[i].p_type == PT_LOAD ? headers[i].p_filesz : 0;
	return headers ? n_bytes : GO_LEAST_BYTES;
}

/* Tells by the sections whether the program is Go. Notes are not enough: a build without an id (go build
 * -ldflags=-buildid=) has no note, but it has a section of Go's. */
static bool is_go_program(void)
{
	EP_AUTOCLOSE int fd =
		loaded_bytes() < GO_LEAST_BYTES ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	return fd >= 0 && ep_go_is_in(fd);
}

static bool is_go_note(const uint8_t *at, size_t size)
{
	ElfW(Nhdr) note;

	while (size >= sizeof(note)) {
		size_t name_size, total;

		memcpy(&note, at, sizeof(note));
		name_size = (note.n_namesz + 3u) & ~3u;
		total = sizeof(note) + name_size + ((note.n_descsz + 3u) & ~3u);
		if (total > size)
			return false;
		if (note.n_type == NT_GO_BUILD_ID && note.n_namesz == 4 &&
			!memcmp(at + sizeof(note), "Go\0", 4))
			return true;
		at += total;
		size -= total;
	}
	return false;
}

static bool has_go_note(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_NOTE &&
			is_go_note((const uint8_t *)info->dlpi_addr + header->p_vaddr,
				header->p_memsz))
			return true;
	}
	return false;
}

static int find_go(struct dl_phdr_info *info, size_t size, void *out_found)
{
	(void)size;
	*(bool *)out_found = has_go_note(info);
	return *(bool *)out_found;
}

/* Tells whether a loaded module is Go. This function is called around the creation of each thread, so modules are
 * examined only if some were loaded or unloaded since the last call. The loader's state and the answer are in one word
 * (last), since several threads may call at once. A module that is loaded between the two looks at the loader's list is
 * found by the next caller. */
static bool is_go_in_modules(void)
{
	static _Atomic uint64_t last;
	uint64_t known = last, state;
	bool is_found = false;

	if (!ep_loader_state(&state) || state == (known & ~1ull) ||
		!ep_loader_look(find_go, &is_found))
		return known & 1;
	last = state | is_found;
	return is_found;
}

bool ep_go_is_loaded(void)
{
	static signed char is_program = -1;

	if (is_program < 0)
		is_program = is_go_program();
	return is_program || is_go_in_modules();
}

static bool needs_libraries(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const ElfW(Dyn) *entry = (const void *)(info->dlpi_addr + header->p_vaddr);

		if (header->p_type != PT_DYNAMIC)
			continue;
		for (; entry->d_tag != DT_NULL; entry++)
			if (entry->d_tag == DT_NEEDED)
				return true;
	}
	return false;
}

/* Looks at the program, which is the first module in the loader's list. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *out_alone)
{
	(void)size;
	*(bool *)out_alone = !needs_libraries(info) && (has_go_note(info) || is_go_program());
	return 1;
}

bool ep_go_runs_alone(void)
{
	bool is_alone = false;

	ep_loader_look(look_at_program, &is_alone);
	return is_alone;
}
