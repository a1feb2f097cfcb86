/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs code whose registers and stacks mislead an unwinder: junk in the frame pointer, a stack pointer into the heap,
 * and functions made at run time without unwind information. Such functions are in memory that may be executed but not
 * read, and which is unmapped afterwards.
 */
#include "probe.h"

#include <sys/mman.h>

enum { ROUNDS = 3000000, N_REPEATS = 3 };

/* Spins while the frame pointer holds junk. All other registers stay valid. */
static __attribute__((noinline)) void spin_with_frame_pointer(uintptr_t junk)
{
	unsigned long n = ROUNDS;

	__asm__ volatile("pushq %%rbp\n\t"
			 "movq %[junk], %%rbp\n"
			 "1:\tdecq %[n]\n\t"
			 "jnz 1b\n\t"
			 "popq %%rbp"
			 : [n] "+r"(n)
			 : [junk] "r"(junk)
			 : "memory");
}

/* Spins on another stack, with junk above it. */
static __attribute__((noinline)) void spin_on_stack(void *top, uintptr_t junk)
{
	unsigned long n = ROUNDS;

	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "pushq %[junk]\n\t"
			 "pushq %[junk]\n"
			 "1:\tdecq %[n]\n\t"
			 "jnz 1b\n\t"
			 "movq %%rbx, %%rsp"
			 : [n] "+r"(n)
			 : [top] "r"(top), [junk] "r"(junk)
			 : "rbx", "memory");
}

/* Spins with a chain of frames that looks valid but is a cycle. */
static void spin_in_circle(void)
{
	uintptr_t ring[4];

	ring[0] = (uintptr_t)&ring[2];
	ring[1] = (uintptr_t)spin_in_circle;
	ring[2] = (uintptr_t)&ring[0];
	ring[3] = (uintptr_t)spin_in_circle;
	spin_with_frame_pointer((uintptr_t)ring);
}

static void lie_about_frames(void)
{
	static const uintptr_t junk[] = { 0, 1, 8, 0x7fffffffffff, 0xffffffffff600000, ~0UL,
		0x8000000000000000, 0x4141414141414141 };
	char *heap = malloc(65536),
	     *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(gone, 4096);
	memset(heap, 0x41, 65536);
	for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
		spin_with_frame_pointer(junk[i]);
		spin_on_stack(heap + 32768, junk[i]);
	}
	spin_with_frame_pointer((uintptr_t)gone);
	spin_with_frame_pointer((uintptr_t)heap + 3);
	spin_in_circle();
	free(heap);
}

/* mov edi, eax ... : for (n = argument; --n;) ; return 42 */
static const unsigned char code[] = { 0x53, 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xb8, 42, 0, 0, 0,
	0x5b, 0xc3 };

static void spin_in_made_code(int protection, int offset)
{
	unsigned char *memory =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*made)(unsigned);

	memset(memory, 0xcc, 8192);
	memcpy(memory + offset, code, sizeof(code));
	EXPECT_INT(mprotect(memory, 8192, protection), 0);
	made = (int (*)(unsigned))(memory + offset);
	EXPECT_INT(made(ROUNDS), 42);
	EXPECT_INT(munmap(memory, 8192), 0);
}

static void make_code(void)
{
	spin_in_made_code(PROT_READ | PROT_EXEC, 0);
	spin_in_made_code(PROT_EXEC, 0);
	spin_in_made_code(PROT_EXEC, 8192 - sizeof(code));
	spin_in_made_code(PROT_READ | PROT_WRITE | PROT_EXEC, 4094);
}

static void *lie(void *unused)
{
	for (int i = 0; i < N_REPEATS; i++) {
		lie_about_frames();
		make_code();
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, lie, NULL);
	lie(NULL);
	pthread_join(thread, NULL);
	return probe_end();
}
