/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads properties of an executable file. The file is not trusted: all reads are bounded. The functions are
 * async-signal-safe, and read files without libc. */
#ifndef EVPROF_COMMON_OS_ELF_FILE_H
#define EVPROF_COMMON_OS_ELF_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads size_bytes at the offset `at`. Returns false if not all of them could be read. */
bool ep_elf_read(int fd, void *out, size_t size_bytes, uint64_t at);

/* Reads the file's header. Returns false where the file is not ELF, or is cut. In a file for another architecture only
 * e_ident and e_machine are valid. */
bool ep_elf_read_header(int fd, ElfW(Ehdr) * out_header);

/* Returns the header of the module that contains this function: of the library, or of the program. */
const ElfW(Ehdr) * ep_elf_own_header(void);

/* Tells whether the header has another word size, byte order or instruction set than this build. */
bool ep_elf_is_foreign(const ElfW(Ehdr) * header);

/* Finds the first program header of the type (PT_INTERP, PT_DYNAMIC ...). */
bool ep_elf_find_segment(
	int fd, const ElfW(Ehdr) * header, uint32_t type, ElfW(Phdr) * out_segment);

/* Reads the path of the loader (PT_INTERP), cut to capacity - 1 characters; "" in a static
 * program. */
void ep_elf_read_loader(int fd, const ElfW(Ehdr) * header, char *out_path, size_t capacity);

/* Reads the build-id that the linker gave the file. Returns its size in bytes; 0: there is none, or
 * it is longer than capacity. */
size_t ep_elf_read_build_id(int fd, const ElfW(Ehdr) * header, uint8_t *out_id, size_t capacity);

/* The state of a walk over the libraries that the file needs (DT_NEEDED), in their order. */
struct ep_elf_needed {
	int fd;
	uint64_t strings_at; /* the string table's offset in the file; 0: not found */
	ElfW(Dyn) entries[64];
	size_t n_entries, next;
};

void ep_elf_needed_begin(int fd, const ElfW(Ehdr) * header, struct ep_elf_needed *out);
/* Reads the next name, cut to capacity - 1 characters, or "" where it cannot be read. Returns false after the
 * last one. */
bool ep_elf_needed_next(struct ep_elf_needed *needed, char *out_name, size_t capacity);

/* Returns the name of the sanitizer that the file is built with; NULL: none. A sanitizer's runtime has to be the first
 * library. If it comes after libevprof.so, it reports evprof's work as if it were the program's. */
const char *ep_elf_sanitizer(int fd, const ElfW(Ehdr) * header);

/* Tells whether the loader is musl's. musl's loader cannot load libraries that are linked with glibc,
 * and ends the program. */
bool ep_elf_is_musl_loader(const char *path);

#endif
