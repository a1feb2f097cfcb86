/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the machine, read without starting a program. Called while a process starts. */
#ifndef EVPROF_COMMON_OS_CPU_H
#define EVPROF_COMMON_OS_CPU_H

#include <stddef.h>

/* Writes "Intel(R) Xeon(R) ...", or the kernel's name of the CPU; empty where it has none. */
void ep_cpu_model(char *out, size_t size);

/* Writes the identifier in perf's form: "GenuineIntel-6-85-7" (vendor-family-model-stepping), or the MIDR or PVR in
 * hex. */
void ep_cpu_id(char *out, size_t size);

/* Returns the number of online CPUs. */
int ep_cpu_count(void);

/* Returns the number of CPUs that the calling thread may run on, or that its container's share of time amounts to, if
 * that is less; 0: the kernel does not tell. */
int ep_cpu_count_allowed(void);

/* Writes the CPUs that the calling thread may run on, such as "0-3,8". "": the kernel does not tell, or the text does
 * not fit. */
void ep_cpu_list_allowed(char *out, size_t size);

/* Returns the load of the last minute in hundredths (threads that ran or were ready); -1: not known. */
long ep_cpu_load_percent(void);

/* Returns the rank of this MPI process from its launcher's variable; NULL: there is none. */
const char *ep_cpu_mpi_rank(void);

/* Returns the number of ranks of the program; 0: the launcher does not tell. */
int ep_cpu_mpi_size(void);

#endif
