// SPDX-License-Identifier: BSD-3-Clause
/* Which addresses of this very program are those at which a system call returns. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

extern const char before_call[], after_call[], after_more[];
#if defined(__x86_64__)
#define CALL "syscall"
#define IS_KNOWN true
#elif defined(__aarch64__)
#define CALL "svc #0"
#define IS_KNOWN true
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define CALL "sc"
#define IS_KNOWN true
#else
#define CALL "nop"
#define IS_KNOWN false
#endif
__asm__(".text\nnop\nnop\nnop\nnop\nbefore_call: " CALL "\nafter_call: nop\nafter_more: nop\n");

static uint64_t base;

/* Takes the base of the first object in the loader's list, which is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

TEST(only_the_instruction_after_a_call)
{
	EP_AUTOCLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Elf *elf;

	dl_iterate_phdr(take_base, NULL);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	CHECK(elf);
	CHECK(!ep_system_call_ends_at(elf, (uintptr_t)before_call - base));
	CHECK(ep_system_call_ends_at(elf, (uintptr_t)after_call - base) == IS_KNOWN);
	CHECK(!ep_system_call_ends_at(elf, (uintptr_t)after_more - base));
	elf_end(elf);
}

TEST(addresses_without_code)
{
	EP_AUTOCLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	CHECK(elf);
	for (uint64_t address = 0; address < 6; address++)
		CHECK(!ep_system_call_ends_at(elf, address));
	CHECK(!ep_system_call_ends_at(elf, UINT64_MAX));
	CHECK(!ep_system_call_ends_at(NULL, 4096));
	elf_end(elf);
}
