// SPDX-License-Identifier: BSD-3-Clause
#include "elf_file.h"

#include <string.h>

#include "common/cleanup.h"
#include "sys.h"

bool ep_elf_read(int fd, void *out, size_t size_bytes, uint64_t at)
{
	return ep_sys(__NR_pread64, fd, out, size_bytes, at) == (long)size_bytes;
}

bool ep_elf_read_header(int fd, ElfW(Ehdr) * out_header)
{
	return ep_elf_read(fd, out_header, sizeof(*out_header), 0) &&
	       !memcmp(out_header->e_ident, ELFMAG, SELFMAG);
}

const ElfW(Ehdr) * ep_elf_own_header(void)
{
	/* The linker defines this symbol: the start in memory of the file that contains this code. */
	extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

	return &__ehdr_start;
}

bool ep_elf_is_foreign(const ElfW(Ehdr) * header)
{
	const ElfW(Ehdr) *own = ep_elf_own_header();

	return header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
	       header->e_ident[EI_DATA] != own->e_ident[EI_DATA] ||
	       header->e_machine != own->e_machine;
}

bool ep_elf_find_segment(int fd, const ElfW(Ehdr) * header, uint32_t type, ElfW(Phdr) * out_segment)
{
	if (header->e_phentsize != sizeof(*out_segment))
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		uint64_t at = header->e_phoff + (uint64_t)i * sizeof(*out_segment);

		if (!ep_elf_read(fd, out_segment, sizeof(*out_segment), at))
			return false;
		if (out_segment->p_type == type)
			return true;
	}
	return false;
}

void ep_elf_read_loader(int fd, const ElfW(Ehdr) * header, char *out_path, size_t capacity)
{
	ElfW(Phdr) segment;
	size_t size;

	out_path[0] = '\0';
	if (!ep_elf_find_segment(fd, header, PT_INTERP, &segment))
		return;
	size = segment.p_filesz < capacity ? segment.p_filesz : capacity - 1;
	out_path[size] = '\0';
	if (!ep_elf_read(fd, out_path, size, segment.p_offset))
		out_path[0] = '\0';
}

/* the most bytes of a segment's notes, so that a wrong size causes no long search */
#define MAX_NOTES_BYTES 65536

static uint64_t aligned(uint64_t size, uint64_t alignment)
{
	return (size + alignment - 1) & ~(alignment - 1);
}

/* Reads the build-id from the segment's notes. Returns its size; 0: there is none. */
static size_t find_build_id(int fd, const ElfW(Phdr) * segment, uint8_t *out_id, size_t capacity)
{
	uint64_t at = segment->p_offset, alignment = segment->p_align == 8 ? 8 : 4;
	uint64_t size = segment->p_filesz < MAX_NOTES_BYTES ? segment->p_filesz : MAX_NOTES_BYTES;
	uint64_t end = at + size;
	ElfW(Nhdr) note;
	char name[4];

	while (at < end && ep_elf_read(fd, &note, sizeof(note), at)) {
		uint64_t data_at = at + sizeof(note) + aligned(note.n_namesz, alignment);

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(name) &&
			note.n_descsz <= capacity &&
			ep_elf_read(fd, name, sizeof(name), at + sizeof(note)) &&
			!memcmp(name, "GNU", sizeof(name)) &&
			ep_elf_read(fd, out_id, note.n_descsz, data_at))
			return note.n_descsz;
		at = data_at + aligned(note.n_descsz, alignment);
	}
	return 0;
}

size_t ep_elf_read_build_id(int fd, const ElfW(Ehdr) * header, uint8_t *out_id, size_t capacity)
{
	ElfW(Phdr) segment;
	size_t size = 0;

	if (header->e_phentsize != sizeof(segment) || ep_elf_is_foreign(header))
		return 0;
	for (unsigned i = 0; i < header->e_phnum && !size; i++) {
		if (!ep_elf_read(fd, &segment, sizeof(segment),
			    header->e_phoff + (uint64_t)i * sizeof(segment)))
			return 0;
		if (segment.p_type == PT_NOTE)
			size = find_build_id(fd, &segment, out_id, capacity);
	}
	return size;
}

/* Returns the offset of an address in the file; 0: it is not in the file. */
static uint64_t offset_of(int fd, const ElfW(Ehdr) * header, uint64_t address)
{
	ElfW(Phdr) segment;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		if (!ep_elf_read(fd, &segment, sizeof(segment),
			    header->e_phoff + (uint64_t)i * sizeof(segment)))
			return 0;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
			address - segment.p_vaddr < segment.p_filesz)
			return segment.p_offset + (address - segment.p_vaddr);
	}
	return 0;
}

void ep_elf_needed_begin(int fd, const ElfW(Ehdr) * header, struct ep_elf_needed *out)
{
	ElfW(Phdr) segment;
	size_t size;

	*out = (struct ep_elf_needed){ .fd = fd };
	if (!ep_elf_find_segment(fd, header, PT_DYNAMIC, &segment))
		return;
	size = segment.p_filesz < sizeof(out->entries) ? segment.p_filesz : sizeof(out->entries);
	if (!ep_elf_read(fd, out->entries, size, segment.p_offset))
		return;
	while ((out->n_entries + 1) * sizeof(out->entries[0]) <= size &&
		out->entries[out->n_entries].d_tag != DT_NULL)
		out->n_entries++;
	for (size_t i = 0; i < out->n_entries; i++)
		if (out->entries[i].d_tag == DT_STRTAB)
			out->strings_at = offset_of(fd, header, out->entries[i].d_un.d_ptr);
}

bool ep_elf_needed_next(struct ep_elf_needed *needed, char *out_name, size_t capacity)
{
	long size = 0;

	while (needed->next < needed->n_entries && needed->entries[needed->next].d_tag != DT_NEEDED)
		needed->next++;
	if (needed->next >= needed->n_entries)
		return false;
	if (needed->strings_at)
		size = ep_sys(__NR_pread64, needed->fd, out_name, capacity - 1,
			needed->strings_at + needed->entries[needed->next].d_un.d_val);
	out_name[size > 0 ? size : 0] = '\0';
	needed->next++;
	return true;
}

const char *ep_elf_sanitizer(int fd, const ElfW(Ehdr) * header)
{
	static const struct {
		const char *library, *name;
	} runtimes[] = {
		{ "libasan.so", "AddressSanitizer" },
		{ "libhwasan.so", "HWAddressSanitizer" },
		{ "libtsan.so", "ThreadSanitizer" },
		{ "libclang_rt.asan", "AddressSanitizer" },
		{ "libclang_rt.hwasan", "HWAddressSanitizer" },
		{ "libclang_rt.tsan", "ThreadSanitizer" },
	};
	struct ep_elf_needed needed;
	char name[32];

	ep_elf_needed_begin(fd, header, &needed);
	while (ep_elf_needed_next(&needed, name, sizeof(name)))
		for (size_t i = 0; i < EP_ARRAY_SIZE(runtimes); i++)
			if (!strncmp(name, runtimes[i].library, strlen(runtimes[i].library)))
				return runtimes[i].name;
	return NULL;
}

bool ep_elf_is_musl_loader(const char *path)
{
	return strstr(path, "ld-musl") != NULL;
}
