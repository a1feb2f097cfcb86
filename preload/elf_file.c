// SPDX-License-Identifier: BSD-3-Clause
#include "elf_file.h"

#include <string.h>

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
	/* by the linker: where the file that this code is in begins in memory */
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

bool ep_elf_is_musl_loader(const char *path)
{
	return strstr(path, "ld-musl") != NULL;
}
