/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the machine that the kernels need: CPUs, caches, names. */
#ifndef EVPROF_KERNELS_MEASURE_MACHINE_H
#define EVPROF_KERNELS_MEASURE_MACHINE_H

#include "common/error.h"

#include <stddef.h>

enum { EP_MAX_MACHINE_CPUS = 1024, EP_MAX_MEASURE_CPUS = 64 };

struct ep_cache {
	size_t size_bytes; /* 0: there is none */
	size_t n_sharing;  /* number of CPUs that share the cache */
};

struct ep_cal_machine {
	char cpu[128];    /* name for people */
	char cpu_key[64]; /* vendor-family-model, by which formula files name CPUs */
	char kernel[96];
	char date[16];
	size_t n_cpus; /* CPUs that this process may use: one for each core, if cores are known */
	int cpus[EP_MAX_MACHINE_CPUS];
	struct ep_cache l1i, l1d, l2, l3;
	size_t line_bytes, page_bytes;
};

/* Sets all members; cache sizes come from sysfs, or are typical ones if sysfs does not tell them. */
void ep_cal_machine_probe(struct ep_cal_machine *machine);
/* Sets the key to the CPU's identifier without its stepping, and also the name, if that is empty. */
void ep_cal_machine_set_cpu(struct ep_cal_machine *machine, const char *cpuid);
/* Keeps the calling thread on one CPU. */
int ep_cal_machine_pin(int cpu) EP_MUST_CHECK;

#endif
