// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes code at run time and replaces it at its address: replaced_code FOLDER.
 *
 * The loop "first_code" runs for 0.3 s of CPU time, then "second_code" is written over it and runs for 0.1 s, then
 * the first comes again, as "third_code", for 0.2 s. FOLDER/jit-PID.dump tells of each with its moment. Prints the
 * code's address and the two moments (CLOCK_MONOTONIC, ns) at which it was replaced; exit status 77 on machines
 * that it has no loop for.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/jit_dump.h"

#define MAGIC 0x4a695444u
#define TURNS 100000

#if defined(__x86_64__)
static const unsigned char loop[] = { 0x55, 0x48, 0x89, 0xe5, /* push rbp; mov rbp, rsp */
	0x89, 0xf9,                                           /* mov ecx, edi */
	0xff, 0xc9, 0x75, 0xfc,                               /* dec ecx; jnz */
	0x5d, 0xc3 };                                         /* pop rbp; ret */
#elif defined(__aarch64__)
static const uint32_t loop[] = { 0x71000400, 0x54ffffe1,
	0xd65f03c0 }; /* subs w0, w0, 1; b.ne; ret */
#else
static const unsigned char loop[] = { 0 };
#define NO_LOOP
#endif

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t make(FILE *dump, unsigned char *code, const char *name)
{
	uint64_t at_ns = now_ns(CLOCK_MONOTONIC);

	memcpy(code, loop, sizeof(loop));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(loop));
	put_load(dump, at_ns, (uint64_t)(uintptr_t)code, sizeof(loop), name);
	fflush(dump);
	return at_ns;
}

static void spend(unsigned char *code, uint64_t ns)
{
	void (*run)(unsigned turns);
	uint64_t end_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) + ns;

	memcpy(&run, &code, sizeof(run));
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		run(TURNS);
}

int main(int argc, char **argv)
{
	unsigned char *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t second_ns, third_ns;
	char path[4096];
	FILE *dump;

#ifdef NO_LOOP
	return 77;
#endif
	if (argc != 2 || code == MAP_FAILED)
		return 1;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], getpid());
	dump = fopen(path, "w+");
	if (!dump)
		return 1;
	put_dump_head(dump, MAGIC, 1, 0);
	fflush(dump);
	/* a runtime tells profilers of its dump by mapping its first page as code */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		return 1;
	make(dump, code, "first_code");
	spend(code, 300000000);
	second_ns = make(dump, code, "second_code");
	spend(code, 100000000);
	third_ns = make(dump, code, "third_code");
	spend(code, 200000000);
	printf("%llu %llu %llu\n", (unsigned long long)(uintptr_t)code,
		(unsigned long long)second_ns, (unsigned long long)third_ns);
	return 0;
}
