/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the machine, read without starting another program. The functions are called while a process starts. */
#ifndef EVPROF_COMMON_OS_CPU_H
#define EVPROF_COMMON_OS_CPU_H

#include <stddef.h>

/* Writes the kernel's name of the CPU, such as "Intel(R) Xeon(R) ..."; writes "" if the kernel has none. */
void ep_cpu_model(char *out, size_t size);

/* Writes the identifier in perf's form: "GenuineIntel-6-85-7" (vendor-family-model-stepping), or the MIDR or PVR in
 * hex. */
void ep_cpu_id(char *out, size_t size);

/* Returns the number of online CPUs. */
int ep_cpu_count(void);

/* Returns the number of CPUs that the calling thread may run on, or the number of CPUs that the CPU time of its
 * container allows, if that is less; 0: not known. */
int ep_cpu_count_allowed(void);

/* Writes the CPUs that the calling thread may run on, such as "0-3,8". Writes "" if they are not known, or if the text
 * does not fit. */
void ep_cpu_list_allowed(char *out, size_t size);

/* Returns the load of the last minute in percent (100: one thread ran or was ready); -1: not known. */
long ep_cpu_load_percent(void);

/* Returns the rank of this MPI process from its launcher's variable; NULL: there is none. */
const char *ep_cpu_mpi_rank(void);

/* Returns the number of ranks of the program from its launcher's variable; 0: not known. */
int ep_cpu_mpi_size(void);

#endif
