// SPDX-License-Identifier: BSD-3-Clause
/* Which loops only wait, by their instructions as `as` writes them; and one of this very program.
 */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

struct loop {
	const char *what;
	uint8_t code[24];
	uint8_t n;
	bool waits;
};

static const struct loop loops[] = {
	{ "mov (%rcx),%rax; test %rax,%rax; jne",
		{ 0x48, 0x8b, 0x01, 0x48, 0x85, 0xc0, 0x75, 0xf8 }, 8, true },
	{ "mov (%r12),%rax; test %rax,%rax; je",
		{ 0x49, 0x8b, 0x04, 0x24, 0x48, 0x85, 0xc0, 0x74, 0xf7 }, 9, true },
	{ "cmpl $0,16(%rbx); je", { 0x83, 0x7b, 0x10, 0x00, 0x74, 0xfa }, 6, true },
	{ "pause; mov 0x123456(%rip),%edx; cmp %edx,%eax; jne",
		{ 0xf3, 0x90, 0x8b, 0x15, 0x56, 0x34, 0x12, 0x00, 0x39, 0xd0, 0x75, 0xf4 }, 12,
		true },
	{ "mov (%rdi),%eax; cmp %esi,%eax; jne out; add $1,%rdx; pause; cmp %rcx,%rdx; jne",
		{ 0x8b, 0x07, 0x39, 0xf0, 0x75, 0x0b, 0x48, 0x83, 0xc2, 0x01, 0xf3, 0x90, 0x48,
			0x39, 0xca, 0x75, 0xef },
		17, true },
	{ "movzbl (%r8,%r9,1),%eax; nopw 0(%rax,%rax,1); test %al,%al; je",
		{ 0x43, 0x0f, 0xb6, 0x04, 0x08, 0x66, 0x0f, 0x1f, 0x04, 0x00, 0x84, 0xc0, 0x74,
			0xf2 },
		14, true },
	/* Down a list, along a table: another address each time. */
	{ "mov (%rdi),%rdi; test %rdi,%rdi; jne",
		{ 0x48, 0x8b, 0x3f, 0x48, 0x85, 0xff, 0x75, 0xf8 }, 8, false },
	{ "cmp %eax,(%rdi,%rcx,4); je out; add $1,%rcx; cmp %rdx,%rcx; jne",
		{ 0x39, 0x04, 0x8f, 0x74, 0x09, 0x48, 0x83, 0xc1, 0x01, 0x48, 0x39, 0xd1, 0x75,
			0xf2 },
		14, false },
	{ "movzbl (%r8,%r9,1),%r9d; test %al,%al; je",
		{ 0x47, 0x0f, 0xb6, 0x0c, 0x08, 0x84, 0xc0, 0x74, 0xf7 }, 9, false },
	/* Work is done: memory written, nothing read, floating point, a call. */
	{ "mov (%rdi),%eax; mov %eax,(%rsi); test %eax,%eax; je",
		{ 0x8b, 0x07, 0x89, 0x06, 0x85, 0xc0, 0x74, 0xf8 }, 8, false },
	{ "sub $1,%rcx; jne", { 0x48, 0x83, 0xe9, 0x01, 0x75, 0xfa }, 6, false },
	{ "mulsd (%rdi),%xmm0; cmp %eax,(%rsi); jne",
		{ 0xf2, 0x0f, 0x59, 0x07, 0x39, 0x06, 0x75, 0xf8 }, 8, false },
	{ "call; mov (%rbx),%eax; test %eax,%eax; je",
		{ 0xe8, 0x9b, 0xff, 0xff, 0xff, 0x8b, 0x03, 0x85, 0xc0, 0x74, 0xf5 }, 11, false },
};

/* Code follows an endless filling of int3, which is no instruction of a waiting loop. */
TEST(waiting_loops_and_others)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(loops); i++) {
		const struct loop *loop = &loops[i];
		uint8_t code[96];

		memset(code, 0xcc, sizeof(code));
		memcpy(code + 40, loop->code, loop->n);
		if (ep_wait_loop_holds(code, sizeof(code), 40) != loop->waits)
			printf("# %s\n", loop->what);
		CHECK(ep_wait_loop_holds(code, sizeof(code), 40) == loop->waits);
		CHECK(ep_wait_loop_holds(code, sizeof(code), 40 + loop->n - 2) == loop->waits);
		CHECK(!ep_wait_loop_holds(code, sizeof(code), 39));
		CHECK(!ep_wait_loop_holds(code, sizeof(code), 40 + loop->n));
	}
}

/* No place inside an instruction, and no end of the file, is one. */
TEST(cut_anywhere_it_is_no_loop)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(loops); i++)
		for (size_t n = 0; n < loops[i].n; n++)
			CHECK(!ep_wait_loop_holds(loops[i].code, n, 0));
	CHECK(!ep_wait_loop_holds(loops[0].code, loops[0].n, 1));
}

/* As a program's, whatever the test is built with. */
__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) static int wait_for(
	volatile int *flag)
{
	while (!*flag)
		;
	return *flag;
}

static __attribute__((noinline)) long add_up(const int *values, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static uint64_t base;

/* Takes the base of the first object in the loader's list, which is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

static bool waits_anywhere(Elf *elf, uintptr_t code)
{
	for (uint64_t i = 0; i < 24; i++)
		if (ep_wait_loop_at(elf, code - base + i))
			return true;
	return false;
}

TEST(code_of_a_program)
{
	EP_AUTOCLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int values[] = { 1, 2, 3 };
	Elf *elf;

	dl_iterate_phdr(take_base, NULL);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	CHECK(elf);
	CHECK_INT(wait_for(values), 1);
	CHECK_INT(add_up(values, 3), 6);
#ifdef __x86_64__
	CHECK(waits_anywhere(elf, (uintptr_t)wait_for));
#else
	CHECK(!waits_anywhere(elf, (uintptr_t)wait_for));
#endif
	CHECK(!waits_anywhere(elf, (uintptr_t)add_up));
	CHECK(!ep_wait_loop_at(elf, UINT64_MAX));
	CHECK(!ep_wait_loop_at(NULL, 0));
	elf_end(elf);
}
