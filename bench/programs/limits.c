// SPDX-License-Identifier: BSD-3-Clause
/*
 * limits NAME: runs one loop of x86-64 instructions for some tenths of a second of CPU time; without a
 * name it prints all names, each with what limits it. bench/bounds.py holds what evreport annotate says of each
 * against that.
 *
 * The limits are those of Skylake-SP by Intel's Optimization Reference Manual (ports of figure 2-5, latencies of
 * appendix D) and by Agner Fog's tables: additions and multiplications take 4 cycles, imul 3, loads 5; one port has
 * the divider, one the shuffles, one imul, one popcnt, one stores, two loads and two multiplications.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LEAST_S 0.3
#define TURNS 200000L

/* r9 to r11 point to 64 bytes each, rcx counts turns. */
#define LOOP(name, body)                                                                           \
	__attribute__((noinline)) static void name(void)                                           \
	{                                                                                          \
		static double memory[64] __attribute__((aligned(64)));                             \
		long n = TURNS;                                                                    \
		void *self = &self;                                                                \
                                                                                                   \
		__asm__ volatile("mov %2, %%r9\n\tmov %2, %%r10\n\tadd $64, %%r10\n\t"             \
				 "vxorps %%xmm15, %%xmm15, %%xmm15\n\t"                            \
				 "1:\n\t" body "dec %0\n\tjne 1b"                                  \
				 : "+r"(n), "+r"(self)                                             \
				 : "r"(memory)                                                     \
				 : "memory", "cc", "rax", "rbx", "r8", "r9", "r10", "r11", "r12",  \
				 "r13", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",    \
				 "xmm7", "xmm8", "xmm9", "xmm15");                                 \
	}

/* Each turn waits for the one before. */
LOOP(chain_addsd, "addsd %%xmm1, %%xmm0\n\t")
LOOP(chain_mulsd, "mulsd %%xmm1, %%xmm0\n\t")
LOOP(chain_divsd, "divsd %%xmm1, %%xmm0\n\t")
LOOP(chain_sqrtsd, "sqrtsd %%xmm0, %%xmm0\n\t")
LOOP(chain_fma, "vfmadd231pd %%ymm1, %%ymm2, %%ymm0\n\t")
LOOP(chain_imul, "imul %%rax, %%rax\n\t")
LOOP(chain_load, "mov (%1), %1\n\t")
LOOP(chain_add_mul, "addsd %%xmm1, %%xmm0\n\tmulsd %%xmm1, %%xmm0\n\t")
LOOP(chain_popcnt, "popcnt %%rax, %%rax\n\t")

/* Some ports are busy all the time. */
LOOP(ports_divide, "vdivsd %%xmm1, %%xmm0, %%xmm2\n\tvdivsd %%xmm1, %%xmm0, %%xmm3\n\t")
LOOP(ports_load, "mov (%%r9), %%rax\n\tmov 8(%%r9), %%rbx\n\tmov 16(%%r9), %%r8\n\t"
		 "mov 24(%%r9), %%r11\n\tmov 32(%%r9), %%r12\n\tmov 40(%%r9), %%r13\n\t")
LOOP(ports_store, "mov %%rax, (%%r9)\n\tmov %%rax, 8(%%r9)\n\tmov %%rax, 16(%%r9)\n\t")
LOOP(ports_shuffle, "vpermilpd $1, %%ymm0, %%ymm1\n\tvpermilpd $1, %%ymm0, %%ymm2\n\t"
		    "vpermilpd $1, %%ymm0, %%ymm3\n\tvpermilpd $1, %%ymm0, %%ymm4\n\t")
LOOP(ports_fma, "vfmadd231pd %%ymm8, %%ymm9, %%ymm0\n\tvfmadd231pd %%ymm8, %%ymm9, %%ymm1\n\t"
		"vfmadd231pd %%ymm8, %%ymm9, %%ymm2\n\tvfmadd231pd %%ymm8, %%ymm9, %%ymm3\n\t"
		"vfmadd231pd %%ymm8, %%ymm9, %%ymm4\n\tvfmadd231pd %%ymm8, %%ymm9, %%ymm5\n\t"
		"vfmadd231pd %%ymm8, %%ymm9, %%ymm6\n\tvfmadd231pd %%ymm8, %%ymm9, %%ymm7\n\t")
LOOP(ports_imul, "imul $3, %%r9, %%rax\n\timul $3, %%r9, %%rbx\n\timul $3, %%r9, %%r8\n\t"
		 "imul $3, %%r9, %%r11\n\t")
LOOP(ports_popcnt,
	"popcnt %%r9, %%rax\n\tpopcnt %%r9, %%rbx\n\tpopcnt %%r9, %%r8\n\tpopcnt %%r9, %%r11\n\t")
LOOP(ports_add, "vaddpd %%ymm8, %%ymm9, %%ymm0\n\tvaddpd %%ymm8, %%ymm9, %%ymm1\n\t"
		"vaddpd %%ymm8, %%ymm9, %%ymm2\n\tvaddpd %%ymm8, %%ymm9, %%ymm3\n\t"
		"vmulpd %%ymm8, %%ymm9, %%ymm4\n\tvmulpd %%ymm8, %%ymm9, %%ymm5\n\t"
		"vmulpd %%ymm8, %%ymm9, %%ymm6\n\tvmulpd %%ymm8, %%ymm9, %%ymm7\n\t")

/* No more instructions begin in a cycle. */
LOOP(front_end_nops,
	"nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\t")
LOOP(front_end_mixed,
	"mov (%%r9), %%rax\n\tmov 8(%%r9), %%rbx\n\tmov %%r8, 64(%%r10)\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
	"nop\n\tlea 1(%%r9), %%r11\n\tlea 1(%%r9), %%r12\n\tlea 1(%%r9), %%r13\n\tnop\n\tnop\n\t")
LOOP(front_end_moves,
	"mov %%r9, %%rax\n\tmov %%r9, %%rbx\n\tmov %%r9, %%r8\n\tmov %%r9, %%r11\n\tnop\n\tnop\n\tnop\n\t"
	"nop\n\tnop\n\tnop\n\tmov %%r9, %%r12\n\tmov %%r9, %%r13\n\t")

static const struct {
	const char *name, *limit;
	void (*run)(void);
} loops[] = {
#define ROW(name, limit)                                                                           \
	{                                                                                          \
#name, limit, name                                                                 \
	}
	ROW(chain_addsd, "chain"),
	ROW(chain_mulsd, "chain"),
	ROW(chain_divsd, "chain"),
	ROW(chain_sqrtsd, "chain"),
	ROW(chain_fma, "chain"),
	ROW(chain_imul, "chain"),
	ROW(chain_load, "chain"),
	ROW(chain_add_mul, "chain"),
	ROW(chain_popcnt, "chain"),
	ROW(ports_divide, "ports"),
	ROW(ports_load, "ports"),
	ROW(ports_store, "ports"),
	ROW(ports_shuffle, "ports"),
	ROW(ports_fma, "ports"),
	ROW(ports_imul, "ports"),
	ROW(ports_popcnt, "ports"),
	ROW(ports_add, "ports"),
	ROW(front_end_nops, "front end"),
	ROW(front_end_mixed, "front end"),
	ROW(front_end_moves, "front end"),
#undef ROW
};

static void run_for_a_while(void (*run)(void))
{
	clock_t begin = clock();

	while ((double)(clock() - begin) < LEAST_S * CLOCKS_PER_SEC)
		run();
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		if (argc < 2)
			printf("%s\t%s\n", loops[i].name, loops[i].limit);
		else if (!strcmp(argv[1], loops[i].name))
			run_for_a_while(loops[i].run);
	}
	return 0;
}
