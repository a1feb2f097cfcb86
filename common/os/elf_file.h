/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an executable file says of itself. Nothing in it is trusted: all reads are bounded.
 * Async-signal-safe, and without libc.
 */
#ifndef EVPROF_COMMON_OS_ELF_FILE_H
#define EVPROF_COMMON_OS_ELF_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of size_bytes, or false. */
bool ep_elf_read(int fd, void *out, size_t size_bytes, uint64_t at);

/* false: not ELF, or cut. Of another architecture only e_ident and e_machine can be relied on. */
bool ep_elf_read_header(int fd, ElfW(Ehdr) * out_header);

/* The code that calls this. */
const ElfW(Ehdr) * ep_elf_own_header(void);

/* Another word size, byte order or instruction set than ours. */
bool ep_elf_is_foreign(const ElfW(Ehdr) * header);

/* The first program header of the type (PT_INTERP, PT_DYNAMIC ...). */
bool ep_elf_find_segment(
	int fd, const ElfW(Ehdr) * header, uint32_t type, ElfW(Phdr) * out_segment);

/* Path of the loader (PT_INTERP), cut to capacity - 1 characters; "" in a static program. */
void ep_elf_read_loader(int fd, const ElfW(Ehdr) * header, char *out_path, size_t capacity);

/* The build-id that the linker gave it: how many bytes, 0: none, or it is longer than capacity. */
size_t ep_elf_read_build_id(int fd, const ElfW(Ehdr) * header, uint8_t *out_id, size_t capacity);

/* The libraries that it needs (DT_NEEDED), in order. */
struct ep_elf_needed {
	int fd;
	uint64_t strings_at; /* in the file; 0: not found */
	ElfW(Dyn) entries[64];
	size_t n_entries, next;
};

void ep_elf_needed_begin(int fd, const ElfW(Ehdr) * header, struct ep_elf_needed *out);
/* false: that was the last. The name is cut to capacity - 1 characters, "" where it cannot be read.
 */
bool ep_elf_needed_next(struct ep_elf_needed *needed, char *out_name, size_t capacity);

/* Name of the sanitizer whose runtime has to be the first library, or sees our own work as the
 * program's; NULL: none. */
const char *ep_elf_sanitizer(int fd, const ElfW(Ehdr) * header);

/* musl's: to load what is linked with glibc it fails, and the program ends. */
bool ep_elf_is_musl_loader(const char *path);

#endif
