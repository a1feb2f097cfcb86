/* SPDX-License-Identifier: BSD-3-Clause */
/* The kind of machine, read without starting a program. Called while a process starts. */
#ifndef EVPROF_COMMON_OS_CPU_H
#define EVPROF_COMMON_OS_CPU_H

#include <stddef.h>

/* "Intel(R) Xeon(R) ...", or what the kernel says; empty when nothing does. */
void ep_cpu_model(char *out, size_t size);

/* perf's form: "GenuineIntel-6-85-7" (vendor-family-model-stepping), MIDR or PVR in hex. */
void ep_cpu_id(char *out, size_t size);

/* Online CPUs. */
int ep_cpu_count(void);

/* CPUs that the calling thread may run on, and its container's share of time is good for; 0 where
 * the kernel does not tell. */
int ep_cpu_count_allowed(void);

/* The CPUs that the calling thread may run on, as "0-3,8"; "": the kernel does not tell, or they are
 * in too many pieces for size. */
void ep_cpu_list_allowed(char *out, size_t size);

/* The last minute's load, in hundredths: threads that ran or were ready; -1: not known. */
long ep_cpu_load_percent(void);

/* Rank of this MPI process by its launcher's variable, NULL when there is none. */
const char *ep_cpu_mpi_rank(void);

/* Ranks of the program, 0: the launcher does not say. */
int ep_cpu_mpi_size(void);

#endif
