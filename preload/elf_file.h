/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an executable file says of itself. Nothing in it is trusted: all reads are bounded.
 * Async-signal-safe, and without libc.
 */
#ifndef EVPROF_PRELOAD_ELF_FILE_H
#define EVPROF_PRELOAD_ELF_FILE_H

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

/* musl's: to load what is linked with glibc it fails, and the program ends. */
bool ep_elf_is_musl_loader(const char *path);

#endif
